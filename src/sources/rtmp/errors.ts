/** Error codes of devices that push RTMP. */

import { defineErrors } from '../../core/errors.ts';

export const RTMP_ERRORS = defineErrors({
  RTMP_NO_PUBLISHER: {
    kind: 'unavailable',
    message: 'No device is pushing video to the publish key of this camera.',
  },
  RTMP_NO_KEY: {
    kind: 'unavailable',
    message: 'The camera has no publish key, so no device can push its video. Create one.',
  },
  RTMP_PUBLISHER_LEFT: { kind: 'unavailable', message: 'The device that pushed video disconnected.' },
  RTMP_LISTEN_FAILED: { kind: 'internal', message: 'The gateway cannot listen for RTMP at rtmp.listen.' },
  RTMP_SILENT: { kind: 'timeout', message: 'The device that pushes video stopped sending.' },
  RTMP_FLOOD: { kind: 'limit', message: 'The device sends far more than a camera needs to.' },
  RTMP_TOO_SLOW: { kind: 'timeout', message: 'The device did not give a publish key in time.' },
  RTMP_LIMIT: { kind: 'limit', message: 'The device exceeds a limit of the RTMP listener.' },
  RTMP_BAD_MESSAGE: { kind: 'peer-protocol', message: 'The device sends something that is not valid RTMP.' },
  RTMP_PLAY_REFUSED: { kind: 'not-allowed', message: 'Nothing can be played from the RTMP listener.' },
  RTMP_KEY_REFUSED: { kind: 'unauthenticated', message: 'No camera has this publish key.' },
  RTMP_TOO_MANY_TRIES: {
    kind: 'rate-limited',
    message: 'Too many wrong publish keys came from this address.',
  },
  RTMP_KEY_IN_USE: { kind: 'conflict', message: 'Another device is pushing with this publish key.' },
  RTMP_AT_OTHER_NODE: {
    kind: 'unavailable',
    message:
      'Another node of the cluster has the camera, and this one could not get it from there. The device has to connect again.',
  },
  RTMP_UNSUPPORTED_VIDEO: {
    kind: 'peer-protocol',
    message: 'The device pushes video in a format that is not supported. Set it to H.264 or H.265.',
  },
  RTMP_NO_PARAMETER_SETS: {
    kind: 'peer-protocol',
    message:
      'The device pushes video without the parameter sets that decoders need, neither in a sequence header nor before key frames.',
  },
  RTMP_BAD_MEDIA: { kind: 'peer-protocol', message: 'The device pushed a frame that makes no sense.' },
});
