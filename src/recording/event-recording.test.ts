import { describe, expect, it } from 'vitest';
import {
  BASE_MS,
  FOR_SHARES,
  HOLD,
  RecordedCamera,
  recordedSeconds,
  recordedSegments,
  recorderBench,
} from './recorder-fixture.ts';

describe('recording around events', () => {
  it('writes the pre-roll that is held, what happens, and the post-roll', async () => {
    const bench = await recorderBench();
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    bench.recorder.follow(camera.stream, HOLD);
    await camera.seconds(20, bench);
    expect(bench.recorder.samples()).toMatchObject([{ state: 'standby', reasons: ['events'], segments: 0 }]);
    expect(await bench.storage.list('')).toEqual([]);
    bench.recorder.keep(camera.stream, BASE_MS + 17_500, BASE_MS + 22_500);
    await camera.seconds(1, bench);
    expect(bench.recorder.samples()).toMatchObject([{ state: 'recording' }]);
    await camera.seconds(9, bench);
    await bench.settle();
    expect(bench.recorder.samples()).toMatchObject([{ state: 'standby' }]);
    expect(await recordedSeconds(bench, camera.stream)).toEqual([17, 18, 19, 20, 21, 22]);
    const recorded = await recordedSegments(bench, camera.stream);
    expect(recorded.map(({ isDiscontinuity }) => isDiscontinuity)).toEqual([true, ...Array(5).fill(false)]);
    const live = camera.packager.published.window.listedSegments().filter(({ isComplete }) => isComplete);
    for (const segment of recorded) {
      const same = live.find(({ epochMs }) => Math.abs(epochMs - segment.epochMs) < 1);
      if (same === undefined) continue;
      const reader = await bench.storage.open(segment.name);
      expect(await reader.read(segment.offset, segment.byteLength)).toEqual(same.lendWhole().bytes);
      await reader.close();
    }
    expect(await bench.recordings.numbers(camera.stream)).toEqual([0]);
    camera.packager.close();
  });

  it('joins events that follow each other without a gap, and takes one that is reported late', async () => {
    const bench = await recorderBench();
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    bench.recorder.follow(camera.stream, HOLD);
    await camera.seconds(10, bench);
    bench.recorder.keep(camera.stream, BASE_MS + 9_000, BASE_MS + 12_000);
    await camera.seconds(4, bench);
    // It was over before it was reported, and follows the written segments.
    bench.recorder.keep(camera.stream, BASE_MS + 12_000, BASE_MS + 13_000);
    await camera.seconds(4, bench);
    await bench.settle();
    expect(await recordedSeconds(bench, camera.stream)).toEqual([9, 10, 11, 12]);
    const recorded = await recordedSegments(bench, camera.stream);
    expect(recorded.map(({ isDiscontinuity }) => isDiscontinuity)).toEqual([true, false, false, false]);
    expect(bench.recorder.samples()).toMatchObject([{ state: 'standby' }]);
    // One long ago, of which nothing is held anymore, writes nothing.
    bench.recorder.keep(camera.stream, BASE_MS, BASE_MS + 1_000);
    await camera.seconds(2, bench);
    await bench.settle();
    expect(await recordedSeconds(bench, camera.stream)).toEqual([9, 10, 11, 12]);
    camera.packager.close();
  });

  it('bounds the memory for pre-rolls; the camera that holds the most gives up its oldest', async () => {
    const bench = await recorderBench({ heldBytes: 120_000 });
    bench.recorder.start();
    const cameras = [new RecordedCamera(bench), new RecordedCamera(bench)];
    const holdLong = { ...HOLD, turn: { mode: 'hold', holdMs: 60_000 } } as const;
    for (const { stream } of cameras) bench.recorder.follow(stream, holdLong);
    await cameras[0]!.seconds(30, bench);
    const nowMs = bench.clock.epochMs();
    bench.recorder.keep(cameras[0]!.stream, BASE_MS, nowMs);
    await cameras[0]!.seconds(1, bench);
    await bench.settle();
    const recorded = await recordedSegments(bench, cameras[0]!.stream);
    const bytes = recorded.reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(bytes).toBeLessThan(130_000);
    expect(bytes).toBeGreaterThan(60_000);
    expect(recorded.at(-1)!.epochMs).toBeGreaterThan(nowMs - 2_000);
    for (const { packager } of cameras) packager.close();
  });

  it('goes on with the post-roll after the thread failed', async () => {
    const bench = await recorderBench();
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    bench.recorder.follow(camera.stream, HOLD);
    await camera.seconds(10, bench);
    bench.recorder.keep(camera.stream, BASE_MS + 8_000, BASE_MS + 16_000);
    await camera.seconds(2, bench);
    bench.thread.fail();
    await camera.seconds(8, bench);
    await bench.settle();
    const seconds = await recordedSeconds(bench, camera.stream);
    expect(seconds.slice(0, 3)).toEqual([8, 9, 10]);
    expect(seconds.at(-1)).toBe(15);
    camera.packager.close();
  });

  it('writes the segment in progress when recording begins, and loses nothing when it goes on', async () => {
    const bench = await recorderBench();
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    bench.recorder.follow(camera.stream, HOLD);
    await camera.seconds(5, bench);
    const write = { mode: 'write', purpose: 'camera', fromEpochMs: BASE_MS + 3_100 } as const;
    bench.recorder.follow(camera.stream, { ...HOLD, turn: write });
    await camera.seconds(3, bench);
    // Back to events.
    bench.recorder.follow(camera.stream, HOLD);
    await camera.seconds(4, bench);
    await bench.settle();
    expect(await recordedSeconds(bench, camera.stream)).toEqual([3, 4, 5, 6, 7]);
    camera.packager.close();
  });

  it('keeps what was recorded for shares only in files of their own, until an event claims it', async () => {
    const bench = await recorderBench();
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    bench.recorder.follow(camera.stream, FOR_SHARES);
    await camera.seconds(4, bench);
    bench.recorder.follow(camera.stream, {
      ...FOR_SHARES,
      turn: { ...FOR_SHARES.turn, purpose: 'camera' } as never,
    });
    await camera.seconds(4, bench);
    bench.recorder.follow(camera.stream, FOR_SHARES);
    await camera.seconds(4, bench);
    bench.recorder.keep(camera.stream, BASE_MS + 11_000, BASE_MS + 13_000);
    await camera.seconds(6, bench);
    bench.recorder.turn(camera.stream, false);
    await bench.settle();
    const purposes = (await bench.recordings.oldest(9, camera.stream)).map(({ purpose }) => purpose);
    expect(purposes).toEqual(['shares', 'camera', 'camera', 'shares']);
    // One recording without a gap.
    const recorded = await recordedSegments(bench, camera.stream);
    expect(recorded.filter(({ isDiscontinuity }) => isDiscontinuity)).toHaveLength(1);
    expect(recorded).toHaveLength(18);
    await bench.catalog.claim(camera.stream, BASE_MS, BASE_MS + 1);
    expect((await bench.recordings.oldest(1, camera.stream))[0]!.purpose).toBe('camera');
    camera.packager.close();
  });

  it('claims nothing for an event of long ago', async () => {
    const bench = await recorderBench();
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    bench.recorder.follow(camera.stream, FOR_SHARES);
    await camera.seconds(4, bench);
    bench.recorder.keep(camera.stream, BASE_MS - 2_000, BASE_MS - 1_000);
    await camera.seconds(2, bench);
    bench.recorder.turn(camera.stream, false);
    await bench.settle();
    const purposes = (await bench.recordings.oldest(9, camera.stream)).map(({ purpose }) => purpose);
    expect(purposes).toEqual(['shares']);
    camera.packager.close();
  });
});
