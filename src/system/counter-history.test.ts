import { describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid } from '../core/ruuid.ts';
import {
  CounterHistory,
  SAMPLE_INTERVAL_MS,
  STREAM_COUNTERS,
  type StreamSample,
  SYSTEM_COUNTERS,
  type SystemSample,
} from './counter-history.ts';
import { RING_SAMPLES } from './counter-ring.ts';

const SYSTEM = Object.fromEntries(SYSTEM_COUNTERS.map((name, i) => [name, i])) as SystemSample;
const STREAM = Object.fromEntries(STREAM_COUNTERS.map((name) => [name, 1])) as StreamSample;
const { total: MAX_STREAM_RINGS } = LIMITS.counterRings;
const ALL = { stream: null, sinceEpochMs: null };

function open() {
  const clock = new FakeClock();
  const startEpochMs = clock.epochMs();
  const history = new CounterHistory(clock);
  /** Advances to the next tick, and puts `viewers` there. */
  const sample = (viewers: number) => {
    clock.advance(history.untilNextMs);
    history.putSystem(history.tick, { ...SYSTEM, viewers });
  };
  const viewers = () => Array.from(history.read(ALL).columns.viewers!);
  return { clock, history, startEpochMs, sample, viewers };
}

describe('CounterHistory', () => {
  it('has a sample for each ten seconds, with its time', () => {
    const { history, startEpochMs, sample, viewers } = open();
    expect(history.read(ALL).samples).toBe(0);
    for (const count of [5, 6, 7]) sample(count);
    const { firstEpochMs, intervalMs, samples } = history.read(ALL);
    expect([firstEpochMs, intervalMs, samples]).toEqual([startEpochMs + 10_000, SAMPLE_INTERVAL_MS, 3]);
    expect(viewers()).toEqual([5, 6, 7]);
  });

  it('keeps an hour', () => {
    const { history, clock, sample, viewers } = open();
    for (let i = 1; i <= RING_SAMPLES + 5; i++) sample(i);
    expect(history.read(ALL).samples).toBe(RING_SAMPLES);
    expect([viewers()[0], viewers().at(-1)]).toEqual([6, RING_SAMPLES + 5]);
    expect(history.read(ALL).firstEpochMs).toBe(clock.epochMs() - 3_600_000 + SAMPLE_INTERVAL_MS);
  });

  it('says that a sample that was missed is unknown', () => {
    const { clock, sample, viewers } = open();
    sample(1);
    clock.advance(3 * SAMPLE_INTERVAL_MS);
    sample(5);
    expect(viewers()).toEqual([1, Number.NaN, Number.NaN, Number.NaN, 5]);
  });

  it.each([-86_400_000, 3_600_000, 5_000])(
    'neither loses nor invents a sample when the wall clock steps by %d ms, and labels follow it',
    (stepMs) => {
      const { history, clock, startEpochMs, sample, viewers } = open();
      sample(1);
      sample(2);
      clock.stepWallClock(stepMs);
      expect(viewers()).toEqual([1, 2]);
      sample(3);
      expect(viewers()).toEqual([1, 2, 3]);
      expect(history.read(ALL).firstEpochMs).toBe(startEpochMs + 10_000 + stepMs);
    },
  );

  it('keeps its labels when the wall clock trembles', () => {
    const { history, clock, startEpochMs, sample } = open();
    sample(1);
    clock.stepWallClock(3);
    expect(history.read(ALL).firstEpochMs).toBe(startEpochMs + 10_000);
  });

  it('answers from a time on', () => {
    const { history, startEpochMs, sample } = open();
    for (let i = 1; i <= 5; i++) sample(i);
    const since = (sinceEpochMs: number) => {
      const { columns, firstEpochMs } = history.read({ stream: null, sinceEpochMs });
      return [firstEpochMs, Array.from(columns.viewers!)];
    };
    expect(since(startEpochMs + 30_000)).toEqual([startEpochMs + 40_000, [4, 5]]);
    expect(since(startEpochMs + 29_999)).toEqual([startEpochMs + 30_000, [3, 4, 5]]);
    expect(since(startEpochMs + 50_000)[1]).toEqual([]);
    expect(since(startEpochMs + 1e12)[1]).toEqual([]);
    expect(since(0)[1]).toEqual([1, 2, 3, 4, 5]);
  });

  it('has nothing of a camera that is unknown, was never open or was removed', () => {
    const { history, clock, sample } = open();
    const cameraUuid = newRuuid();
    clock.advance(SAMPLE_INTERVAL_MS);
    history.putStream(history.tick, cameraUuid, 'main', STREAM);
    history.putSystem(history.tick, SYSTEM);
    const bitRates = (profile: string) => {
      const { columns } = history.read({ stream: { cameraUuid, profile }, sinceEpochMs: null });
      return Array.from(columns.bitsPerSec!);
    };
    expect(bitRates('main')).toEqual([1]);
    expect(bitRates('sub')).toEqual([Number.NaN]);
    sample(2);
    const before = history.byteLength;
    history.retain(new Set());
    expect(bitRates('main')).toEqual([Number.NaN, Number.NaN]);
    expect(before - history.byteLength).toBe(10_080);
  });

  it('takes less than 20 MiB for 1,000 cameras with two streams, and less than 24 for any number', () => {
    const { history, clock } = open();
    clock.advance(SAMPLE_INTERVAL_MS);
    for (let i = 0; i < 1_000; i++) {
      const camera = newRuuid();
      for (const profile of ['main', 'sub']) history.putStream(history.tick, camera, profile, STREAM);
    }
    expect(history.byteLength).toBeLessThan(20 * 2 ** 20);
    for (let i = 0; i < 500; i++) history.putStream(history.tick, newRuuid(), 'main', STREAM);
    expect(history.byteLength).toBeLessThan(24 * 2 ** 20);
  });

  it('gives the place of the stream that was closed first to one that opens', () => {
    const { history, clock } = open();
    const cameras = Array.from({ length: MAX_STREAM_RINGS }, () => newRuuid());
    clock.advance(SAMPLE_INTERVAL_MS);
    for (const camera of cameras) history.putStream(history.tick, camera, 'main', STREAM);
    const added = newRuuid();
    const isKept = (cameraUuid: (typeof cameras)[number]) => {
      const { columns } = history.read({ stream: { cameraUuid, profile: 'main' }, sinceEpochMs: null });
      return columns.viewers!.some((value) => !Number.isNaN(value));
    };
    history.putStream(history.tick, added, 'main', STREAM);
    history.putSystem(history.tick, SYSTEM);
    expect(isKept(added)).toBe(false);
    clock.advance(2 * SAMPLE_INTERVAL_MS);
    for (const camera of cameras.slice(1)) history.putStream(history.tick, camera, 'main', STREAM);
    history.putStream(history.tick, added, 'main', STREAM);
    history.putSystem(history.tick, SYSTEM);
    expect([isKept(added), isKept(cameras[0]!), isKept(cameras[1]!)]).toEqual([true, false, true]);
  });

  it('keeps and begins those of one organization, however many streams another one has open', () => {
    const clock = new FakeClock();
    const own = [newRuuid(), newRuuid(), newRuuid()];
    const history = new CounterHistory(clock, (camera) => (own.includes(camera) ? 'a' : 'b'));
    clock.advance(SAMPLE_INTERVAL_MS);
    const put = (camera: (typeof own)[number]) => history.putStream(history.tick, camera, 'main', STREAM);
    own.slice(0, 2).forEach(put);
    // Closed, and requested later.
    clock.advance(5 * SAMPLE_INTERVAL_MS);
    const others = Array.from({ length: MAX_STREAM_RINGS + 50 }, () => newRuuid());
    others.forEach(put);
    put(own[2]!);
    clock.advance(SAMPLE_INTERVAL_MS);
    others.forEach(put);
    history.putSystem(history.tick, SYSTEM);
    const isKept = (cameraUuid: (typeof own)[number]) => {
      const { columns } = history.read({ stream: { cameraUuid, profile: 'main' }, sinceEpochMs: null });
      return columns.viewers!.some((value) => !Number.isNaN(value));
    };
    expect(own.map(isKept)).toEqual([true, true, true]);
    // None of the others loses its history to the rest of them.
    expect(others.filter(isKept)).toHaveLength(MAX_STREAM_RINGS - own.length);
  });
});
