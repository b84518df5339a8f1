import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { FloodGuard, MAX_WINDOW_PACKETS } from '../../stream/source/flood-guard.ts';
import { FULL_READ_BYTES, readFragments } from './worker-pipe.ts';

const BOX_BYTES = 8;
/** The smallest possible boxes, which no reader uses. */
const FULL_READ = Buffer.concat(
  new Array(FULL_READ_BYTES / BOX_BYTES).fill(Buffer.from('\0\0\0\x08free', 'latin1')),
);

function setup() {
  const pipe = new PassThrough({ highWaterMark: 100 * FULL_READ_BYTES });
  const clock = new FakeClock();
  const errors: GatewayError[] = [];
  let reads = 0;
  pipe.on('data', () => {
    reads += 1;
  });
  const sink = { onTracks: () => undefined, onSample: () => undefined };
  readFragments(pipe, { sink, clock, flood: new FloodGuard(), onFailed: (error) => errors.push(error) });
  return { pipe, clock, errors, reads: () => reads };
}

const turn = () => new Promise(setImmediate);

describe("a worker's pipe", () => {
  it('yields to all others after each full read, and continues', async () => {
    const { pipe, reads } = setup();
    for (let count = 0; count < 3; count++) pipe.write(FULL_READ);
    await turn();
    const before = reads();
    expect(before).toBeLessThan(3);
    while (reads() < 3) {
      const read = reads();
      await turn();
      expect(reads() - read).toBeLessThanOrEqual(1);
    }
  });

  it('that carries a flood ends the worker, with figures, and is read to its end', async () => {
    const { pipe, errors, reads } = setup();
    for (let count = 0; count < 5; count++) pipe.write(FULL_READ);
    while (reads() < 5) await turn();
    expect(errors).toMatchObject([{ code: 'FFMPEG_FLOOD', kind: 'limit', context: { windowMs: 1_000 } }]);
    expect(errors[0]!.context.packets).toBeGreaterThan(MAX_WINDOW_PACKETS);
  });

  it('that carries as much over a longer time is not a flood', async () => {
    const { pipe, clock, errors, reads } = setup();
    for (let count = 0; count < 20; count++) {
      pipe.write(FULL_READ);
      while (reads() <= count) await turn();
      clock.advance(500);
    }
    expect(errors).toEqual([]);
  });
});
