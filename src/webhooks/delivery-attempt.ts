/** One attempt at a delivery: token, signature, call, and the meaning of the response. */

import type { Clock } from '../core/clock.ts';
import { type ErrorDefinition, GatewayError, toGatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import { WEBHOOK_ERRORS } from './errors.ts';
import type { OAuthClientTokens } from './oauth-client-tokens.ts';
import type { OutboundResponse, PostOutbound } from './outbound-call.ts';
import { isPassingStatus, retryAfterMsOf } from './retry-after.ts';
import type { DeliveryRequest } from './webhook-delivery.ts';
import { webhookUrl } from './webhook-request.ts';
import { SIGNATURE_HEADER, webhookSignature } from './webhook-signature.ts';

/** The result of an attempt; `again`: another one may do better. */
export type AttemptOutcome =
  | { readonly result: 'delivered'; readonly httpStatus: number; readonly responseBody: string }
  | {
      readonly result: 'failed';
      readonly httpStatus: number | null;
      /** What the host responded; empty: nothing. */
      readonly responseBody: string;
      readonly error: GatewayError;
      readonly again: boolean;
      /** The pause that the host requests; null: it requests none. */
      readonly retryAfterMs: number | null;
    };

export interface AttemptParts {
  readonly post: PostOutbound;
  readonly tokens: OAuthClientTokens;
  readonly clock: Clock;
}

const USER_AGENT = 'Sluice';
/** Codes after which the same call may succeed. */
const PASSING_CODES: ReadonlySet<string> = new Set([
  WEBHOOK_ERRORS.WEBHOOK_HOST_UNKNOWN.code,
  WEBHOOK_ERRORS.WEBHOOK_CONNECTION_FAILED.code,
  WEBHOOK_ERRORS.WEBHOOK_TIMED_OUT.code,
  WEBHOOK_ERRORS.WEBHOOK_TOKEN_REFUSED.code,
]);

/** Never rejects. */
export async function attemptDelivery(
  { post, tokens, clock }: AttemptParts,
  uuid: Ruuid,
  request: DeliveryRequest,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  try {
    const { oauthClient } = request;
    const token = oauthClient === null ? null : await tokens.token(oauthClient, signal);
    const epochSec = Math.floor(clock.epochMs() / 1_000);
    const response = await post({
      url: webhookUrl(request.url),
      headers: {
        accept: 'application/json',
        'user-agent': USER_AGENT,
        ...request.headers,
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        'content-type': 'application/json; charset=utf-8',
        'x-sluice-delivery': uuid,
        [SIGNATURE_HEADER]: webhookSignature(new Secret(request.signingSecret), epochSec, request.payload),
      },
      body: request.payload,
      signal,
    });
    if (response.status === 401 && oauthClient !== null) {
      tokens.forget(oauthClient);
      return refused(response, true);
    }
    return outcomeOf(response, clock.epochMs());
  } catch (thrown) {
    const error = toGatewayError(thrown);
    const again = PASSING_CODES.has(error.code);
    return { result: 'failed', httpStatus: null, responseBody: '', error, again, retryAfterMs: null };
  }
}

function outcomeOf(response: OutboundResponse, nowMs: number): AttemptOutcome {
  const { status } = response;
  if (status >= 200 && status < 300)
    return { result: 'delivered', httpStatus: status, responseBody: response.body };
  if (status >= 300 && status < 400) return refused(response, false, WEBHOOK_ERRORS.WEBHOOK_REDIRECTED);
  return {
    ...refused(response, isPassingStatus(status)),
    retryAfterMs: retryAfterMsOf(response.retryAfter, nowMs),
  };
}

function refused(
  { status, body }: OutboundResponse,
  again: boolean,
  definition: ErrorDefinition = WEBHOOK_ERRORS.WEBHOOK_ANSWER_REFUSED,
): Extract<AttemptOutcome, { result: 'failed' }> {
  const error = new GatewayError(definition, { status });
  return { result: 'failed', httpStatus: status, responseBody: body, error, again, retryAfterMs: null };
}
