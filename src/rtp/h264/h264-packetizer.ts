/** Cuts NAL units into RTP payloads of packetization mode 1. RFC 6184 §5.6, §5.7.1, §5.8, §6.3. */

import { FU_A, STAP_A } from './h264-depacketizer.ts';

/** How small NAL units that fit into one packet together are sent. */
export type Aggregation = 'none' | 'stap-a';

const FU_START = 0x80;
const FU_END = 0x40;
const FU_HEADER_BYTES = 2;
const LENGTH_BYTES = 2;

/** Payloads of one access unit in order, as copies; the caller marks the last one's packet. `nalus` are not empty. */
export function packetizeH264(
  nalus: readonly Uint8Array[],
  maxPayloadBytes: number,
  aggregation: Aggregation,
): Uint8Array[] {
  const payloads: Uint8Array[] = [];
  let at = 0;
  while (at < nalus.length) {
    const count = aggregation === 'none' ? 1 : fittingNalus(nalus, at, maxPayloadBytes);
    if (count > 1) payloads.push(aggregate(nalus.slice(at, at + count)));
    else if (nalus[at]!.length <= maxPayloadBytes) payloads.push(new Uint8Array(nalus[at]!));
    else fragment(nalus[at]!, maxPayloadBytes, payloads);
    at += Math.max(1, count);
  }
  return payloads;
}

/** How many NAL units from `from` on fit into one STAP-A. */
function fittingNalus(nalus: readonly Uint8Array[], from: number, maxPayloadBytes: number): number {
  let bytes = 1;
  let count = 0;
  while (from + count < nalus.length) {
    bytes += LENGTH_BYTES + nalus[from + count]!.length;
    if (bytes > maxPayloadBytes) break;
    count += 1;
  }
  return count;
}

/** §5.3: F is any, NRI the highest of the aggregated ones. */
function aggregate(nalus: readonly Uint8Array[]): Uint8Array {
  const payload = Buffer.alloc(nalus.reduce((sum, nalu) => sum + LENGTH_BYTES + nalu.length, 1));
  let importance = 0;
  let at = 1;
  for (const nalu of nalus) {
    importance = Math.max(importance, nalu[0]! & 0x60);
    at = payload.writeUInt16BE(nalu.length, at);
    payload.set(nalu, at);
    at += nalu.length;
  }
  payload[0] = importance | STAP_A;
  return payload;
}

function fragment(nalu: Uint8Array, maxPayloadBytes: number, payloads: Uint8Array[]): void {
  const header = nalu[0]!;
  const pieceBytes = maxPayloadBytes - FU_HEADER_BYTES;
  for (let at = 1; at < nalu.length; at += pieceBytes) {
    const end = Math.min(nalu.length, at + pieceBytes);
    const payload = new Uint8Array(FU_HEADER_BYTES + end - at);
    payload[0] = (header & 0xe0) | FU_A;
    payload[1] = (header & 0x1f) | (at === 1 ? FU_START : 0) | (end === nalu.length ? FU_END : 0);
    payload.set(nalu.subarray(at, end), FU_HEADER_BYTES);
    payloads.push(payload);
  }
}
