/** Error codes of what organisations give out themselves. */

import { defineErrors } from '../../core/errors.ts';

export const ORG_ERRORS = defineErrors({
  TOO_MANY_FEDERATED_SESSIONS: {
    kind: 'limit',
    message: 'The organisation has as many federated sessions as it may have: wait until some have expired.',
  },
  FEDERATED_SESSION_NEEDS_KEY: {
    kind: 'not-allowed',
    message: 'Federated sessions are made with an API key; an application cannot pass its own access on.',
  },
});
