/** Error codes of shares and schedules. */

import { defineErrors } from '../core/errors.ts';

export const SHARING_ERRORS = defineErrors({
  TOO_MANY_SHARES: {
    kind: 'limit',
    message:
      'The organization has reached its limit of share links (`shares`). Delete some that are no longer needed.',
  },
  TOO_MANY_SCHEDULES: {
    kind: 'limit',
    message:
      'The organization has reached its limit of schedules (`schedules`). Delete some that are no longer needed.',
  },
  SHARE_NOT_FOUND: { kind: 'not-found', message: 'There is no shared live stream with this UUID.' },
  SHARE_CAMERA_NOT_FOUND: { kind: 'not-found', message: 'No camera has this UUID.' },
  SHARE_SCHEDULE_NOT_FOUND: {
    kind: 'not-found',
    message: 'There is no schedule with the UUID that the share names.',
  },
  SHARE_SSO_UNSUPPORTED: {
    kind: 'invalid-input',
    message: 'Single sign-on is not set up for viewers, so a share cannot ask for it.',
  },
  SHARE_TALK_NEEDS_AUDIO: {
    kind: 'invalid-input',
    message: 'Viewers who cannot hear the camera cannot talk to it.',
  },
  TOO_MANY_BULK_SHARES: { kind: 'invalid-input', message: 'The request names too many shares.' },
  SHARE_EXPIRY_INVALID: {
    kind: 'invalid-input',
    message: 'A share ends in the future.',
  },
  SHARE_NAME_TOO_LONG: { kind: 'invalid-input', message: 'The name of a share is too long.' },
  SHARE_PASSWORD_TOO_LONG: { kind: 'invalid-input', message: 'The password of a share is too long.' },
  SHARE_OF_ANOTHER_DEVICE: {
    kind: 'invalid-input',
    message: 'The share belongs to another device than the request names.',
  },
  PREVIEW_NEEDS_KEY: {
    kind: 'not-allowed',
    message: 'A preview rests on an API key: an access token or a session cannot create one.',
  },
  PREVIEW_REFUSED: { kind: 'unavailable', message: 'The camera cannot be watched now. Try again.' },
  PREVIEWS_TOO_OFTEN: {
    kind: 'rate-limited',
    message: 'Too many previews of this camera were created. Extend one, or wait.',
  },
  VIDEO_WALL_NOT_FOUND: { kind: 'not-found', message: 'There is no video wall with this UUID.' },
  VIDEO_WALL_UNNAMED: { kind: 'invalid-input', message: 'A video wall needs a name.' },
  VIDEO_WALL_CAMERA_NOT_FOUND: { kind: 'not-found', message: 'A camera of the video wall does not exist.' },
  VIDEO_WALL_CAMERA_TWICE: { kind: 'invalid-input', message: 'A camera is on the video wall twice.' },
  VIDEO_WALL_TOO_LARGE: {
    kind: 'invalid-input',
    message: 'The video wall has too many cameras or settings.',
  },
  VIDEO_WALL_LAYOUT_INVALID: {
    kind: 'invalid-input',
    message: 'The layout of the video wall cannot be shown.',
  },
  TOO_MANY_VIDEO_WALLS: {
    kind: 'conflict',
    message: 'The organization has reached its limit of video walls.',
  },
  WALL_SHARE_NOT_FOUND: { kind: 'not-found', message: 'There is no shared video wall with this UUID.' },
  WALL_SHARE_OF_ANOTHER_WALL: {
    kind: 'invalid-input',
    message: 'The share belongs to another video wall than the request names.',
  },
  WALL_SHARE_DEVICE_UNKNOWN: {
    kind: 'invalid-input',
    message: 'A schedule names a device that is not on the video wall.',
  },
  TOO_MANY_WALL_SHARES: {
    kind: 'conflict',
    message: 'The video wall has reached its limit of shares.',
  },
  GROUP_NOT_FOUND: { kind: 'not-found', message: 'There is no shared group with this UUID.' },
  GROUP_EMPTY: { kind: 'invalid-input', message: 'A shared group needs something to show.' },
  GROUP_TOO_LARGE: {
    kind: 'invalid-input',
    message: 'The shared group shows too much, or its title or description is too long.',
  },
  TOO_MANY_SHARED_GROUPS: {
    kind: 'conflict',
    message: 'The organization has reached its limit of shared groups.',
  },
  SHARE_END_NOT_STORED: {
    kind: 'unavailable',
    message:
      'This is in force, and the views that it concerns have ended, but neither the store nor a file of the gateway could save it. The gateway keeps trying; if it restarts before it succeeds, this is undone.',
  },
  TOO_MANY_UNSTORED_ENDS: {
    kind: 'unavailable',
    message:
      'The store is unavailable, and the organization has reached its limit of changes that wait for it (`unstoredEnds`). Nothing was changed.',
  },
  SCHEDULE_NOT_FOUND: { kind: 'not-found', message: 'There is no schedule of this kind with this UUID.' },
  SCHEDULE_INVALID: { kind: 'invalid-input', message: 'The schedule is invalid.' },
  SCHEDULE_TIME_ZONE_UNKNOWN: { kind: 'invalid-input', message: 'There is no such time zone.' },
  SCHEDULE_NOT_MUTABLE: { kind: 'conflict', message: 'The schedule cannot be changed.' },
  SCHEDULE_IN_USE: { kind: 'conflict', message: 'The schedule is used by shared live streams.' },
  PASSWORD_QUEUE_FULL: {
    kind: 'unavailable',
    message: 'Too many passwords are being checked at the same time.',
  },
  VIEWER_NOT_FOUND: { kind: 'not-found', message: 'No viewer with this ID is watching the share now.' },
  ADDRESS_NOT_BLOCKED: { kind: 'not-found', message: 'The share does not block this address.' },
  ENDED_VIEWERS_FULL: {
    kind: 'conflict',
    message:
      'The organization has reached its limit of viewers whose views were ended. Change the password of the share, or delete it.',
  },
  BLOCKED_ADDRESSES_FULL: {
    kind: 'conflict',
    message: 'The organization has reached its limit of blocked addresses.',
  },
  VIEWER_SESSIONS_FULL: { kind: 'unavailable', message: 'The gateway has reached its limit of viewers.' },
});
