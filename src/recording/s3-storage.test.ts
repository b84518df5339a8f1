import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid } from '../core/ruuid.ts';
import { FakeDisk } from './fake-disk.ts';
import { FakeObjects } from './fake-objects.ts';
import { FileStorage } from './file-storage.ts';
import type { MediaStorage } from './media-storage.ts';
import { BASE_MS, RecordedCamera, recordedSegments, recorderBench } from './recorder-fixture.ts';
import { testFolder } from './recording-fixture.ts';
import { s3Storage, uploadingAtOnce } from './s3-fixture.ts';
import { describeStorageContract } from './storage-contract.ts';

const CAMERA = newRuuid();
const nameOf = (number: number) => `${CAMERA}/main/${String(number).padStart(12, '0')}.mp4`;
const NAME = nameOf(0);

function setup(options: { folder?: string; objects?: FakeObjects; maxSpoolBytes?: number } = {}) {
  const { folder = testFolder(), objects = new FakeObjects(), maxSpoolBytes } = options;
  const [clock, disk] = [new FakeClock(), new FakeDisk()];
  const failures: (string | null)[] = [];
  const refused: string[] = [];
  const storage = s3Storage(objects, folder, {
    clock,
    disk,
    onUpload: (failure) => void failures.push(failure?.code ?? null),
    onRefused: (name, { context }) => void refused.push(`${name} ${String(context.errno)}`),
    ...(maxSpoolBytes === undefined ? {} : { maxSpoolBytes }),
  });
  return { folder, objects, clock, disk, failures, refused, storage };
}

async function write(storage: MediaStorage, name: string, content: Buffer): Promise<void> {
  const appender = await storage.create(name, content.length);
  await appender.append([content]);
  await appender.seal();
}

async function read(storage: MediaStorage, name: string): Promise<Buffer> {
  const reader = await storage.open(name);
  try {
    return await reader.read(0, reader.byteLength);
  } finally {
    await reader.close();
  }
}

describeStorageContract('S3, in the spool', () => setup({ objects: refusing() }).storage);
describeStorageContract('S3, uploaded', () => uploadingAtOnce(setup().storage));

/** Nothing can be uploaded. */
function refusing(): FakeObjects {
  const objects = new FakeObjects();
  objects.isDenied = () => true;
  return objects;
}

describe('S3Storage', () => {
  it('uploads a file when it is sealed, and forgets it on the disk', async () => {
    const { folder, objects, storage } = setup();
    const content = Buffer.alloc(3_000_000, 7);
    const appender = await storage.create(NAME, 4_000_000);
    await appender.append([content]);
    await storage.settled();
    expect([objects.puts, storage.spooledBytes]).toEqual([0, 4_000_000]);
    await appender.seal();
    await storage.settled();
    expect([objects.puts, storage.spooledBytes]).toEqual([1, 0]);
    expect(existsSync(join(folder, 'spool', NAME))).toBe(false);
    expect(await read(storage, NAME)).toEqual(content);
    const reader = await storage.open(NAME);
    expect(await reader.read(2_999_990, 99)).toEqual(Buffer.alloc(10, 7));
    await reader.close();
  });

  it('loses nothing while S3 is away, over a restart, and uploads everything later', async () => {
    const { folder, objects, clock, failures, storage } = setup();
    objects.isAway = true;
    for (let i = 0; i < 3; i++) await write(storage, nameOf(i), Buffer.alloc(1_000, i));
    await storage.settled();
    expect(failures).toEqual(['RECORDING_S3_UNAVAILABLE']);
    expect(await read(storage, nameOf(1))).toEqual(Buffer.alloc(1_000, 1));
    clock.advance(120_000);
    await storage.settled();
    expect(failures).toHaveLength(1);
    await storage.close();
    // The next process knows the numbers without S3.
    const later = setup({ folder, objects });
    await later.storage.start();
    await later.storage.settled();
    expect(await later.storage.newestName(`${CAMERA}/main`)).toBe('000000000002.mp4');
    await expect(later.storage.list(`${CAMERA}/main`)).rejects.toMatchObject({
      code: 'RECORDING_S3_UNAVAILABLE',
    });
    expect(await read(later.storage, nameOf(2))).toEqual(Buffer.alloc(1_000, 2));
    await write(later.storage, nameOf(3), Buffer.alloc(1_000, 3));
    objects.isAway = false;
    later.clock.advance(60_000);
    await later.storage.settled();
    expect([...objects.objects.keys()].sort()).toEqual([0, 1, 2, 3].map(nameOf));
    expect([later.storage.spooledBytes, later.failures]).toEqual([0, ['RECORDING_S3_UNAVAILABLE', null]]);
    for (let i = 0; i < 4; i++) expect(await read(later.storage, nameOf(i))).toEqual(Buffer.alloc(1_000, i));
    // Only what says which number was the last is left on the disk.
    expect(readdirSync(join(folder, 'marks', CAMERA, 'main'))).toEqual(['000000000003.mp4']);
  });

  it('stores an object as a whole or not at all', async () => {
    const { objects, clock, storage } = setup();
    objects.isTorn = true;
    await write(storage, NAME, Buffer.alloc(2_500_000, 1));
    await storage.settled();
    expect(objects.objects.size).toBe(0);
    expect(await read(storage, NAME)).toHaveLength(2_500_000);
    objects.isTorn = false;
    clock.advance(2_000);
    await storage.settled();
    expect(objects.objects.get(NAME)).toEqual(Buffer.alloc(2_500_000, 1));
  });

  it('begins no file beyond the bound of the spool, and goes on when there is room', async () => {
    const { objects, clock, storage } = setup({ maxSpoolBytes: 3_000 });
    objects.isAway = true;
    await write(storage, nameOf(0), Buffer.alloc(1_500));
    await expect(storage.create(nameOf(1), 2_000)).rejects.toMatchObject({ code: 'RECORDING_DISK_FULL' });
    // Deleting old recordings would not help.
    expect(await storage.freeBytes()).toBe(Number.MAX_SAFE_INTEGER);
    objects.isAway = false;
    clock.advance(2_000);
    await storage.settled();
    await (await storage.create(nameOf(1), 2_000)).seal();
  });

  it('begins no file if the disk of the spool has no room', async () => {
    const { disk, storage } = setup();
    disk.roomBytes = 999;
    await expect(storage.create(NAME, 1_000)).rejects.toMatchObject({ code: 'RECORDING_DISK_FULL' });
  });

  it('leaves nothing of a file that is deleted while it is uploaded', async () => {
    const { objects, storage } = setup();
    const writing = write(storage, NAME, Buffer.alloc(3_000_000));
    await writing;
    expect(await storage.delete(NAME)).toBe(true);
    await storage.settled();
    expect([objects.objects.size, storage.spooledBytes]).toEqual([0, 0]);
    await expect(storage.open(NAME)).rejects.toMatchObject({ code: 'RECORDING_NOT_FOUND' });
    // Its number is not used again.
    expect(await storage.newestName(`${CAMERA}/main`)).toBe('000000000000.mp4');
  });

  it('uses a name again that was deleted, and leaves no mark of a clip that was', async () => {
    const { folder, objects, storage } = setup();
    await write(storage, NAME, Buffer.alloc(10, 1));
    await storage.settled();
    await expect(storage.create(NAME, 10)).rejects.toMatchObject({ code: 'RECORDING_EXISTS' });
    await storage.delete(NAME);
    await write(storage, NAME, Buffer.alloc(10, 2));
    await storage.settled();
    expect(await read(storage, NAME)).toEqual(Buffer.alloc(10, 2));
    const clip = `clips/${newRuuid()}/${CAMERA}.mp4`;
    await write(storage, clip, Buffer.alloc(10, 3));
    await storage.settled();
    expect(existsSync(join(folder, 'marks', clip))).toBe(true);
    await storage.delete(clip);
    expect([existsSync(join(folder, 'marks', clip)), objects.objects.has(clip)]).toEqual([false, false]);
  });

  it('uploads its own files alone after a restart: another thread uploads the others', async () => {
    const { folder, objects, storage } = setup();
    const clip = `clips/${newRuuid()}/${CAMERA}.mp4`;
    objects.isAway = true;
    await write(storage, NAME, Buffer.alloc(10, 1));
    await write(storage, clip, Buffer.alloc(10, 2));
    await storage.settled();
    await storage.close();
    objects.isAway = false;
    const isClip = (name: string) => name.startsWith('clips/');
    const ofClips = setup({ folder, objects }).storage;
    await ofClips.start(isClip);
    await ofClips.settled();
    expect([...objects.objects.keys()]).toEqual([clip]);
    expect(await read(ofClips, clip)).toEqual(Buffer.alloc(10, 2));
    const ofRecorder = setup({ folder, objects }).storage;
    await ofRecorder.start((name) => !isClip(name));
    await ofRecorder.settled();
    expect([...objects.objects.keys()].toSorted()).toEqual([NAME, clip].toSorted());
    expect(objects.puts).toBe(2);
  });

  it('goes on after the numbers in S3 if the spool is new', async () => {
    const { objects, storage } = setup();
    await write(storage, nameOf(41), Buffer.alloc(10));
    await storage.settled();
    const elsewhere = setup({ objects });
    objects.isAway = true;
    const folder = `${CAMERA}/main`;
    await expect(elsewhere.storage.newestName(folder)).rejects.toMatchObject({
      code: 'RECORDING_S3_UNAVAILABLE',
    });
    objects.isAway = false;
    // Not requested again immediately.
    await expect(elsewhere.storage.newestName(folder)).rejects.toMatchObject({
      code: 'RECORDING_S3_UNAVAILABLE',
    });
    elsewhere.clock.advance(10_000);
    expect(await elsewhere.storage.newestName(folder)).toBe('000000000041.mp4');
  });

  it('finds and deletes files from before S3 was used', async () => {
    const folder = testFolder();
    await write(new FileStorage(folder, new FakeDisk()), NAME, Buffer.alloc(5, 5));
    const { objects, storage } = setup({ folder });
    await storage.start();
    await storage.settled();
    expect(objects.puts).toBe(0);
    expect(await storage.list('')).toEqual([CAMERA]);
    expect(await storage.list(`${CAMERA}/main`)).toEqual(['000000000000.mp4']);
    expect(await read(storage, NAME)).toEqual(Buffer.alloc(5, 5));
    expect(await storage.delete(NAME)).toBe(true);
    expect(await storage.list(`${CAMERA}/main`)).toEqual([]);
  });
});

describe('a file that S3 refuses', () => {
  it('keeps no other file from being uploaded, and is uploaded when S3 takes it', async () => {
    const { objects, clock, failures, refused, storage } = setup();
    objects.isDenied = (name) => name === nameOf(0);
    for (let i = 0; i < 6; i++) {
      await write(storage, nameOf(i), Buffer.alloc(1_000, i));
      await storage.settled();
      clock.advance(60_000);
      await storage.settled();
    }
    expect([...objects.objects.keys()]).toEqual([1, 2, 3, 4, 5].map(nameOf));
    expect(refused).toEqual([`${nameOf(0)} AccessDenied`]);
    // While it was the only one, S3 seemed to be down.
    expect(failures).toEqual(['RECORDING_S3_REFUSED', null]);
    expect(await read(storage, nameOf(0))).toEqual(Buffer.alloc(1_000, 0));
    objects.isDenied = () => false;
    clock.advance(900_000);
    await storage.settled();
    expect(objects.objects.get(nameOf(0))).toEqual(Buffer.alloc(1_000, 0));
    expect(storage.spooledBytes).toBe(0);
  });

  it('is tried ever less often', async () => {
    const { objects, clock, storage } = setup();
    objects.isDenied = (name) => name === nameOf(0);
    for (const number of [0, 1]) await write(storage, nameOf(number), Buffer.alloc(10));
    await storage.settled();
    clock.advance(2_000);
    await storage.settled();
    objects.tries.length = 0;
    for (let sec = 0; sec < 3_600; sec++) {
      clock.advance(1_000);
      await storage.settled();
    }
    expect(objects.tries.every((name) => name === nameOf(0))).toBe(true);
    expect(objects.tries.length).toBeLessThan(15);
    expect(objects.tries.length).toBeGreaterThan(8);
  });

  it('cannot be read in the spool: the other files are uploaded, also after a restart', async () => {
    const { folder, objects, disk, storage } = setup();
    objects.isAway = true;
    for (let i = 0; i < 3; i++) await write(storage, nameOf(i), Buffer.alloc(1_000, i));
    await storage.settled();
    await storage.close();
    disk.isBad = (path) => path === join(folder, 'spool', nameOf(0));
    objects.isAway = false;
    const refused: string[] = [];
    const clock = new FakeClock();
    const later = s3Storage(objects, folder, { clock, disk, onRefused: (name) => void refused.push(name) });
    await later.start();
    await later.settled();
    expect([...objects.objects.keys()]).toEqual([1, 2].map(nameOf));
    expect(new Set(refused)).toEqual(new Set([nameOf(0)]));
    disk.isBad = () => false;
    clock.advance(60_000);
    await later.settled();
    expect(objects.objects.get(nameOf(0))).toEqual(Buffer.alloc(1_000, 0));
  });

  it('takes at most a quarter of the spool, and then ends recording of its own stream only', async () => {
    const { objects, clock, storage } = setup({ maxSpoolBytes: 40_000 });
    const other = newRuuid();
    objects.isDenied = (name) => name.startsWith(CAMERA);
    const outcomes: string[] = [];
    for (let i = 0; i < 12; i++) {
      for (const camera of [CAMERA, other]) {
        const name = `${camera}/main/${String(i).padStart(12, '0')}.mp4`;
        await write(storage, name, Buffer.alloc(2_000)).catch((thrown) =>
          outcomes.push(`${thrown.code} ${camera}`),
        );
        await storage.settled();
      }
      clock.advance(60_000);
      await storage.settled();
    }
    expect([...objects.objects.keys()].filter((name) => name.startsWith(other))).toHaveLength(12);
    expect(new Set(outcomes)).toEqual(new Set([`RECORDING_DISK_FULL ${CAMERA}`]));
    // The last one was begun before the file before it was refused.
    expect(storage.spooledBytes).toBeLessThanOrEqual(12_000);
  });
});

describe('uploads at the same time', () => {
  /** An S3 that takes its time with each object. */
  class SlowObjects extends FakeObjects {
    /** By name: ends the upload. */
    readonly waiting = new Map<string, () => void>();

    override async put(name: string, object: Parameters<FakeObjects['put']>[1]): Promise<void> {
      await new Promise<void>((resolve) => this.waiting.set(name, resolve));
      await super.put(name, object);
    }

    /** Takes the object, and resolves when what follows from that has begun. */
    async take(name: string): Promise<void> {
      this.waiting.get(name)?.();
      this.waiting.delete(name);
      await begun();
    }
  }

  /** Uploads read the spool before they begin: nothing here waits for anything else. */
  async function begun(): Promise<void> {
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  it('are several, and those of another organization begin whatever the backlog of one is', async () => {
    const objects = new SlowObjects();
    const other = newRuuid();
    const storage = s3Storage(objects, testFolder(), {
      clock: new FakeClock(),
      organizationOf: (camera) => (camera === other ? 'other' : 'one'),
    });
    for (let i = 0; i < 30; i++) await write(storage, nameOf(i), Buffer.alloc(100, i));
    await begun();
    expect([...objects.waiting.keys()]).toEqual([0, 1, 2].map(nameOf));
    await objects.take(nameOf(0));
    expect([...objects.waiting.keys()]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map(nameOf));
    const ofOther = `${other}/main/000000000000.mp4`;
    await write(storage, ofOther, Buffer.alloc(100));
    await begun();
    expect(objects.waiting.has(ofOther)).toBe(true);
    // One that does not end holds up none of the others.
    for (let i = 2; i < 30; i++) await objects.take(nameOf(i));
    await objects.take(ofOther);
    expect([objects.puts, storage.spooledBytes]).toEqual([30, 100]);
    await objects.take(nameOf(1));
    await storage.settled();
    expect(storage.spooledBytes).toBe(0);
    for (let i = 0; i < 30; i++) expect(await read(storage, nameOf(i))).toEqual(Buffer.alloc(100, i));
  });

  it('read a file once, and once more for its checksum if S3 did not take it', async () => {
    const { folder, objects, disk, clock, storage } = setup();
    let reads = 0;
    const readFile = disk.read.bind(disk);
    disk.read = (...args) => {
      reads++;
      return readFile(...args);
    };
    await write(storage, nameOf(0), Buffer.alloc(100));
    await storage.settled();
    expect(reads).toBe(1);
    objects.isTorn = true;
    await write(storage, nameOf(1), Buffer.alloc(100, 1));
    await storage.settled();
    objects.isTorn = false;
    clock.advance(60_000);
    await storage.settled();
    expect(reads).toBe(4);
    expect(objects.objects.get(nameOf(1))).toEqual(Buffer.alloc(100, 1));
    expect(existsSync(join(folder, 'spool', nameOf(1)))).toBe(false);
  });

  it('of a deleted file leave nothing, and the others continue', async () => {
    const objects = new SlowObjects();
    const storage = s3Storage(objects, testFolder(), { clock: new FakeClock() });
    for (let i = 0; i < 4; i++) await write(storage, nameOf(i), Buffer.alloc(100, i));
    await begun();
    const deleting = storage.delete(nameOf(1));
    await objects.take(nameOf(1));
    expect(await deleting).toBe(true);
    for (const i of [0, 2, 3]) await objects.take(nameOf(i));
    await storage.settled();
    expect([...objects.objects.keys()].toSorted()).toEqual([0, 2, 3].map(nameOf));
    expect(storage.spooledBytes).toBe(0);
  });
});

describe('recording to S3', () => {
  it('goes on while S3 is away, and a gateway that starts meanwhile takes over what was left', async () => {
    const folder = testFolder();
    const objects = new FakeObjects();
    const before = await recorderBench({
      fileBytes: 80_000,
      storage: (clock) => s3Storage(objects, folder, { clock }),
    });
    before.recorder.start();
    const camera = new RecordedCamera(before);
    before.recorder.turn(camera.stream, true);
    await camera.seconds(20, before);
    await before.settle();
    objects.isAway = true;
    await camera.seconds(20, before);
    await before.settle();
    expect(before.recorder.samples()).toMatchObject([{ state: 'recording' }]);
    camera.packager.close();
    // It is killed with a file open; the next one starts while S3 is unavailable.
    let storage: ReturnType<typeof s3Storage> | null = null;
    const bench = await recorderBench({
      fileBytes: 80_000,
      storage: (clock) => (storage = s3Storage(objects, folder, { clock })),
    });
    await storage!.start();
    bench.recorder.start();
    const again = new RecordedCamera(bench, camera.stream);
    bench.recorder.turn(again.stream, true);
    await again.seconds(10, bench);
    await bench.settle();
    expect(bench.recorder.samples()).toMatchObject([{ state: 'recording' }]);
    objects.isAway = false;
    bench.clock.advance(120_000);
    await storage!.settled();
    await bench.settle();
    bench.recorder.turn(again.stream, false);
    await bench.settle();
    await storage!.settled();
    expect(storage!.spooledBytes).toBe(0);
    const recorded = await recordedSegments(bench, camera.stream);
    const seconds = recorded.map(({ epochMs }) => Math.round((epochMs - BASE_MS) / 1_000));
    // Both gateways' clocks begin at the same time.
    for (let sec = 0; sec < 40; sec++) expect(seconds).toContain(sec);
    expect(seconds.length).toBeGreaterThanOrEqual(50);
    for (const { name, offset, byteLength } of recorded) {
      expect(objects.objects.get(name)!.length).toBeGreaterThanOrEqual(offset + byteLength);
    }
    again.packager.close();
  });

  it('stops at the bound of the spool without harming what is recorded, and goes on later', async () => {
    const folder = testFolder();
    const objects = new FakeObjects();
    let storage: ReturnType<typeof s3Storage> | null = null;
    const bench = await recorderBench({
      fileBytes: 80_000,
      storage: (clock) => (storage = s3Storage(objects, folder, { clock, maxSpoolBytes: 300_000 })),
    });
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    bench.recorder.turn(camera.stream, true);
    await camera.seconds(1, bench);
    objects.isAway = true;
    await camera.seconds(60, bench);
    await bench.settle();
    expect(bench.recorder.samples()).toMatchObject([{ state: 'failed', code: 'RECORDING_DISK_FULL' }]);
    expect(bench.keeper.deletedFiles).toBe(0);
    expect(storage!.spooledBytes).toBeLessThanOrEqual(300_000);
    const before = await recordedSegments(bench, camera.stream);
    objects.isAway = false;
    for (let sec = 0; sec < 150; sec++) {
      await camera.seconds(1, bench);
      await storage!.settled();
    }
    await bench.settle();
    expect(bench.recorder.samples()).toMatchObject([{ state: 'recording' }]);
    const after = await recordedSegments(bench, camera.stream);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.length).toBeGreaterThan(before.length + 40);
    camera.packager.close();
  });
});
