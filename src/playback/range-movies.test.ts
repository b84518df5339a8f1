import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { FoundFile } from '../recording/recording-finder.ts';
import type { MadeMovie, MovieSource } from './movie-protocol.ts';
import { MAX_KEPT_BYTES, MAX_KEPT_MOVIES, RangeMovies, SAME_RESPONSE_MS } from './range-movies.ts';
import { MAX_RANGE_MS } from './range-mp4.ts';

const ORG = newRuuid();
const STREAM = { cameraUuid: newRuuid(), rendition: 'main' } as const;
const ALWAYS = [{ fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }];

let clock: FakeClock;
let files: FoundFile[];
let made: MovieSource[];
let headBytes: number;
let failure: Error | null;
/** Until then, nothing is made. */
let held: Promise<void>;
let movies: RangeMovies;

beforeEach(() => {
  clock = new FakeClock();
  files = [{ name: 'a.mp4', number: 0, segments: [0, 1, 2, 3].map(segmentAt) }];
  made = [];
  headBytes = 10;
  failure = null;
  held = Promise.resolve();
  movies = new RangeMovies({
    clock,
    media: {
      segments: async () => files,
      lend: async (_name, _offset, length) => ({ bytes: Buffer.alloc(length), release: () => undefined }),
    },
    maker: {
      make: async (source) => {
        made.push(source);
        await held;
        if (failure !== null) throw failure;
        return movieOf(`${made.length}`);
      },
    },
  });
});

function segmentAt(sec: number) {
  return {
    offset: 100 + sec * 10,
    byteLength: 10,
    startTicks: sec * 90_000,
    durationTicks: 90_000,
    timescaleHz: 90_000,
    epochMs: sec * 1_000,
    isDiscontinuity: sec === 0,
    init: { offset: 0, byteLength: 100 },
  };
}

function movieOf(digest: string): MadeMovie {
  const columns = new Float64Array([0, 100, 40]);
  return {
    digest,
    head: Buffer.alloc(headBytes),
    pieces: { names: ['a.mp4'], columns },
    byteLength: headBytes + 40,
    durationMs: 4_000,
    startEpochMs: 0,
    endEpochMs: 4_000,
    widthPx: 1,
    heightPx: 1,
  };
}

const requestOf = (toMs: number) => ({ fromMs: 0, toMs, hasAudio: true });

describe('movies of ranges', () => {
  it('are made once for everyone who asks, until their recording changes', async () => {
    const both = await Promise.all([
      movies.movie(ORG, STREAM, requestOf(4_000), ALWAYS),
      movies.movie(ORG, STREAM, requestOf(4_000), ALWAYS),
    ]);
    expect(both[0]).toBe(both[1]);
    expect(await movies.movie(ORG, STREAM, requestOf(4_000), ALWAYS)).toBe(both[0]);
    await movies.movie(ORG, STREAM, { ...requestOf(4_000), hasAudio: false }, ALWAYS);
    expect(made).toHaveLength(2);
    files = [{ ...files[0]!, segments: [...files[0]!.segments, segmentAt(4)] }];
    clock.advance(SAME_RESPONSE_MS);
    expect(await movies.movie(ORG, STREAM, requestOf(4_000), ALWAYS)).not.toBe(both[0]);
  });

  it('have only segments that are shown as a whole', async () => {
    const spans = [
      { fromMs: -1_000, toMs: 1_500 },
      { fromMs: 2_000, toMs: 3_999 },
    ];
    await movies.movie(ORG, STREAM, requestOf(4_000), spans);
    expect(made[0]!.files[0]!.segments.map(({ epochMs }) => epochMs)).toEqual([0, 2_000]);
    const none = movies.movie(ORG, STREAM, requestOf(4_000), [{ fromMs: 100, toMs: 900 }]);
    await expect(none).rejects.toMatchObject({ code: 'RANGE_EMPTY' });
  });

  it('that failed are made again', async () => {
    failure = new Error('no disk');
    await expect(movies.movie(ORG, STREAM, requestOf(4_000), ALWAYS)).rejects.toBe(failure);
    failure = null;
    expect((await movies.movie(ORG, STREAM, requestOf(4_000), ALWAYS)).digest).toBe('2');
  });

  it('of one camera leave the thread to others', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    const { levels, waiting } = LIMITS.rangeMovies;
    const most = levels.camera.max + waiting.levels.camera;
    const ranges = Array.from({ length: most }, (_, i) => requestOf(3_000 + i));
    const first = ranges.map((wanted) => movies.movie(ORG, STREAM, wanted, ALWAYS));
    await expect(movies.movie(ORG, STREAM, requestOf(4_000), ALWAYS)).rejects.toMatchObject({
      code: 'PLAYBACK_TOO_MANY_READS',
    });
    const other = movies.movie(ORG, { ...STREAM, cameraUuid: newRuuid() }, requestOf(5_000), ALWAYS);
    resolve();
    await Promise.all([...first, other]);
    expect(made).toHaveLength(most + 1);
    await movies.movie(ORG, STREAM, requestOf(4_000), ALWAYS);
  });

  it('are kept within bounds', async () => {
    for (let i = 1; i <= MAX_KEPT_MOVIES + 1; i++) await movies.movie(ORG, STREAM, requestOf(i), ALWAYS);
    await movies.movie(ORG, STREAM, requestOf(MAX_KEPT_MOVIES + 1), ALWAYS);
    expect(made).toHaveLength(MAX_KEPT_MOVIES + 1);
    await movies.movie(ORG, STREAM, requestOf(1), ALWAYS);
    expect(made).toHaveLength(MAX_KEPT_MOVIES + 2);
    headBytes = MAX_KEPT_BYTES / 4;
    for (let i = 0; i < 8; i++) await movies.movie(ORG, STREAM, requestOf(10_000 + i), ALWAYS);
    expect(movies.keptBytes).toBeLessThanOrEqual(MAX_KEPT_BYTES);
    const tooLong = movies.movie(ORG, STREAM, requestOf(MAX_RANGE_MS + 1), ALWAYS);
    await expect(tooLong).rejects.toMatchObject({ code: 'RANGE_TOO_LARGE' });
  });
});
