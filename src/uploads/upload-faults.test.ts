/** Uploads while something else goes wrong: S3 is unavailable, the disk is full, the clock is set, the access ends, many idle. */

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eventuallyEqual } from '../core/eventually-equal-fixture.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { FakeDisk } from '../recording/fake-disk.ts';
import { FakeObjects } from '../recording/fake-objects.ts';
import { RecordingKeys } from '../recording/recording-cipher.ts';
import { testFolder } from '../recording/recording-fixture.ts';
import { recordingName } from '../recording/segment-index.ts';
import type { UploadRepository } from '../store/upload.ts';
import { keptClipFile } from './clip-file-fixture.ts';
import { IMPORT_RECHECK_MS } from './import-access.ts';
import { SpoolSide } from './spool-side.ts';
import type { Uploader } from './upload-access.ts';
import { inPieces, KEEP_MS, NOW_MS, openUploadFixture, type UploadFixture } from './upload-fixture.ts';

/** Announced and not finished, of one key. */
const MAX_OF_KEY = LIMITS.announcedUploads.levels.credential.max;
const FILE = keptClipFile();
const SHA256 = createHash('sha256').update(FILE).digest('hex');
const PIECE_BYTES = 20_000;
const HOUR_MS = 3_600_000;
const ignore = () => undefined;

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'ok';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

/** All bytes of a clip are on the disk, and it is not imported yet. */
async function received(fixture: UploadFixture, more = {}) {
  const { service, uploader } = fixture;
  const { upload } = await service.announce(uploader, fixture.claims(FILE.length, more));
  await service.receive(uploader, upload.uuid, 0, inPieces(FILE, PIECE_BYTES), ignore);
  return upload.uuid;
}

/** Time for everything that asks the store now to have its answer. */
async function turns(uploads: UploadRepository): Promise<void> {
  for (let i = 0; i < 5; i++) await uploads.unfinished();
}

async function recordedBytes({ catalog, storage, cameraUuid }: UploadFixture): Promise<Buffer> {
  const stream = { cameraUuid, rendition: 'uploaded' } as const;
  const read: Buffer[] = [];
  for (const { number, segments } of await catalog.segments(stream, 0, Number.MAX_SAFE_INTEGER)) {
    const reader = await storage.open(recordingName(stream, number));
    for (const { offset, byteLength } of segments) read.push(await reader.read(offset, byteLength));
    await reader.close();
  }
  return Buffer.concat(read);
}

describe('a clip that is handed over', () => {
  it('reads back the same from S3 and encrypted', async () => {
    const plain = await openUploadFixture();
    await plain.handOver(FILE);
    const expected = await recordedBytes(plain);
    expect(expected.length).toBeGreaterThan(10_000);
    const objects = new FakeObjects();
    const keys = new RecordingKeys(Buffer.alloc(32, 3));
    const fixture = await openUploadFixture({}, { objects, keys });
    await fixture.handOver(FILE);
    await fixture.s3!.settled();
    const [object] = objects.objects.values();
    expect(objects.objects.size).toBe(1);
    expect((await recordedBytes(fixture)).equals(expected)).toBe(true);
    // The media are not in the bucket in the clear.
    expect(object!.includes(expected.subarray(expected.length - 1_000))).toBe(false);
  });

  it('is imported and read while S3 is away, also after a kill in the middle, and uploaded later', async () => {
    const objects = new FakeObjects();
    const fixture = await openUploadFixture({}, { objects });
    await fixture.handOver(FILE);
    await fixture.s3!.settled();
    objects.isAway = true;
    await fixture.handOver(FILE, { clipId: 'second', startMs: NOW_MS - 2 * HOUR_MS });
    const uuid = await received(fixture, { clipId: 'third', startMs: NOW_MS - 3 * HOUR_MS });
    const next = await fixture.crash();
    await eventuallyEqual(async () => (await next.service.status(next.uploader, uuid)).upload.state, 'done');
    expect(await next.recordings()).toEqual([0, 1, 2]);
    expect(objects.objects.size).toBe(1);
    objects.isAway = false;
    // One that failed while another was on its way is tried alone afterwards.
    for (let turn = 0; turn < 2; turn++) {
      next.clock.advance(60_000);
      await next.s3!.settled();
    }
    expect(objects.objects.size).toBe(3);
    expect(next.s3!.spooledBytes).toBe(0);
  });

  it('asks S3 for the length of a file once, however often it is read', async () => {
    const objects = new FakeObjects();
    const fixture = await openUploadFixture({}, { objects });
    await fixture.handOver(FILE);
    await fixture.s3!.settled();
    const { byteLength } = objects;
    let requested = 0;
    objects.byteLength = (name) => {
      requested++;
      return byteLength.call(objects, name);
    };
    const once = await recordedBytes(fixture);
    expect((await recordedBytes(fixture)).equals(once)).toBe(true);
    expect(requested).toBe(1);
  });

  it('waits while the disk is full, and is imported when there is room', async () => {
    const fixture = await openUploadFixture();
    const uuid = await received(fixture);
    const { service, uploader, disk } = fixture;
    disk.roomBytes = 1_000;
    expect(await codeOf(service.finish(uploader, uuid))).toMatch(/DISK_FULL|RECORDING_IO/);
    expect(await fixture.recordings()).toEqual([]);
    disk.roomBytes = Number.POSITIVE_INFINITY;
    expect((await service.finish(uploader, uuid)).state).toBe('done');
    expect(await fixture.recordings()).toHaveLength(1);
    expect(fixture.files()).toEqual([]);
  });

  it('is tried again by itself, less and less often while it fails', async () => {
    const fixture = await openUploadFixture();
    const uuid = await received(fixture);
    const { service, uploader, disk, clock, store } = fixture;
    disk.roomBytes = 1_000;
    let attempts = 0;
    const { save } = store.uploads;
    // Counts attempts to store the number of the recording that is begun.
    store.uploads.save = (upload) => {
      attempts++;
      return save.call(store.uploads, upload);
    };
    const pass = async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute++) {
        clock.advance(60_000);
        await turns(store.uploads);
      }
    };
    await codeOf(service.finish(uploader, uuid));
    await pass(120);
    // Immediately, after 1, 3, 7 and 15 minutes, and every ten minutes from then on.
    expect(attempts).toBeGreaterThanOrEqual(10);
    expect(attempts).toBeLessThanOrEqual(16);
    disk.roomBytes = Number.POSITIVE_INFINITY;
    await pass(11);
    expect((await service.status(uploader, uuid)).upload.state).toBe('done');
  });
});

describe('a clock that is set back an hour', () => {
  it('refuses no clip that it had accepted, and loses none', async () => {
    const fixture = await openUploadFixture();
    const { service, uploader, clock } = fixture;
    const startMs = NOW_MS - 60_000;
    const half = FILE.length >> 1;
    const { upload } = await service.announce(uploader, fixture.claims(FILE.length, { startMs }));
    await service.receive(uploader, upload.uuid, 0, inPieces(FILE.subarray(0, half), PIECE_BYTES), ignore);
    clock.stepWallClock(-HOUR_MS);
    await service.receive(uploader, upload.uuid, half, inPieces(FILE.subarray(half), PIECE_BYTES), ignore);
    expect((await service.finish(uploader, upload.uuid)).state).toBe('done');
    const next = await fixture.crash();
    expect((await next.service.status(uploader, upload.uuid)).upload.state).toBe('done');
    expect(await next.recordings()).toHaveLength(1);
  });

  it('or far ahead, deletes no unfinished upload and no clip', async () => {
    const fixture = await openUploadFixture({ keepUnfinishedMs: HOUR_MS });
    const { service, uploader, clock, store } = fixture;
    await fixture.handOver(FILE, { clipId: 'whole' });
    const { upload } = await service.announce(uploader, fixture.claims(FILE.length));
    const half = FILE.length >> 1;
    await service.receive(uploader, upload.uuid, 0, inPieces(FILE.subarray(0, half), PIECE_BYTES), ignore);
    clock.stepWallClock(2 * KEEP_MS);
    for (let minute = 0; minute < 3; minute++) {
      clock.advance(60_000);
      await turns(store.uploads);
    }
    clock.stepWallClock(-2 * KEEP_MS);
    await service.receive(uploader, upload.uuid, half, inPieces(FILE.subarray(half), PIECE_BYTES), ignore);
    expect((await service.finish(uploader, upload.uuid)).state).toBe('done');
    expect(await fixture.recordings()).toHaveLength(2);
  });

  it('deletes no unfinished upload early, and none never', async () => {
    const fixture = await openUploadFixture({ keepUnfinishedMs: HOUR_MS });
    const { service, uploader, clock, store } = fixture;
    const { upload } = await service.announce(uploader, fixture.claims(FILE.length));
    await service.receive(uploader, upload.uuid, 0, inPieces(FILE.subarray(0, 100), 100), ignore);
    clock.stepWallClock(-HOUR_MS);
    const later = async () => {
      clock.advance(60_000);
      return store.uploads.find(upload.uuid);
    };
    await eventuallyEqual(later, null);
    const livedMs = clock.epochMs() + HOUR_MS - NOW_MS;
    expect(livedMs).toBeGreaterThanOrEqual(HOUR_MS);
    expect(livedMs).toBeLessThanOrEqual(2 * HOUR_MS + 600_000);
  });
});

describe('access that ends between the last byte and the import', () => {
  it.each([
    ['the key is revoked', (f: UploadFixture) => f.revoke(f.uploader), 'UPLOAD_CREDENTIAL_ENDED'],
    ['the camera is removed', (f: UploadFixture) => f.removeCamera(f.cameraUuid), 'UPLOAD_CAMERA_UNKNOWN'],
  ] as const)('imports nothing and leaves nothing: %s', async (_name, end, code) => {
    const fixture = await openUploadFixture();
    const uuid = await received(fixture);
    end(fixture);
    expect(await codeOf(fixture.service.finish(fixture.uploader, uuid))).toBe(code);
    // At the next start, no request asks for it.
    const next = await fixture.crash();
    await eventuallyEqual(() => next.store.uploads.find(uuid), null);
    await eventuallyEqual(() => next.files(), []);
    expect([await next.recordings(), next.imported, next.service.unfinished]).toEqual([[], [], 0]);
    expect(next.service.counts.failures()).toEqual([{ reason: code, count: 1 }]);
  });
});

describe('access that ends during the import', () => {
  const ENDS = [
    ['the key is revoked', (f: UploadFixture) => f.revoke(f.uploader), 'UPLOAD_CREDENTIAL_ENDED'],
    ['the camera is removed', (f: UploadFixture) => f.removeCamera(f.cameraUuid), 'UPLOAD_CAMERA_UNKNOWN'],
  ] as const;

  async function expectNothingLeft(fixture: UploadFixture, uuid: Ruuid): Promise<void> {
    const { store, storage, cameraUuid, service } = fixture;
    await eventuallyEqual(() => store.uploads.find(uuid), null);
    await eventuallyEqual(() => fixture.files(), []);
    expect([await fixture.recordings(), fixture.imported, service.unfinished]).toEqual([[], [], 0]);
    expect(await storage.list(`${cameraUuid}/uploaded`)).toEqual([]);
  }

  it.each(ENDS)('ends it between two segments, and leaves nothing: %s', async (_name, end, code) => {
    const fixture = await openUploadFixture();
    const { service, uploader, clock, storage, cameraUuid } = fixture;
    const uuid = await received(fixture);
    const writing = () => storage.list(`${cameraUuid}/uploaded`);
    let release = fixture.hold('segment');
    const finishing = codeOf(service.finish(uploader, uuid));
    // The first segment is written, and the second one is waited for.
    await eventuallyEqual(() => fixture.waiting('segment'), 1);
    const first = release;
    release = fixture.hold('segment');
    first();
    await eventuallyEqual(async () => (await writing()).length + fixture.waiting('segment'), 2);
    end(fixture);
    clock.advance(IMPORT_RECHECK_MS);
    await turns(fixture.store.uploads);
    release();
    expect(await finishing).toBe(code);
    await expectNothingLeft(fixture, uuid);
    expect(service.counts.failures()).toEqual([{ reason: code, count: 1 }]);
  });

  it.each(ENDS)('is asked for once more when all is written: %s', async (_name, end, code) => {
    const fixture = await openUploadFixture();
    const { service, uploader } = fixture;
    const uuid = await received(fixture);
    const release = fixture.hold('segment');
    const finishing = codeOf(service.finish(uploader, uuid));
    await eventuallyEqual(() => fixture.waiting('segment'), 1);
    end(fixture);
    // No second passes, and nothing says that something changed.
    release();
    expect(await finishing).toBe(code);
    await expectNothingLeft(fixture, uuid);
  });

  it('ends it at once when it is told, while the file is being read', async () => {
    const fixture = await openUploadFixture();
    const { service, uploader, store } = fixture;
    const uuid = await received(fixture, { sha256: SHA256 });
    const release = fixture.hold('hash');
    const finishing = codeOf(service.finish(uploader, uuid));
    await eventuallyEqual(() => fixture.waiting('hash'), 1);
    fixture.revoke(uploader);
    service.recheck();
    await turns(store.uploads);
    release();
    expect(await finishing).toBe('UPLOAD_CREDENTIAL_ENDED');
    await expectNothingLeft(fixture, uuid);
  });

  it('leaves it alone when only the store does not answer', async () => {
    const fixture = await openUploadFixture();
    const { service, uploader, clock } = fixture;
    const uuid = await received(fixture);
    const release = fixture.hold('segment');
    const finishing = service.finish(uploader, uuid);
    await eventuallyEqual(() => fixture.waiting('segment'), 1);
    fixture.failRights(1);
    clock.advance(IMPORT_RECHECK_MS);
    await turns(fixture.store.uploads);
    release();
    expect((await finishing).state).toBe('done');
    expect(await fixture.recordings()).toHaveLength(1);
  });
});

describe('many', () => {
  it('requests for one clip at the same time hand it over once', async () => {
    const fixture = await openUploadFixture({ atOncePerKey: 8, atOnce: 8 });
    const { service, uploader } = fixture;
    const announced = await Promise.all(
      Array.from({ length: 4 }, () => codeOf(service.announce(uploader, fixture.claims(FILE.length)))),
    );
    expect(announced).toEqual(['ok', 'ok', 'ok', 'ok']);
    const { upload } = await service.announce(uploader, fixture.claims(FILE.length));
    const sent = await Promise.all(
      Array.from({ length: 4 }, () =>
        codeOf(service.receive(uploader, upload.uuid, 0, inPieces(FILE, PIECE_BYTES), ignore)),
      ),
    );
    expect(sent.toSorted()).toEqual(['UPLOAD_OFFSET', 'UPLOAD_OFFSET', 'UPLOAD_OFFSET', 'ok']);
    await Promise.all(Array.from({ length: 4 }, () => service.finish(uploader, upload.uuid)));
    expect(await fixture.recordings()).toHaveLength(1);
    expect([fixture.imported.length, service.counts.imported]).toEqual([1, 1]);
    expect(service.counts.receivedBytes).toBe(FILE.length);
  });

  it('announcements of one clip at the same time begin it once', async () => {
    const fixture = await openUploadFixture();
    const { service, uploader, store } = fixture;
    const release = fixture.hold('freeBytes');
    const held = service.announce(uploader, fixture.claims(FILE.length));
    await turns(store.uploads);
    // Another one, which would be done sooner, and would have bytes when the first one begins the file.
    fixture.hold('read');
    const second = service.announce(uploader, fixture.claims(FILE.length)).then(async ({ upload }) => {
      const some = inPieces(FILE.subarray(0, 1_000), 1_000);
      await service.receive(uploader, upload.uuid, 0, some, ignore);
      return upload.uuid;
    });
    await turns(store.uploads);
    release();
    await held;
    expect((await service.status(uploader, await second)).offset).toBe(1_000);
  });

  it('announcements at the same time do not go beyond the bound', async () => {
    const fixture = await openUploadFixture();
    const { service, uploader, store } = fixture;
    const release = fixture.hold('freeBytes');
    // One is handled, and as many wait as may.
    const mostAtOnce = 1 + LIMITS.uploadAnnouncements.waiting.levels.credential;
    const announced = Array.from({ length: mostAtOnce + 5 }, (_, index) =>
      codeOf(service.announce(uploader, fixture.claims(100, { clipId: `${index}` }))),
    );
    await turns(store.uploads);
    release();
    const codes = await Promise.all(announced);
    expect(codes.filter((code) => code === 'UPLOAD_TOO_MANY')).toHaveLength(5);
    // The last one took the place of one without bytes.
    expect(service.unfinished).toBe(MAX_OF_KEY);
  });

  it('of different files under one id at the same time: one of them is taken, whole', async () => {
    const fixture = await openUploadFixture();
    // A free box of nothing at its end.
    const other = Buffer.concat([FILE, Buffer.from('\0\0\0\x08free', 'latin1')]);
    const outcomes = await Promise.all([codeOf(fixture.handOver(FILE)), codeOf(fixture.handOver(other))]);
    expect(outcomes).toContain('ok');
    expect(await fixture.recordings()).toHaveLength(1);
    expect(fixture.imported).toHaveLength(1);
    expect(fixture.files()).toEqual([]);
  });

  it('idle uploads of a key are bounded, take no place from others, and end', async () => {
    const fixture = await openUploadFixture();
    const { service, uploader, clock } = fixture;
    const begin = async (index: number, by: Uploader) => {
      const { upload } = await service.announce(by, fixture.claims(100, { clipId: `idle ${index}` }));
      await service.receive(by, upload.uuid, 0, inPieces(Buffer.alloc(1), 1), ignore);
    };
    const announce = (index: number, by = uploader) => codeOf(begin(index, by));
    for (let index = 0; index < MAX_OF_KEY; index++) expect(await announce(index)).toBe('ok');
    expect(await announce(MAX_OF_KEY)).toBe('UPLOAD_TOO_MANY');
    expect(await announce(0, fixture.addUploader())).toBe('ok');
    const left = () => {
      clock.advance(60_000);
      return service.unfinished;
    };
    await eventuallyEqual(left, 0);
    expect(await announce(MAX_OF_KEY)).toBe('ok');
  });
});

describe('a file of an upload that the disk keeps or cannot open', () => {
  it('keeps no gateway from starting, and no other upload from being restored', async () => {
    const disk = new FakeDisk();
    const fixture = await openUploadFixture({}, { disk: () => disk });
    const { service, uploader, store } = fixture;
    const announced: Ruuid[] = [];
    for (const clipId of ['stuck', 'whole', 'unknown', 'unknown too']) {
      const { upload } = await service.announce(uploader, fixture.claims(FILE.length, { clipId }));
      if (clipId !== 'whole')
        await service
          .receive(uploader, upload.uuid, 0, inPieces(FILE.subarray(0, 1_000), 500), ignore)
          .catch(ignore);
      announced.push(upload.uuid);
      if (clipId.startsWith('unknown')) await store.uploads.remove(upload.uuid, '');
    }
    const [stuck, whole, ...unknown] = announced;
    await service.receive(uploader, whole!, 0, inPieces(FILE, PIECE_BYTES), ignore);
    const [first] = unknown.toSorted();
    disk.isBad = (path) => path.endsWith(stuck!) || path.endsWith(first!);
    const next = await fixture.crash();
    expect((await next.service.status(uploader, whole!)).upload.state).toBe('done');
    expect(next.files().toSorted()).toEqual([stuck, first].toSorted());
    // Its bytes are refused, and are taken when the file can be written again.
    const again = () => next.service.receive(uploader, stuck!, 0, inPieces(FILE, PIECE_BYTES), ignore);
    expect((await next.service.status(uploader, stuck!)).offset).toBe(0);
    expect(await codeOf(again())).toBe('UPLOAD_IO');
    disk.isBad = () => false;
    expect(await codeOf(again())).toBe('ok');
    await next.service.finish(uploader, stuck!);
    expect(await next.recordings()).toHaveLength(2);
  });

  it('does not end the sweep of others that were not finished in time', async () => {
    const fixture = await openUploadFixture();
    const { service, uploader, clock, store } = fixture;
    const uuids: Ruuid[] = [];
    for (const clipId of ['a', 'b']) {
      uuids.push((await service.announce(uploader, fixture.claims(FILE.length, { clipId }))).upload.uuid);
    }
    const remove = store.uploads.remove.bind(store.uploads);
    store.uploads.remove = async (uuid, nodeId) => {
      if (uuid === uuids[0]) throw new Error('the store refuses this row');
      return remove(uuid, nodeId);
    };
    // One sweep after they are due.
    while (clock.epochMs() < NOW_MS + HOUR_MS) {
      clock.advance(60_000);
      await turns(store.uploads);
    }
    await eventuallyEqual(() => store.uploads.find(uuids[1]!), null);
    expect(await store.uploads.find(uuids[0]!)).not.toBeNull();
  });
});

it('reports a defect of ours in the thread of uploads as what it is, with its stack', async () => {
  const disk = new FakeDisk();
  disk.list = () => (undefined as unknown as { names: string[] }).names;
  const response = await new SpoolSide(testFolder(), disk).respond({ id: 1, call: { name: 'list' } });
  const failure = 'failure' in response ? response.failure : null;
  expect(failure).toMatchObject({ code: 'INTERNAL', kind: 'internal' });
  expect(failure?.cause).toContain('upload-faults.test.ts');
});
