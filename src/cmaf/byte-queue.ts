/** Bytes in media blocks, first in, first out. Shared bytes stay in place when they are dropped here. */

import { copyBytes } from '../bytes/copy-bytes.ts';
import { BLOCK_BYTES, BlockRun, type MediaBlock, releaseBlock, takeBlock } from './media-blocks.ts';

export class ByteQueue {
  byteLength = 0;
  /** The bytes begin at `#startBytes` of the first block. */
  readonly #blocks: MediaBlock[] = [];
  #startBytes = 0;

  append(data: Uint8Array): void {
    let end = this.#startBytes + this.byteLength;
    let taken = 0;
    while (taken < data.length) {
      const offset = end % BLOCK_BYTES;
      if (offset === 0) this.#blocks.push(takeBlock());
      const count = Math.min(data.length - taken, BLOCK_BYTES - offset);
      copyBytes(data, taken, taken + count, this.#blocks[this.#blocks.length - 1]!.bytes, offset);
      taken += count;
      end += count;
    }
    this.byteLength += data.length;
  }

  /** The first `byteCount` bytes. */
  share(byteCount: number): BlockRun {
    const blocks = Math.ceil((this.#startBytes + byteCount) / BLOCK_BYTES);
    return new BlockRun(this.#blocks.slice(0, blocks), this.#startBytes, byteCount);
  }

  /** The last `byteCount` bytes. */
  shareLast(byteCount: number): BlockRun {
    const start = this.#startBytes + this.byteLength - byteCount;
    return new BlockRun(this.#blocks.slice(Math.floor(start / BLOCK_BYTES)), start % BLOCK_BYTES, byteCount);
  }

  /** Removes the first `byteCount` bytes. */
  drop(byteCount: number): void {
    const start = this.#startBytes + byteCount;
    const blocks = Math.floor(start / BLOCK_BYTES);
    for (let i = 0; i < blocks; i++) releaseBlock(this.#blocks[i]!);
    this.#blocks.copyWithin(0, blocks);
    this.#blocks.length -= blocks;
    this.#startBytes = start % BLOCK_BYTES;
    this.byteLength -= byteCount;
  }

  clear(): void {
    for (const block of this.#blocks) releaseBlock(block);
    this.#blocks.length = 0;
    this.#startBytes = 0;
    this.byteLength = 0;
  }
}
