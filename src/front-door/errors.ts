/** Error codes of the front door. */

import { defineErrors } from '../core/errors.ts';

export const FRONT_DOOR_ERRORS = defineErrors({
  MEDIA_NOT_FOUND: { kind: 'not-found', message: 'There is nothing under this name, or not any more.' },
  PATH_NOT_FOUND: { kind: 'not-found', message: 'There is nothing at this address.' },
  BAD_REQUEST: { kind: 'invalid-input', message: 'The request is not as described.' },
  PLAYLIST_AHEAD_OF_LIVE: {
    kind: 'invalid-input',
    message: '_HLS_msn or _HLS_part lies further in the future than a client may ask for.',
  },
  CAMERA_ABSENT: { kind: 'unavailable', message: 'The camera is not configured at the moment.' },
  CAMERA_SLOW_START: { kind: 'unavailable', message: 'The camera has not sent a picture in time.' },
  TOO_MANY_WAITING: { kind: 'unavailable', message: 'Too many requests wait for new video.' },
  TOO_MUCH_UNSENT: {
    kind: 'unavailable',
    message: 'Too much video is on its way to this viewer: take it before you ask for more.',
  },
  NO_WORKER: {
    kind: 'unavailable',
    message: 'The gateway has no capacity left for this camera now.',
  },
  SHUTTING_DOWN: { kind: 'unavailable', message: 'The gateway is shutting down.' },
  ACCESS_RULE_MISSING: { kind: 'internal', message: 'A route was declared without its access rule.' },
});
