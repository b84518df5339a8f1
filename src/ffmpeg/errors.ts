/** Error codes of ffmpeg workers. */

import { defineErrors } from '../core/errors.ts';

export const FFMPEG_ERRORS = defineErrors({
  FFMPEG_NOT_FOUND: {
    kind: 'unavailable',
    message: 'No working ffmpeg was found. Install the Debian package "ffmpeg" or set ffmpeg.path.',
  },
  FFMPEG_POOL_FULL: {
    kind: 'unavailable',
    message: 'All ffmpeg workers are busy. Try again later or raise ffmpeg.maxWorkers.',
  },
  FFMPEG_CLOSED: { kind: 'unavailable', message: 'The worker was closed before it started.' },
  FFMPEG_START_FAILED: { kind: 'internal', message: 'The ffmpeg worker failed to start.' },
  FFMPEG_JAIL_FAILED: { kind: 'internal', message: 'The jail refused to start the ffmpeg worker.' },
  FFMPEG_STALLED: { kind: 'timeout', message: 'The ffmpeg worker is running but produces no video.' },
  FFMPEG_EXITED: { kind: 'peer-protocol', message: 'The ffmpeg worker exited.' },
  FFMPEG_CAMERA_AUTH: { kind: 'peer-refused', message: 'The camera refused the user name or password.' },
  FFMPEG_CAMERA_NOT_FOUND: { kind: 'peer-refused', message: 'The camera has no stream at this path.' },
  FFMPEG_CAMERA_BUSY: { kind: 'unavailable', message: 'The camera has no free session.' },
  FFMPEG_CAMERA_REFUSED: { kind: 'peer-refused', message: 'The camera refused the request.' },
  FFMPEG_CAMERA_UNREACHABLE: { kind: 'unavailable', message: 'The camera cannot be reached.' },
  FFMPEG_TLS_UNVERIFIED: {
    kind: 'not-allowed',
    message:
      'ffmpeg cannot verify the certificate that this camera’s tls setting requires. Use the direct engine, or set tls to any.',
  },
  FFMPEG_CAMERA_TRANSPORT: {
    kind: 'peer-refused',
    message: 'The camera does not send media over this transport.',
  },
  FFMPEG_CAMERA_TIMEOUT: { kind: 'timeout', message: 'The camera does not answer.' },
  FFMPEG_NO_VIDEO: {
    kind: 'peer-protocol',
    message: 'The camera sends no video that ffmpeg can convert to H.264.',
  },
  FFMPEG_BAD_OUTPUT: {
    kind: 'peer-protocol',
    message: 'The worker produced something other than H.264 video and AAC audio.',
  },
  FFMPEG_BAD_TIMESTAMP: { kind: 'peer-protocol', message: 'The timestamps of a track went backward.' },
  FFMPEG_CLOCK_LOST: {
    kind: 'peer-protocol',
    message: "The camera's clock jumped or stopped, and the worker could not follow.",
  },
  FFMPEG_FLOOD: { kind: 'limit', message: 'The worker produces far more than a camera can send.' },
  FFMPEG_BAD_PICTURE: { kind: 'peer-protocol', message: 'A key frame could not be decoded.' },
});
