/** Faults that happen together. */

import { describe, expect, it } from 'vitest';
import { FakeObjects } from './fake-objects.ts';
import {
  BASE_MS,
  RecordedCamera,
  recordedSeconds,
  recordedSegments,
  recorderBench,
} from './recorder-fixture.ts';
import { testFolder } from './recording-fixture.ts';
import { EVERYTHING, NOTHING, type RecordingRequest } from './recording-turn.ts';
import { s3Storage } from './s3-fixture.ts';
import type { S3Storage } from './s3-storage.ts';

const SCHEDULED: RecordingRequest = { ...EVERYTHING, reasons: ['schedule'] };
const WAITING: RecordingRequest = { ...NOTHING, reasons: ['schedule'], isWaiting: true };

describe('recording', () => {
  it('loses nothing written if the schedule ends while the disk is full, and begins again later', async () => {
    const bench = await recorderBench();
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    bench.recorder.follow(camera.stream, SCHEDULED);
    await camera.seconds(5, bench);
    bench.disk.roomBytes = 500;
    await camera.seconds(3, bench);
    await bench.settle();
    expect(bench.recorder.samples()).toMatchObject([{ state: 'failed', code: 'RECORDING_DISK_FULL' }]);
    bench.recorder.follow(camera.stream, WAITING);
    await camera.seconds(2, bench);
    await bench.settle();
    expect(bench.recorder.samples()).toMatchObject([{ state: 'standby', code: null, reasons: ['schedule'] }]);
    bench.disk.roomBytes = Number.POSITIVE_INFINITY;
    bench.clock.advance(61_000);
    await bench.settle();
    // Segments that were written before are listed now that the file can be finished.
    expect((await recordedSeconds(bench, camera.stream)).slice(0, 5)).toEqual([0, 1, 2, 3, 4]);
    bench.recorder.follow(camera.stream, SCHEDULED);
    await camera.seconds(4, bench);
    await bench.settle();
    expect(bench.recorder.samples()).toMatchObject([{ state: 'recording' }]);
    bench.recorder.follow(camera.stream, WAITING);
    await bench.settle();
    // The camera's own time stood still with the clock of the test.
    expect((await recordedSeconds(bench, camera.stream)).at(-1)).toBeGreaterThanOrEqual(12);
    camera.packager.close();
  });

  it('keeps the post-roll of an event while the disk is full for a moment and the clock is set back', async () => {
    const bench = await recorderBench();
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    bench.recorder.follow(camera.stream, {
      ...NOTHING,
      turn: { mode: 'hold', holdMs: 5_000 },
      reasons: ['events'],
    });
    await camera.seconds(10, bench);
    bench.recorder.keep(camera.stream, BASE_MS + 7_000, BASE_MS + 25_000);
    await camera.seconds(2, bench);
    bench.clock.stepWallClock(-3_600_000);
    bench.disk.roomBytes = 0;
    await camera.seconds(2, bench);
    bench.disk.roomBytes = Number.POSITIVE_INFINITY;
    await camera.seconds(20, bench);
    await bench.settle();
    const seconds = await recordedSeconds(bench, camera.stream);
    expect(seconds.slice(0, 4)).toEqual([7, 8, 9, 10]);
    expect(seconds.at(-1)).toBe(24);
    // Only what the disk could not take is missing: two seconds and the pause after them.
    expect(seconds.length).toBeGreaterThanOrEqual(12);
    expect(bench.recorder.samples()).toMatchObject([{ state: 'standby', code: null }]);
    camera.packager.close();
  });

  it('deletes what is too old in S3 later if S3 is away then', async () => {
    const [folder, objects] = [testFolder(), new FakeObjects()];
    let storage: S3Storage | null = null;
    const bench = await recorderBench({
      fileBytes: 80_000,
      limits: { keepMs: 20_000 },
      storage: (clock) => {
        storage = s3Storage(objects, folder, { clock });
        return storage;
      },
    });
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    bench.recorder.turn(camera.stream, true);
    await camera.seconds(20, bench);
    bench.recorder.turn(camera.stream, false);
    await bench.settle();
    await storage!.settled();
    const before = objects.objects.size;
    expect(before).toBeGreaterThanOrEqual(3);
    objects.isAway = true;
    for (let minute = 0; minute < 3; minute++) {
      bench.clock.advance(60_000);
      await bench.settle();
    }
    expect(objects.objects.size).toBe(before);
    objects.isAway = false;
    for (let minute = 0; minute < 2; minute++) {
      bench.clock.advance(60_000);
      await bench.settle();
    }
    expect(objects.objects.size).toBe(0);
    expect(await bench.recordings.numbers(camera.stream)).toEqual([]);
    camera.packager.close();
  });

  it('lists what it recorded while the clock was set back an hour, and keeps what says the right time', async () => {
    const bench = await recorderBench({ fileBytes: 20_000, limits: { keepMs: 600_000 } });
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    bench.recorder.turn(camera.stream, true);
    await camera.seconds(5, bench);
    bench.clock.stepWallClock(-3_600_000);
    await camera.seconds(5, bench);
    // The packager opens again: its wall time is the clock's now, an hour earlier.
    const again = new RecordedCamera(bench, camera.stream);
    await again.seconds(5, bench);
    bench.clock.stepWallClock(3_600_000);
    await again.seconds(5, bench);
    bench.recorder.turn(camera.stream, false);
    await bench.settle();
    const sweep = async (): Promise<void> => {
      bench.clock.advance(60_000);
      await bench.settle();
    };
    const written = await recordedSeconds(bench, camera.stream);
    expect(written.filter((sec) => sec >= 0).length).toBeGreaterThanOrEqual(9);
    // These say that they are older than everything is kept.
    expect(written.filter((sec) => sec < 0).length).toBeGreaterThanOrEqual(9);
    await sweep();
    const left = await recordedSeconds(bench, camera.stream);
    expect(left.filter((sec) => sec >= 0)).toEqual(written.filter((sec) => sec >= 0));
    for (let minute = 0; minute < 12; minute++) await sweep();
    expect(await recordedSeconds(bench, camera.stream)).toEqual([]);
    camera.packager.close();
    again.packager.close();
  });

  it('invents no time if its thread fails while the clock is set back an hour', async () => {
    const bench = await recorderBench({ fileBytes: 40_000 });
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    bench.recorder.turn(camera.stream, true);
    await camera.seconds(6, bench);
    bench.clock.stepWallClock(-3_600_000);
    await camera.seconds(3, bench);
    await bench.settle();
    bench.thread.fail();
    await camera.seconds(6, bench);
    await bench.settle();
    expect(bench.thread.launches).toHaveLength(2);
    bench.recorder.turn(camera.stream, false);
    await bench.settle();
    const recorded = await recordedSegments(bench, camera.stream);
    // All of it is by the clock at which the camera was opened, and what the thread lost is a gap.
    for (const [i, { epochMs, durationTicks, timescaleHz }] of recorded.entries()) {
      expect(epochMs - BASE_MS).toBeGreaterThanOrEqual(0);
      expect(epochMs - BASE_MS).toBeLessThan(15_500);
      const next = recorded[i + 1];
      if (next === undefined) continue;
      const gapMs = next.epochMs - epochMs - (durationTicks / timescaleHz) * 1_000;
      expect(next.isDiscontinuity ? gapMs > -1 : Math.abs(gapMs) < 1).toBe(true);
    }
    expect(recorded.length).toBeGreaterThanOrEqual(12);
    expect(recorded.filter(({ isDiscontinuity }) => isDiscontinuity)).toHaveLength(2);
    camera.packager.close();
  });

  it('lists every other file while the store does not take the row of one, and that one later', async () => {
    const bench = await recorderBench({ fileBytes: 80_000 });
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    const save = bench.recordings.save.bind(bench.recordings);
    let isRefused = true;
    bench.recordings.save = async (row) => {
      if (row.number === 0 && isRefused) throw new Error('the store refuses this row');
      await save(row);
    };
    bench.recorder.turn(camera.stream, true);
    await camera.seconds(40, bench);
    bench.recorder.turn(camera.stream, false);
    await bench.settle();
    bench.clock.advance(5_000);
    await bench.settle();
    const listed = await bench.recordings.numbers(camera.stream);
    expect(listed.length).toBeGreaterThan(3);
    expect(listed[0]).toBe(1);
    // Until then, it is read from memory, in its place.
    expect((await recordedSeconds(bench, camera.stream)).slice(0, 3)).toEqual([0, 1, 2]);
    isRefused = false;
    bench.clock.advance(5_000);
    await bench.settle();
    expect(await bench.recordings.numbers(camera.stream)).toEqual([0, ...listed]);
    camera.packager.close();
  });
});
