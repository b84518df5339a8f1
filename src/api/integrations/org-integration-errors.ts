/** Error codes of integrations with other systems. */

import { defineErrors } from '../../core/errors.ts';

export const ORG_INTEGRATION_ERRORS = defineErrors({
  INTEGRATION_NOT_FOUND: { kind: 'not-found', message: 'The organisation does not have this integration.' },
  TOO_MANY_WEBHOOKS: { kind: 'limit', message: 'The organisation has as many webhooks as it may have.' },
});
