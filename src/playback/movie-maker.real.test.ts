import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { MovieMaker, type MovieMakerOptions } from './movie-maker.ts';
import type { MovieSource } from './movie-protocol.ts';
import { codeOf, ignore, NAME, never, recordedMovieSource } from './movie-source-fixture.ts';
import { movieThread } from './movie-thread.ts';
import { bytesOf, readerOf, type TestRecording } from './range-mp4-fixture.ts';
import type { ReadJob } from './read-protocol.ts';

let recording: TestRecording;
let folder: string;
let source: MovieSource;

beforeEach(async () => {
  ({ recording, folder, source } = await recordedMovieSource());
});

describe('the movie thread', () => {
  function open(minFreeBytes = 0, elsewhere: Pick<MovieMakerOptions, 'readElsewhere'> = {}): MovieMaker {
    const launch = movieThread('test', {
      storage: { folder, key: Buffer.alloc(32), s3: null },
      minFreeBytes,
    });
    const maker = new MovieMaker({ launch, ...elsewhere, clock: systemClock, log: silentLog });
    onTestFinished(() => maker.close());
    return maker;
  }

  it('makes and copies the same movie', async () => {
    const maker = open();
    const made = await maker.make(source);
    const again = await maker.make(source);
    expect(again.digest).toBe(made.digest);
    const progress: number[] = [];
    const copied = await maker.copy(source, 'clips/a/b.mp4', (done) => progress.push(done), never);
    const bytes = readFileSync(join(folder, 'clips/a/b.mp4'));
    expect(bytes.equals(await bytesOf(made, readerOf(new Map([[NAME, recording.bytes]]))))).toBe(true);
    expect(copied).toMatchObject({ byteLength: bytes.length, durationMs: 2_000 });
    expect(progress.at(-1)).toBe(bytes.length);
    expect(await maker.list('clips/a')).toEqual(['b.mp4']);
    expect(await maker.delete('clips/a/b.mp4')).toBe(true);
    expect(await maker.delete('clips/a/b.mp4')).toBe(false);
  });

  it('makes and copies it of a file that is on another node’s disk', async () => {
    const made = await open().make(source);
    await rm(join(folder, NAME));
    const requested: ReadJob[] = [];
    const readElsewhere = async (job: ReadJob): Promise<Uint8Array> => {
      requested.push(job);
      return recording.bytes.subarray(job.offset, job.offset + job.length);
    };
    const maker = open(0, { readElsewhere });
    expect((await maker.make(source)).digest).toBe(made.digest);
    await maker.copy(source, 'clips/a/b.mp4', ignore, never);
    const bytes = readFileSync(join(folder, 'clips/a/b.mp4'));
    expect(bytes.equals(await bytesOf(made, readerOf(new Map([[NAME, recording.bytes]]))))).toBe(true);
    expect(new Set(requested.map(({ name }) => name))).toEqual(new Set([NAME]));
  });

  it('says that a file is missing if no other node has it, or it ends elsewhere too early', async () => {
    await rm(join(folder, NAME));
    const nowhere = open(0, { readElsewhere: async () => Promise.reject(new Error('not here')) });
    expect(await codeOf(nowhere.make(source))).toBe('RECORDING_NOT_FOUND');
    const short = open(0, { readElsewhere: async ({ length }) => recording.bytes.subarray(0, length - 1) });
    expect(await codeOf(short.copy(source, 'clips/a/b.mp4', ignore, never))).toBe('RECORDING_IO');
    expect(await codeOf(open().make(source))).toBe('RECORDING_NOT_FOUND');
    expect(existsSync(join(folder, 'clips/a/b.mp4'))).toBe(false);
  });

  it('reports what is wrong, and leaves nothing', async () => {
    const maker = open();
    const gone = { ...source, files: [{ ...recording.found, name: 'gone.mp4' }] };
    expect(await codeOf(maker.make(gone))).toBe('RECORDING_NOT_FOUND');
    expect(await codeOf(maker.make({ ...source, files: [] }))).toBe('RANGE_EMPTY');
    expect(await codeOf(maker.copy(gone, 'clips/a/b.mp4', ignore, never))).toBe('RECORDING_NOT_FOUND');
    const full = open(Number.MAX_SAFE_INTEGER);
    expect(await codeOf(full.copy(source, 'clips/a/b.mp4', ignore, never))).toBe('RECORDING_DISK_FULL');
    expect(existsSync(join(folder, 'clips'))).toBe(false);
  });
});
