/**
 * Memory for samples, in blocks of one size that all cameras of the thread share: one copy puts a frame where it stays
 * until it leaves the live window, and blocks that one camera returns fit every other. A block is free again when its
 * last user has released it. Viewers never get a block: sent bytes have been copied out of it.
 */

export const BLOCK_BYTES = 65_536;
/**
 * Blocks beyond this limit, 64 MiB, are left to the garbage collector, as are blocks that are forgotten instead of
 * released.
 */
const MAX_FREE_BLOCKS = 1_024;

export interface MediaBlock {
  readonly bytes: Buffer;
  users: number;
}

const freeBlocks: MediaBlock[] = [];

/** A block with one user. Its bytes are arbitrary. */
export function takeBlock(): MediaBlock {
  const block = freeBlocks.pop() ?? { bytes: Buffer.allocUnsafeSlow(BLOCK_BYTES), users: 0 };
  block.users = 1;
  return block;
}

/** The user must not touch the block anymore. */
export function releaseBlock(block: MediaBlock): void {
  block.users--;
  if (block.users === 0 && freeBlocks.length < MAX_FREE_BLOCKS) freeBlocks.push(block);
}

/** Bytes that span blocks, which it uses until `release`. */
export class BlockRun {
  readonly byteLength: number;
  readonly #startBytes: number;
  #blocks: MediaBlock[];

  /** From `startBytes` of the first block on; the blocks get one more user. */
  constructor(blocks: MediaBlock[], startBytes: number, byteLength: number) {
    this.byteLength = byteLength;
    this.#startBytes = startBytes;
    this.#blocks = blocks;
    for (const block of blocks) block.users++;
  }

  /** Copies all of it to `position` of `target`. */
  copyTo(target: Buffer, position: number): void {
    let from = this.#startBytes;
    let left = this.byteLength;
    for (const { bytes } of this.#blocks) {
      const copied = bytes.copy(target, position + this.byteLength - left, from, from + left);
      left -= copied;
      from = 0;
    }
  }

  /** Idempotent. */
  release(): void {
    for (const block of this.#blocks) releaseBlock(block);
    this.#blocks = [];
  }
}
