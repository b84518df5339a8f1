/** Reads a recording that is an object in S3. */

import type { MediaReader } from './media-storage.ts';
import type { ObjectStore } from './object-store.ts';

/** Bytes that a small read fetches: files are scanned box by box. */
const READ_AHEAD_BYTES = 262_144;

export class ObjectReader implements MediaReader {
  readonly byteLength: number;
  readonly #objects: ObjectStore;
  readonly #name: string;
  #ahead: Buffer = Buffer.alloc(0);
  #aheadOffset = 0;

  constructor(objects: ObjectStore, name: string, byteLength: number) {
    this.#objects = objects;
    this.#name = name;
    this.byteLength = byteLength;
  }

  async read(offset: number, length: number): Promise<Buffer> {
    const wanted = Math.max(0, Math.min(length, this.byteLength - offset));
    if (wanted === 0) return Buffer.alloc(0);
    if (wanted >= READ_AHEAD_BYTES) return this.#objects.read(this.#name, offset, wanted);
    const isAhead = offset >= this.#aheadOffset && offset + wanted <= this.#aheadOffset + this.#ahead.length;
    if (!isAhead) {
      const ahead = Math.min(READ_AHEAD_BYTES, this.byteLength - offset);
      this.#ahead = await this.#objects.read(this.#name, offset, ahead);
      this.#aheadOffset = offset;
    }
    const at = offset - this.#aheadOffset;
    return this.#ahead.subarray(at, at + wanted);
  }

  async readInto(target: Uint8Array, offset: number): Promise<number> {
    const bytes = await this.read(offset, target.length);
    target.set(bytes);
    return bytes.length;
  }

  async close(): Promise<void> {
    this.#ahead = Buffer.alloc(0);
  }
}
