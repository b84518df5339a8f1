/** Writes the RTP fixed header, without extension, CSRC or padding. RFC 3550 §5.1. */

import { writeUint32 } from './rtp-packet.ts';

const VERSION_2 = 0x80;
const MARKER = 0x80;

/** Hot. Fills 12 bytes of `target` at `at`; sequence number and timestamp are taken modulo their width. */
export function writeRtpHeader(
  target: Uint8Array,
  at: number,
  payloadType: number,
  isMarked: boolean,
  sequenceNumber: number,
  rtpTimestamp: number,
  ssrc: number,
): void {
  target[at] = VERSION_2;
  target[at + 1] = isMarked ? payloadType | MARKER : payloadType;
  target[at + 2] = (sequenceNumber >>> 8) & 0xff;
  target[at + 3] = sequenceNumber & 0xff;
  writeUint32(target, at + 4, rtpTimestamp);
  writeUint32(target, at + 8, ssrc);
}
