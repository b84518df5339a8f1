import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { RecordedStream } from '../recording/segment-index.ts';
import { FakePastMedia } from './fake-past-media.ts';
import { MAX_KEPT_MOVIES, RangeMovies, SAME_RESPONSE_MS } from './range-movies.ts';
import type { ShownTime } from './shown-time.ts';

const START_MS = 1_800_000_000_000;
const SECONDS = 60;
const ORG = newRuuid();
const stream: RecordedStream = { cameraUuid: newRuuid(), rendition: 'main' };
const ALL: ShownTime = { fromMs: START_MS, toMs: START_MS + SECONDS * 1_000 };

let clock: FakeClock;
let media: FakePastMedia;
let movies: RangeMovies;
/** Starts of the segments of each movie that was made, in seconds. */
let made: number[][];
let lists: number;

beforeEach(() => {
  clock = new FakeClock();
  made = [];
  lists = 0;
  media = new FakePastMedia();
  media.recordRun(START_MS, SECONDS / 2);
  movies = new RangeMovies({
    clock,
    media: {
      segments: (of, fromMs, toMs) => {
        lists++;
        return media.segments(of, fromMs, toMs);
      },
      lend: (name, offset, length) => media.lend(name, offset, length),
    },
    maker: {
      make: async ({ files }) => {
        const starts = files.flatMap(({ segments }) =>
          segments.map((each) => (each.epochMs - START_MS) / 1_000),
        );
        made.push(starts);
        const digest = starts.join(' ');
        const pieces = { names: [], columns: new Float64Array() };
        const times = { durationMs: 0, startEpochMs: ALL.fromMs, endEpochMs: ALL.toMs };
        const size = { byteLength: digest.length, widthPx: 640, heightPx: 360 };
        return { head: Buffer.from(digest), pieces, digest, ...times, ...size };
      },
    },
  });
});

const movieOf = (spans: readonly ShownTime[], wanted: object = {}) =>
  movies.movie(ORG, stream, { ...ALL, hasAudio: true, ...wanted }, spans);

describe('RangeMovies', () => {
  it('makes a movie once, however often it is asked for', async () => {
    const [one, other] = await Promise.all([movieOf([ALL]), movieOf([ALL])]);
    expect(other).toBe(one);
    clock.advance(10 * SAME_RESPONSE_MS);
    expect(await movieOf([ALL])).toBe(one);
    expect(made.length).toBe(1);
  });

  it('looks into the catalog only now and then, and sees what has come since', async () => {
    const one = await movieOf([ALL], { toMs: ALL.toMs + 60_000 });
    media.record({ epochMs: ALL.toMs });
    clock.advance(SAME_RESPONSE_MS - 1);
    expect(await movieOf([ALL], { toMs: ALL.toMs + 60_000 })).toBe(one);
    expect(lists).toBe(1);
    clock.advance(1);
    const spans = [{ ...ALL, toMs: ALL.toMs + 60_000 }];
    expect(await movieOf(spans, { toMs: ALL.toMs + 60_000 })).not.toBe(one);
    expect(made.at(-1)!.length).toBe(SECONDS / 2 + 1);
  });

  it('never gives one viewer what was hidden from another', async () => {
    const at = (fromSec: number, toSec: number): ShownTime => ({
      fromMs: START_MS + fromSec * 1_000,
      toMs: START_MS + toSec * 1_000,
    });
    const early = await movieOf([at(0, 10), at(20, SECONDS)]);
    const late = await movieOf([at(0, 40), at(50, SECONDS)]);
    const whole = await movieOf([ALL]);
    expect(new Set([early.digest, late.digest, whole.digest]).size).toBe(3);
    expect(made.map((starts) => [starts.includes(12), starts.includes(42), starts.length])).toEqual([
      [false, true, 25],
      [true, false, 25],
      [true, true, 30],
    ]);
    expect((await movieOf([ALL], { hasAudio: false })) === whole).toBe(false);
  });

  it('asks again after a failure, and fails for a range without a recording', async () => {
    media.deleteFile(0);
    await expect(movieOf([ALL])).rejects.toMatchObject({ code: 'RANGE_EMPTY' });
    media.recordRun(START_MS, 3);
    expect((await movieOf([ALL])).digest).toBe('0 2 4');
  });

  it('keeps a bounded number of movies and answers', async () => {
    for (let i = 0; i <= MAX_KEPT_MOVIES; i++) await movieOf([ALL], { fromMs: ALL.fromMs + i });
    expect(made.length).toBe(MAX_KEPT_MOVIES + 1);
    await movieOf([ALL], { fromMs: ALL.fromMs + MAX_KEPT_MOVIES });
    expect(made.length).toBe(MAX_KEPT_MOVIES + 1);
    await movieOf([ALL]);
    expect(made.length).toBe(MAX_KEPT_MOVIES + 2);
  });
});
