import { describe, expect, it } from 'vitest';
import type { GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { FakeRecorderThread } from './fake-recorder-thread.ts';
import type { MediaStorage } from './media-storage.ts';
import { Recorder } from './recorder.ts';
import { BASE_MS, RecordedCamera, recordedSegments, recorderBench } from './recorder-fixture.ts';
import { BOOT_ID } from './recording-fixture.ts';
import { createRingMemory } from './shared-ring.ts';

describe('Recorder', () => {
  it('records what the live window serves, and finds it by time', async () => {
    const bench = await recorderBench();
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    bench.recorder.turn(camera.stream, true);
    await camera.seconds(5, bench);
    await bench.settle();
    const recorded = await recordedSegments(bench, camera.stream);
    const live = camera.packager.published.window.listedSegments().filter(({ isComplete }) => isComplete);
    expect(recorded).toHaveLength(5);
    expect(live).toHaveLength(5);
    for (const [i, segment] of recorded.entries()) {
      const reader = await bench.storage.open(segment.name);
      expect(await reader.read(segment.offset, segment.byteLength)).toEqual(live[i]!.lendWhole().bytes);
      await reader.close();
    }
    const found = await bench.catalog.seek(camera.stream, BASE_MS + 2_500);
    expect(found!.segment.epochMs).toBeCloseTo(BASE_MS + 2_000, 0);
    expect(bench.recorder.samples()).toMatchObject([{ state: 'recording', segments: 5, droppedSegments: 0 }]);
    camera.packager.close();
  });

  it('records nothing before it is turned on, and finishes the file when it is turned off', async () => {
    const bench = await recorderBench();
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    await camera.seconds(2, bench);
    expect(bench.recorder.samples()).toMatchObject([{ state: 'off', segments: 0 }]);
    bench.recorder.turn(camera.stream, true);
    await camera.seconds(2, bench);
    expect(await bench.recordings.numbers(camera.stream)).toEqual([]);
    bench.recorder.turn(camera.stream, false);
    await camera.seconds(1, bench);
    await bench.settle();
    expect(await bench.recordings.numbers(camera.stream)).toEqual([0]);
    const recorded = await recordedSegments(bench, camera.stream);
    expect(recorded.map(({ isDiscontinuity }) => isDiscontinuity)[0]).toBe(true);
    expect(recorded[0]!.epochMs).toBeGreaterThanOrEqual(BASE_MS + 2_000);
    camera.packager.close();
  });

  it('tells its thread whose camera it is, also one that starts later', async () => {
    const bench = await recorderBench();
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    const { cameraUuid } = camera.stream;
    bench.recorder.turn(camera.stream, true);
    await camera.seconds(1, bench);
    expect(bench.thread.owners.size).toBe(0);
    bench.recorder.organizationOf = () => 'one';
    await camera.seconds(1, bench);
    expect([...bench.thread.owners]).toEqual([[cameraUuid, 'one']]);
    bench.thread.fail();
    bench.clock.advance(60_000);
    bench.recorder.organizationOf = () => 'other';
    await camera.seconds(2, bench);
    expect([...bench.thread.owners]).toEqual([[cameraUuid, 'other']]);
    camera.packager.close();
  });

  it('drops whole segments when the disk is slow, counts them, and leaves a gap', async () => {
    const bench = await recorderBench({ ringBytes: 65_536 });
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    bench.recorder.turn(camera.stream, true);
    await camera.seconds(2, bench);
    await bench.thread.work();
    bench.thread.isWorking = false;
    await camera.seconds(20, bench);
    expect(bench.recorder.waitingBytes).toBeLessThanOrEqual(65_536);
    // Live went on.
    expect(camera.packager.stats().segments).toBeGreaterThanOrEqual(22);
    bench.thread.isWorking = true;
    await bench.thread.work();
    await camera.seconds(3, bench);
    await bench.settle();
    const [sample] = bench.recorder.samples();
    expect(sample!.droppedSegments).toBeGreaterThanOrEqual(10);
    expect(bench.recorder.waitingBytes).toBe(0);
    const recorded = await recordedSegments(bench, camera.stream);
    const after = recorded.at(-3)!;
    expect(after.epochMs).toBeCloseTo(BASE_MS + 22_000, 0);
    const gaps = recorded.filter(({ isDiscontinuity }) => isDiscontinuity);
    expect(gaps.length).toBeGreaterThanOrEqual(2);
    // An instant in the gap means the first video after it.
    const found = await bench.catalog.seek(camera.stream, BASE_MS + 15_000);
    expect(found!.segment.epochMs).toBeGreaterThan(BASE_MS + 15_000);
    camera.packager.close();
  });

  it('goes on with another thread, and takes over the file that the first one left', async () => {
    const bench = await recorderBench();
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    bench.recorder.turn(camera.stream, true);
    await camera.seconds(3, bench);
    await bench.settle();
    const call = bench.recorder.call({ name: 'freeBytes' });
    bench.thread.fail();
    await expect(call).rejects.toMatchObject({ code: 'RECORDING_THREAD_FAILED' });
    await camera.seconds(2, bench);
    expect(bench.thread.launches).toHaveLength(2);
    await camera.seconds(3, bench);
    await bench.settle();
    const numbers = new Set((await recordedSegments(bench, camera.stream)).map(({ name }) => name));
    expect(numbers.size).toBe(2);
    expect((await recordedSegments(bench, camera.stream)).length).toBeGreaterThanOrEqual(5);
    camera.packager.close();
  });

  it('finishes its files when it is closed', async () => {
    const bench = await recorderBench();
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    bench.recorder.turn(camera.stream, true);
    await camera.seconds(3, bench);
    await bench.recorder.close();
    await bench.settle();
    expect(await bench.recordings.numbers(camera.stream)).toEqual([0]);
    camera.packager.close();
  });

  it('keeps wall time monotonic within a run when the clock is set back', async () => {
    const bench = await recorderBench();
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    bench.recorder.turn(camera.stream, true);
    await camera.seconds(3, bench);
    bench.clock.stepWallClock(-3_600_000);
    await camera.seconds(3, bench);
    await bench.settle();
    const recorded = await recordedSegments(bench, camera.stream);
    expect(recorded).toHaveLength(6);
    for (const [i, { epochMs }] of recorded.entries()) expect(epochMs).toBeCloseTo(BASE_MS + i * 1_000, 0);
    camera.packager.close();
  });
});

/** A recorder whose thread has this storage. */
function recorderOver(storage: Partial<MediaStorage>) {
  const clock = new FakeClock();
  const startsMonoMs: number[] = [];
  const errors: { message: string; err: GatewayError }[] = [];
  const thread = new FakeRecorderThread({
    storage: storage as MediaStorage,
    clock,
    bootId: BOOT_ID,
    limits: { fileBytes: 80_000, syncIntervalMs: 5_000, minFreeBytes: 0 },
  });
  const recorder = new Recorder({
    launch: (ring, events) => {
      startsMonoMs.push(clock.monoMs());
      return thread.launch(ring, events);
    },
    createRing: () => createRingMemory(1_048_576),
    clock,
    log: {
      ...silentLog,
      error: (fields, message) => void errors.push({ message, err: (fields as { err: GatewayError }).err }),
    },
    onFile: () => undefined,
    onUnfinished: () => undefined,
    onStarted: () => undefined,
    onFull: () => undefined,
  });
  recorder.start();
  return { clock, thread, recorder, startsMonoMs, errors };
}

function defect(): never {
  throw new TypeError("Cannot read properties of undefined (reading 'x')");
}

describe("the recorder's thread", () => {
  it('reports a defect of ours as what it is, with its stack, and not as a fault of the disk', async () => {
    const { recorder, thread, errors, clock } = recorderOver({
      list: async () => defect(),
      newestName: async () => defect(),
    });
    await expect(recorder.call({ name: 'streams' })).rejects.toMatchObject({
      code: 'INTERNAL',
      kind: 'internal',
      cause: { message: expect.stringMatching(/TypeError: Cannot read properties[\s\S]*recorder\.test\.ts/) },
    });
    // The same for what it writes.
    const camera = new RecordedCamera({ clock, recorder });
    recorder.turn(camera.stream, true);
    await camera.seconds(2, { thread });
    expect(errors[0]).toMatchObject({
      message: 'recording failed',
      err: { code: 'INTERNAL', kind: 'internal' },
    });
    expect(String((errors[0]!.err.cause as Error).message)).toContain('recorder.test.ts');
    expect(recorder.samples()).toMatchObject([{ state: 'failed', code: 'INTERNAL' }]);
    camera.packager.close();
  });

  it('is started again after ever longer pauses, whatever it says before it ends', () => {
    const { thread, clock, startsMonoMs } = recorderOver({});
    for (let at = 0; at < 240; at++, clock.advance(250)) {
      if (startsMonoMs.at(-1) !== clock.monoMs()) continue;
      thread.launches.at(-1)!.onNotice({ op: 'upload', failure: null });
      thread.fail();
    }
    const pauses = startsMonoMs.slice(1).map((startMonoMs, i) => startMonoMs - startsMonoMs[i]!);
    expect(pauses.slice(0, 7)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000]);
  });
});
