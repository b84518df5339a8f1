import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import {
  BLOCK_BYTES,
  MAX_SPARE_SLABS,
  type MediaBlock,
  mediaBlockBytes,
  releaseBlock,
  takeBlock,
} from './media-blocks.ts';

const SPARE_BYTES = MAX_SPARE_SLABS * 1_048_576;

const taken: MediaBlock[] = [];

function take(blocks: number): void {
  for (let i = 0; i < blocks; i++) taken.push(takeBlock());
}

afterEach(() => {
  for (const block of taken.splice(0)) releaseBlock(block);
});

describe('media blocks', () => {
  it('never share memory while they are used, whatever else is taken and released', () => {
    const before = mediaBlockBytes().used;
    const steps = fc.array(fc.record({ isTaken: fc.boolean(), at: fc.nat() }), { maxLength: 300 });
    fc.assert(
      fc.property(steps, (chosen) => {
        const used = new Map<MediaBlock, number>();
        for (const [index, { isTaken, at }] of chosen.entries()) {
          if (isTaken || used.size === 0) {
            const block = takeBlock();
            expect(used.has(block)).toBe(false);
            block.bytes.fill(index);
            used.set(block, index);
          } else {
            const block = [...used.keys()][at % used.size]!;
            used.delete(block);
            releaseBlock(block);
          }
        }
        expect(mediaBlockBytes().used - before).toBe(used.size * BLOCK_BYTES);
        for (const [block, fill] of used) {
          expect([block.bytes.length, block.bytes[0], block.bytes.at(-1)]).toEqual([
            BLOCK_BYTES,
            fill % 256,
            fill % 256,
          ]);
          releaseBlock(block);
        }
        expect(mediaBlockBytes().used).toBe(before);
      }),
      randomRuns(200),
    );
  });

  it('are kept for others up to a limit', () => {
    take((2 * SPARE_BYTES) / BLOCK_BYTES);
    const { used } = mediaBlockBytes();
    for (const block of taken.splice(0)) releaseBlock(block);
    const { free } = mediaBlockBytes();
    expect(free).toBeGreaterThanOrEqual(SPARE_BYTES);
    // Blocks of others may share a slab with some of these.
    expect(free).toBeLessThanOrEqual(SPARE_BYTES + used - 2 * SPARE_BYTES + 16 * BLOCK_BYTES);
  });

  it('fill gaps before they take more memory', () => {
    take(640);
    // Every fourth one goes: no slab is free as a whole.
    for (let at = taken.length - 1; at >= 0; at -= 4) releaseBlock(taken.splice(at, 1)[0]!);
    const { used, free } = mediaBlockBytes();
    take(160);
    expect(mediaBlockBytes()).toEqual({ used: used + 160 * BLOCK_BYTES, free: free - 160 * BLOCK_BYTES });
  });
});
