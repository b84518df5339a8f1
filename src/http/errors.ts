/** Error codes of the management API itself: failures before a request reaches its domain. */

import { defineErrors } from '../core/errors.ts';

export const API_ERRORS = defineErrors({
  AUTHENTICATION_FAILED: {
    kind: 'unauthenticated',
    message: 'The API key, its scheme or the organization it names was not accepted.',
  },
  ROLE_REQUIRED: {
    kind: 'not-allowed',
    message: 'The role of the person or API key does not allow this.',
  },
  SCOPE_REFUSED: {
    kind: 'not-allowed',
    message:
      'The rights of the person or API key are limited to sites and cameras, and this is not part of them.',
  },
  ORIGIN_REFUSED: {
    kind: 'not-allowed',
    message: "A page of another site sent this request. Only the API's own pages can send it.",
  },
  API_RATE_LIMITED: {
    kind: 'rate-limited',
    message: 'Too many requests. Wait as long as Retry-After says.',
  },
  OVERLOADED: {
    kind: 'unavailable',
    message: 'The gateway is too busy to respond. Wait as long as Retry-After says.',
  },
  API_SHUTTING_DOWN: {
    kind: 'unavailable',
    message: 'The gateway is shutting down. Wait as long as Retry-After says.',
  },
  REQUEST_TIMED_OUT: {
    kind: 'unavailable',
    message:
      'The request took too long and was abandoned. A change that it requested may still have been made.',
  },
  UNKNOWN_PATH: { kind: 'not-found', message: 'There is no endpoint at this path.' },
  METHOD_NOT_ALLOWED: {
    kind: 'invalid-input',
    message: 'This endpoint accepts only POST with a JSON object as its body.',
  },
  MALFORMED_REQUEST: {
    kind: 'invalid-input',
    message: 'The request is not valid HTTP, or did not arrive in time.',
  },
  MALFORMED_JSON: { kind: 'invalid-input', message: 'The request body is not valid JSON.' },
  BODY_TOO_LARGE: { kind: 'limit', message: 'The request body is too large.' },
  UNSUPPORTED_BODY_ENCODING: {
    kind: 'invalid-input',
    message: 'The request body is compressed. Send it as plain JSON, without Content-Encoding.',
  },
  IDEMPOTENCY_KEY_INVALID: {
    kind: 'invalid-input',
    message:
      'Idempotency-Key must be 1 to 255 printable ASCII characters, in double quotes or without spaces.',
  },
  INVALID_FIELD: { kind: 'invalid-input', message: 'A field of the request is missing or invalid.' },
  SESSION_OF_ANOTHER_DEVICE: {
    kind: 'not-allowed',
    message: 'This federated session is for another device.',
  },
  CLIENT_CERTIFICATES_NOT_OFFERED: {
    kind: 'invalid-input',
    message: 'authType must be API_TOKEN: client certificates are not supported.',
  },
});
