import { describe, expect, it } from 'vitest';
import { frozenAfterMs, LIVE_BOUND_MS, LOOK_MS } from '../../web/frame-clock.ts';

const FRAME_SEC = 1 / 25;

describe('a video whose camera froze', () => {
  it('is not called live longer than the bound, with up to 1.75 s from the camera to the screen', () => {
    const tooLate = [0, 200, 600, 1_000, 1_300, 1_750].filter(
      (delayMs) => delayMs + frozenAfterMs(delayMs, FRAME_SEC) + LOOK_MS > LIVE_BOUND_MS,
    );
    expect(tooLate).toEqual([]);
  });

  it.each([
    [200, 2_000],
    [1_250, 1_500],
    [2_500, 1_000],
    // The bound is over before the frame is shown: in whole segments, for example.
    [6_000, 2_000],
  ])('with a delay of %i ms, counts as frozen after %i ms: jitter takes a second', (delayMs, afterMs) => {
    expect(frozenAfterMs(delayMs, FRAME_SEC)).toBe(afterMs);
  });

  it('has three of its intervals: cameras lower their frame rate at night', () => {
    expect(frozenAfterMs(1_200, 2)).toBe(6_000);
  });
});
