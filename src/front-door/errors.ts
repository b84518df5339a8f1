/** Error codes of the front door. */

import { defineErrors } from '../core/errors.ts';

export const FRONT_DOOR_ERRORS = defineErrors({
  MEDIA_NOT_FOUND: { kind: 'not-found', message: 'This media does not exist, or no longer exists.' },
  PATH_NOT_FOUND: { kind: 'not-found', message: 'This path does not exist.' },
  BAD_REQUEST: { kind: 'invalid-input', message: 'The request is invalid.' },
  PLAYLIST_AHEAD_OF_LIVE: {
    kind: 'invalid-input',
    message: 'The requested _HLS_msn or _HLS_part is too far in the future.',
  },
  CAMERA_ABSENT: { kind: 'unavailable', message: 'The camera is not currently configured.' },
  CAMERA_SLOW_START: { kind: 'unavailable', message: 'The camera did not send video in time.' },
  TOO_MANY_WAITING: { kind: 'unavailable', message: 'Too many requests are waiting for new video.' },
  TOO_MUCH_UNSENT: {
    kind: 'unavailable',
    message: 'Too much video is in transit to this viewer. Read it before you request more.',
  },
  NO_WORKER: {
    kind: 'unavailable',
    message: 'The gateway currently has no capacity for this camera.',
  },
  SHUTTING_DOWN: { kind: 'unavailable', message: 'The gateway is shutting down.' },
  ACCESS_RULE_MISSING: { kind: 'internal', message: 'A route was declared without an access rule.' },
});
