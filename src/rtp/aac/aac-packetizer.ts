/** Cuts AAC frames into RTP payloads of AAC-hbr: 13 bits of size, 3 of index. RFC 3640 §3.2, §3.3.6. */

const HEADER_BYTES = 2;
const HEADER_BITS = 16;
/** 13 bits. */
export const MAX_AAC_FRAME_BYTES = 0x1fff;

/** One payload that holds all of `frames`, which are consecutive. A copy. */
export function packAacFrames(frames: readonly Uint8Array[]): Uint8Array {
  const frameBytes = frames.reduce((sum, frame) => sum + frame.length, 0);
  const payload = Buffer.alloc(HEADER_BYTES + frames.length * HEADER_BYTES + frameBytes);
  let headerAt = payload.writeUInt16BE(frames.length * HEADER_BITS, 0);
  let at = HEADER_BYTES + frames.length * HEADER_BYTES;
  for (const frame of frames) {
    headerAt = payload.writeUInt16BE(frame.length << 3, headerAt);
    payload.set(frame, at);
    at += frame.length;
  }
  return payload;
}

/**
 * The payloads of one frame. If the frame is larger than a packet: several, each with the size of the whole frame.
 * §3.2.3.1.
 */
export function packetizeAac(frame: Uint8Array, maxPayloadBytes: number): Uint8Array[] {
  const pieceBytes = maxPayloadBytes - 2 * HEADER_BYTES;
  if (frame.length <= pieceBytes) return [packAacFrames([frame])];
  const payloads: Uint8Array[] = [];
  for (let at = 0; at < frame.length; at += pieceBytes) {
    const piece = frame.subarray(at, at + pieceBytes);
    const payload = Buffer.alloc(2 * HEADER_BYTES + piece.length);
    payload.writeUInt16BE(HEADER_BITS, 0);
    payload.writeUInt16BE(frame.length << 3, HEADER_BYTES);
    payload.set(piece, 2 * HEADER_BYTES);
    payloads.push(payload);
  }
  return payloads;
}
