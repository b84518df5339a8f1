/** Error codes of events. */

import { defineErrors } from '../core/errors.ts';

export const EVENT_ERRORS = defineErrors({
  POLICY_ALERT_NOT_FOUND: { kind: 'not-found', message: 'There is no policy alert with this UUID.' },
  POLICY_ALERT_ACKNOWLEDGED: { kind: 'conflict', message: 'Someone has acknowledged the alert already.' },
  POLICY_ALERT_SEARCH_TOO_LONG: {
    kind: 'limit',
    message: 'There are more than 20,000 policy alerts to search. Choose a shorter range.',
  },
  UPTIME_HISTORY_TOO_LONG: {
    kind: 'limit',
    message: 'The range is longer than 31 days. Choose a shorter one.',
  },
  SAVED_CLIP_NOT_FOUND: { kind: 'not-found', message: 'There is no saved clip with this UUID.' },
  SAVED_CLIP_HELD: {
    kind: 'conflict',
    message: 'The clip is under a legal hold. Someone must release the hold before it can be deleted.',
  },
  SAVED_CLIPS_FULL: {
    kind: 'limit',
    message: 'The organization has 20,000 saved clips. Delete some before you save another.',
  },
  UPTIME_RANGE_TOO_LONG: {
    kind: 'limit',
    message:
      'The devices connected and disconnected more than 20,000 times in this range. Choose a shorter range.',
  },
  DIAGNOSTIC_RANGE_TOO_LONG: {
    kind: 'limit',
    message: 'There are more than 20,000 reports to search. Choose a shorter range.',
  },
  DIAGNOSTIC_EXPORT_TOO_LONG: {
    kind: 'limit',
    message: 'There are more than 20,000 events to export. Ask for a shorter range.',
  },
  CAMERA_PAUSE_OVER: { kind: 'invalid-input', message: 'A pause must end in the future.' },
  CAMERA_PAUSE_TOO_LONG: { kind: 'invalid-input', message: 'A camera can be paused for at most 31 days.' },
  EVENT_DOOR_NOT_FOUND: { kind: 'not-found', message: 'There is no door with this UUID.' },
});
