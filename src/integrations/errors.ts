/** Error codes of integrations with other systems. */

import { defineErrors } from '../core/errors.ts';

export const INTEGRATION_ERRORS = defineErrors({
  TOO_MANY_BADGE_DOORS: { kind: 'invalid-input', message: 'An integration has at most 10,000 doors.' },
  WEBHOOK_ADDRESS_INVALID: {
    kind: 'invalid-input',
    message:
      'The address of a webhook is an http or https URL without user name, password and fragment, at a port for the web.',
  },
  TOO_MANY_WEBHOOKS_OF_TOPIC: {
    kind: 'invalid-input',
    message: 'An organisation tells at most 100 addresses of a topic.',
  },
  DELIVERY_CAUSE_NOT_FOUND: {
    kind: 'invalid-input',
    message: 'There is neither a lockdown rule nor a webhook with this UUID.',
  },
});
