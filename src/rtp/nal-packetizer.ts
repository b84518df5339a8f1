/**
 * Cuts NAL units into RTP payloads: alone, several in one packet, or one in several fragments. H.264 (RFC 6184 §5.6, §5.7.1, §5.8)
 * and H.265 (RFC 7798 §4.4.1 to §4.4.3) do it alike and differ in their headers.
 */

export const FU_START = 0x80;
export const FU_END = 0x40;
const LENGTH_BYTES = 2;

/** The headers with which a codec's payloads begin. */
export interface NalPayloadHeaders {
  /** Length of the header of a NAL unit, and of a packet of several. */
  readonly headerBytes: number;
  /** Writes the header of a packet with these NAL units. */
  writeAggregation(payload: Uint8Array, nalus: readonly Uint8Array[]): void;
  /** Writes the header of a fragment, one byte longer than that of a NAL unit. `ends`: FU_START, FU_END, both or 0. */
  writeFragment(payload: Uint8Array, nalu: Uint8Array, ends: number): void;
}

/**
 * Payloads of one access unit in order, as copies; the caller marks the last one's packet. `nalus` have their headers at least.
 */
export function packetizeNalus(
  nalus: readonly Uint8Array[],
  maxPayloadBytes: number,
  isAggregating: boolean,
  headers: NalPayloadHeaders,
): Uint8Array[] {
  const payloads: Uint8Array[] = [];
  let at = 0;
  while (at < nalus.length) {
    const count = isAggregating ? fittingNalus(nalus, at, maxPayloadBytes, headers) : 1;
    if (count > 1) payloads.push(aggregate(nalus.slice(at, at + count), headers));
    else if (nalus[at]!.length <= maxPayloadBytes) payloads.push(new Uint8Array(nalus[at]!));
    else fragment(nalus[at]!, maxPayloadBytes, headers, payloads);
    at += Math.max(1, count);
  }
  return payloads;
}

/** How many NAL units from `from` on fit into one packet. */
function fittingNalus(
  nalus: readonly Uint8Array[],
  from: number,
  maxPayloadBytes: number,
  { headerBytes }: NalPayloadHeaders,
): number {
  let bytes = headerBytes;
  let count = 0;
  while (from + count < nalus.length) {
    bytes += LENGTH_BYTES + nalus[from + count]!.length;
    if (bytes > maxPayloadBytes) break;
    count += 1;
  }
  return count;
}

function aggregate(nalus: readonly Uint8Array[], headers: NalPayloadHeaders): Uint8Array {
  const { headerBytes } = headers;
  const payload = Buffer.alloc(nalus.reduce((sum, nalu) => sum + LENGTH_BYTES + nalu.length, headerBytes));
  let at = headerBytes;
  for (const nalu of nalus) {
    at = payload.writeUInt16BE(nalu.length, at);
    payload.set(nalu, at);
    at += nalu.length;
  }
  headers.writeAggregation(payload, nalus);
  return payload;
}

function fragment(
  nalu: Uint8Array,
  maxPayloadBytes: number,
  headers: NalPayloadHeaders,
  payloads: Uint8Array[],
): void {
  const { headerBytes } = headers;
  const pieceBytes = maxPayloadBytes - headerBytes - 1;
  for (let at = headerBytes; at < nalu.length; at += pieceBytes) {
    const end = Math.min(nalu.length, at + pieceBytes);
    const payload = new Uint8Array(headerBytes + 1 + end - at);
    headers.writeFragment(
      payload,
      nalu,
      (at === headerBytes ? FU_START : 0) | (end === nalu.length ? FU_END : 0),
    );
    payload.set(nalu.subarray(at, end), headerBytes + 1);
    payloads.push(payload);
  }
}
