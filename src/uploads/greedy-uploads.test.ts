/** One organization takes all it can with keys of devices; another one hands over its clips. */

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eventuallyEqual } from '../core/eventually-equal-fixture.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { keptClipFile } from './clip-file-fixture.ts';
import type { ClipConverter } from './clip-import.ts';
import type { Uploader } from './upload-access.ts';
import { inPieces, openUploadFixture, type UploadFixture } from './upload-fixture.ts';

const FILE = keptClipFile();
const SHA256 = createHash('sha256').update(FILE).digest('hex');
const FOREIGN = Buffer.from('GIF89a'.repeat(100));
const MIB = 1_048_576;
const ignore = () => undefined;

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'ok';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

/** Keys and a camera of another organization. */
class Greedy {
  readonly orgUuid: Ruuid = newRuuid();
  readonly cameraUuid: Ruuid;
  readonly #fixture: UploadFixture;
  #clips = 0;

  constructor(fixture: UploadFixture) {
    this.#fixture = fixture;
    this.cameraUuid = fixture.addCamera(this.orgUuid);
  }

  key(): Uploader {
    return this.#fixture.addUploader(this.orgUuid, 'device');
  }

  async announce(by: Uploader, byteLength: number, more = {}): Promise<Ruuid> {
    const { service } = this.#fixture;
    const clip = { cameraUuid: this.cameraUuid, clipId: `greedy ${this.#clips++}`, ...more };
    return (await service.announce(by, this.#fixture.claims(byteLength, clip))).upload.uuid;
  }

  /** Sends all of it. */
  async send(by: Uploader, file: Buffer, more = {}): Promise<Ruuid> {
    const uuid = await this.announce(by, file.length, more);
    await this.#fixture.service.receive(by, uuid, 0, inPieces(file, file.length), ignore);
    return uuid;
  }
}

/** A request that has begun to send and sends no more. */
async function* silent(began: () => void): AsyncGenerator<Uint8Array> {
  began();
  await new Promise<void>(() => undefined);
  yield Buffer.alloc(1);
}

describe('announced uploads', () => {
  it('reserve no disk before they have bytes', async () => {
    const fixture = await openUploadFixture();
    const greedy = new Greedy(fixture);
    fixture.disk.roomBytes = 160 * MIB;
    for (let count = 0; count < 11; count++) await greedy.announce(greedy.key(), 40 * MIB);
    await fixture.handOver(FILE);
    expect(await fixture.recordings()).toHaveLength(1);
  });

  it('of one organization wait behind those of others, however many there are', async () => {
    const fixture = await openUploadFixture();
    const greedy = new Greedy(fixture);
    const release = fixture.hold('freeBytes');
    const ended: string[] = [];
    const announced = Array.from({ length: 100 }, () =>
      codeOf(greedy.announce(greedy.key(), 100)).then(() => ended.push('greedy')),
    );
    await eventuallyEqual(() => fixture.waiting('freeBytes'), 1);
    const own = fixture.service
      .announce(fixture.uploader, fixture.claims(FILE.length))
      .then(() => ended.push('own'));
    release();
    await Promise.all([own, ...announced]);
    expect(ended.indexOf('own')).toBeLessThan(3);
  });

  it('without bytes end soon, and others not before their time', async () => {
    const fixture = await openUploadFixture();
    const { service, uploader, clock, store } = fixture;
    const begin = (clipId: string) => service.announce(uploader, fixture.claims(FILE.length, { clipId }));
    const [empty, begun] = [(await begin('empty')).upload.uuid, (await begin('begun')).upload.uuid];
    await service.receive(uploader, begun, 0, inPieces(FILE.subarray(0, 100), 100), ignore);
    const { expiresAtMs } = await service.received(uploader, empty);
    expect(expiresAtMs - clock.epochMs()).toBe(600_000);
    const later = async () => {
      clock.advance(60_000);
      return store.uploads.find(empty);
    };
    await eventuallyEqual(later, null);
    expect(clock.epochMs()).toBeGreaterThanOrEqual(expiresAtMs);
    expect((await service.status(uploader, begun)).offset).toBe(100);
  });

  it('of which one has been idle longest and has no bytes: it makes room', async () => {
    const fixture = await openUploadFixture();
    const { service, uploader } = fixture;
    const begin = async (clipId: string) =>
      (await service.announce(uploader, fixture.claims(FILE.length, { clipId }))).upload.uuid;
    const begun = await begin('begun');
    await service.receive(uploader, begun, 0, inPieces(FILE.subarray(0, 100), 100), ignore);
    const [oldest, next] = [await begin('oldest'), await begin('next')];
    for (let count = 3; count <= 64; count++) await begin(`idle ${count}`);
    expect(await codeOf(service.status(uploader, begun))).toBe('ok');
    expect(await codeOf(service.status(uploader, oldest))).toBe('UPLOAD_NOT_FOUND');
    expect(await codeOf(service.status(uploader, next))).toBe('ok');
  });
});

describe('bytes of uploads', () => {
  it('that never become whole take a part of the disk, not what others need', async () => {
    const fixture = await openUploadFixture({ atOnce: 16, atOncePerKey: 4 });
    const greedy = new Greedy(fixture);
    const { disk, service } = fixture;
    let usedBytes = 0;
    const write = disk.write.bind(disk);
    disk.write = (descriptor, bytes, offset) => {
      usedBytes += bytes.length;
      disk.roomBytes = 320 * MIB - usedBytes;
      return write(descriptor, bytes, offset);
    };
    disk.roomBytes = 320 * MIB;
    const most = Buffer.alloc(31 * MIB);
    const codes: string[] = [];
    for (let count = 0; count < 12; count++) {
      const key = greedy.key();
      const uuid = await greedy.announce(key, 32 * MIB).catch(() => null);
      if (uuid === null) codes.push('refused');
      else codes.push(await codeOf(service.receive(key, uuid, 0, inPieces(most, MIB), ignore)));
    }
    expect(codes[0]).toBe('ok');
    expect(codes.at(-1)).not.toBe('ok');
    await fixture.handOver(FILE);
    expect(await fixture.recordings()).toHaveLength(1);
  });

  it('are refused when there is no room for them, and what came is kept', async () => {
    const fixture = await openUploadFixture();
    const { service, uploader, disk } = fixture;
    disk.roomBytes = 200 * MIB;
    const file = Buffer.alloc(48 * MIB);
    const { upload } = await service.announce(uploader, fixture.claims(file.length));
    async function* filling(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < file.length; at += MIB) {
        if (at === 20 * MIB) disk.roomBytes = 20 * MIB;
        yield file.subarray(at, at + MIB);
      }
    }
    expect(await codeOf(service.receive(uploader, upload.uuid, 0, filling(), ignore))).toBe('UPLOAD_NO_ROOM');
    const { offset } = await service.status(uploader, upload.uuid);
    expect(offset).toBe(32 * MIB);
    disk.roomBytes = 200 * MIB;
    const rest = inPieces(file.subarray(offset), MIB);
    expect(await service.receive(uploader, upload.uuid, offset, rest, ignore)).toBe(file.length);
  });

  it('of one organization leave requests to others', async () => {
    const fixture = await openUploadFixture({ atOnce: 16, atOncePerKey: 4 });
    const greedy = new Greedy(fixture);
    const { service } = fixture;
    let sending = 0;
    for (let count = 0; count < 16; count++) {
      const key = greedy.key();
      const uuid = await greedy.announce(key, 100);
      const { promise: began, resolve } = Promise.withResolvers<void>();
      const running = codeOf(service.receive(key, uuid, 0, silent(resolve), ignore));
      if ((await Promise.race([began, running])) === undefined) sending++;
    }
    expect(sending).toBe(12);
    await fixture.handOver(FILE);
    expect(await fixture.recordings()).toHaveLength(1);
  });
});

describe('imports', () => {
  it('of one organization leave places to others, whatever keys it has', async () => {
    const fixture = await openUploadFixture();
    const greedy = new Greedy(fixture);
    const release = fixture.hold('hash');
    const long = [];
    for (let count = 0; count < 6; count++) {
      const key = greedy.key();
      const uuid = await greedy.send(key, FILE, { sha256: SHA256 });
      long.push(codeOf(fixture.service.finish(key, uuid)));
    }
    await eventuallyEqual(() => fixture.waiting('hash') > 0, true);
    await fixture.handOver(FILE);
    expect(await fixture.recordings()).toHaveLength(1);
    release();
    expect(new Set(await Promise.all(long))).toEqual(new Set(['ok']));
  });
});

describe('conversions', () => {
  /** Conversions of the greedy camera continue until they are ended. */
  class SlowConverter implements ClipConverter {
    readonly slow = new Set<string>();
    readonly running: string[] = [];
    readonly #put: (file: string) => Promise<void>;

    constructor(put: (file: string) => Promise<void>) {
      this.#put = put;
    }

    async convert(...[from, to, , , signal]: Parameters<ClipConverter['convert']>): Promise<void> {
      this.running.push(from);
      if (this.slow.has(from)) {
        await new Promise<void>((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
        );
      }
      await this.#put(to);
    }
  }

  async function setup() {
    const putting: { into: UploadFixture | null } = { into: null };
    const converter = new SlowConverter(async (file) => {
      const { spool } = putting.into!;
      await spool.call({ name: 'create', file });
      await spool.call({ name: 'append', file, offset: 0, bytes: new Uint8Array(FILE) });
    });
    const fixture = await openUploadFixture({ atOnce: 16, atOncePerKey: 4 }, { converter });
    putting.into = fixture;
    const greedy = new Greedy(fixture);
    for (let count = 0; count < 6; count++) {
      const key = greedy.key();
      const uuid = await greedy.send(key, FOREIGN);
      converter.slow.add(uuid);
      fixture.service.finish(key, uuid).catch(ignore);
    }
    await eventuallyEqual(() => converter.running.length > 0, true);
    return { fixture, greedy, converter };
  }

  it('hold up no clip that needs none, also of the same key', async () => {
    const { fixture, greedy } = await setup();
    await fixture.handOver(FILE);
    const key = greedy.key();
    await fixture.service.finish(key, await greedy.send(key, FILE));
    expect(fixture.imported).toHaveLength(2);
    await fixture.service.close();
  });

  it('of one organization leave places to others', async () => {
    const { fixture, greedy, converter } = await setup();
    await fixture.handOver(FOREIGN);
    expect(await fixture.recordings()).toHaveLength(1);
    expect(converter.running).toHaveLength(2);
    expect(await fixture.recordings(greedy.cameraUuid)).toEqual([]);
    await fixture.service.close();
  });
});
