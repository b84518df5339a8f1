/** Error codes of shares and schedules. `context.sentence`, where present, names the field and what is wrong with it. */

import { defineErrors } from '../core/errors.ts';

export const SHARING_ERRORS = defineErrors({
  SHARE_NOT_FOUND: { kind: 'not-found', message: 'There is no shared live stream with this UUID.' },
  SHARE_CAMERA_NOT_FOUND: { kind: 'not-found', message: 'No camera has this UUID.' },
  SHARE_SCHEDULE_NOT_FOUND: {
    kind: 'not-found',
    message: 'There is no schedule with the UUID that the share names.',
  },
  SHARE_SSO_UNSUPPORTED: {
    kind: 'invalid-input',
    message: 'Single sign-on is not available, so a share cannot ask for it.',
  },
  SHARE_EXPIRY_INVALID: {
    kind: 'invalid-input',
    message: 'A share ends in the future.',
  },
  SHARE_NAME_TOO_LONG: { kind: 'invalid-input', message: 'name is too long.' },
  SHARE_PASSWORD_TOO_LONG: { kind: 'invalid-input', message: 'password is too long.' },
  SHARE_END_NOT_STORED: {
    kind: 'unavailable',
    message:
      'The share is closed and its views have ended, but the store could not save the change. The gateway keeps trying; if it restarts before it succeeds, the share opens again.',
  },
  SCHEDULE_NOT_FOUND: { kind: 'not-found', message: 'There is no schedule of this kind with this UUID.' },
  SCHEDULE_INVALID: { kind: 'invalid-input', message: 'The schedule is invalid.' },
  SCHEDULE_NOT_MUTABLE: { kind: 'conflict', message: 'The schedule cannot be changed.' },
  SCHEDULE_IN_USE: { kind: 'conflict', message: 'The schedule is used by shared live streams.' },
  PASSWORD_QUEUE_FULL: {
    kind: 'unavailable',
    message: 'Too many passwords are being checked at once.',
  },
  VIEWER_SESSIONS_FULL: { kind: 'unavailable', message: 'The gateway has reached its limit of viewers.' },
});
