/**
 * A ring of bytes that two threads share: one reserves room and fills it, the other reads in the same order and gives
 * the room back. Positions are counted in bytes since the start, modulo 2^32; the size is a power of two, so they
 * continue across the wrap.
 */

/** A reserved stretch. */
export interface RingSlot {
  /** Where it lies in `bytes`. */
  readonly position: number;
  /** To be passed to `release` once it was read. */
  readonly release: number;
}

export interface SharedRingMemory {
  readonly data: SharedArrayBuffer;
  /** One 32-bit count: the bytes given back so far. */
  readonly control: SharedArrayBuffer;
}

/** The smallest power of two that is not below `byteLength`. Memory is used as far as it has been filled. */
export function createRingMemory(byteLength: number): SharedRingMemory {
  const size = 2 ** Math.ceil(Math.log2(byteLength));
  return { data: new SharedArrayBuffer(size), control: new SharedArrayBuffer(4) };
}

/** The thread that fills it. */
export class RingFiller {
  readonly bytes: Buffer;
  readonly #released: Int32Array;
  #reserved = 0;

  constructor(memory: SharedRingMemory) {
    this.bytes = Buffer.from(memory.data);
    this.#released = new Int32Array(memory.control);
  }

  /** Bytes reserved and not given back, including the skipped bytes at the end of the ring. */
  get usedBytes(): number {
    return (this.#reserved - Atomics.load(this.#released, 0)) >>> 0;
  }

  /** A contiguous stretch; null: the ring is full now. */
  reserve(byteLength: number): RingSlot | null {
    const size = this.bytes.length;
    let { usedBytes } = this;
    if (usedBytes === 0) this.#restart();
    const at = this.#reserved % size;
    // A stretch at the end of the ring that is too short counts as used until the reader has passed it.
    const skipped = at + byteLength > size ? size - at : 0;
    usedBytes += skipped + byteLength;
    if (usedBytes > size) return null;
    const start = this.#reserved + skipped;
    this.#reserved = (start + byteLength) >>> 0;
    return { position: start % size, release: this.#reserved };
  }

  /** The reader holds nothing: begin at the front again, whose memory has been used before. */
  #restart(): void {
    this.#reserved = 0;
    Atomics.store(this.#released, 0, 0);
  }
}

/** The thread that reads it. */
export class RingReader {
  readonly #bytes: Buffer;
  readonly #released: Int32Array;

  constructor(memory: SharedRingMemory) {
    this.#bytes = Buffer.from(memory.data);
    this.#released = new Int32Array(memory.control);
  }

  /** Borrowed until `release`. */
  view(position: number, byteLength: number): Uint8Array {
    return this.#bytes.subarray(position, position + byteLength);
  }

  /** In the order of the reservations. */
  release(release: number): void {
    Atomics.store(this.#released, 0, release | 0);
  }
}
