/** When video is loaded in parts and when in segments, on a network and a player in virtual time. */

import { describe, expect, test } from 'vitest';
import { type LoadMode, LoadPlan } from './load-plan.ts';

const TICK_MS = 10;
const STEP_MS = 250;
const PART_MS = 333;
const SEGMENT_PARTS = 6;
const CLOSE_MS = 1_040;
const FAR_MS = 6_000;

interface Network {
  readonly roundTripMs: number;
  /** How much of its bandwidth the stream takes. */
  readonly used: number;
}

const NEAR = { roundTripMs: 20, used: 0.8 };
const FAST = { roundTripMs: 40, used: 0.05 };

/** A player of a stream whose parts are published on time. Media times are those of the wall clock. */
class Viewer {
  readonly plan = new LoadPlan();
  readonly modes: LoadMode[] = [];
  network: Network = NEAR;
  /** Further time that each part takes, as on a slow processor. */
  partCostMs = 0;
  nowMs = 100_000;
  stalledMs = 0;
  longestStallMs = 0;
  requests = 0;
  #positionMs = this.nowMs - CLOSE_MS;
  #bufferedMs = this.nowMs - PART_MS;
  #loading: {
    readonly fromMs: number;
    readonly endMs: number;
    readonly isPart: boolean;
    readonly sinceMs: number;
  } | null = null;
  #stallMs = 0;
  #notedMs = 0;
  #isStanding = false;

  /** Seconds from the picture to the camera. */
  get distanceSec(): number {
    return (this.nowMs - this.#positionMs) / 1000;
  }

  watch(durationMs: number): void {
    this.stalledMs = 0;
    this.longestStallMs = 0;
    this.requests = 0;
    for (const endMs = this.nowMs + durationMs; this.nowMs < endMs; ) {
      this.nowMs += TICK_MS;
      this.#load();
      this.#play();
      if (this.nowMs % STEP_MS < TICK_MS) this.#step();
    }
  }

  #load(): void {
    const loading = this.#loading;
    if (loading !== null) {
      const durationMs = loading.endMs - loading.fromMs;
      const transferMs = durationMs * this.network.used + (loading.isPart ? this.partCostMs : 0);
      const { roundTripMs } = this.network;
      if (this.nowMs - loading.sinceMs < roundTripMs + transferMs) return;
      this.#bufferedMs = Math.max(this.#bufferedMs, loading.endMs);
      this.#loading = null;
      const { isPart } = loading;
      this.plan.noteLoad({ isPart, durationMs, waitMs: roundTripMs, transferMs }, this.nowMs);
    }
    const isPart = this.plan.mode !== 'steady';
    const unitMs = isPart ? PART_MS : PART_MS * SEGMENT_PARTS;
    const fromMs = Math.floor(this.#bufferedMs / unitMs) * unitMs;
    const knownMs = this.nowMs - this.network.roundTripMs / 2;
    if (fromMs + unitMs > knownMs) return;
    this.requests++;
    this.#loading = { fromMs, endMs: fromMs + unitMs, isPart, sinceMs: this.nowMs };
  }

  #play(): void {
    const isFar = this.plan.mode !== 'close';
    const excessMs = this.nowMs - this.#positionMs - (isFar ? FAR_MS : CLOSE_MS);
    const rate = excessMs < -300 ? 0.8 : excessMs > 300 && !isFar ? 1.2 : 1;
    if (this.#bufferedMs - this.#positionMs > TICK_MS * rate) {
      this.#positionMs += TICK_MS * rate;
      this.#stallMs = 0;
      return;
    }
    this.stalledMs += TICK_MS;
    this.#stallMs += TICK_MS;
    this.longestStallMs = Math.max(this.longestStallMs, this.#stallMs);
  }

  #step(): void {
    const isStanding = this.#stallMs > 0;
    if (isStanding) {
      this.plan.noteStall(Math.min(STEP_MS, this.#stallMs), !this.#isStanding, this.nowMs);
      this.#notedMs += STEP_MS;
    }
    this.#isStanding = isStanding;
    if (this.plan.step(PART_MS, this.nowMs)) this.modes.push(this.plan.mode);
  }
}

function viewerOn(network: Network): Viewer {
  const viewer = new Viewer();
  viewer.network = network;
  return viewer;
}

describe('a network that carries parts', () => {
  test.each([FAST, NEAR, { roundTripMs: 150, used: 0.3 }])('%o: loads parts', (network) => {
    const viewer = viewerOn(network);
    viewer.watch(600_000);
    expect(viewer.modes).toEqual([]);
    expect(viewer.stalledMs).toBe(0);
    expect(viewer.distanceSec).toBeLessThan(1.4);
  });

  test('a hiccup changes nothing', () => {
    const viewer = viewerOn(FAST);
    viewer.watch(20_000);
    viewer.network = { roundTripMs: 3_000, used: 0.05 };
    viewer.watch(3_000);
    viewer.network = FAST;
    viewer.watch(60_000);
    expect(viewer.modes).toEqual([]);
  });
});

describe('a network that carries the stream, but not in parts', () => {
  test.each([
    { roundTripMs: 150, used: 0.8 },
    { roundTripMs: 300, used: 0.8 },
    { roundTripMs: 400, used: 0.1 },
  ])('%o: loads segments, and does not stall after 10 s', (network) => {
    const viewer = viewerOn(network);
    viewer.watch(10_000);
    expect(viewer.modes).toEqual(['steady']);
    viewer.watch(600_000);
    expect(viewer.stalledMs).toBe(0);
    expect(viewer.requests).toBeLessThan(310);
    expect(viewer.modes).toEqual(['steady']);
  });

  test('a processor that is too slow for parts counts as well', () => {
    const viewer = viewerOn(FAST);
    viewer.partCostMs = 350;
    viewer.watch(10_000);
    expect(viewer.plan.mode).toBe('steady');
  });
});

describe('a network that recovers', () => {
  test('is tried with parts at the distance of segments, then live comes close without a stall', () => {
    const viewer = viewerOn({ roundTripMs: 300, used: 0.8 });
    viewer.watch(30_000);
    viewer.network = FAST;
    viewer.watch(60_000);
    expect(viewer.modes).toEqual(['steady', 'trial', 'close']);
    expect(viewer.stalledMs).toBe(0);
    expect(viewer.distanceSec).toBeLessThan(1.4);
  });

  test('a processor that still cannot keep up: trials do not show, and become rarer', () => {
    const viewer = viewerOn(FAST);
    viewer.partCostMs = 350;
    viewer.watch(20_000);
    const trialsIn = (durationMs: number) => {
      const before = viewer.modes.length;
      viewer.watch(durationMs);
      return viewer.modes.slice(before).filter((mode) => mode === 'trial').length;
    };
    expect([trialsIn(120_000), viewer.stalledMs]).toEqual([2, 0]);
    expect([trialsIn(600_000), viewer.stalledMs]).toEqual([2, 0]);
    expect([trialsIn(3_600_000), viewer.stalledMs]).toEqual([7, 0]);
    expect(viewer.modes).not.toContain('close');
  });

  test('after parts have worked for a while, the next bad time begins with a short delay', () => {
    const viewer = viewerOn(FAST);
    const badAndGood = () => {
      viewer.network = { roundTripMs: 300, used: 0.8 };
      viewer.watch(20_000);
      viewer.network = FAST;
      viewer.watch(120_000);
      return viewer.modes.splice(0);
    };
    viewer.watch(10_000);
    expect(badAndGood()).toEqual(['steady', 'trial', 'close']);
    expect(badAndGood()).toEqual(['steady', 'trial', 'close']);
    expect(badAndGood()).toEqual(['steady', 'trial', 'close']);
  });

  test('a network that is good for half a minute at a time is tried less and less often', () => {
    const viewer = viewerOn(FAST);
    const closeAt: number[] = [];
    for (let minute = 0; minute < 60; minute++) {
      viewer.network = { roundTripMs: 300, used: 0.8 };
      viewer.watch(30_000);
      viewer.network = FAST;
      viewer.watch(30_000);
      if (viewer.modes.splice(0).includes('close')) closeAt.push(minute);
    }
    expect(closeAt.filter((minute) => minute < 15).length).toBeLessThanOrEqual(5);
    expect(closeAt.filter((minute) => minute >= 30).length).toBeLessThanOrEqual(4);
  });
});

describe('what is not the fault of parts', () => {
  test('another variant, a jump, or a pause: measurements begin again', () => {
    const plan = new LoadPlan();
    let nowMs = 0;
    for (let part = 0; part < 100; part++) {
      nowMs += 400;
      plan.noteLoad({ isPart: true, durationMs: PART_MS, waitMs: 300, transferMs: 100 }, nowMs);
      if (part % 5 === 4) plan.forget(nowMs);
      plan.step(PART_MS, nowMs);
    }
    expect(plan.mode).toBe('close');
  });

  test('stops count if there are several of them', () => {
    const plan = new LoadPlan();
    for (let atMs = 0; atMs < 3_000; atMs += STEP_MS) plan.noteStall(STEP_MS, atMs === 0, atMs);
    plan.step(PART_MS, 3_000);
    expect(plan.mode).toBe('close');
    for (let atMs = 8_000; atMs < 9_000; atMs += STEP_MS) plan.noteStall(STEP_MS, atMs === 8_000, atMs);
    plan.step(PART_MS, 9_000);
    expect(plan.mode).toBe('steady');
  });
});
