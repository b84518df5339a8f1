/** Where the bytes of a file made of other files lie: columns, so that thousands of pieces go between threads as one. */

import type { FileSpan } from '../isobmff/fragment-samples.ts';

/** As it goes between threads. */
export interface PackedPieces {
  readonly names: readonly string[];
  /** Three numbers per piece: index of its name, offset, bytes. */
  readonly columns: Float64Array<ArrayBuffer>;
}

const COLUMNS = 3;
const FIRST_CAPACITY = 64 * COLUMNS;

/** Appends pieces; those that follow each other in a file become one. */
export class PieceList {
  readonly #names: string[] = [];
  #columns = new Float64Array(FIRST_CAPACITY);
  #length = 0;

  add({ name, offset, byteLength }: FileSpan): void {
    const at = this.#length;
    const last = at - COLUMNS;
    const nameIndex = this.#names.length - 1;
    const isSame = last >= 0 && this.#names[nameIndex] === name;
    if (isSame && this.#columns[last + 1]! + this.#columns[last + 2]! === offset) {
      this.#columns[last + 2]! += byteLength;
      return;
    }
    if (at + COLUMNS > this.#columns.length) {
      const grown = new Float64Array(2 * this.#columns.length);
      grown.set(this.#columns);
      this.#columns = grown;
    }
    this.#columns[at] = isSame ? nameIndex : this.#names.push(name) - 1;
    this.#columns[at + 1] = offset;
    this.#columns[at + 2] = byteLength;
    this.#length += COLUMNS;
  }

  packed(): PackedPieces {
    return { names: this.#names, columns: this.#columns.slice(0, this.#length) };
  }
}

/** A stretch of a file that is read in one step, and the pieces in it. */
export interface ReadBlock extends FileSpan {
  /** Offset and bytes of each piece, relative to the block. */
  readonly parts: readonly (readonly [offset: number, byteLength: number])[];
}

/** Pieces that lie this close together are read in one go. */
const MAX_GAP_BYTES = 64 * 1_024;

export class Pieces {
  readonly #names: readonly string[];
  readonly #columns: Float64Array;
  /** Where each piece begins in the whole. */
  readonly #starts: Float64Array;
  readonly byteLength: number;

  constructor({ names, columns }: PackedPieces) {
    this.#names = names;
    this.#columns = columns;
    const count = columns.length / COLUMNS;
    this.#starts = new Float64Array(count);
    let start = 0;
    for (let i = 0; i < count; i++) {
      this.#starts[i] = start;
      start += columns[i * COLUMNS + 2]!;
    }
    this.byteLength = start;
  }

  get count(): number {
    return this.#starts.length;
  }

  /** The blocks to read for the bytes from `first` to before `end`, in order. */
  *blocks(first: number, end: number, maxBlockBytes: number): Generator<ReadBlock> {
    let at = first;
    let index = this.#pieceAt(first);
    while (at < end) {
      const parts: [number, number][] = [];
      const name = this.#name(index);
      const blockOffset = this.#offset(index) + at - this.#starts[index]!;
      let blockEnd = blockOffset;
      while (index < this.count && this.#name(index) === name && at < end) {
        const offset = this.#offset(index) + at - this.#starts[index]!;
        const isNear = offset >= blockEnd && offset - blockEnd <= MAX_GAP_BYTES;
        const room = blockOffset + maxBlockBytes - offset;
        if (!isNear || room <= 0) break;
        const left = this.#starts[index]! + this.#bytes(index) - at;
        const byteLength = Math.min(left, end - at, room);
        parts.push([offset - blockOffset, byteLength]);
        blockEnd = offset + byteLength;
        at += byteLength;
        if (byteLength < left) break;
        index++;
      }
      yield { name, offset: blockOffset, byteLength: blockEnd - blockOffset, parts };
    }
  }

  #name(index: number): string {
    return this.#names[this.#columns[index * COLUMNS]!]!;
  }

  #offset(index: number): number {
    return this.#columns[index * COLUMNS + 1]!;
  }

  #bytes(index: number): number {
    return this.#columns[index * COLUMNS + 2]!;
  }

  /** The last piece that begins at or before the position. */
  #pieceAt(position: number): number {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
