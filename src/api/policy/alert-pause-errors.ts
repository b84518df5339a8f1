/** Error codes of pausing alerts. */

import { defineErrors } from '../../core/errors.ts';

export const ALERT_PAUSE_ERRORS = defineErrors({
  TOO_MANY_ALERT_PAUSES: {
    kind: 'limit',
    message: 'Too many pauses of the organisation have not ended yet.',
  },
});
