/**
 * Moves many rows between threads: in packs of a few rows, serialized in the database's thread and moved, not copied. The
 * receiver creates the objects of one pack at a time.
 */

import { deserialize, serialize } from 'node:v8';
import { STEPS_PER_SLICE } from '../../core/sliced-work.ts';
import type { WireRow } from './wire-row.ts';

/** Rows in a pack: the work of one slice. */
const MAX_PACK_ROWS = STEPS_PER_SLICE;
/** Text of a pack, in characters, rounded to whole rows. */
const MAX_PACK_CHARS = 32 * 1_024;

export interface PackedRows {
  readonly rowCount: number;
  /** All packs, one after the other, in one buffer of their own, which is transferred with the message. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where each pack ends in `bytes`. */
  readonly ends: readonly number[];
}

/** null: so few that packing is not worth it. */
export function packRows(rows: readonly WireRow[]): PackedRows | null {
  const packs: Buffer[] = [];
  const ends: number[] = [];
  let byteCount = 0;
  let start = 0;
  let chars = 0;
  for (let end = 1; end <= rows.length; end++) {
    chars += charsOf(rows[end - 1]!);
    const isFull = end - start === MAX_PACK_ROWS || chars >= MAX_PACK_CHARS;
    if (!isFull && end < rows.length) continue;
    if (start === 0 && end === rows.length) return null;
    const pack = serialize(rows.slice(start, end));
    packs.push(pack);
    byteCount += pack.length;
    ends.push(byteCount);
    start = end;
    chars = 0;
  }
  if (packs.length === 0) return null;
  const bytes = new Uint8Array(byteCount);
  for (const [index, pack] of packs.entries()) bytes.set(pack, ends[index]! - pack.length);
  return { rowCount: rows.length, bytes, ends };
}

/** The rows in order. Packs are opened when reached, and again each time. */
export function* unpackRows({ bytes, ends }: PackedRows): Generator<WireRow> {
  let start = 0;
  for (const end of ends) {
    yield* deserialize(bytes.subarray(start, end)) as WireRow[];
    start = end;
  }
}

function charsOf(row: WireRow): number {
  let chars = 0;
  for (const value of row) if (typeof value === 'string') chars += value.length;
  return chars;
}
