/**
 * Memory that is read into again and again. A fresh buffer for each segment costs three times as much as the read
 * itself: the system clears its pages, and takes them back after a garbage collection. Shared with the thread that reads.
 */

export const POOL_BYTES = 32 * 1_048_576;
export const BLOCK_BYTES = 65_536;
/** Reads larger than the pool divided by this get memory of their own. */
const LARGEST_SHARE = 4;

export interface PoolPlace {
  /** In the pool's memory. */
  readonly offset: number;
  readonly bytes: Buffer;
  /** Someone else gets the memory. Idempotent. */
  release(): void;
}

export class ReadPool {
  readonly memory: SharedArrayBuffer;
  readonly #isTaken: Uint8Array;
  /** Where the next search begins. */
  #next = 0;

  constructor(byteLength = POOL_BYTES) {
    this.memory = new SharedArrayBuffer(byteLength);
    this.#isTaken = new Uint8Array(byteLength / BLOCK_BYTES);
  }

  /** null: no such place is free now. */
  take(length: number): PoolPlace | null {
    const blocks = Math.ceil(length / BLOCK_BYTES);
    if (blocks === 0 || blocks > this.#isTaken.length / LARGEST_SHARE) return null;
    const first = this.#find(blocks, this.#next) ?? this.#find(blocks, 0);
    if (first === null) return null;
    this.#next = first + blocks;
    this.#isTaken.fill(1, first, first + blocks);
    const offset = first * BLOCK_BYTES;
    let isHeld = true;
    return {
      offset,
      bytes: Buffer.from(this.memory, offset, length),
      release: () => {
        if (isHeld) this.#isTaken.fill(0, first, first + blocks);
        isHeld = false;
      },
    };
  }

  /** The first free place of so many blocks from `from` on. */
  #find(blocks: number, from: number): number | null {
    let free = 0;
    for (let block = from; block < this.#isTaken.length; block++) {
      free = this.#isTaken[block] === 0 ? free + 1 : 0;
      if (free === blocks) return block - blocks + 1;
    }
    return null;
  }
}
