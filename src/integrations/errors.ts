/** Error codes of integrations with other systems. */

import { defineErrors } from '../core/errors.ts';

export const INTEGRATION_ERRORS = defineErrors({
  TOO_MANY_BADGE_DOORS: { kind: 'invalid-input', message: 'An integration can have at most 10,000 doors.' },
  WEBHOOK_ADDRESS_INVALID: {
    kind: 'invalid-input',
    message:
      'The address of a webhook must be an http or https URL without user name, password and fragment, and with a ' +
      'web port.',
  },
  TOO_MANY_WEBHOOKS_OF_TOPIC: {
    kind: 'invalid-input',
    message: 'A topic can have at most 100 webhook addresses.',
  },
  WEBHOOK_NOT_FOUND: {
    kind: 'invalid-input',
    message: 'The organization has no webhook with this address.',
  },
  DELIVERY_CAUSE_NOT_FOUND: {
    kind: 'invalid-input',
    message: 'There is neither a lockdown rule nor a webhook with this UUID.',
  },
});
