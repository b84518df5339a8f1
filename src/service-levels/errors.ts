/** Error codes of the service levels. */

import { defineErrors } from '../core/errors.ts';

export const SERVICE_LEVEL_ERRORS = defineErrors({
  SERVICE_SHARE_NOT_FOUND: { kind: 'not-found', message: 'There is no share with this UUID.' },
  SERVICE_PROBES_FULL: {
    kind: 'limit',
    message: 'The synthetic viewer plays 50 shares at most. Turn it off for another share first.',
  },
});
