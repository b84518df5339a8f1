/** Classifies a camera's refusal of a request (RFC 2326 §11.3). */

import { GatewayError } from '../core/errors.ts';
import { RTSP_ERRORS } from './errors.ts';
import type { RtspResponse } from './message.ts';

/** Longest pause accepted from Retry-After: a longer one is treated as a mistake. */
const MAX_RETRY_AFTER_SEC = 3_600;

/** The error for a response that is neither a success, a 401 nor a redirect to follow. */
export function refusal(method: string, response: RtspResponse): GatewayError {
  const { statusCode } = response;
  const context = { method, statusCode };
  switch (statusCode) {
    case 403:
      return new GatewayError(RTSP_ERRORS.RTSP_AUTH_FAILED, { ...context, reason: 'forbidden' });
    case 404:
      return new GatewayError(RTSP_ERRORS.RTSP_NOT_FOUND, context);
    case 453:
    case 503:
      return new GatewayError(RTSP_ERRORS.RTSP_BUSY, { ...context, retryAfterSec: retryAfterSec(response) });
    case 454:
      return new GatewayError(RTSP_ERRORS.RTSP_SESSION_LOST, context);
    case 455:
    case 461:
      // Servers that cannot interleave respond to a SETUP for it with either status.
      return new GatewayError(
        method === 'SETUP' ? RTSP_ERRORS.RTSP_TRANSPORT_REFUSED : RTSP_ERRORS.RTSP_REFUSED,
        context,
      );
    default:
      return new GatewayError(RTSP_ERRORS.RTSP_REFUSED, context);
  }
}

/** RFC 2326 §12.31; undefined if absent, a date or nonsense. */
function retryAfterSec(response: RtspResponse): number | undefined {
  const digits = /^\d{1,7}$/.exec(response.headers.get('Retry-After') ?? '')?.[0];
  return digits === undefined ? undefined : Math.min(Number(digits), MAX_RETRY_AFTER_SEC);
}
