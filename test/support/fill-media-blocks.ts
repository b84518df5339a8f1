/**
 * A process that fills media blocks, as the windows of many cameras do, and releases all of them together. Does nothing
 * else that would make the collector begin. Argument: MiB. Prints the resident memory that the blocks took, and the rest of
 * it once most was given back, or nothing for a minute.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { MAX_SPARE_SLABS, type MediaBlock, releaseBlock, takeBlock } from '../../src/cmaf/media-blocks.ts';

const MIB = 1_048_576;
const BLOCKS_PER_MIB = 16;
const WAIT_MS = 60_000;
/** Memory that was not yet reported to the collector. */
const UNTOLD_MIB = 96;

const residentMiB = () => Math.round(process.memoryUsage.rss() / MIB);

const blocksMiB = Number(process.argv[2]);
const startMiB = residentMiB();
const blocks: MediaBlock[] = [];
for (let count = 0; count < blocksMiB * BLOCKS_PER_MIB; count++) {
  const block = takeBlock();
  block.bytes.fill(1);
  blocks.push(block);
}
const filledMiB = residentMiB() - startMiB;
while (blocks.length > 0) releaseBlock(blocks.pop()!);
const sinceMs = performance.now();
while (performance.now() - sinceMs < WAIT_MS) {
  if (residentMiB() - startMiB < MAX_SPARE_SLABS + UNTOLD_MIB) break;
  await delay(100);
}
process.stdout.write(JSON.stringify({ filledMiB, emptiedMiB: residentMiB() - startMiB }));
