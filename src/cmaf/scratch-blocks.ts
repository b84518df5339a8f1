/**
 * Memory for samples that wait for their part, in blocks of one size that all queues of the thread share. Parts of
 * many cameras fill at different times: together they need what waits on average, not what each needs at its fullest.
 */

export const SCRATCH_BLOCK_BYTES = 32_768;
/** Blocks beyond these, 64 MiB, are left to the garbage collector. */
const MAX_FREE_BLOCKS = 2_048;

const freeBlocks: Buffer[] = [];

/** A block for the caller alone until `releaseScratchBlock`. Its bytes are arbitrary. */
export function takeScratchBlock(): Buffer {
  return freeBlocks.pop() ?? Buffer.allocUnsafeSlow(SCRATCH_BLOCK_BYTES);
}

/** The caller must not touch the block any more. A block that is merely forgotten is collected like any object. */
export function releaseScratchBlock(block: Buffer): void {
  if (freeBlocks.length < MAX_FREE_BLOCKS) freeBlocks.push(block);
}
