import { describe, expect, it } from 'vitest';
import { MAX_CRAWL_MS, TrackPace } from './track-pace.ts';

const FRAME_MS = 40;
const TICK_MS = 1 / 90;

/**
 * Feeds frames with the given time and arrival steps; returns the number of frames after which time was lost, or null.
 */
function lostAfter(steps: readonly (readonly [advanceMs: number, elapsedMs: number])[]): number | null {
  const pace = new TrackPace();
  let timeMs = 1_000;
  let arrivalMonoMs = 50_000;
  expect(pace.keepsTime(timeMs, arrivalMonoMs)).toBe(true);
  for (const [index, [advanceMs, elapsedMs]] of steps.entries()) {
    timeMs += advanceMs;
    arrivalMonoMs += elapsedMs;
    if (!pace.keepsTime(timeMs, arrivalMonoMs)) return index + 1;
  }
  return null;
}

const frames = (count: number, advanceMs: number, elapsedMs: number) =>
  Array.from({ length: count }, () => [advanceMs, elapsedMs] as const);

describe('TrackPace', () => {
  it('notices a jump ahead at the first frame', () => {
    expect(lostAfter([...frames(10, FRAME_MS, FRAME_MS), [30_000, FRAME_MS]])).toBe(11);
    expect(lostAfter([...frames(10, FRAME_MS, FRAME_MS), [3_600_000, FRAME_MS]])).toBe(11);
  });

  it('notices a track that crawls by one tick per frame', () => {
    const crawl = frames(200, TICK_MS, FRAME_MS);
    expect(lostAfter([...frames(10, FRAME_MS, FRAME_MS), ...crawl])).toBe(10 + MAX_CRAWL_MS / FRAME_MS);
  });

  it.each([
    ['a real pause', [...frames(10, FRAME_MS, FRAME_MS), [60_000, 60_000] as const]],
    ['a burst after a hiccup', [[FRAME_MS, 5_000] as const, ...frames(125, FRAME_MS, 0)]],
    ['a frame with the same timestamp as the one before a pause', [[TICK_MS, 5_000] as const]],
    ['frames with equal timestamps at the beginning', frames(20, TICK_MS, 0)],
    [
      'a jump back by less than a second',
      [...frames(22, TICK_MS, FRAME_MS), ...frames(50, FRAME_MS, FRAME_MS)],
    ],
    ['one frame in nine seconds', frames(5, 9_000, 9_000)],
  ])('leaves %s alone', (_what, steps) => {
    expect(lostAfter(steps)).toBeNull();
  });
});
