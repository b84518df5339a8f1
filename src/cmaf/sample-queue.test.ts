import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { BLOCK_BYTES } from './media-blocks.ts';
import { SampleQueue } from './sample-queue.ts';

const BLOCK_EDGES_BYTES = [-1, 0, 1, BLOCK_BYTES].map((more) => BLOCK_BYTES + more);

describe('SampleQueue', () => {
  it('copies its input', () => {
    const queue = new SampleQueue();
    const data = Uint8Array.of(1, 2, 3);
    queue.hold(data, 100, 5, true);
    data.fill(9);
    expect([...bytesIn(queue)]).toEqual([1, 2, 3]);
    expect([queue.startTicks, queue.heldTicks, queue.count]).toEqual([100, 100, 1]);
  });

  it('is a first-in, first-out queue for any samples, whatever is dropped when', () => {
    const step = fc.record({
      size: fc.oneof(fc.integer({ min: 1, max: 9_000 }), fc.constantFrom(...BLOCK_EDGES_BYTES)),
      durationTicks: fc.integer({ min: 1, max: 1e6 }),
      drop: fc.nat(3),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const queue = new SampleQueue();
        const model: { fill: number; size: number; durationTicks: number; startTicks: number }[] = [];
        let ticks = 0;
        for (const [index, { size, durationTicks, drop }] of steps.entries()) {
          queue.hold(new Uint8Array(size).fill(index), ticks, index, index % 3 === 0);
          queue.finishHeld(durationTicks);
          model.push({ fill: index & 0xff, size, durationTicks, startTicks: ticks });
          ticks += durationTicks;
          if (drop > 0 && drop <= queue.count) {
            queue.drop(drop, queue.bytesOf(drop));
            model.splice(0, drop);
          }
          expect(queue.count).toBe(model.length);
          if (model[0] !== undefined) expect(queue.startTicks).toBe(model[0].startTicks);
        }
        const bytes = bytesIn(queue);
        let offset = 0;
        for (const [index, { fill, size, durationTicks }] of model.entries()) {
          expect([queue.sizesBytes[index], queue.durationsTicks[index]]).toEqual([size, durationTicks]);
          expect([bytes[offset], bytes[offset + size - 1]]).toEqual([fill, fill]);
          offset += size;
        }
        expect(queue.byteLength).toBe(offset);
      }),
      randomRuns(300),
    );
  });

  it('does not mix up the bytes of queues that share blocks', () => {
    const queues = [new SampleQueue(), new SampleQueue()];
    for (let round = 0; round < 5; round++) {
      for (const [index, queue] of queues.entries()) {
        queue.hold(new Uint8Array(40_000).fill(10 * round + index), round, 0, true);
        queue.finishHeld(1);
        if (queue.count === 3) queue.drop(2, 80_000);
      }
    }
    for (const [index, queue] of queues.entries()) {
      expect([...new Set(bytesIn(queue))]).toEqual([40 + index]);
      queue.clear();
      expect([queue.byteLength, queue.isEmpty]).toEqual([0, true]);
    }
  });

  it('counts samples that begin before a time', () => {
    const queue = new SampleQueue();
    for (const dtsTicks of [10, 20, 30]) {
      queue.hold(Uint8Array.of(1), dtsTicks, 0, true);
      queue.finishHeld(10);
    }
    expect([0, 10, 11, 21, 99].map((ticks) => queue.countBefore(ticks, 3))).toEqual([0, 0, 1, 2, 3]);
    expect(queue.countBefore(99, 2)).toBe(2);
  });
});

function bytesIn(queue: SampleQueue): Buffer {
  const run = queue.share(queue.byteLength);
  const bytes = Buffer.alloc(run.byteLength);
  run.copyTo(bytes, 0);
  run.release();
  return bytes;
}
