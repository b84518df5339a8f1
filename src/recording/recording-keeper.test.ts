import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { BELIEVED_AFTER_MS } from '../core/cautious-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import { sampleCamera, sampleOrganization } from '../store/sample-entities-fixture.ts';
import { Recorder } from './recorder.ts';
import {
  BASE_MS,
  type Bench,
  FOR_SHARES,
  RecordedCamera,
  recordedSeconds,
  recordedSegments,
  recorderBench,
} from './recorder-fixture.ts';
import { newStream, testFolder } from './recording-fixture.ts';
import { SWEEP_INTERVAL_MS } from './recording-keeper.ts';
import { type RecordedStream, recordingName } from './segment-index.ts';

describe('RecordingKeeper', () => {
  it('lists files without a row and forgets rows without a file when the gateway starts', async () => {
    const folder = testFolder();
    const before = await recorderBench({ folder });
    before.recorder.start();
    const camera = new RecordedCamera(before);
    before.recorder.turn(camera.stream, true);
    await camera.seconds(4, before);
    camera.packager.close();
    // The gateway is killed, and its store is lost.
    const bench = await recorderBench({ folder });
    const lost = { ...camera.stream, number: 99, startMs: 1, endMs: 2, byteLength: 3 };
    await bench.recordings.save({ ...lost, segments: '{"v":1,"b":0,"r":[]}' });
    bench.recorder.start();
    await bench.settle();
    expect(await bench.recordings.numbers(camera.stream)).toEqual([0]);
    expect((await recordedSegments(bench, camera.stream)).length).toBeGreaterThanOrEqual(4);
    // The next file has another number.
    expect(await bench.recorder.call({ name: 'numbers', of: camera.stream })).toEqual([0]);
  });

  it('keeps and counts a file with a damaged header until retention has deleted the file after it', async () => {
    const folder = testFolder();
    const logged: string[] = [];
    const before = await recorderBench({ folder, fileBytes: 80_000 });
    before.recorder.start();
    const camera = new RecordedCamera(before);
    before.recorder.turn(camera.stream, true);
    await camera.seconds(30, before);
    await before.settle();
    const numbers = await before.recordings.numbers(camera.stream);
    const [damaged, next] = numbers.slice(1, 3) as [number, number];
    const path = join(folder, recordingName(camera.stream, damaged));
    const bytes = readFileSync(path);
    bytes[20]! ^= 1;
    writeFileSync(path, bytes);
    camera.packager.close();
    // The gateway is killed, and its store is lost.
    const error = (_: object, message: string) => void logged.push(message);
    const bench = await recorderBench({ folder, limits: { keepMs: 60_000 }, log: { ...silentLog, error } });
    bench.clock.advance(30_000);
    bench.recorder.start();
    await bench.settle();
    const files = () => bench.recorder.call({ name: 'numbers', of: camera.stream });
    const listed = () => bench.recordings.numbers(camera.stream);
    expect(await files()).toContain(damaged);
    expect(await listed()).not.toContain(damaged);
    expect(bench.keeper.unreadableFiles).toBe(1);
    // Another look at the folder does not log it again.
    bench.keeper.begin();
    await bench.settle();
    expect(logged).toEqual(['recording not repaired']);
    while ((await listed()).includes(next)) {
      expect(await files()).toContain(damaged);
      bench.clock.advance(SWEEP_INTERVAL_MS);
      await bench.settle();
    }
    bench.keeper.sweepSoon();
    await bench.settle();
    expect(await files()).not.toContain(damaged);
    expect(bench.keeper.unreadableFiles).toBe(0);
  });

  it('deletes whole files that are too old', async () => {
    const bench = await recorderBench({ limits: { keepMs: 20_000 }, fileBytes: 80_000 });
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    bench.recorder.turn(camera.stream, true);
    await camera.seconds(70, bench);
    await bench.settle();
    bench.keeper.sweepSoon();
    await bench.settle();
    const recorded = await recordedSegments(bench, camera.stream);
    expect(bench.keeper.deletedFiles).toBeGreaterThan(0);
    expect(recorded[0]!.epochMs).toBeGreaterThan(BASE_MS + 40_000);
    const files = await bench.recorder.call({ name: 'numbers', of: camera.stream });
    expect(files).toEqual(await bench.recordings.numbers(camera.stream));
    camera.packager.close();
  });

  it('deletes no held file for its age or for the size of its camera, and nothing else stays for it', async () => {
    const bench = await recorderBench({
      limits: { keepMs: 20_000, maxCameraBytes: 100_000 },
      fileBytes: 80_000,
    });
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    bench.recorder.turn(camera.stream, true);
    await camera.seconds(15, bench);
    const { cameraUuid } = camera.stream;
    const [uuid, orgUuid] = [newRuuid(), newRuuid()];
    const time = { startMs: BASE_MS + 2_000, endMs: BASE_MS + 9_000 };
    await bench.store.recordingHolds.save({ uuid, orgUuid, cameraUuid, ...time });
    await camera.seconds(60, bench);
    await bench.settle();
    const sweep = async () => {
      bench.keeper.sweepSoon();
      await bench.settle();
      return (await recordedSegments(bench, camera.stream)).map(({ epochMs }) => epochMs - BASE_MS);
    };
    const left = await sweep();
    const held = left.filter((atMs) => atMs < 12_000);
    for (let second = 2; second < 9; second++) expect(Math.round(held[second]! / 1_000)).toBe(second);
    expect(left.some((atMs) => atMs > 15_000 && atMs < 40_000)).toBe(false);
    expect(left.at(-1)).toBeGreaterThan(70_000);
    await bench.store.recordingHolds.remove(uuid);
    expect((await sweep())[0]).toBeGreaterThan(40_000);
    camera.packager.close();
  });

  it('deletes nothing for its age because someone set the clock far ahead, until that has lasted a day', async () => {
    const bench = await recorderBench({ limits: { keepMs: 30 * 86_400_000 }, fileBytes: 80_000 });
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    bench.recorder.turn(camera.stream, true);
    await camera.seconds(30, bench);
    bench.recorder.turn(camera.stream, false);
    await bench.settle();
    bench.clock.stepWallClock(40 * 86_400_000);
    const sweep = async (afterMs: number) => {
      bench.clock.advance(afterMs);
      await bench.settle();
      return (await recordedSegments(bench, camera.stream)).length;
    };
    expect(await sweep(60_000)).toBe(30);
    bench.clock.stepWallClock(-40 * 86_400_000);
    expect(await sweep(60_000)).toBe(30);
    bench.clock.stepWallClock(40 * 86_400_000);
    expect(await sweep(60_000)).toBe(30);
    expect(await sweep(BELIEVED_AFTER_MS)).toBe(0);
    camera.packager.close();
  });

  it('deletes the oldest files of a camera that has too much', async () => {
    const bench = await recorderBench({ limits: { maxCameraBytes: 200_000 }, fileBytes: 80_000 });
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    bench.recorder.turn(camera.stream, true);
    await camera.seconds(60, bench);
    await bench.settle();
    bench.keeper.sweepSoon();
    await bench.settle();
    const [usage] = await bench.recordings.usage();
    expect(usage!.byteLength).toBeLessThanOrEqual(200_000);
    expect(usage!.byteLength).toBeGreaterThan(100_000);
    const [first] = await bench.recordings.numbers(camera.stream);
    expect(first).toBeGreaterThan(0);
    camera.packager.close();
  });

  it('deletes the oldest files of an organization that has too much, but no held ones, and none of another', async () => {
    const bench = await recorderBench({ limits: { maxOrganizationBytes: 200_000 }, fileBytes: 80_000 });
    const { store, recorder, recordings } = bench;
    recorder.start();
    const cameras = [0, 1, 2].map(() => new RecordedCamera(bench));
    const [own, other] = [sampleOrganization(), sampleOrganization()];
    for (const organization of [own, other]) await store.organizations.save(organization);
    for (const [index, { stream }] of cameras.entries()) {
      const { uuid } = index === 2 ? other : own;
      await store.cameras.save({
        ...sampleCamera(uuid),
        uuid: stream.cameraUuid,
        locationUuid: null,
        nvrUuid: null,
      });
    }
    const [held, second, foreign] = cameras.map(({ stream }) => stream);
    const time = { startMs: BASE_MS + 1_000, endMs: BASE_MS + 2_000 };
    const { cameraUuid } = held!;
    await store.recordingHolds.save({ uuid: newRuuid(), orgUuid: own.uuid, cameraUuid, ...time });
    for (const [index, camera] of cameras.entries()) {
      recorder.turn(camera.stream, true);
      await camera.seconds(index === 2 ? 15 : 40, bench);
      recorder.turn(camera.stream, false);
    }
    await bench.settle();
    const before = await recordings.numbers(foreign!);
    bench.keeper.sweepSoon();
    await bench.settle();
    expect(await recordings.numbers(held!)).toContain(0);
    const left = await Promise.all([held!, second!].map((stream) => recordings.byteLength(stream, 'unheld')));
    const leftBytes = left[0]! + left[1]!;
    expect(leftBytes).toBeLessThanOrEqual(200_000);
    expect(leftBytes).toBeGreaterThan(100_000);
    expect(await recordings.numbers(foreign!)).toEqual(before);
    for (const { packager } of cameras) packager.close();
  });

  /** Both streams of a camera, recorded for so many seconds. */
  async function recordBoth(
    bench: Bench,
    seconds: number,
    stream = newStream(),
  ): Promise<readonly RecordedStream[]> {
    bench.recorder.start();
    const main = new RecordedCamera(bench, stream);
    const sub = new RecordedCamera(bench, { ...stream, rendition: 'sub' });
    for (const { stream } of [main, sub]) bench.recorder.turn(stream, true);
    for (let second = 0; second < seconds; second++) {
      await main.seconds(1, bench);
      await sub.seconds(1, bench);
    }
    await bench.settle();
    bench.keeper.sweepSoon();
    await bench.settle();
    for (const { packager } of [main, sub]) packager.close();
    return [main.stream, sub.stream];
  }

  it('keeps the substream for its own time', async () => {
    const bench = await recorderBench({ limits: { keepMs: 20_000 }, fileBytes: 80_000 });
    const [main, sub] = await recordBoth(bench, 40);
    const firstOf = async (stream: RecordedStream) =>
      (await recordedSegments(bench, stream))[0]!.epochMs - BASE_MS;
    expect(await firstOf(main!)).toBeGreaterThan(30_000);
    expect(await firstOf(sub!)).toBeLessThan(5_000);
  });

  it('counts both streams of a camera against its size, and deletes of the main stream first', async () => {
    const bench = await recorderBench({ limits: { maxCameraBytes: 600_000 }, fileBytes: 80_000 });
    const [main, sub] = await recordBoth(bench, 40);
    const usage = await bench.recordings.usage();
    expect(usage.reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThanOrEqual(600_000);
    expect((await bench.recordings.numbers(main!))[0]).toBeGreaterThan(0);
    expect((await bench.recordings.numbers(sub!))[0]).toBe(0);
  });

  it('deletes nothing of either stream from a time that is held', async () => {
    const bench = await recorderBench({ limits: { keepMs: 20_000, keepSubMs: 20_000 }, fileBytes: 80_000 });
    const stream = newStream();
    const [uuid, orgUuid] = [newRuuid(), newRuuid()];
    const time = { startMs: BASE_MS, endMs: BASE_MS + 6_000 };
    await bench.store.recordingHolds.save({ uuid, orgUuid, cameraUuid: stream.cameraUuid, ...time });
    for (const each of await recordBoth(bench, 40, stream)) {
      const atMs = (await recordedSegments(bench, each)).map(({ epochMs }) => epochMs - BASE_MS);
      expect(atMs.filter((ms) => ms < 6_000).length).toBeGreaterThan(2);
      expect(atMs.some((ms) => ms > 15_000 && ms < 30_000)).toBe(false);
    }
  });

  it('keeps what a camera says for itself, and what was only for shares no longer than that', async () => {
    const own = { keepMs: 60_000, keepSubMs: null, keepKeyFramesMs: null, maxBytes: null };
    const bench = await recorderBench({
      limits: { keepForSharesMs: 20_000 },
      ownRetention: own,
      fileBytes: 80_000,
    });
    bench.recorder.start();
    const [camera, shared] = [new RecordedCamera(bench), new RecordedCamera(bench)];
    bench.recorder.turn(camera.stream, true);
    await camera.seconds(30, bench);
    bench.recorder.turn(camera.stream, false);
    bench.recorder.follow(shared.stream, FOR_SHARES);
    await shared.seconds(40, bench);
    bench.recorder.turn(shared.stream, false);
    await bench.settle();
    bench.keeper.sweepSoon();
    await bench.settle();
    const sinceSec = async ({ stream }: RecordedCamera) => (await recordedSeconds(bench, stream))[0] ?? null;
    const ofCamera = await sinceSec(camera);
    expect(ofCamera).toBeGreaterThan(0);
    expect(ofCamera).toBeLessThan(11);
    expect(await sinceSec(shared)).toBeGreaterThan(40);
    bench.clock.advance(62_000);
    await bench.settle();
    expect([await sinceSec(camera), await sinceSec(shared)]).toEqual([null, null]);
    for (const { packager } of [camera, shared]) packager.close();
  });

  it('takes nothing from an organization because another one records more', async () => {
    const bench = await recorderBench({ limits: { minFreeBytes: 1_000 }, fileBytes: 80_000 });
    const [modest, greedy] = [sampleOrganization(), sampleOrganization()];
    const cameras: RecordedCamera[] = [];
    for (const { uuid } of [modest, greedy]) {
      await bench.store.organizations.save(sampleOrganization({ uuid }));
      const camera = sampleCamera(uuid, { locationUuid: null, nvrUuid: null });
      await bench.store.cameras.save(camera);
      cameras.push(new RecordedCamera(bench, { cameraUuid: camera.uuid, rendition: 'main' }));
    }
    bench.recorder.start();
    const [evidence, flood] = cameras;
    for (const [camera, seconds] of [
      [evidence!, 20],
      [flood!, 40],
    ] as const) {
      bench.recorder.turn(camera.stream, true);
      await camera.seconds(seconds, bench);
      bench.recorder.turn(camera.stream, false);
      await bench.settle();
    }
    // Removing a camera does not hide whose recordings they are.
    await bench.store.cameras.remove(greedy!.uuid, flood!.stream.cameraUuid);
    const before = await bench.recordings.numbers(evidence!.stream);
    const freeAfter = 2;
    const call = vi.spyOn(bench.recorder, 'call');
    call.mockImplementation(async (wanted) => {
      if (wanted.name !== 'freeBytes') return Recorder.prototype.call.call(bench.recorder, wanted) as never;
      return (bench.keeper.deletedFiles >= freeAfter ? 1_000 : 0) as never;
    });
    bench.keeper.sweepSoon();
    await bench.settle();
    expect(bench.keeper.deletedFiles).toBe(freeAfter);
    expect(await bench.recordings.numbers(evidence!.stream)).toEqual(before);
    expect((await bench.recordings.numbers(flood!.stream))[0]).toBeGreaterThan(0);
    for (const { packager } of cameras) packager.close();
  });

  it('makes room on the disk, oldest of all cameras first', async () => {
    const bench = await recorderBench({ limits: { minFreeBytes: 1_000 }, fileBytes: 80_000 });
    bench.recorder.start();
    const cameras = [new RecordedCamera(bench), new RecordedCamera(bench)];
    for (const camera of cameras) bench.recorder.turn(camera.stream, true);
    for (const camera of cameras) await camera.seconds(20, bench);
    await bench.settle();
    const [older, newer] = cameras.map(({ stream }) => stream);
    const before = (await bench.recordings.numbers(newer!)).length;
    expect((await bench.recordings.numbers(older!))[0]).toBe(0);
    // Deletions give the fake disk no room, so the sweep continues until no file is left.
    bench.disk.roomBytes = 900;
    bench.keeper.sweepSoon();
    await bench.settle();
    expect(await bench.recordings.numbers(older!)).toEqual([]);
    expect(before).toBeGreaterThan(0);
    expect(bench.keeper.deletedFiles).toBeGreaterThan(0);
    // Files that are being written are left alone.
    for (const { stream } of cameras) {
      expect(bench.recorder.openFile(stream)!.segments.length).toBeGreaterThan(0);
      expect(await bench.storage.list(`${stream.cameraUuid}/main`)).toHaveLength(1);
    }
    for (const { packager } of cameras) packager.close();
  });

  it('goes on recording when a full disk has room again', async () => {
    const bench = await recorderBench({ fileBytes: 80_000 });
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    bench.recorder.turn(camera.stream, true);
    await camera.seconds(3, bench);
    bench.disk.roomBytes = 2_000;
    await camera.seconds(5, bench);
    expect(bench.recorder.samples()).toMatchObject([{ state: 'failed', code: 'RECORDING_DISK_FULL' }]);
    bench.disk.roomBytes = Number.POSITIVE_INFINITY;
    await camera.seconds(10, bench);
    await bench.settle();
    expect(bench.recorder.samples()).toMatchObject([{ state: 'recording', code: null }]);
    const recorded = await recordedSegments(bench, camera.stream);
    expect(recorded[0]!.epochMs).toBeCloseTo(BASE_MS, 0);
    expect(recorded.at(-1)!.epochMs).toBeCloseTo(BASE_MS + 17_000, 0);
    for (const { name, offset, byteLength } of recorded) {
      const reader = await bench.storage.open(name);
      expect((await reader.read(offset, byteLength)).length).toBe(byteLength);
      await reader.close();
    }
    expect(recordingName(camera.stream, 0)).toBe(recorded[0]!.name);
    camera.packager.close();
  });

  it('deletes what is too old although many other files cannot be deleted, and those when it can', async () => {
    const own = { keepMs: 3_600_000, keepSubMs: null, keepKeyFramesMs: null, maxBytes: null };
    const bench = await recorderBench({ ownRetention: own, fileBytes: 80_000 });
    bench.recorder.start();
    const [stuck, other] = [new RecordedCamera(bench), new RecordedCamera(bench)];
    for (const camera of [stuck, other]) {
      bench.recorder.turn(camera.stream, true);
      await camera.seconds(70, bench);
      bench.recorder.turn(camera.stream, false);
    }
    await bench.settle();
    const [, ofStuck] = await filesOf(bench, stuck);
    expect(ofStuck.length).toBeGreaterThan(3);
    bench.disk.isBad = (path) => path.includes(stuck.stream.cameraUuid) && path.endsWith('.mp4');
    const sweep = async () => {
      bench.clock.advance(60_000);
      await bench.settle();
    };
    own.keepMs = 20_000;
    await sweep();
    expect(await filesOf(bench, other)).toEqual([[], []]);
    for (let i = 0; i < ofStuck.length; i++) await sweep();
    // No row refers to them, and no repair lists them again.
    expect(await filesOf(bench, stuck)).toEqual([[], ofStuck]);
    bench.keeper.begin();
    await bench.settle();
    expect(await filesOf(bench, stuck)).toEqual([[], ofStuck]);
    bench.disk.isBad = () => false;
    await sweep();
    expect(await filesOf(bench, stuck)).toEqual([[], []]);
    for (const { packager } of [stuck, other]) packager.close();
  });

  it('makes room on the disk although its oldest file cannot be deleted', async () => {
    const bench = await recorderBench({ limits: { minFreeBytes: 1_000 }, fileBytes: 80_000 });
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    bench.recorder.turn(camera.stream, true);
    await camera.seconds(60, bench);
    bench.recorder.turn(camera.stream, false);
    await bench.settle();
    const [listed] = await filesOf(bench, camera);
    expect(listed.length).toBeGreaterThan(5);
    bench.disk.isBad = (path) => path.endsWith(recordingName(camera.stream, 0));
    bench.disk.roomBytes = 900;
    bench.keeper.sweepSoon();
    await bench.settle();
    expect(await filesOf(bench, camera)).toEqual([[], [0]]);
    // No file can be deleted: listed files stay listed, because deleting gives no room.
    bench.disk.roomBytes = Number.POSITIVE_INFINITY;
    bench.recorder.turn(camera.stream, true);
    await camera.seconds(60, bench);
    bench.recorder.turn(camera.stream, false);
    await bench.settle();
    const [before] = await filesOf(bench, camera);
    bench.disk.broken.add('remove');
    bench.disk.roomBytes = 900;
    bench.keeper.sweepSoon();
    await bench.settle();
    const [after] = await filesOf(bench, camera);
    expect(after.length).toBe(before.length - 3);
    camera.packager.close();
  });

  it('lists what a gateway left although the folder of another camera cannot be read', async () => {
    const folder = testFolder();
    const before = await recorderBench({ folder });
    before.recorder.start();
    const cameras = [new RecordedCamera(before), new RecordedCamera(before)];
    for (const camera of cameras) {
      before.recorder.turn(camera.stream, true);
      await camera.seconds(4, before);
      camera.packager.close();
    }
    const [bad, good] = cameras
      .map(({ stream }) => stream)
      .toSorted((a, b) => (a.cameraUuid < b.cameraUuid ? -1 : 1));
    const bench = await recorderBench({ folder });
    bench.disk.isBad = (path) => path.includes(bad!.cameraUuid);
    bench.recorder.start();
    await bench.settle();
    expect(await bench.recordings.numbers(good!)).toEqual([0]);
    bench.disk.isBad = () => false;
    bench.clock.advance(60_000);
    await bench.settle();
    expect(await bench.recordings.numbers(bad!)).toEqual([0]);
  });
});

/** Numbers in the store, and on the disk. */
async function filesOf(bench: Bench, { stream }: RecordedCamera): Promise<[number[], number[]]> {
  const listed = await bench.recordings.numbers(stream);
  return [listed, await bench.recorder.call({ name: 'numbers', of: stream })];
}
