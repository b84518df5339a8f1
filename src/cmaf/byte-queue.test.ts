import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { ByteQueue } from './byte-queue.ts';
import { BLOCK_BYTES, type BlockRun } from './media-blocks.ts';

const SIZES_BYTES = fc.oneof(
  fc.integer({ min: 1, max: 9_000 }),
  fc.constantFrom(BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 2 * BLOCK_BYTES),
);

describe('ByteQueue', () => {
  it('keeps shared bytes until they are released, whatever else is appended, dropped and released', () => {
    const step = fc.record({
      queue: fc.nat(1),
      size: SIZES_BYTES,
      share: fc.boolean(),
      release: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queues = [new ByteQueue(), new ByteQueue()];
        const shared: { run: BlockRun; fill: number }[] = [];
        for (const [index, { queue: chosen, size, share, release }] of steps.entries()) {
          const queue = queues[chosen]!;
          queue.append(new Uint8Array(size).fill(index));
          if (share) shared.push({ run: queue.share(queue.byteLength), fill: index });
          if (share) queue.drop(queue.byteLength);
          else if (queue.byteLength > size) queue.drop(queue.byteLength - size);
          if (release) shared.shift()?.run.release();
        }
        for (const { run, fill } of shared) {
          const bytes = Buffer.alloc(run.byteLength);
          run.copyTo(bytes, 0);
          expect(bytes.at(-1)).toBe(fill);
        }
      }),
      randomRuns(500),
    );
  });

  it('shares what was appended last, wherever blocks end', () => {
    fc.assert(
      fc.property(fc.array(SIZES_BYTES, { minLength: 1, maxLength: 20 }), (sizes) => {
        const queue = new ByteQueue();
        const runs = sizes.map((size, index) => {
          queue.append(new Uint8Array(size).fill(index + 1));
          const run = queue.shareLast(size);
          if (index % 3 === 2) queue.drop(queue.byteLength);
          return run;
        });
        queue.clear();
        for (const [index, run] of runs.entries()) {
          const bytes = Buffer.alloc(run.byteLength);
          run.copyTo(bytes, 0);
          expect(bytes.equals(Buffer.alloc(sizes[index]!, index + 1))).toBe(true);
          expect(bytes.equals(Buffer.concat(run.views()))).toBe(true);
          run.release();
        }
      }),
      randomRuns(300),
    );
  });

  it('makes a block available when its last user has released it, but not before', () => {
    const queue = new ByteQueue();
    queue.append(new Uint8Array(BLOCK_BYTES).fill(1));
    const run = queue.share(BLOCK_BYTES);
    queue.drop(BLOCK_BYTES);
    const other = new ByteQueue();
    other.append(new Uint8Array(BLOCK_BYTES).fill(2));
    const bytes = Buffer.alloc(BLOCK_BYTES);
    run.copyTo(bytes, 0);
    expect(bytes[0]).toBe(1);
    run.release();
    run.release();
    const [next, afterNext] = [new ByteQueue(), new ByteQueue()];
    next.append(new Uint8Array(BLOCK_BYTES).fill(3));
    afterNext.append(new Uint8Array(BLOCK_BYTES).fill(4));
    const nextRun = next.share(BLOCK_BYTES);
    nextRun.copyTo(bytes, 0);
    expect([bytes[0], bytes.at(-1)]).toEqual([3, 3]);
  });
});
