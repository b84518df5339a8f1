/** RTP fixed header. RFC 3550 §5.1, §5.3.1. */

export const RTP_HEADER_BYTES = 12;
const VERSION_2 = 2;
const EXTENSION_HEADER_BYTES = 4;

/**
 * The header of the last packet read, reused instead of an object per packet. `payloadStart` and `payloadEnd` are
 * offsets into the chunk, which is borrowed.
 */
export class RtpPacket {
  payloadType = 0;
  isMarked = false;
  sequenceNumber = 0;
  rtpTimestamp = 0;
  ssrc = 0;
  payloadStart = 0;
  payloadEnd = 0;
  /** Start of the header extension with its own header, which ends at the payload; -1: there is none. */
  extensionStart = -1;

  /**
   * Returns false and leaves the fields undefined if `chunk[start, end)` is not an RTP packet of version 2. The payload
   * may be empty.
   */
  read(chunk: Uint8Array, start: number, end: number): boolean {
    if (end - start < RTP_HEADER_BYTES) return false;
    const first = chunk[start]!;
    if (first >> 6 !== VERSION_2) return false;
    const second = chunk[start + 1]!;
    let payloadStart = start + RTP_HEADER_BYTES + (first & 0x0f) * 4;
    let payloadEnd = end;
    let extensionStart = -1;
    if ((first & 0x10) !== 0) {
      if (payloadStart + EXTENSION_HEADER_BYTES > end) return false;
      extensionStart = payloadStart;
      const words = (chunk[payloadStart + 2]! << 8) | chunk[payloadStart + 3]!;
      payloadStart += EXTENSION_HEADER_BYTES + words * 4;
    }
    if ((first & 0x20) !== 0) {
      const paddingBytes = chunk[end - 1]!;
      // A padding of 0 bytes is impossible, but firmwares write it: they set the bit and mean none.
      payloadEnd -= paddingBytes;
    }
    if (payloadStart > payloadEnd) return false;
    this.payloadType = second & 0x7f;
    this.isMarked = (second & 0x80) !== 0;
    this.sequenceNumber = (chunk[start + 2]! << 8) | chunk[start + 3]!;
    this.rtpTimestamp = readUint32(chunk, start + 4);
    this.ssrc = readUint32(chunk, start + 8);
    this.payloadStart = payloadStart;
    this.payloadEnd = payloadEnd;
    this.extensionStart = extensionStart;
    return true;
  }
}

/** Big-endian, unsigned. */
export function readUint32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

/** Big-endian; `value` modulo 2^32. */
export function writeUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = (value >>> 16) & 0xff;
  bytes[at + 2] = (value >>> 8) & 0xff;
  bytes[at + 3] = value & 0xff;
}
