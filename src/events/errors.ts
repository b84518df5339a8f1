/** Error codes of events. */

import { defineErrors } from '../core/errors.ts';

export const EVENT_ERRORS = defineErrors({
  POLICY_ALERT_NOT_FOUND: { kind: 'not-found', message: 'There is no policy alert with this UUID.' },
  POLICY_ALERT_SEARCH_TOO_LONG: {
    kind: 'limit',
    message: 'There are more than 20,000 policy alerts to look through: ask for a shorter time.',
  },
  SAVED_CLIP_NOT_FOUND: { kind: 'not-found', message: 'There is no saved clip with this UUID.' },
  SAVED_CLIPS_FULL: {
    kind: 'limit',
    message: 'The organisation has 20,000 saved clips: delete some before saving another.',
  },
  UPTIME_RANGE_TOO_LONG: {
    kind: 'limit',
    message: 'The devices went and came back more than 20,000 times in this range: ask for a shorter one.',
  },
  DIAGNOSTIC_RANGE_TOO_LONG: {
    kind: 'limit',
    message: 'There are more than 20,000 reports to look through: ask for a shorter time.',
  },
  EVENT_DOOR_NOT_FOUND: { kind: 'not-found', message: 'There is no door with this UUID.' },
});
