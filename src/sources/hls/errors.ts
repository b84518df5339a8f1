/** Error codes of cameras that are pulled over HLS. */

import { defineErrors } from '../../core/errors.ts';

export const HLS_SOURCE_ERRORS = defineErrors({
  HLS_PLAYLIST_INVALID: { kind: 'peer-protocol', message: 'The playlist is not valid.' },
  HLS_PLAYLIST_TOO_LONG: { kind: 'limit', message: 'The playlist has too many lines or segments.' },
  HLS_NO_VIDEO: { kind: 'peer-protocol', message: 'The playlist offers no video.' },
  HLS_SOUND_UNSUPPORTED: {
    kind: 'peer-protocol',
    message: 'The playlist with the audio has none that the gateway can relay.',
  },
  HLS_ENCRYPTION_UNSUPPORTED: {
    kind: 'peer-protocol',
    message: 'The segments are encrypted in another way than AES-128 with a key from a URL.',
  },
  HLS_SEQUENCE_BACK: {
    kind: 'peer-protocol',
    message: 'The media sequence number of the playlist went back.',
  },
  HLS_STALLED: { kind: 'timeout', message: 'The playlist lists no new segments.' },
  HLS_ENDED: { kind: 'unavailable', message: 'The playlist has ended.' },
  HLS_SEGMENT_INVALID: { kind: 'peer-protocol', message: 'A segment is not valid.' },
  HLS_SEGMENT_LOST: { kind: 'unavailable', message: 'Segments of the playlist cannot be loaded.' },
  HLS_SEGMENT_TOO_LONG: { kind: 'limit', message: 'A segment has too many bytes, boxes or frames.' },
  HLS_FLOOD: { kind: 'limit', message: 'The segments have far more frames than a camera makes.' },
  HLS_MEDIA_CHANGED: { kind: 'unavailable', message: 'The stream changed to other tracks or another codec.' },
  HLS_BAD_TIMESTAMP: { kind: 'peer-protocol', message: 'The timestamps of a track went backward.' },
});
