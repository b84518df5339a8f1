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
  FFMPEG_TOO_SLOW: {
    kind: 'unavailable',
    message: 'The ffmpeg worker cannot keep up with the video: this machine has too little processor time.',
  },
  FFMPEG_PICTURE_CHANGED: {
    kind: 'unavailable',
    message: 'The camera changed the size of its picture. The worker starts again.',
  },
  FFMPEG_STALLED: { kind: 'timeout', message: 'The ffmpeg worker is running but produces no video.' },
  FFMPEG_NO_ENCODER: {
    kind: 'unavailable',
    message:
      'This ffmpeg lacks the H.264 or AAC encoder. Install the Debian package "ffmpeg" or set ffmpeg.path.',
  },
  FFMPEG_OUT_OF_MEMORY: {
    kind: 'limit',
    message: 'The ffmpeg worker needs more memory than it may have, or than the system has.',
  },
  FFMPEG_SYSCALL_REFUSED: {
    kind: 'peer-protocol',
    message: 'The jail ended the ffmpeg worker: it made a system call that no media worker needs.',
  },
  FFMPEG_CRASHED: { kind: 'peer-protocol', message: 'The ffmpeg worker crashed.' },
  FFMPEG_KILLED: {
    kind: 'unavailable',
    message: 'The ffmpeg worker was killed, by hand or because the system has no memory left.',
  },
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
  FFMPEG_CAMERA_TLS: {
    kind: 'peer-protocol',
    message: 'The camera and the ffmpeg worker could not agree on TLS.',
  },
  FFMPEG_CAMERA_REDIRECTED: {
    kind: 'peer-refused',
    message:
      'The camera redirects to an address that the ffmpeg worker may not open. Use that address as the URL.',
  },
  FFMPEG_CAMERA_PROTOCOL: {
    kind: 'peer-protocol',
    message: 'The camera ended the connection, or answered something other than RTSP.',
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
  FFMPEG_PICTURE_TIMEOUT: { kind: 'peer-protocol', message: 'Decoding a key frame took too long.' },
  FFMPEG_NO_PICTURE_SERVER: {
    kind: 'unavailable',
    message: 'This ffmpeg cannot stay loaded between still images.',
  },
});
