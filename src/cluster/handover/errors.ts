/** Why a camera is handed over with a gap. */

import { defineErrors } from '../../core/errors.ts';

export const HANDOVER_ERRORS = defineErrors({
  HANDOVER_NOT_POSSIBLE: {
    kind: 'unavailable',
    message: 'the camera cannot be handed over without a gap',
  },
  HANDOVER_TIMED_OUT: {
    kind: 'unavailable',
    message: 'no frame came in time that both nodes have',
  },
});
