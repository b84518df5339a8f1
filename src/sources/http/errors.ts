/** Error codes of cameras that are pulled over HTTP, RTMP and SRT; those of playlists and segments are HLS_…. */

import { defineErrors } from '../../core/errors.ts';

export const PULL_ERRORS = defineErrors({
  PULL_UNREACHABLE: { kind: 'unavailable', message: 'The camera cannot be reached.' },
  PULL_TIMEOUT: { kind: 'timeout', message: 'The camera does not answer in time.' },
  PULL_TLS_FAILED: { kind: 'peer-protocol', message: 'The TLS handshake with the camera failed.' },
  PULL_TLS_OUTDATED: {
    kind: 'peer-protocol',
    message:
      'The camera offers no TLS 1.2, or only ciphers that are broken. Update its firmware, or use it without encryption.',
  },
  PULL_CERTIFICATE_REFUSED: {
    kind: 'not-allowed',
    message: 'The camera’s certificate is not what its tls setting requires.',
  },
  PULL_AUTH_FAILED: { kind: 'peer-refused', message: 'The camera refused the user name or password.' },
  PULL_AUTH_UNSUPPORTED: {
    kind: 'peer-refused',
    message: 'The camera requires a login method that the gateway does not support.',
  },
  PULL_NOT_FOUND: { kind: 'peer-refused', message: 'The camera has no stream at this path.' },
  PULL_REFUSED: { kind: 'peer-refused', message: 'The camera refused the request.' },
  PULL_BUSY: { kind: 'unavailable', message: 'The camera is too busy to answer.' },
  PULL_URL_REFUSED: {
    kind: 'not-allowed',
    message: 'The camera refers to a URL that is not http or https, or from https to http.',
  },
  PULL_TOO_MANY_REDIRECTS: { kind: 'peer-protocol', message: 'The camera redirects too often.' },
  PULL_TOO_LONG: { kind: 'limit', message: 'The camera sends a response that is too long.' },
  PULL_DISCONNECTED: { kind: 'unavailable', message: 'The camera closed the connection.' },
  PULL_CONTENT_UNSUPPORTED: {
    kind: 'peer-protocol',
    message: 'The URL leads to neither an HLS playlist, nor an MJPEG stream, nor an MPEG transport stream.',
  },
  PULL_NEEDS_WORKER: {
    kind: 'peer-protocol',
    message: 'Only an ffmpeg worker can carry this stream. With engine: direct, there is none.',
  },
  PULL_SILENT: { kind: 'timeout', message: 'The camera stopped sending media.' },
  PULL_PROTOCOL_UNAVAILABLE: {
    kind: 'unavailable',
    message: 'This ffmpeg was built without the protocol of the camera’s URL. Install another ffmpeg.',
  },
});
