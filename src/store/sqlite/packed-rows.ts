/**
 * Many rows on their way between threads: packs of a few rows each, serialised in the database's thread and moved, not
 * copied. The receiver makes objects of one pack at a time.
 */

import { deserialize, Serializer } from 'node:v8';
import { STEPS_PER_SLICE } from '../../core/sliced-work.ts';
import type { WireRow } from './wire-row.ts';

/** Rows in a pack: what is worth one slice. */
const MAX_PACK_ROWS = STEPS_PER_SLICE;
/** Text of a pack, in characters, as far as whole rows allow. */
const MAX_PACK_CHARS = 32 * 1_024;

export interface PackedRows {
  readonly rowCount: number;
  /** Each with its own memory, which goes with the message. */
  readonly packs: readonly Uint8Array<ArrayBuffer>[];
}

/** null: so few that packing is not worth it. */
export function packRows(rows: readonly WireRow[]): PackedRows | null {
  const packs: Uint8Array<ArrayBuffer>[] = [];
  let start = 0;
  let chars = 0;
  for (let end = 1; end <= rows.length; end++) {
    chars += charsOf(rows[end - 1]!);
    const isFull = end - start === MAX_PACK_ROWS || chars >= MAX_PACK_CHARS;
    if (!isFull && end < rows.length) continue;
    if (start === 0 && end === rows.length) return null;
    packs.push(pack(rows.slice(start, end)));
    start = end;
    chars = 0;
  }
  return packs.length === 0 ? null : { rowCount: rows.length, packs };
}

/** The rows in order. Packs are opened as they are come to, and again each time. */
export function* unpackRows({ packs }: PackedRows): Generator<WireRow> {
  for (const each of packs) yield* deserialize(each) as WireRow[];
}

function pack(rows: readonly WireRow[]): Uint8Array<ArrayBuffer> {
  const serializer = new Serializer();
  serializer.writeHeader();
  serializer.writeValue(rows);
  // Copied to its exact size: the serializer's memory may be part of a larger piece, which cannot be moved.
  return Uint8Array.from(serializer.releaseBuffer());
}

function charsOf(row: WireRow): number {
  let chars = 0;
  for (const value of row) if (typeof value === 'string') chars += value.length;
  return chars;
}
