import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { FileStorage } from '../recording/file-storage.ts';
import { testFolder } from '../recording/recording-fixture.ts';
import { FakeMovieThread } from './fake-movie-thread.ts';
import {
  COPY_STALL_MS,
  MAKE_DEADLINE_MS,
  MAX_WAITING_MOVIES,
  MovieMaker,
  type MovieMakerOptions,
} from './movie-maker.ts';
import type { MovieSource } from './movie-protocol.ts';
import { movieThread } from './movie-thread.ts';
import { bytesOf, makeRecording, readerOf, type TestRecording } from './range-mp4-fixture.ts';
import type { ReadJob } from './read-protocol.ts';

const START_MS = 1_700_000_000_000;
const NAME = 'recording.mp4';

let recording: TestRecording;
let folder: string;
let source: MovieSource;

beforeEach(async () => {
  recording ??= await makeRecording(NAME, { seconds: 3, epochMs: START_MS });
  folder = testFolder();
  writeFileSync(join(folder, NAME), recording.bytes);
  const wish = { fromMs: START_MS + 480, toMs: START_MS + 2_480, hasAudio: true };
  source = { files: [recording.found], wish };
});

const never = new AbortController().signal;
const ignore = (): void => undefined;

function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'resolved',
    ({ code }: { code: string }) => code,
  );
}

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
    const asked: ReadJob[] = [];
    const readElsewhere = async (job: ReadJob): Promise<Uint8Array> => {
      asked.push(job);
      return recording.bytes.subarray(job.offset, job.offset + job.length);
    };
    const maker = open(0, { readElsewhere });
    expect((await maker.make(source)).digest).toBe(made.digest);
    await maker.copy(source, 'clips/a/b.mp4', ignore, never);
    const bytes = readFileSync(join(folder, 'clips/a/b.mp4'));
    expect(bytes.equals(await bytesOf(made, readerOf(new Map([[NAME, recording.bytes]]))))).toBe(true);
    expect(new Set(asked.map(({ name }) => name))).toEqual(new Set([NAME]));
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

describe('calls', () => {
  function open() {
    const clock = new FakeClock();
    const thread = new FakeMovieThread(new FileStorage(folder));
    const maker = new MovieMaker({ launch: thread.launch, clock, log: silentLog });
    onTestFinished(() => maker.close());
    return { clock, thread, maker };
  }

  it('end with an error if the disk hangs, and the next ones get another thread', async () => {
    const { clock, thread, maker } = open();
    thread.isHanging = true;
    const made = codeOf(maker.make(source));
    clock.advance(MAKE_DEADLINE_MS);
    expect(await made).toBe('PLAYBACK_STORAGE_SLOW');
    const copied = codeOf(maker.copy(source, 'clips/a/b.mp4', ignore, never));
    clock.advance(COPY_STALL_MS);
    expect(await copied).toBe('PLAYBACK_STORAGE_SLOW');
    thread.isHanging = false;
    expect(await codeOf(maker.make(source))).toBe('resolved');
    expect(thread.launches).toBe(3);
  });

  it('fail if the thread ends', async () => {
    const { thread, maker } = open();
    thread.isHanging = true;
    const made = codeOf(maker.make(source));
    thread.end(new Error('out of memory'));
    expect(await made).toBe('PLAYBACK_READER_FAILED');
  });

  it('are bounded', async () => {
    const { thread, maker } = open();
    thread.isHanging = true;
    const waiting = Array.from({ length: MAX_WAITING_MOVIES }, () => codeOf(maker.make(source)));
    expect(await codeOf(maker.make(source))).toBe('PLAYBACK_TOO_MANY_READS');
    maker.close();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['PLAYBACK_READER_FAILED']));
    expect(await codeOf(maker.make(source))).toBe('PLAYBACK_READER_FAILED');
  });

  it('that copy can be canceled, and what was written is deleted', async () => {
    const { maker } = open();
    const abort = new AbortController();
    const copied = codeOf(maker.copy(source, 'clips/a/b.mp4', () => abort.abort(), abort.signal));
    expect(await copied).toBe('MOVIE_CANCELED');
    expect(readdirSync(join(folder, 'clips/a'))).toEqual([]);
    expect(await codeOf(maker.copy(source, 'clips/a/b.mp4', ignore, abort.signal))).toBe('MOVIE_CANCELED');
  });
});
