/** Error codes of the RTSP layer (RFC 2326). A camera's fault is `peer-…`, never `internal`. */

import { defineErrors } from '../core/errors.ts';

export const RTSP_ERRORS = defineErrors({
  RTSP_FRAMING: { kind: 'peer-protocol', message: 'The peer sent bytes that are not RTSP.' },
  RTSP_MESSAGE_TOO_LARGE: {
    kind: 'limit',
    message: 'The peer sent an RTSP message that exceeds the size limit.',
  },
  RTSP_UNWRITABLE: { kind: 'internal', message: 'An RTSP message with a line break in a field was refused.' },
  RTSP_BAD_RESPONSE: {
    kind: 'peer-protocol',
    message: 'The camera sent a response that RTSP does not allow.',
  },
  RTSP_AUTH_FAILED: { kind: 'peer-refused', message: 'The camera refused the user name or password.' },
  RTSP_AUTH_UNSUPPORTED: {
    kind: 'peer-refused',
    message: 'The camera requires an authentication scheme that is not supported.',
  },
  RTSP_TIMEOUT: { kind: 'timeout', message: 'The camera did not answer an RTSP request in time.' },
  RTSP_NOT_FOUND: { kind: 'peer-refused', message: 'The camera has no stream at this URL.' },
  RTSP_REFUSED: { kind: 'peer-refused', message: 'The camera refused a request.' },
  RTSP_BUSY: { kind: 'unavailable', message: 'The camera currently has no capacity for another session.' },
  RTSP_TRANSPORT_REFUSED: { kind: 'peer-refused', message: 'The camera does not offer this transport.' },
  RTSP_NO_BACK_CHANNEL: {
    kind: 'peer-refused',
    message: 'The camera offers no way to its speaker (ONVIF back channel with G.711).',
  },
  RTSP_TUNNEL_REFUSED: {
    kind: 'peer-refused',
    message: 'What answers at this address does not offer RTSP over HTTP.',
  },
  RTSP_REDIRECT_REFUSED: {
    kind: 'peer-protocol',
    message: 'The camera redirected too often or to a URL that is not RTSP.',
  },
  RTSP_REDIRECTED: { kind: 'unavailable', message: 'The camera asked to be read from another address.' },
  RTSP_SESSION_LOST: { kind: 'unavailable', message: 'The camera no longer knows the session.' },
  RTSP_ENDED_BY_CAMERA: { kind: 'unavailable', message: 'The camera ended the session.' },
  RTSP_NO_SUPPORTED_VIDEO: {
    kind: 'peer-refused',
    message: 'The camera offers no video that the direct engine supports.',
  },
  RTSP_SOUND_UNWANTED: {
    kind: 'peer-refused',
    message: 'The device offers only sound, and its sound is turned off (audio: off).',
  },
});
