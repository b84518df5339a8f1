/** Error codes of ffmpeg workers. */

import { defineErrors } from '../core/errors.ts';

export const FFMPEG_ERRORS = defineErrors({
  FFMPEG_NOT_FOUND: {
    kind: 'unavailable',
    message: 'No ffmpeg that runs was found; install Debian’s package "ffmpeg" or set ffmpeg.path.',
  },
  FFMPEG_POOL_FULL: {
    kind: 'unavailable',
    message: 'All ffmpeg workers are busy; try again later or raise ffmpeg.maxWorkers.',
  },
  FFMPEG_CLOSED: { kind: 'unavailable', message: 'The worker was closed before it had started.' },
  FFMPEG_START_FAILED: { kind: 'internal', message: 'The ffmpeg worker could not be started.' },
  FFMPEG_JAIL_FAILED: { kind: 'internal', message: 'The jail refused to start the ffmpeg worker.' },
  FFMPEG_STALLED: { kind: 'timeout', message: 'The ffmpeg worker runs but delivers no pictures.' },
  FFMPEG_EXITED: { kind: 'peer-protocol', message: 'The ffmpeg worker ended.' },
  FFMPEG_CAMERA_AUTH: { kind: 'peer-refused', message: 'The camera refused the user name or password.' },
  FFMPEG_CAMERA_NOT_FOUND: { kind: 'peer-refused', message: 'The camera has no stream at this path.' },
  FFMPEG_CAMERA_BUSY: { kind: 'unavailable', message: 'The camera has no session left for us.' },
  FFMPEG_CAMERA_REFUSED: { kind: 'peer-refused', message: 'The camera refused the request.' },
  FFMPEG_CAMERA_UNREACHABLE: { kind: 'unavailable', message: 'The camera cannot be reached.' },
  FFMPEG_TLS_UNVERIFIED: {
    kind: 'not-allowed',
    message:
      'ffmpeg cannot verify the certificate that this camera must have. Use the direct engine, or set tls to any.',
  },
  FFMPEG_CAMERA_TRANSPORT: {
    kind: 'peer-refused',
    message: 'The camera does not send media over this transport.',
  },
  FFMPEG_CAMERA_TIMEOUT: { kind: 'timeout', message: 'The camera does not answer.' },
  FFMPEG_NO_VIDEO: {
    kind: 'peer-protocol',
    message: 'The camera sends no video that ffmpeg can bring to H.264.',
  },
  FFMPEG_BAD_OUTPUT: {
    kind: 'peer-protocol',
    message: 'The worker delivered what is neither an H.264 picture nor AAC.',
  },
  FFMPEG_BAD_TIMESTAMP: { kind: 'peer-protocol', message: 'The timestamps of a track went back.' },
  FFMPEG_CLOCK_LOST: {
    kind: 'peer-protocol',
    message: "The camera's clock jumped or stands still, and the worker could not follow.",
  },
  FFMPEG_FLOOD: { kind: 'limit', message: 'The worker delivers far more than a camera can send.' },
  FFMPEG_BAD_PICTURE: { kind: 'peer-protocol', message: 'A key frame could not be decoded.' },
});
