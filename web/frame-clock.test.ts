import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FrameClock, frozenAfterMs, LIVE_BOUND_MS, LOOK_MS } from './frame-clock.ts';

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

describe('the clock of a video', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }));
    vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw, 16));
  });

  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  /** A video of 25 frames a second, which the browser reports to callers that requested the next one. */
  class Video extends EventTarget {
    readonly videoWidth = 640;
    requested = 0;
    #waiting: VideoFrameRequestCallback[] = [];

    requestVideoFrameCallback(callback: VideoFrameRequestCallback): number {
      this.#waiting.push(callback);
      return ++this.requested;
    }

    play(frames: number): void {
      for (let frame = 0; frame < frames; frame++) {
        vi.advanceTimersByTime(FRAME_SEC * 1_000);
        const metadata = { mediaTime: frame * FRAME_SEC } as VideoFrameCallbackMetadata;
        for (const callback of this.#waiting.splice(0)) callback(performance.now(), metadata);
      }
    }
  }

  it('does not hear of each frame, which would make the browser draw the page for each', () => {
    const video = new Video();
    const clock = new FrameClock(video as unknown as HTMLVideoElement);
    video.play(250);
    expect(video.requested).toBeLessThan(100);
    expect(clock.frozenMs()).toBe(0);
    vi.advanceTimersByTime(1_800);
    expect(clock.frozenMs()).toBe(0);
    vi.advanceTimersByTime(300);
    expect(clock.frozenMs()).toBe(2_100);
  });
});
