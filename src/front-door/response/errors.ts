/** Error codes of the front door. */

import { defineErrors } from '../../core/errors.ts';

export const FRONT_DOOR_ERRORS = defineErrors({
  MEDIA_NOT_FOUND: { kind: 'not-found', message: 'This media does not exist, or no longer exists.' },
  CLIP_UNKNOWN: {
    kind: 'not-found',
    message: 'There is no clip, timelapse or alert of a camera with this UUID.',
  },
  CLIP_INCOMPLETE: {
    kind: 'not-found',
    message: 'This clip is not complete: it is still being made, or could not be made.',
  },
  ALERT_IMAGE_ABSENT: {
    kind: 'not-found',
    message:
      'This alert has no image yet. It gets one after some seconds if its camera is being recorded or watched; otherwise it has none.',
  },
  ALERT_CLIP_ABSENT: {
    kind: 'not-found',
    message:
      'This alert has no clip yet. It gets one when its post-roll has been recorded; if its camera is not recorded, it has none.',
  },
  FILES_WITHHELD: {
    kind: 'not-found',
    message:
      'A camera of this case has privacy masks, which recordings do not have. An administrator can create a link with showsUnmasked.',
  },
  PATH_NOT_FOUND: { kind: 'not-found', message: 'This path does not exist.' },
  BAD_REQUEST: { kind: 'invalid-input', message: 'The request is invalid.' },
  PLAYLIST_AHEAD_OF_LIVE: {
    kind: 'invalid-input',
    message: 'The requested _HLS_msn or _HLS_part is too far in the future.',
  },
  VIDEO_UNKNOWN: { kind: 'invalid-input', message: 'video must be h264, main, sub or all, or left out.' },
  VIDEO_NOT_IN_MANIFEST: {
    kind: 'not-found',
    message:
      'No stream of this camera is H.264, and the gateway cannot make any of it. Leave video out, or give the camera an H.264 substream.',
  },
  CAMERA_ABSENT: { kind: 'unavailable', message: 'The camera is not currently configured.' },
  CAMERA_SLOW_START: { kind: 'unavailable', message: 'The camera did not send video in time.' },
  TOO_MANY_WAITING: { kind: 'unavailable', message: 'Too many requests are waiting for new video.' },
  TOO_MUCH_UNSENT: {
    kind: 'unavailable',
    message: 'Too much video is in transit to this viewer. Read it before you request more.',
  },
  TOO_MANY_FORWARDED: {
    kind: 'unavailable',
    message: 'Too many requests on this connection wait for their responses.',
  },
  TOO_MANY_RTSP_VIEWERS: { kind: 'unavailable', message: 'Too many viewers are watching by RTSP.' },
  RTSP_PAST_ABSENT: {
    kind: 'not-found',
    message:
      'Recordings of this camera are not served by RTSP: the gateway has none, or the camera has privacy masks.',
  },
  RTSP_PATH_UNKNOWN: {
    kind: 'not-found',
    message: 'This path leads to no stream. It is /live/, the link, and for the substream /sub.',
  },
  TOO_MANY_SOCKETS: { kind: 'unavailable', message: 'Too many real-time viewers are connected.' },
  MEDIA_WEBSOCKET_EXPECTED: { kind: 'invalid-input', message: 'This path is a WebSocket.' },
  NO_WORKER: {
    kind: 'unavailable',
    message: 'The gateway currently has no capacity for this camera.',
  },
  STILL_WIDTH_INVALID: {
    kind: 'invalid-input',
    message: 'width must be a whole number of pixels from 1 to 3840.',
  },
  STILL_UNAVAILABLE: {
    kind: 'unavailable',
    message: 'The video of the camera could not be turned into an image.',
  },
  TOO_MANY_STILLS: { kind: 'unavailable', message: 'Too many still images are being made.' },
  TOO_MANY_PAST_READS: {
    kind: 'unavailable',
    message: 'Too much of the past is being read, by this viewer or by all. Read what was requested first.',
  },
  SHUTTING_DOWN: { kind: 'unavailable', message: 'The gateway is shutting down.' },
  ACCESS_RULE_MISSING: { kind: 'internal', message: 'A route was declared without an access rule.' },
});
