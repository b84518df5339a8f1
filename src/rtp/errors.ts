/** Codes of frames that were dropped between the wire and the hub. A receiver counts them and never throws. */

import { defineErrors } from '../core/errors.ts';

export const RTP_ERRORS = defineErrors({
  RTP_PACKET_LOSS: { kind: 'peer-protocol', message: 'Packets of a frame were lost.' },
  RTP_REFERENCE_LOST: {
    kind: 'peer-protocol',
    message: 'A frame depends on a lost frame. The next key frame ends this.',
  },
  RTP_BAD_PAYLOAD: { kind: 'peer-protocol', message: 'A packet does not follow its payload format.' },
  RTP_UNSUPPORTED_PAYLOAD: {
    kind: 'peer-protocol',
    message: 'A packet uses an unsupported part of its payload format.',
  },
  RTP_DATA_PARTITIONING: {
    kind: 'peer-protocol',
    message:
      'The video has data partitions (Extended profile), which players cannot decode. Choose another profile.',
  },
  RTP_DECODING_ORDER: {
    kind: 'peer-protocol',
    message:
      'H.265 comes further from its decoding order than the session description says (sprop-max-don-diff, sprop-depack-buf-nalus, sprop-depack-buf-bytes).',
  },
  RTP_REORDER_LIMIT: {
    kind: 'limit',
    message:
      'H.265 that waits for its decoding order exceeds the limit. Turn interleaving off in the camera.',
  },
  RTP_FRAME_TOO_LARGE: { kind: 'limit', message: 'A frame exceeds the size limit.' },
  RTP_PARAMETER_SETS_MISSING: {
    kind: 'peer-protocol',
    message: 'A key frame refers to parameter sets that the camera has not sent.',
  },
  RTP_EARLY_MARKER: {
    kind: 'peer-protocol',
    message: 'The camera marks the end of a frame before its last slice.',
  },
  /** Not a loss: see JOINING_CODE (src/stream/source/source-events.ts). */
  RTP_JOINING: {
    kind: 'peer-protocol',
    message: 'A frame came before the first key frame of the connection.',
  },
  /** Reported with 0 frames: nothing is dropped. */
  RTP_TIMESTAMP_JUMP: { kind: 'peer-protocol', message: "The camera's timestamps jumped." },
});

/** One of the codes above. */
export type RtpErrorCode = keyof typeof RTP_ERRORS;
