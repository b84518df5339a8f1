/** Top-level boxes (ISO/IEC 14496-12 §4.2) and the hash over them (C2PA 2.4 §18.6.2). Without Node.js. */

import { joined } from './cbor.ts';

export interface TopBox {
  readonly type: string;
  readonly start: number;
  readonly bytes: Uint8Array;
}

export const BOX_HEADER_BYTES = 8;
/** A segment has two boxes for each part, and a few more. */
const MAX_TOP_BOXES = 4_096;
const OFFSET_BYTES = 8;

/** All boxes, in order. Throws a RangeError unless they are all of `bytes`, with sizes of 32 bits. */
export function topBoxes(bytes: Uint8Array): TopBox[] {
  const boxes: TopBox[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let start = 0; start < bytes.length; ) {
    if (bytes.length - start < BOX_HEADER_BYTES || boxes.length === MAX_TOP_BOXES)
      throw new RangeError('cut off');
    const size = view.getUint32(start);
    if (size < BOX_HEADER_BYTES || start + size > bytes.length) throw new RangeError('a bad box size');
    const type = String.fromCharCode(...bytes.subarray(start + 4, start + BOX_HEADER_BYTES));
    boxes.push({ type, start, bytes: bytes.subarray(start, start + size) });
    start += size;
  }
  return boxes;
}

export function boxOf(type: string, ...contents: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(BOX_HEADER_BYTES);
  const bytes = joined([header, ...contents]);
  new DataView(bytes.buffer).setUint32(0, bytes.length);
  bytes.set(new TextEncoder().encode(type), 4);
  return bytes;
}

/** What is hashed before each box: where it begins. */
function offsetOf(start: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(OFFSET_BYTES);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(start));
  return bytes;
}

/** What is hashed of these boxes, in one piece. */
export function hashInput(boxes: readonly TopBox[]): Uint8Array<ArrayBuffer> {
  return joined(boxes.flatMap(({ start, bytes }) => [offsetOf(start), bytes]));
}

export function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
