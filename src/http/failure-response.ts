/**
 * The one place where a failure becomes HTTP. If an endpoint refuses a request, the status is 200 with `error: true`
 * (docs/spec/conventions.md#errors). Other status codes are for what no endpoint of the specification decides: the key,
 * the rate, the transport, and bugs of ours.
 */

import { ACCOUNT_ERRORS } from '../accounts/errors.ts';
import { type ErrorKind, GatewayError, toGatewayError } from '../core/errors.ts';
import { type AuthenticationFailure, type Envelope, failureEnvelope } from './envelope.ts';
import { errorHeaders } from './error-fields.ts';
import { API_ERRORS } from './errors.ts';
import { requestSentence } from './request-sentences.ts';

/** The `Retry-After` of errors that do not have their own. */
const DEFAULT_RETRY_AFTER_SEC = 5;

export interface FailureResponse {
  readonly status: number;
  readonly body: Envelope | AuthenticationFailure;
  readonly headers: Readonly<Record<string, string>>;
  readonly error: GatewayError;
}

const STATUS_BY_KIND: Readonly<Record<ErrorKind, number>> = {
  'invalid-input': 200,
  'not-allowed': 200,
  'not-found': 200,
  conflict: 200,
  limit: 200,
  'peer-protocol': 200,
  'peer-refused': 200,
  unauthenticated: 401,
  'rate-limited': 429,
  unavailable: 503,
  timeout: 503,
  internal: 500,
};

/** Transport failures, which no endpoint sees. */
const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  [API_ERRORS.UNKNOWN_PATH.code]: 404,
  [API_ERRORS.ROLE_REQUIRED.code]: 403,
  [API_ERRORS.ORIGIN_REFUSED.code]: 403,
  [API_ERRORS.METHOD_NOT_ALLOWED.code]: 405,
  [API_ERRORS.MALFORMED_REQUEST.code]: 400,
  [API_ERRORS.MALFORMED_JSON.code]: 400,
  [API_ERRORS.BODY_TOO_LARGE.code]: 413,
  [API_ERRORS.UNSUPPORTED_BODY_ENCODING.code]: 415,
  // draft-ietf-httpapi-idempotency-key-header §2.7.
  [API_ERRORS.IDEMPOTENCY_KEY_INVALID.code]: 400,
  [ACCOUNT_ERRORS.IDEMPOTENCY_KEY_REUSED.code]: 422,
  [ACCOUNT_ERRORS.IDEMPOTENT_REQUEST_RUNNING.code]: 409,
  [ACCOUNT_ERRORS.IDEMPOTENT_ANSWER_UNKNOWN.code]: 409,
};

/** `requestId`: shown to the caller of an internal failure, and in its log line. `warning`: another fact that the caller should know. */
export function failureResponse(
  thrown: unknown,
  requestId: string,
  warning: string | null = null,
): FailureResponse {
  const error = gatewayErrorOf(thrown);
  const status = STATUS_BY_CODE[error.code] ?? STATUS_BY_KIND[error.kind];
  const envelope = failureEnvelope(
    error.kind === 'internal' ? `${error.message} Error ID: ${requestId}.` : requestSentence(error),
    warning,
  );
  const body: AuthenticationFailure | Envelope =
    status === 401 ? { authenticationFailed: true, ...envelope } : envelope;
  return { status, body, headers: { ...errorHeaders(error), ...headersOf(error, status) }, error };
}

function headersOf(error: GatewayError, status: number): Record<string, string> {
  if (status === 405) return { allow: String(error.context.allow ?? 'POST') };
  if (error.code === ACCOUNT_ERRORS.IDEMPOTENT_REQUEST_RUNNING.code) return { 'retry-after': '1' };
  if (status !== 429 && status !== 503) return {};
  const retryAfterSec = error.context.retryAfterSec;
  return {
    'retry-after': String(typeof retryAfterSec === 'number' ? retryAfterSec : DEFAULT_RETRY_AFTER_SEC),
  };
}

/** Fastify's errors have a code and an HTTP status; their texts are not passed on. */
function gatewayErrorOf(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  const { code, statusCode } =
    thrown instanceof Error ? (thrown as { code?: unknown; statusCode?: unknown }) : {};
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new GatewayError(API_ERRORS.BODY_TOO_LARGE, {}, thrown);
    case 'FST_ERR_HANDLER_TIMEOUT':
      return new GatewayError(API_ERRORS.REQUEST_TIMED_OUT, {}, thrown);
    default:
      break;
  }
  const isClientFault = typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
  return isClientFault ? new GatewayError(API_ERRORS.MALFORMED_REQUEST, {}, thrown) : toGatewayError(thrown);
}
