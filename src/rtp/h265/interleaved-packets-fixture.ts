/** Payloads of H.265 with decoding order numbers (RFC 7798 §4.4), in any order, for tests and synthetic cameras. */

import { AP, FU, FU_END, FU_START } from './h265-depacketizer.ts';

/** Packets that have to follow one another: one packet, or the fragments of a NAL unit. */
export interface PacketBlock {
  /** Decoding order numbers of its NAL units, not wrapped. */
  readonly absDons: readonly number[];
  readonly payloads: readonly Buffer[];
}

export interface NumberedNalu {
  readonly nalu: Uint8Array;
  /** Its decoding order number, not wrapped. */
  readonly absDon: number;
}

const HEADER_BYTES = 2;
const FU_HEAD_BYTES = 5;
/** DOND is at most 255, and one less than the step. */
const MAX_STEP = 256;

/** §4.4.1 */
export function singlePacket({ nalu, absDon }: NumberedNalu): PacketBlock {
  const payload = Buffer.concat([
    nalu.subarray(0, HEADER_BYTES),
    donBytes(absDon),
    nalu.subarray(HEADER_BYTES),
  ]);
  return { absDons: [absDon], payloads: [payload] };
}

/** §4.4.2: their numbers ascend by at most 256. */
export function aggregationPacket(nalus: readonly NumberedNalu[]): PacketBlock {
  const parts: Uint8Array[] = [Buffer.from([AP << 1, 1])];
  for (const [index, { nalu, absDon }] of nalus.entries()) {
    const step = index === 0 ? 0 : absDon - nalus[index - 1]!.absDon;
    parts.push(index === 0 ? donBytes(absDon) : Buffer.from([step - 1]));
    parts.push(Buffer.from([nalu.length >> 8, nalu.length & 0xff]), nalu);
  }
  return { absDons: nalus.map(({ absDon }) => absDon), payloads: [Buffer.concat(parts)] };
}

/** §4.4.3 */
export function fragmentPackets({ nalu, absDon }: NumberedNalu, maxPayloadBytes: number): PacketBlock {
  const payloads: Buffer[] = [];
  const pieceBytes = maxPayloadBytes - FU_HEAD_BYTES;
  for (let at = HEADER_BYTES; at < nalu.length; at += pieceBytes) {
    const end = Math.min(nalu.length, at + pieceBytes);
    const bits = (at === HEADER_BYTES ? FU_START : 0) | (end === nalu.length ? FU_END : 0);
    const head = Buffer.from([(nalu[0]! & 0x81) | (FU << 1), nalu[1]!, ((nalu[0]! >> 1) & 0x3f) | bits]);
    const don = at === HEADER_BYTES ? [donBytes(absDon)] : [];
    payloads.push(Buffer.concat([head, ...don, nalu.subarray(at, end)]));
  }
  return { absDons: [absDon], payloads };
}

/** One access unit, in decoding order: small neighbors together, large ones in fragments. */
export function accessUnitBlocks(nalus: readonly NumberedNalu[], maxPayloadBytes: number): PacketBlock[] {
  const blocks: PacketBlock[] = [];
  let together: NumberedNalu[] = [];
  const endTogether = () => {
    if (together.length === 1) blocks.push(singlePacket(together[0]!));
    else if (together.length > 1) blocks.push(aggregationPacket(together));
    together = [];
  };
  for (const each of nalus) {
    const last = together.at(-1);
    const bytes = together.reduce((sum, { nalu }) => sum + nalu.length + 4, HEADER_BYTES);
    const step = last === undefined ? 1 : each.absDon - last.absDon;
    const fits = bytes + each.nalu.length + 4 <= maxPayloadBytes && step >= 1 && step <= MAX_STEP;
    if (!fits) endTogether();
    if (each.nalu.length + 4 <= maxPayloadBytes) together.push(each);
    else blocks.push(fragmentPackets(each, maxPayloadBytes));
  }
  endTogether();
  return blocks;
}

/** The values that a sender of NAL units in this order must declare: sprop-max-don-diff and sprop-depack-buf-nalus (§7.1). */
export function boundsOf(absDons: readonly number[]): { readonly donDiff: number; readonly nalus: number } {
  let donDiff = 0;
  let nalus = 0;
  for (const [at, absDon] of absDons.entries()) {
    const before = absDons.slice(0, at).filter((earlier) => earlier > absDon);
    nalus = Math.max(nalus, before.length);
    for (const earlier of before) donDiff = Math.max(donDiff, earlier - absDon);
  }
  return { donDiff, nalus };
}

/** `a=fmtp` of such a sender; with an order that is that of decoding, the smallest values that mean numbers. */
export function interleavingFmtp(absDons: readonly number[]): Map<string, string> {
  const { donDiff, nalus } = boundsOf(absDons);
  return new Map([
    ['sprop-max-don-diff', String(Math.max(1, donDiff))],
    ['sprop-depack-buf-nalus', String(Math.max(1, nalus))],
    ['sprop-depack-buf-bytes', '4000000'],
  ]);
}

/** Moves each item at most about `depth` places. `random`: from 0 to 1. */
export function shuffledWithin<T>(items: readonly T[], depth: number, random: () => number): T[] {
  const keyed = items.map((item, index) => ({ item, key: index + random() * depth }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

function donBytes(absDon: number): Buffer {
  return Buffer.from([(absDon >> 8) & 0xff, absDon & 0xff]);
}
