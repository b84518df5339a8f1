/** Refusals and failures as RTSP has them: the reason phrase is the sentence that HTTP clients get, because players show it. */

import type { GatewayError } from '../../core/errors.ts';
import type { ServerRefusal } from '../../rtsp/server/server-session.ts';
import type { AccessRefused } from '../../sharing/access-decision.ts';
import type { OpeningRefused } from '../../sharing/share-gate.ts';
import {
  failureResponse,
  openingRefusedResponse,
  pastRefusedResponse,
  type RefusalResponse,
  refusedResponse,
} from '../response/refusal-response.ts';

/**
 * Passwords are stored as salted hashes, with which no server can check a Digest response. So only Basic is offered, which RTSPS
 * protects on its way.
 */
const CHALLENGE = 'Basic realm="Shared live video"';
/** Those of HTTP that RTSP does not have. */
const STATUS: Readonly<Record<number, number>> = { 409: 404, 429: 503 };

export function refusalOfOpening(refused: OpeningRefused, nowEpochMs: number): ServerRefusal {
  const refusal = refusalOf(openingRefusedResponse(refused, nowEpochMs));
  const { reason } = refused;
  // No credentials of RTSP are a sign-in.
  if (reason === 'sign-in-needed') return { ...refusal, statusCode: 403 };
  if (reason !== 'password-needed' && reason !== 'password-wrong') return refusal;
  return { ...refusal, fields: [['WWW-Authenticate', CHALLENGE]] };
}

export function refusalOfAccess(refused: AccessRefused, nowEpochMs: number): ServerRefusal {
  return refusalOf(refusedResponse(refused, nowEpochMs));
}

export function refusalOfPast(nowEpochMs: number): ServerRefusal {
  return refusalOf(pastRefusedResponse(nowEpochMs));
}

export function refusalOfFailure(failure: GatewayError): ServerRefusal {
  return refusalOf(failureResponse(failure));
}

function refusalOf({ status, body }: RefusalResponse): ServerRefusal {
  const { errorMsg, retryAfterSec } = body;
  return {
    statusCode: STATUS[status] ?? status,
    reasonPhrase: errorMsg,
    fields: retryAfterSec === undefined ? [] : [['Retry-After', String(retryAfterSec)]],
  };
}
