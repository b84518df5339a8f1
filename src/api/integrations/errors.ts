/** Error codes of API tokens. */

import { defineErrors } from '../../core/errors.ts';

export const INTEGRATION_ERRORS = defineErrors({
  API_TOKEN_NOT_FOUND: { kind: 'not-found', message: 'There is no API token with this tokenUuid.' },
  TOO_MANY_API_TOKENS: {
    kind: 'limit',
    message:
      'The organisation has as many API tokens as it may have: revoke those that are not used any more.',
  },
  CLIENT_CERTIFICATES_NOT_OFFERED: {
    kind: 'invalid-input',
    message: 'authType must be API_TOKEN: client certificates are not offered.',
  },
});
