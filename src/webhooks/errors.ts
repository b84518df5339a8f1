/** Error codes of webhooks and of calls to them: the reasons in the log of deliveries. */

import { defineErrors } from '../core/errors.ts';

export const WEBHOOK_ERRORS = defineErrors({
  WEBHOOK_URL_INVALID: {
    kind: 'invalid-input',
    message:
      'The address must be an http or https URL without a user name, password or fragment, on a port for web traffic.',
  },
  WEBHOOK_HEADERS_INVALID: {
    kind: 'invalid-input',
    message: 'The headers must be valid and few, and must not include any that the gateway sets itself.',
  },
  WEBHOOK_ADDRESS_REFUSED: {
    kind: 'not-allowed',
    message: 'The host has an address in a private or reserved network, which is not allowed.',
  },
  WEBHOOK_HOST_UNKNOWN: { kind: 'unavailable', message: 'The host name could not be resolved.' },
  WEBHOOK_CONNECTION_FAILED: { kind: 'unavailable', message: 'The connection to the host failed.' },
  WEBHOOK_TIMED_OUT: { kind: 'timeout', message: 'The host did not respond in time.' },
  WEBHOOK_ANSWER_TOO_LARGE: { kind: 'peer-protocol', message: 'The host sent a response that is too large.' },
  WEBHOOK_ANSWER_REFUSED: { kind: 'peer-refused', message: 'The host refused the call.' },
  WEBHOOK_REDIRECTED: {
    kind: 'peer-refused',
    message: 'The host responded with a redirect, which the gateway does not follow.',
  },
  TOO_MANY_WEBHOOKS: {
    kind: 'limit',
    message: 'The organization already has the maximum number of webhooks.',
  },
  WEBHOOK_TOKEN_REFUSED: {
    kind: 'peer-refused',
    message: 'The authorization server did not issue an access token.',
  },
  WEBHOOK_QUEUE_FULL: { kind: 'limit', message: 'Too many deliveries of the organization are waiting.' },
});
