import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { WallClock } from './wall-clock.ts';

const FRAME_MS = 40;
const EPOCH_MS = 1_800_000_000_000;

/** An hour of frames: those of `camera` run `driftPpm` fast, and arrive `delayMs` late. */
function watch(driftPpm: number, frames: number, delayMs: (frame: number) => number): number[] {
  const clock = new WallClock(EPOCH_MS);
  const errorsMs: number[] = [];
  for (let frame = 0; frame < frames; frame++) {
    const capturedMonoMs = frame * FRAME_MS;
    const mediaMs = capturedMonoMs * (1 + driftPpm / 1e6);
    const arrivalMonoMs = capturedMonoMs + delayMs(frame);
    if (frame === 0) clock.restart(mediaMs, arrivalMonoMs);
    else clock.observe(mediaMs, arrivalMonoMs);
    if (frame % 50 === 8) errorsMs.push(clock.epochMsAt(mediaMs) - EPOCH_MS - capturedMonoMs);
  }
  return errorsMs;
}

/** The same jitter on every run. */
const jitterMs = (frame: number) => ((frame * 7_919) % 101) * 1.5;

describe('WallClock', () => {
  it.each([0, 50, -50])(
    'stays within 5 ms over an hour of 150 ms jitter and a camera off by %i ppm',
    (ppm) => {
      const errorsMs = watch(ppm, 90_000, jitterMs).slice(60);
      expect(Math.max(...errorsMs.map(Math.abs))).toBeLessThan(5);
    },
  );

  it('is right from the first read if the first frame arrived late but a later one, before that read, did not', () => {
    const [first] = watch(0, 10, (frame) => (frame === 0 ? 400 : 20));
    expect(first).toBeCloseTo(20, 6);
  });

  it('follows a lasting change of the network by at most 500 ppm', () => {
    const errorsMs = watch(0, 30_000, (frame) => (frame < 10_000 ? 20 : 320));
    const stepsMs = errorsMs.slice(1).map((errorMs, index) => errorMs - errorsMs[index]!);
    expect(Math.max(...stepsMs)).toBeLessThanOrEqual(50 * FRAME_MS * 500e-6 + 1e-6);
    expect(Math.max(...stepsMs)).toBeGreaterThan(0.9);
  });

  it('moves to the time of the camera and back, by at most 500 ppm', () => {
    const clock = new WallClock(EPOCH_MS);
    clock.restart(0, 30);
    const errorsMs: number[] = [];
    for (let frame = 0; frame < 60_000; frame++) {
      const mediaMs = frame * FRAME_MS;
      if (frame === 1_000) clock.tie(mediaMs, EPOCH_MS + mediaMs - 250);
      if (frame === 30_000) clock.untie();
      clock.observe(mediaMs, mediaMs + 30);
      errorsMs.push(clock.epochMsAt(mediaMs) - EPOCH_MS - mediaMs);
    }
    const stepsMs = errorsMs.slice(1).map((errorMs, index) => Math.abs(errorMs - errorsMs[index]!));
    expect(Math.max(...stepsMs)).toBeLessThanOrEqual(FRAME_MS * 500e-6 + 1e-3);
    expect([errorsMs[999], errorsMs[29_999], errorsMs.at(-1)].map((ms) => Math.round(ms!))).toEqual([
      30, -250, 30,
    ]);
  });

  it('is the time of the camera at once if no one has read it', () => {
    const clock = new WallClock(EPOCH_MS);
    clock.restart(0, 30);
    clock.tie(0, EPOCH_MS - 400);
    clock.observe(40, 70);
    expect(clock.epochMsAt(40)).toBe(EPOCH_MS - 360);
  });

  it('never runs off by more than 500 ppm, whatever arrives when', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5_000), { minLength: 2, maxLength: 100 }), (delays) => {
        const clock = new WallClock(0);
        clock.restart(0, delays[0]!);
        let lastMs = clock.epochMsAt(0);
        for (let frame = 1; frame < delays.length; frame++) {
          clock.observe(frame * FRAME_MS, frame * FRAME_MS + delays[frame]!);
          const nowMs = clock.epochMsAt(frame * FRAME_MS);
          expect(Math.abs(nowMs - lastMs - FRAME_MS)).toBeLessThanOrEqual(FRAME_MS * 500e-6 + 1e-6);
          lastMs = nowMs;
        }
      }),
      randomRuns(2_000),
    );
  });
});
