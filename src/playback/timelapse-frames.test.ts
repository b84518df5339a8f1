import { describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import type { RecordedSegment, RecordedStream } from '../recording/segment-index.ts';
import type { ShownTime } from './shown-time.ts';
import { chooseTimelapseFrames } from './timelapse-frames.ts';

const START_MS = 1_700_000_000_000;
const HOUR_MS = 3_600_000;
const STREAM: RecordedStream = { cameraUuid: newRuuid(), rendition: 'main' };
const never = new AbortController().signal;

/** A recording of segments of `everyMs`, made up as it is asked for; `isRecorded` is false in gaps. */
class FakePlaces {
  readonly #everyMs: number;
  readonly #isRecorded: (atMs: number) => boolean;
  mostAtOnce = 0;
  requested = 0;

  constructor(everyMs: number, isRecorded: (atMs: number) => boolean = () => true) {
    this.#everyMs = everyMs;
    this.#isRecorded = isRecorded;
  }

  async segments(_stream: RecordedStream, fromMs: number, toMs: number) {
    const everyMs = this.#everyMs;
    const segments: RecordedSegment[] = [];
    const first = START_MS + Math.floor((fromMs - START_MS) / everyMs) * everyMs;
    for (let epochMs = first; epochMs < toMs; epochMs += everyMs) {
      if (epochMs + everyMs <= fromMs || !this.#isRecorded(epochMs - START_MS)) continue;
      segments.push({
        epochMs,
        startTicks: 0,
        durationTicks: everyMs,
        timescaleHz: 1_000,
        isDiscontinuity: false,
        offset: epochMs - START_MS,
        byteLength: 1,
        init: { offset: 0, byteLength: 1 },
      });
    }
    this.requested++;
    this.mostAtOnce = Math.max(this.mostAtOnce, segments.length);
    return segments.length === 0 ? [] : [{ name: 'a', number: 0, segments }];
  }
}

function choose(
  places: FakePlaces,
  spans: readonly (readonly [number, number])[],
  durationSec: number,
  signal = never,
) {
  const times: ShownTime[] = spans.map(([fromMs, toMs]) => ({
    fromMs: START_MS + fromMs,
    toMs: START_MS + toMs,
  }));
  return chooseTimelapseFrames(places, STREAM, times, durationSec * 1_000, signal);
}

const timesOf = ({ frames }: Awaited<ReturnType<typeof choose>>) =>
  frames.map(({ segment }) => segment.epochMs - START_MS);

describe('the frames of a timelapse', () => {
  it('are all key frames, if there are fewer than the movie can show', async () => {
    const chosen = await choose(new FakePlaces(2_000), [[0, HOUR_MS]], 120);
    expect(chosen.frames).toHaveLength(1_800);
    expect(chosen.durationMs).toBe(120_000);
    expect(chosen.frames.map(({ atMs }) => Math.round(atMs))).toEqual(
      Array.from({ length: 1_800 }, (_, index) => Math.round((index * 120_000) / 1_800)),
    );
  });

  it('are shown at their own times, unless they follow each other faster than the movie can show', async () => {
    // Two key frames follow the first one within 20 ms, as after a restart of the camera.
    const starts = [0, 10, 20, 2_020, 5_000, 9_000, 10_000];
    const places = {
      segments: async () => [
        {
          name: 'a',
          number: 0,
          segments: starts.slice(0, -1).map((startMs, index) => ({
            epochMs: START_MS + startMs,
            startTicks: 0,
            timescaleHz: 1_000,
            isDiscontinuity: false,
            durationTicks: starts[index + 1]! - startMs,
            offset: index,
            byteLength: 1,
            init: { offset: 0, byteLength: 1 },
          })),
        },
      ],
    } as unknown as FakePlaces;
    const chosen = await choose(places, [[0, 10_000]], 5);
    expect(timesOf(chosen)).toEqual([0, 2_020, 5_000, 9_000]);
    expect(chosen.frames.map(({ atMs }) => Math.round(atMs))).toEqual([0, 1_010, 2_500, 4_500]);
  });

  it('are evenly spread over a month, of which only a part is in memory', async () => {
    const places = new FakePlaces(8_000);
    const monthMs = 30 * 24 * HOUR_MS;
    const chosen = await choose(places, [[0, monthMs]], 120);
    expect(chosen.frames).toHaveLength(3_600);
    expect(places.mostAtOnce).toBeLessThan(3_000);
    const stepMs = monthMs / 3_600;
    timesOf(chosen).forEach((atMs, index) => {
      expect(Math.abs(atMs - index * stepMs)).toBeLessThanOrEqual(stepMs / 2);
    });
    // The movie's own steps are exact.
    chosen.frames.forEach(({ atMs }, index) => {
      expect(atMs).toBeCloseTo((index * 1_000) / 30, 6);
    });
  });

  it('leave gaps out: the movie spreads over what was recorded', async () => {
    // One hour, then ten without, then another one.
    const places = new FakePlaces(2_000, (atMs) => atMs < HOUR_MS || atMs >= 11 * HOUR_MS);
    const chosen = await choose(places, [[0, 12 * HOUR_MS]], 10);
    expect(chosen.frames).toHaveLength(300);
    expect(timesOf(chosen).filter((atMs) => atMs < HOUR_MS)).toHaveLength(150);
    expect(Math.max(...timesOf(chosen).slice(0, 150))).toBeGreaterThan(HOUR_MS - 30_000);
    expect(chosen.frames[150]!.atMs).toBe(5_000);
  });

  it('come from the spans alone', async () => {
    const chosen = await choose(
      new FakePlaces(2_000),
      [
        [1_000, HOUR_MS],
        [5 * HOUR_MS, 6 * HOUR_MS],
      ],
      10,
    );
    for (const atMs of timesOf(chosen)) {
      expect((atMs >= 1_000 && atMs < HOUR_MS) || (atMs >= 5 * HOUR_MS && atMs < 6 * HOUR_MS)).toBe(true);
    }
    expect(timesOf(chosen)[0]).toBe(2_000);
  });

  it('are shown no slower than they were recorded', async () => {
    const chosen = await choose(new FakePlaces(2_000), [[0, 10_000]], 120);
    expect(chosen.durationMs).toBe(10_000);
    expect(chosen.frames.map(({ atMs }) => atMs)).toEqual([0, 2_000, 4_000, 6_000, 8_000]);
  });

  it('stay longer where the camera sent key frames more rarely', async () => {
    // 2 s between key frames, but 10 s in the second half.
    const places = new FakePlaces(2_000, () => true);
    const slow = new FakePlaces(10_000, () => true);
    const mixed = {
      segments: (stream: RecordedStream, fromMs: number, toMs: number) =>
        (fromMs < START_MS + 6 * HOUR_MS ? places : slow).segments(stream, fromMs, toMs),
    } as FakePlaces;
    const chosen = await choose(mixed, [[0, 12 * HOUR_MS]], 300);
    const at = (index: number) => chosen.frames[index]!.atMs;
    const halfMs = chosen.durationMs / 2;
    const first = chosen.frames.filter(({ atMs }) => atMs < halfMs).length;
    expect(first).toBeGreaterThan(1.5 * (chosen.frames.length - first));
    expect(at(first + 1) - at(first)).toBeGreaterThan(1.5 * (at(1) - at(0)));
  });

  it('need a recording, and end when they are no longer wanted', async () => {
    await expect(choose(new FakePlaces(2_000, () => false), [[0, HOUR_MS]], 10)).rejects.toMatchObject({
      code: 'RANGE_EMPTY',
    });
    const abort = new AbortController();
    abort.abort();
    const places = new FakePlaces(2_000);
    await expect(choose(places, [[0, 24 * HOUR_MS]], 10, abort.signal)).rejects.toMatchObject({
      code: 'MOVIE_CANCELED',
    });
    expect(places.requested).toBe(1);
  });
});
