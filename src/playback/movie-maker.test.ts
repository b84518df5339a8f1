import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { wireErrorOf } from '../core/wire-error.ts';
import { RECORDING_ERRORS } from '../recording/errors.ts';
import { FakeDisk } from '../recording/fake-disk.ts';
import { FileStorage } from '../recording/file-storage.ts';
import { FakeMovieThread } from './fake-movie-thread.ts';
import { COPY_STALL_MS, MAKE_DEADLINE_MS, MAX_WAITING_MOVIES, MovieMaker } from './movie-maker.ts';
import type { MovieSource } from './movie-protocol.ts';
import { codeOf, ignore, never, recordedMovieSource } from './movie-source-fixture.ts';

let folder: string;
let source: MovieSource;

beforeEach(async () => {
  ({ folder, source } = await recordedMovieSource());
});

describe('calls', () => {
  function open() {
    const clock = new FakeClock();
    const storage = new FileStorage(folder, new FakeDisk());
    const thread = new FakeMovieThread(storage);
    const maker = new MovieMaker({ launch: thread.launch, clock, log: silentLog });
    onTestFinished(() => maker.close());
    return { clock, storage, thread, maker };
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

  it('fail with a defect of ours as what it is, with its stack', async () => {
    const { maker, storage } = open();
    storage.list = async () => (undefined as unknown as { names: string[] }).names;
    await expect(maker.list('clips')).rejects.toMatchObject({
      code: 'INTERNAL',
      kind: 'internal',
      cause: { message: expect.stringContaining('movie-maker.test.ts') },
    });
  });

  it('leave it to the caller to know that what was written is not uploaded, until the thread ends', async () => {
    const clock = new FakeClock();
    const thread = new FakeMovieThread(new FileStorage(folder, new FakeDisk()));
    const [lines, states]: [unknown[], boolean[]] = [[], []];
    const noting = (fields: object, message: string) => void lines.push({ message, ...fields });
    const log = { ...silentLog, info: noting, warn: noting, error: noting };
    const onUpload = (isFailing: boolean) => void states.push(isFailing);
    const maker = new MovieMaker({ launch: thread.launch, onUpload, clock, log });
    onTestFinished(() => maker.close());
    await maker.list('clips');
    const failure = wireErrorOf(new GatewayError(RECORDING_ERRORS.RECORDING_IO, { errno: 'EACCES' }));
    thread.notice({ op: 'upload', failure });
    thread.notice({ op: 'refused', name: 'clips/a/b.mp4', failure });
    thread.notice({ op: 'upload', failure: null });
    thread.notice({ op: 'upload', failure });
    thread.end(new Error('out of memory'));
    expect(states).toEqual([true, false, true, false]);
    expect(lines).toMatchObject([
      { message: 'clips not uploaded, trying again', err: { code: 'RECORDING_IO' } },
      { message: 'clip refused by S3, trying again', name: 'clips/a/b.mp4' },
      { message: 'clips uploaded again' },
      { message: 'clips not uploaded, trying again' },
      { message: 'movie thread ended' },
    ]);
  });

  it('fail if the thread ends', async () => {
    const { thread, maker } = open();
    thread.isHanging = true;
    const made = codeOf(maker.make(source));
    thread.end(new Error('out of memory'));
    expect(await made).toBe('PLAYBACK_READER_FAILED');
  });

  it('start a thread that keeps failing again after a pause that grows, and fail until then', async () => {
    const { clock, thread, maker } = open();
    thread.isHanging = true;
    const fail = async () => {
      const made = codeOf(maker.make(source));
      thread.end(new Error('out of memory'));
      return made;
    };
    expect(await fail()).toBe('PLAYBACK_READER_FAILED');
    for (const [index, pauseMs] of [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000].entries()) {
      expect([index, await fail()]).toEqual([index, 'PLAYBACK_READER_FAILED']);
      clock.advance(pauseMs - 1);
      expect(await codeOf(maker.make(source))).toBe('PLAYBACK_READER_FAILED');
      expect(thread.launches).toBe(index + 2);
      clock.advance(1);
    }
    thread.isHanging = false;
    expect(await codeOf(maker.make(source))).toBe('resolved');
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
