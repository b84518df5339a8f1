/** Error codes of events. */

import { defineErrors } from '../../core/errors.ts';

export const EVENT_ERRORS = defineErrors({
  POLICY_ALERT_NOT_FOUND: { kind: 'not-found', message: 'There is no policy alert with this UUID.' },
  EVENT_DOOR_NOT_FOUND: { kind: 'not-found', message: 'There is no door with this UUID.' },
});
