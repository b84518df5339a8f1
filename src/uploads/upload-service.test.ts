import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eventuallyEqual } from '../core/eventually-equal-fixture.ts';
import { newRuuid } from '../core/ruuid.ts';
import { keptClipFile } from './clip-file-fixture.ts';
import { IDLE_MS, RECHECK_MS } from './running-uploads.ts';
import type { Uploader } from './upload-access.ts';
import { inPieces, KEEP_MS, NOW_MS, openUploadFixture, type UploadFixture } from './upload-fixture.ts';

const FILE = keptClipFile();
const ignore = () => undefined;

/** The code of the error that a promise fails with; 'ok' if it does not fail. */
async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'ok';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

/** Sends bytes and then breaks off. */
async function* broken(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
  throw new Error('connection reset');
}

async function announce(fixture: UploadFixture, more = {}) {
  return (await fixture.service.announce(fixture.uploader, fixture.claims(FILE.length, more))).upload.uuid;
}

describe('an upload', () => {
  it('becomes one recording of its camera, with its times', async () => {
    const fixture = await openUploadFixture();
    const startMs = NOW_MS - 7_200_123;
    await fixture.handOver(FILE, { startMs }, 10_001);
    const stream = { cameraUuid: fixture.cameraUuid, rendition: 'uploaded' } as const;
    const [found, ...others] = await fixture.catalog.segments(stream, 0, NOW_MS);
    expect(others).toEqual([]);
    expect(found!.segments.map(({ epochMs }) => epochMs)).toEqual([startMs, startMs + 2_000]);
    expect(fixture.imported.map(({ durationMs }) => durationMs)).toEqual([4_000]);
    expect(fixture.files()).toEqual([]);
  });

  it('goes on after any byte', async () => {
    const fixture = await openUploadFixture();
    const { service, uploader } = fixture;
    for (let at = 1; at < FILE.length; at += Math.floor(FILE.length / 40)) {
      const cameraUuid = fixture.addCamera();
      const clip = { cameraUuid, clipId: `cut at ${at}` };
      const uuid = await announce(fixture, clip);
      const first = service.receive(uploader, uuid, 0, broken(FILE.subarray(0, at)), ignore);
      await expect(first).rejects.toThrow('connection reset');
      expect((await service.status(uploader, uuid)).offset).toBe(at);
      expect(await fixture.handOver(FILE, clip)).toBe(uuid);
      expect(await fixture.recordings(cameraUuid)).toEqual([0]);
    }
  });

  it('takes bytes only where it is', async () => {
    const fixture = await openUploadFixture();
    const { service, uploader } = fixture;
    const uuid = await announce(fixture);
    await service.receive(uploader, uuid, 0, inPieces(FILE.subarray(0, 1_000), 100), ignore);
    for (const offset of [0, 999, 1_001]) {
      expect(await codeOf(service.receive(uploader, uuid, offset, inPieces(FILE, 1_000), ignore))).toBe(
        'UPLOAD_OFFSET',
      );
    }
    // More than was announced.
    const more = Buffer.concat([FILE.subarray(1_000), Buffer.alloc(1)]);
    expect(await codeOf(service.receive(uploader, uuid, 1_000, inPieces(more, more.length), ignore))).toBe(
      'UPLOAD_OFFSET',
    );
    expect((await service.status(uploader, uuid)).offset).toBe(1_000);
  });

  it('is the same when it is announced again, and another when it is another file', async () => {
    const fixture = await openUploadFixture();
    const uuid = await fixture.handOver(FILE);
    const { service, uploader } = fixture;
    const again = await service.announce(uploader, fixture.claims(FILE.length, { title: 'new title' }));
    expect(again).toMatchObject({ offset: FILE.length, upload: { uuid, state: 'done' } });
    for (const more of [{ byteLength: FILE.length + 1 }, { startMs: NOW_MS - 1 }]) {
      const claims = { ...fixture.claims(FILE.length), ...more };
      expect(await codeOf(service.announce(uploader, claims))).toBe('UPLOAD_CLIP_ID_USED');
    }
    // Another camera's clip can have the same name.
    await fixture.handOver(FILE, { cameraUuid: fixture.addCamera() });
    expect(await fixture.recordings()).toEqual([0]);
    expect(fixture.imported).toHaveLength(2);
  });

  it('that is not finished gives way to another file with its name', async () => {
    const fixture = await openUploadFixture();
    const uuid = await announce(fixture, { byteLength: 5_000 });
    await fixture.service.receive(fixture.uploader, uuid, 0, inPieces(Buffer.alloc(4_000), 500), ignore);
    await fixture.handOver(FILE);
    expect(fixture.imported).toHaveLength(1);
  });

  it('is imported once, however many ask', async () => {
    const fixture = await openUploadFixture();
    const { service, uploader } = fixture;
    const uuid = await announce(fixture);
    await service.receive(uploader, uuid, 0, inPieces(FILE, 65_536), ignore);
    const requested = [service.finish(uploader, uuid), service.status(uploader, uuid), announce(fixture)];
    await Promise.all(requested);
    expect(fixture.imported).toHaveLength(1);
    expect(await fixture.recordings()).toEqual([0]);
  });

  it('is not reported as whole before it is imported', async () => {
    const fixture = await openUploadFixture();
    const { service, uploader } = fixture;
    const uuid = await announce(fixture);
    await service.receive(uploader, uuid, 0, inPieces(FILE, 65_536), ignore);
    fixture.failNext('inspect');
    expect(await codeOf(service.status(uploader, uuid))).toBe('UPLOAD_IO');
    fixture.failNext('segment');
    expect(await codeOf(announce(fixture))).toBe('UPLOAD_IO');
    expect(await fixture.recordings()).toEqual([]);
    expect((await service.status(uploader, uuid)).upload.state).toBe('done');
    expect(await fixture.recordings()).toHaveLength(1);
  });
});

describe('refused', () => {
  const sha256 = createHash('sha256').update(FILE).digest('hex');

  it.each([
    ['of another checksum', { sha256: 'ab'.repeat(32) }, FILE, 'UPLOAD_CHECKSUM'],
    ['of its own checksum: not', { sha256 }, FILE, 'ok'],
    ['that ends in the future', { startMs: NOW_MS + 299_000 }, FILE, 'UPLOAD_TIME_IMPOSSIBLE'],
    ['from 1999', { startMs: Date.UTC(2000, 0, 1) - 1 }, FILE, 'UPLOAD_TIME_IMPOSSIBLE'],
    ['that would be deleted at once', { startMs: NOW_MS - KEEP_MS - 1 }, FILE, 'UPLOAD_TOO_OLD'],
    ['that is cut off', {}, FILE.subarray(0, FILE.length - 1), 'UPLOAD_WITHOUT_INDEX'],
    ['that is something else', {}, Buffer.from('GIF89a'.repeat(100)), 'UPLOAD_NOT_SUPPORTED'],
  ] as const)('is a clip %s', async (_name, more, file, code) => {
    const fixture = await openUploadFixture();
    expect(await codeOf(fixture.handOver(file, more))).toBe(code);
    expect(fixture.imported).toHaveLength(code === 'ok' ? 1 : 0);
    expect(await fixture.recordings()).toHaveLength(code === 'ok' ? 1 : 0);
    expect(fixture.files()).toEqual([]);
  });

  it('stays refused, also after a start, with the reason', async () => {
    const fixture = await openUploadFixture();
    const bad = FILE.subarray(0, FILE.length - 1);
    expect(await codeOf(fixture.handOver(bad))).toBe('UPLOAD_WITHOUT_INDEX');
    const { service, uploader, claims } = await fixture.crash();
    expect(await codeOf(service.announce(uploader, claims(bad.length)))).toBe('UPLOAD_WITHOUT_INDEX');
  });

  it('is what is too large, and what there is no room for', async () => {
    const fixture = await openUploadFixture({ maxBytes: 1_000, minFreeBytes: Number.MAX_SAFE_INTEGER });
    const { service, uploader } = fixture;
    expect(await codeOf(service.announce(uploader, fixture.claims(1_001)))).toBe('UPLOAD_TOO_LARGE');
    expect(await codeOf(service.announce(uploader, fixture.claims(0)))).toBe('UPLOAD_EMPTY');
    expect(await codeOf(service.announce(uploader, fixture.claims(1_000)))).toBe('UPLOAD_NO_ROOM');
    expect(fixture.files()).toEqual([]);
  });
});

describe('access', () => {
  it('is for keys that may report, to cameras of their organization', async () => {
    const fixture = await openUploadFixture();
    const { service } = fixture;
    const announceBy = (uploader: Uploader, cameraUuid = fixture.cameraUuid) =>
      codeOf(service.announce(uploader, fixture.claims(10, { cameraUuid })));
    const { orgUuid } = fixture.uploader;
    expect(await announceBy(fixture.addUploader(orgUuid, 'api'))).toBe('ok');
    expect(await announceBy(fixture.addUploader(orgUuid, 'partner-api'))).toBe('UPLOAD_CREDENTIAL_ENDED');
    const limited = fixture.addUploader(orgUuid, 'api', 'operator');
    expect(await announceBy(limited)).toBe('UPLOAD_CREDENTIAL_ENDED');
    expect(await announceBy(fixture.addUploader(newRuuid()))).toBe('UPLOAD_CAMERA_UNKNOWN');
    expect(await announceBy(fixture.uploader, fixture.addCamera(newRuuid()))).toBe('UPLOAD_CAMERA_UNKNOWN');
    expect(await announceBy(fixture.uploader, newRuuid())).toBe('UPLOAD_CAMERA_UNKNOWN');
    expect(await announceBy({ keyUuid: newRuuid(), orgUuid })).toBe('UPLOAD_CREDENTIAL_ENDED');
  });

  it('to an upload is its own key’s alone', async () => {
    const fixture = await openUploadFixture();
    const { service } = fixture;
    const uuid = await announce(fixture);
    const other = fixture.addUploader();
    const works = [
      () => service.status(other, uuid),
      () => service.received(other, uuid),
      () => service.receive(other, uuid, 0, inPieces(FILE, 100), ignore),
      () => service.finish(other, uuid),
      () => service.remove(other, uuid),
      () => service.status(fixture.uploader, newRuuid()),
      () => service.status(fixture.uploader, '../../etc/passwd'),
    ];
    for (const work of works) expect(await codeOf(work())).toBe('UPLOAD_NOT_FOUND');
    expect((await service.status(fixture.uploader, uuid)).offset).toBe(0);
  });

  it.each([
    ['key is revoked', (f: UploadFixture) => f.revoke(f.uploader), RECHECK_MS, 'UPLOAD_CREDENTIAL_ENDED'],
    [
      'camera is removed',
      (f: UploadFixture) => f.removeCamera(f.cameraUuid),
      RECHECK_MS,
      'UPLOAD_CAMERA_UNKNOWN',
    ],
    ['sender falls silent', () => undefined, IDLE_MS + RECHECK_MS, 'UPLOAD_INTERRUPTED'],
  ] as const)('ends for what is running when its %s', async (_name, change, afterMs, code) => {
    const fixture = await openUploadFixture();
    const { service, uploader, clock } = fixture;
    const uuid = await announce(fixture);
    let isSilent: () => void = ignore;
    const silent = new Promise<void>((resolve) => {
      isSilent = resolve;
    });
    let goOn: () => void = ignore;
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield FILE.subarray(0, 1_000);
      const pause = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      isSilent();
      await pause;
      yield FILE.subarray(1_000);
    }
    const ended: string[] = [];
    const receiving = codeOf(
      service.receive(uploader, uuid, 0, chunks(), (refusal) => ended.push(refusal.code)),
    );
    await silent;
    change(fixture);
    clock.advance(afterMs);
    expect(ended).toEqual([code]);
    goOn();
    expect(await receiving).toBe(code);
    expect(service.running.size).toBe(0);
    expect(fixture.imported).toEqual([]);
  });

  it('is limited to some requests at once, for a key and for all', async () => {
    const fixture = await openUploadFixture({ atOncePerKey: 1, atOnce: 3 });
    const { service } = fixture;
    const ends: (() => void)[] = [];
    const begin = async (uploader = fixture.uploader, clipId = 'a') => {
      const cameraUuid = fixture.addCamera(uploader.orgUuid);
      const { upload } = await service.announce(uploader, fixture.claims(10, { clipId, cameraUuid }));
      async function* never(): AsyncGenerator<Uint8Array> {
        await new Promise<void>((resolve) => ends.push(resolve));
      }
      const running = service.receive(uploader, upload.uuid, 0, never(), ignore);
      running.catch(ignore);
      await Promise.race([running, new Promise((resolve) => setImmediate(() => setImmediate(resolve)))]);
    };
    await begin();
    expect(await codeOf(begin(fixture.uploader, 'b'))).toBe('UPLOAD_TOO_MANY');
    await begin(fixture.addUploader());
    // One organization has not all of them.
    expect(await codeOf(begin(fixture.addUploader()))).toBe('UPLOAD_TOO_MANY');
    await begin(fixture.addUploader(newRuuid()));
    expect(await codeOf(begin(fixture.addUploader(newRuuid())))).toBe('UPLOAD_TOO_MANY');
    for (const end of ends) end();
  });
});

describe('a gateway that ends', () => {
  it('has what was acknowledged, and nothing behind it', async () => {
    const fixture = await openUploadFixture();
    const { service, uploader } = fixture;
    const uuid = await announce(fixture);
    const half = FILE.length >> 1;
    await service.receive(uploader, uuid, 0, inPieces(FILE.subarray(0, half), 1_000), ignore);
    const next = await fixture.crash();
    expect((await next.service.status(uploader, uuid)).offset).toBe(half);
    await next.handOver(FILE);
    expect(await next.recordings()).toEqual([0]);
  });

  it.each(['hash', 'inspect', 'segment', 'delete'] as const)(
    'imports what was complete: failed at %s',
    async (name) => {
      const fixture = await openUploadFixture();
      const { service, uploader } = fixture;
      const sha256 = createHash('sha256').update(FILE).digest('hex');
      const uuid = await announce(fixture, { sha256 });
      await service.receive(uploader, uuid, 0, inPieces(FILE, 65_536), ignore);
      fixture.failNext(name);
      await codeOf(service.finish(uploader, uuid));
      const next = await fixture.crash();
      expect((await next.service.status(uploader, uuid)).upload.state).toBe('done');
      expect(await next.recordings()).toHaveLength(1);
      expect(next.files()).toEqual([]);
    },
  );

  it('does not list what an import had begun', async () => {
    const fixture = await openUploadFixture();
    const { service, uploader, store } = fixture;
    const uuid = await announce(fixture);
    await service.receive(uploader, uuid, 0, inPieces(FILE, 65_536), ignore);
    await service.finish(uploader, uuid);
    // As if the row of the recording and the end of the upload had not been stored.
    const upload = (await store.uploads.find(uuid))!;
    await store.recordings.remove({ cameraUuid: fixture.cameraUuid, rendition: 'uploaded', number: 0 });
    await store.uploads.save({ ...upload, state: 'importing', syncedBytes: 0 });
    const next = await fixture.crash();
    // Another import starts the recorder, which looks for files without a row.
    await next.handOver(FILE, { clipId: 'another' });
    expect(await next.recordings()).toEqual([1]);
    expect((await next.service.status(uploader, uuid)).offset).toBe(0);
    await next.handOver(FILE);
    expect(await next.recordings()).toHaveLength(2);
  });

  it('deletes files of uploads that no one knows', async () => {
    const fixture = await openUploadFixture();
    const uuid = await announce(fixture);
    await fixture.store.uploads.remove(uuid, '');
    expect((await fixture.crash()).files()).toEqual([]);
  });
});

it('deletes an upload that is not finished in time', async () => {
  const fixture = await openUploadFixture();
  const { service, uploader, clock, store } = fixture;
  const uuid = await announce(fixture);
  await service.receive(uploader, uuid, 0, inPieces(FILE.subarray(0, 100), 100), ignore);
  // The service looks at it every minute; each look takes some turns of the event loop.
  const findLater = async () => {
    clock.advance(60_000);
    return store.uploads.find(uuid);
  };
  await eventuallyEqual(findLater, null);
  expect(clock.epochMs() - NOW_MS).toBeGreaterThanOrEqual(3_600_000);
  await eventuallyEqual(() => fixture.files(), []);
  expect(await codeOf(service.status(uploader, uuid))).toBe('UPLOAD_NOT_FOUND');
});

it('forgets an upload that its sender gives up, but not a clip that is there', async () => {
  const fixture = await openUploadFixture();
  const { service, uploader } = fixture;
  const uuid = await announce(fixture);
  await service.remove(uploader, uuid);
  expect(await codeOf(service.status(uploader, uuid))).toBe('UPLOAD_NOT_FOUND');
  const done = await fixture.handOver(FILE);
  await service.remove(uploader, done);
  expect((await service.status(uploader, done)).upload.state).toBe('done');
});

it('imports the clips of one recorder while those of another take long', async () => {
  const fixture = await openUploadFixture();
  const { service, uploader } = fixture;
  const other = fixture.addUploader();
  const release = fixture.hold('hash');
  const send = async (by: Uploader, more: object) => {
    const { upload } = await service.announce(by, fixture.claims(FILE.length, more));
    await service.receive(by, upload.uuid, 0, inPieces(FILE, FILE.length), ignore);
    return upload.uuid;
  };
  const sha256 = createHash('sha256').update(FILE).digest('hex');
  const long = [];
  for (const clipId of ['a', 'b', 'c']) long.push(await send(uploader, { clipId, sha256 }));
  const waiting = long.map((uuid) => service.finish(uploader, uuid));
  const uuid = await send(other, { clipId: 'd' });
  await service.finish(other, uuid);
  expect(fixture.imported.map(({ upload }) => upload.uuid)).toEqual([uuid]);
  release();
  await Promise.all(waiting);
  expect(fixture.imported).toHaveLength(4);
});

it('takes nothing more for an upload that is being forgotten, and does not call it whole', async () => {
  const fixture = await openUploadFixture();
  const { service, uploader, store } = fixture;
  const uuid = await announce(fixture);
  await service.receive(uploader, uuid, 0, inPieces(FILE.subarray(0, 1_000), 1_000), ignore);
  const remove = store.uploads.remove.bind(store.uploads);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: requested, resolve: ask } = Promise.withResolvers<void>();
  store.uploads.remove = async (removed, nodeId) => {
    ask();
    await released;
    await remove(removed, nodeId);
  };
  const removed = service.remove(uploader, uuid);
  await requested;
  const late = service.receive(uploader, uuid, 1_000, inPieces(FILE.subarray(1_000), 1_000), ignore);
  expect(await codeOf(late)).toBe('UPLOAD_NOT_FOUND');
  expect(await codeOf(service.status(uploader, uuid))).toBe('UPLOAD_NOT_FOUND');
  const again = announce(fixture);
  release();
  await removed;
  expect(await again).toBe(uuid);
  expect((await service.status(uploader, uuid)).offset).toBe(0);
  expect(fixture.files()).toEqual([uuid]);
});
