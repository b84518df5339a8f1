/** One small disk for recordings, an upload and a splice, all under way when it becomes full. */

import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { clipFile } from '../../../test/support/clip-files.ts';
import { ClipLibrary } from '../../clips/clip-library.ts';
import { Clips } from '../../clips/clips.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { PolicyAlerts } from '../../events/policy-alerts.ts';
import { SavedClips } from '../../events/saved-clips.ts';
import { FakeMovieThread } from '../../playback/fake-movie-thread.ts';
import { MovieMaker } from '../../playback/movie-maker.ts';
import { wholePast } from '../../playback/whole-past.ts';
import { FakeObjects } from '../../recording/fake-objects.ts';
import { FakeSmallDisk } from '../../recording/fake-small-disk.ts';
import type { MediaStorage } from '../../recording/media-storage.ts';
import { RecordedCamera, recordedSegments } from '../../recording/recorder-fixture.ts';
import type { RecordedStream } from '../../recording/segment-index.ts';
import { sampleCamera, sampleOrganization } from '../../store/sample-entities-fixture.ts';
import {
  inPieces,
  NOW_MS,
  openUploadFixture,
  type UploadFixture,
  type UploadStorage,
} from '../../uploads/upload-fixture.ts';

const DISK_BYTES = 4_000_000;
const FILE_BYTES = 80_000;
const MIN_FREE_BYTES = 300_000;
const READER = newRuuid();
const FILE = clipFile({ seconds: 4 });
const HALF = FILE.length >> 1;
const PIECE_BYTES = 20_000;

const ignore = () => undefined;

/** A gateway's rooms over one disk. `onCopy`: a copy has begun to write. */
async function openRooms(onCopy: () => void, s3: Pick<UploadStorage, 'objects' | 'maxSpoolBytes'> = {}) {
  let disk!: FakeSmallDisk;
  const uploads = await openUploadFixture(
    {},
    {
      disk: (folder) => (disk = new FakeSmallDisk(folder, DISK_BYTES)),
      fileBytes: FILE_BYTES,
      minFreeBytes: MIN_FREE_BYTES,
      ...s3,
    },
  );
  const { store, clock, storage, catalog, uploader, cameraUuid } = uploads;
  const { orgUuid } = uploader;
  await store.organizations.save(sampleOrganization({ uuid: orgUuid }));
  await store.cameras.save({ ...sampleCamera(orgUuid), uuid: cameraUuid, locationUuid: null });
  const movieThread = new FakeMovieThread(telling(storage, onCopy), MIN_FREE_BYTES / 2);
  const maker = new MovieMaker({ launch: movieThread.launch, clock, log: silentLog });
  const clips = new Clips({
    store,
    media: Object.assign(wholePast(catalog, clock), { read: () => Promise.reject(new Error('not read')) }),
    maker,
    clock,
    log: silentLog,
    limits: { keepMs: 86_400_000, maxBytes: null },
    takeImage: () => Promise.reject(new Error('no decoder')),
  });
  onTestFinished(async () => {
    await clips.close();
    maker.close();
    await store.close();
  });
  const savedClips = new SavedClips({ store, alerts: new PolicyAlerts(store), clock });
  return {
    ...uploads,
    disk,
    clips,
    movieThread,
    savedClips,
    library: new ClipLibrary(store.resources),
    orgUuid,
  };
}

function telling(storage: MediaStorage, onCreated: () => void): MediaStorage {
  return {
    create: async (name, expectedBytes) => {
      const appender = await storage.create(name, expectedBytes);
      onCreated();
      return appender;
    },
    reopen: (name, byteLength) => storage.reopen(name, byteLength),
    open: (name) => storage.open(name),
    list: (folder) => storage.list(folder),
    newestName: (folder) => storage.newestName(folder),
    delete: (name) => storage.delete(name),
    freeBytes: () => storage.freeBytes(),
  };
}

/** Collects a camera's complete segments as viewers get them, and when each begins. */
class LiveViewer {
  /** By number. */
  readonly segments = new Map<number, { readonly bytes: Buffer; readonly epochMs: number }>();
  readonly #camera: RecordedCamera;

  constructor(camera: RecordedCamera) {
    this.#camera = camera;
  }

  look(): void {
    for (const segment of this.#camera.packager.published.window.listedSegments()) {
      if (!segment.isComplete || this.segments.has(segment.msn)) continue;
      const bytes = Buffer.from(segment.lendWhole().bytes);
      this.segments.set(segment.msn, { bytes, epochMs: segment.epochMs });
    }
  }
}

async function settle({ thread, keeper, catalog }: Pick<UploadFixture, 'thread' | 'keeper' | 'catalog'>) {
  for (let i = 0; i < 8; i++) {
    await thread.work();
    await keeper.settled();
    await catalog.settled();
  }
}

/** The camera sends so many seconds, and all rooms have their turn after each. */
function playing(rooms: UploadFixture, camera: RecordedCamera, live: LiveViewer) {
  return async (seconds: number): Promise<void> => {
    for (let sec = 0; sec < seconds; sec++) {
      await camera.seconds(1, rooms);
      live.look();
      await settle(rooms);
    }
  };
}

async function bytesOf({ storage }: UploadFixture, name: string): Promise<Buffer> {
  const reader = await storage.open(name);
  const bytes = await reader.read(0, reader.byteLength);
  await reader.close();
  return bytes;
}

/**
 * Live lost nothing, and listed segments equal those of viewers. Returns how many of the viewers' segments are not listed.
 */
async function expectAsLive(
  rooms: UploadFixture,
  stream: RecordedStream,
  { segments }: LiveViewer,
): Promise<number> {
  const numbers = [...segments.keys()];
  expect(numbers).toEqual(numbers.map((_, index) => index));
  const ofLive = new Map(Array.from(segments.values(), (each) => [each.epochMs, each.bytes]));
  for (const { name, offset, byteLength, epochMs } of await recordedSegments(rooms, stream)) {
    const reader = await rooms.storage.open(name);
    const written = await reader.read(offset, byteLength);
    await reader.close();
    // The last one before the disk was full ends earlier, by whole parts.
    expect(written.equals(ofLive.get(epochMs)!.subarray(0, byteLength))).toBe(true);
    ofLive.delete(epochMs);
  }
  return ofLive.size;
}

describe('a disk that becomes full while a camera is recorded, a clip is sent and another one is copied', () => {
  it('costs recordings, oldest first, and nothing that was acknowledged; all go on', async () => {
    let isFilling = false;
    const rooms = await openRooms(() => {
      if (isFilling) disk.fill();
      isFilling = false;
    });
    const { disk, clock, service, uploader, recorder, clips, cameraUuid, orgUuid, storage } = rooms;
    const stream: RecordedStream = { cameraUuid, rendition: 'main' };
    recorder.start();
    const camera = new RecordedCamera(rooms, stream);
    const live = new LiveViewer(camera);
    const play = playing(rooms, camera, live);
    const status = async (clip: Ruuid) => (await rooms.savedClips.find(orgUuid, clip, null)).body.status;
    const stateOf = () => recorder.samples().find(({ stream: { rendition } }) => rendition === 'main');
    recorder.turn(stream, true);
    await play(60);
    const acknowledged = await rooms.handOver(FILE, { clipId: 'whole', startMs: NOW_MS + 50_000 });
    const claims = rooms.claims(FILE.length, { clipId: 'half', startMs: NOW_MS + 40_000 });
    const { upload } = await service.announce(uploader, claims);
    await service.receive(uploader, upload.uuid, 0, inPieces(FILE.subarray(0, HALF), PIECE_BYTES), ignore);
    const before = await recordedSegments(rooms, stream);
    expect(before).toHaveLength(60);

    // The copy has begun to write when the disk becomes full.
    isFilling = true;
    const splice = { devices: [cameraUuid], startMs: NOW_MS + 45_000, durationSec: 6, hasAudio: true };
    const clip = await clips.splice(orgUuid, splice);
    await expect.poll(() => rooms.movieThread.failures).toBe(1);
    expect(disk.freeBytes()).toBeLessThan(1_000);
    const rest = () => inPieces(FILE.subarray(HALF), PIECE_BYTES);
    await expect(service.receive(uploader, upload.uuid, HALF, rest(), ignore)).rejects.toMatchObject({
      code: 'UPLOAD_NO_ROOM',
    });
    const { offset } = await service.status(uploader, upload.uuid);
    expect(offset).toBeGreaterThanOrEqual(HALF);
    expect(offset).toBeLessThan(FILE.length);
    await expect(
      service.announce(uploader, rooms.claims(FILE.length, { clipId: 'new' })),
    ).rejects.toMatchObject({ code: 'UPLOAD_NO_ROOM' });
    // Nothing of the clip is listed or served, and nothing of it is on the disk.
    expect(await status(clip)).toBe('INITIATING');
    expect(await clips.files(orgUuid, clip)).toEqual([]);
    expect(await rooms.library.find(orgUuid, clip, cameraUuid, READER)).toBeNull();
    expect(await storage.list(`clips/${clip}`)).toEqual([]);

    await play(2);
    expect(stateOf()).toMatchObject({ state: 'failed', code: 'RECORDING_DISK_FULL' });
    await play(10);
    // The oldest recordings made room.
    expect(stateOf()).toMatchObject({ state: 'recording' });
    expect(rooms.keeper.deletedFiles).toBeGreaterThan(0);
    const left = await recordedSegments(rooms, stream);
    const gone = before.filter(({ epochMs }) => epochMs < left[0]!.epochMs);
    expect(gone.length).toBeGreaterThan(0);
    expect(left.slice(0, before.length - gone.length)).toEqual(before.slice(gone.length));

    disk.free();
    clock.advance(65_000);
    await expect.poll(() => status(clip)).toBe('COMPLETE');
    const tail = inPieces(FILE.subarray(offset), PIECE_BYTES);
    await service.receive(uploader, upload.uuid, offset, tail, ignore);
    expect((await service.finish(uploader, upload.uuid)).state).toBe('done');
    await play(5);
    const deliverable = await rooms.library.find(orgUuid, clip, cameraUuid, READER);
    const bytes = await bytesOf(rooms, deliverable!.file.name);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(deliverable!.file.sha256Hex);

    expect(camera.packager.stats()).toMatchObject({ droppedFrames: 0 });
    await expectAsLive(rooms, stream, live);
    // Both clips are in the recordings, whole.
    expect((await service.status(uploader, acknowledged)).upload.state).toBe('done');
    expect(await rooms.recordings()).toHaveLength(2);
    expect(rooms.files()).toEqual([]);
    camera.packager.close();
  });
});

describe('S3 that is away for minutes, with a spool that is full', () => {
  it('costs what the spool cannot hold, which shows, and nothing that was acknowledged', async () => {
    const objects = new FakeObjects();
    const maxSpoolBytes = 5 * FILE_BYTES + FILE.length + 1_048_576;
    const rooms = await openRooms(ignore, { objects, maxSpoolBytes });
    const { s3, clock, recorder, service, uploader, clips, orgUuid, cameraUuid, keeper } = rooms;
    const stream: RecordedStream = { cameraUuid, rendition: 'main' };
    recorder.start();
    const camera = new RecordedCamera(rooms, stream);
    const live = new LiveViewer(camera);
    const play = playing(rooms, camera, live);
    const sample = () => recorder.samples().find(({ stream: { rendition } }) => rendition === 'main')!;
    const minutesLater = async (): Promise<void> => {
      for (let minute = 0; minute < 3; minute++) {
        clock.advance(60_000);
        await settle(rooms);
        await s3!.settled();
      }
    };
    recorder.turn(stream, true);
    await rooms.handOver(FILE, { clipId: 'first', startMs: NOW_MS - 90_000 });
    await play(20);
    await s3!.settled();
    objects.isAway = true;
    // Taken while there was room in the spool, and acknowledged.
    await rooms.handOver(FILE, { clipId: 'taken', startMs: NOW_MS - 60_000 });
    let mostSpooledBytes = 0;
    let mostWaitingBytes = 0;
    for (let sec = 0; sec < 240; sec++) {
      await play(1);
      mostSpooledBytes = Math.max(mostSpooledBytes, s3!.spooledBytes);
      mostWaitingBytes = Math.max(mostWaitingBytes, recorder.waitingBytes);
    }
    // The bounds, and the reported state.
    expect(mostSpooledBytes).toBeLessThanOrEqual(maxSpoolBytes);
    expect(mostSpooledBytes).toBeGreaterThan(maxSpoolBytes - 2 * FILE_BYTES);
    expect(mostWaitingBytes).toBeLessThan(100_000);
    expect(sample()).toMatchObject({ state: 'failed', code: 'RECORDING_DISK_FULL' });
    const { droppedSegments } = sample();
    expect(droppedSegments).toBeGreaterThan(60);
    const spooled = await recordedSegments(rooms, stream);
    expect(keeper.deletedFiles).toBe(0);
    // A clip that is sent now is stored, and not reported as done; an ordered clip reports what it waits for.
    const claims = rooms.claims(FILE.length, { clipId: 'later', startMs: NOW_MS - 30_000 });
    const { upload } = await service.announce(uploader, claims);
    await service.receive(uploader, upload.uuid, 0, inPieces(FILE, PIECE_BYTES), ignore);
    await expect(service.finish(uploader, upload.uuid)).rejects.toMatchObject({
      code: 'RECORDING_DISK_FULL',
    });
    const splice = { devices: [cameraUuid], startMs: NOW_MS + 25_000, durationSec: 6, hasAudio: true };
    const clip = await clips.splice(orgUuid, splice);
    await expect.poll(() => rooms.movieThread.failures).toBe(1);
    expect(await clips.files(orgUuid, clip)).toEqual([]);
    expect(await rooms.library.find(orgUuid, clip, cameraUuid, READER)).toBeNull();
    expect(await recordedSegments(rooms, stream)).toEqual(spooled);

    objects.isAway = false;
    await minutesLater();
    expect(sample()).toMatchObject({ state: 'failed' });
    await play(10);
    expect(sample()).toMatchObject({ state: 'recording', code: null });
    recorder.turn(stream, false);
    await settle(rooms);
    const clipStatus = async () => (await rooms.savedClips.find(orgUuid, clip, null)).body.status;
    await expect.poll(clipStatus).toBe('COMPLETE');
    await s3!.settled();
    // All of it is in the bucket, and reads back from there.
    expect(s3!.spooledBytes).toBe(0);
    const after = await recordedSegments(rooms, stream);
    expect(after.slice(0, spooled.length)).toEqual(spooled);
    const missing = await expectAsLive(rooms, stream, live);
    expect(missing).toBe(sample().droppedSegments);
    const [next] = after.slice(spooled.length);
    expect(next).toMatchObject({ isDiscontinuity: true });
    expect(next!.epochMs - spooled.at(-1)!.epochMs).toBeGreaterThan(droppedSegments * 1_000);
    expect((await service.finish(uploader, upload.uuid)).state).toBe('done');
    expect(await rooms.recordings()).toHaveLength(3);
    expect(rooms.files()).toEqual([]);
    for (const name of objects.objects.keys())
      expect(await bytesOf(rooms, name)).toEqual(objects.objects.get(name));
    camera.packager.close();
  });
});
