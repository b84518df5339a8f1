/** Error codes of doors, elevator landings and what else makes up access control. */

import { defineErrors } from '../../core/errors.ts';

export const COMPONENT_ERRORS = defineErrors({
  DOOR_NOT_FOUND: { kind: 'not-found', message: 'There is no access controlled door with this UUID.' },
  DOOR_OWNER_NOT_FOUND: { kind: 'not-found', message: 'There is no device with this UUID.' },
  ELEVATOR_LANDING_NOT_FOUND: {
    kind: 'not-found',
    message: 'There is no access controlled elevator landing with this UUID.',
  },
  ELEVATOR_LANDING_LABEL_NOT_FOUND: {
    kind: 'not-found',
    message: 'The elevator landing does not carry this label.',
  },
  TOO_MANY_ELEVATOR_LANDING_LABELS: {
    kind: 'limit',
    message: 'The elevator landing has as many labels as it may have.',
  },
});
