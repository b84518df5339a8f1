/** How the page keeps its distance from the live edge, with a video element and a playlist whose clocks the test turns. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type Hls from '../../web/hls.js';
import { LiveEdge } from '../../web/live-edge.ts';

const PART_MS = 320;
/** PART-HOLD-BACK: three parts. */
const PART_HOLD_BACK_SEC = 0.96;
/** HOLD-BACK: three segments. */
const HOLD_BACK_SEC = 6;
const FRAME_MS = 40;
const TICK_MS = 10;

/** A live stream that publishes its parts on time, and a video element that plays what it has of it. */
class Playback extends EventTarget {
  readonly paused = false;
  readonly seeking = false;
  currentTime: number;
  playbackRate = 1;
  /** Milliseconds for which the picture stood still. */
  stillMs = 0;
  readonly targetLatency = PART_HOLD_BACK_SEC;
  readonly liveSyncPosition = null;
  readonly #startedAtMs = performance.now();
  readonly #timer: ReturnType<typeof setInterval>;
  #edgeSec = 0;
  #isWaiting = false;

  constructor(distanceSec: number) {
    super();
    this.currentTime = 60 - distanceSec;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#edgeSec = 60;
  }

  get latestLevelDetails() {
    const age = (this.#nowMs() % PART_MS) / 1000;
    return { edge: this.#edgeSec, age, holdBack: HOLD_BACK_SEC, targetduration: 2 };
  }

  get buffered() {
    return { length: 1, start: () => 0, end: () => this.#edgeSec };
  }

  /** Seconds from the picture to the camera's time. */
  get distanceSec(): number {
    return 60 + this.#nowMs() / 1000 - this.currentTime;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #nowMs(): number {
    return performance.now() - this.#startedAtMs;
  }

  #tick(): void {
    this.#edgeSec = 60 + (Math.floor(this.#nowMs() / PART_MS) * PART_MS) / 1000;
    const hasFrame = this.#edgeSec - this.currentTime > FRAME_MS / 1000;
    if (hasFrame) this.currentTime += (TICK_MS / 1000) * this.playbackRate;
    else this.stillMs += TICK_MS;
    if (!hasFrame && !this.#isWaiting) this.dispatchEvent(new Event('waiting'));
    this.#isWaiting = !hasFrame;
  }
}

let playback: Playback;
let edge: LiveEdge;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  edge.stop();
  playback.stop();
  vi.useRealTimers();
});

function playFrom(distanceSec: number): void {
  playback = new Playback(distanceSec);
  edge = new LiveEdge(playback as unknown as Hls, playback as unknown as HTMLVideoElement);
}

test.each([
  ['a part from the edge, as on a camera that just woke', 0.38],
  ['two parts from the edge', 0.64],
])('%s: plays slower until its distance is PART-HOLD-BACK', (_title, distanceSec) => {
  playFrom(distanceSec);
  vi.advanceTimersByTime(1_000);
  expect(playback.playbackRate).toBeLessThan(1);
  expect(playback.playbackRate).toBeGreaterThanOrEqual(0.8);
  vi.advanceTimersByTime(9_000);
  expect(playback.playbackRate).toBe(1);
  expect(playback.distanceSec).toBeGreaterThan(PART_HOLD_BACK_SEC - 0.15);
  expect(playback.distanceSec).toBeLessThan(PART_HOLD_BACK_SEC + 0.15);
  expect(playback.stillMs).toBe(0);
});

test('at its distance it plays at the speed of time', () => {
  playFrom(PART_HOLD_BACK_SEC + 0.05);
  for (let sec = 0; sec < 60; sec++) {
    vi.advanceTimersByTime(1_000);
    expect(playback.playbackRate).toBe(1);
  }
});

test('behind its distance it plays faster until it is back', () => {
  playFrom(PART_HOLD_BACK_SEC + 2);
  vi.advanceTimersByTime(1_000);
  expect(playback.playbackRate).toBeGreaterThan(1.2);
  vi.advanceTimersByTime(14_000);
  expect(playback.playbackRate).toBe(1);
  expect(playback.distanceSec).toBeLessThan(PART_HOLD_BACK_SEC + 0.3);
});

test('far from live, where whole segments are loaded, it gets there and back without a stop or a jump', () => {
  playFrom(PART_HOLD_BACK_SEC);
  edge.setFar(true);
  vi.advanceTimersByTime(1_000);
  expect(playback.playbackRate).toBe(0.8);
  vi.advanceTimersByTime(29_000);
  expect(playback.playbackRate).toBe(1);
  expect(playback.distanceSec).toBeGreaterThan(HOLD_BACK_SEC - 0.4);
  expect(edge.behindSec()).toBeLessThan(0.5);

  edge.setFar(false);
  const rates: number[] = [];
  for (let sec = 0; sec < 40; sec++) {
    vi.advanceTimersByTime(1_000);
    rates.push(playback.playbackRate);
    // As on the badge: it says "behind" from 2.5 s on.
    expect(edge.behindSec()).toBeLessThan(2);
  }
  expect(Math.max(...rates)).toBeLessThanOrEqual(1.25);
  expect(playback.distanceSec).toBeLessThan(PART_HOLD_BACK_SEC + 0.3);
  expect(playback.stillMs).toBe(0);
});

test('far from live, it catches up by a tenth at most: the network has no more', () => {
  playFrom(HOLD_BACK_SEC + 3);
  edge.setFar(true);
  for (let sec = 0; sec < 20; sec++) {
    vi.advanceTimersByTime(1_000);
    expect(playback.playbackRate).toBeLessThanOrEqual(1.1);
  }
  expect(playback.distanceSec).toBeLessThan(HOLD_BACK_SEC + 2);
});
