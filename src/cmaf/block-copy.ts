/** Bytes from outside, put into media blocks. */

import { BLOCK_BYTES, BlockRun, type MediaBlock, releaseBlock, takeBlock } from './media-blocks.ts';
import { PartBytes } from './part-bytes.ts';

/** A copy. The caller releases it. */
export function blockCopyOf(bytes: Uint8Array): PartBytes {
  const blocks: MediaBlock[] = [];
  for (let at = 0; at < bytes.byteLength; at += BLOCK_BYTES) {
    const block = takeBlock();
    block.bytes.set(bytes.subarray(at, at + BLOCK_BYTES));
    blocks.push(block);
  }
  const copy = new PartBytes([new BlockRun([...blocks], 0, bytes.byteLength)]);
  for (const block of blocks) releaseBlock(block);
  return copy;
}
