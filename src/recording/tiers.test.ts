/** Recordings that stay on the disk for a while before they move to S3. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid } from '../core/ruuid.ts';
import { FakeDisk } from './fake-disk.ts';
import { FakeObjects } from './fake-objects.ts';
import type { MediaStorage } from './media-storage.ts';
import { testFolder } from './recording-fixture.ts';
import { s3Storage } from './s3-fixture.ts';
import type { S3Storage } from './s3-storage.ts';
import { describeStorageContract } from './storage-contract.ts';

const DAY_MS = 86_400_000;
const CAMERA = newRuuid();
const nameOf = (number: number) => `${CAMERA}/main/${String(number).padStart(12, '0')}.mp4`;

function setup({
  folder = testFolder(),
  objects = new FakeObjects(),
  clock = new FakeClock(),
  minFreeBytes = 0,
  localMs = 2 * DAY_MS,
} = {}) {
  const disk = new FakeDisk();
  disk.writtenEpochMs = () => clock.epochMs();
  const failures: (string | null)[] = [];
  const storage = s3Storage(objects, folder, {
    clock,
    disk,
    minFreeBytes,
    localMs,
    onUpload: (failure) => void failures.push(failure?.code ?? null),
  });
  const isOnDisk = (number: number) => existsSync(join(folder, 'spool', nameOf(number)));
  return { folder, objects, clock, disk, failures, storage, isOnDisk };
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

/** The clock moves on in steps, and what is due then is done. */
async function pass(clock: FakeClock, storage: S3Storage, ms: number): Promise<void> {
  for (let step = 0; step < 4; step++) {
    clock.advance(ms / 4);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    await storage.settled();
  }
}

describeStorageContract('S3, on the disk for now', () => setup().storage);

describe('recordings in tiers', () => {
  it('stay on the disk for their time, then move to S3, and are there for readers all along', async () => {
    const { objects, clock, storage, isOnDisk } = setup();
    await storage.start();
    for (let number = 0; number < 3; number++) {
      await write(storage, nameOf(number), Buffer.alloc(100, number));
      await pass(clock, storage, DAY_MS);
    }
    // Sealed 3, 2, and 1 days ago.
    expect([0, 1, 2].map(isOnDisk)).toEqual([false, false, true]);
    expect([...objects.objects.keys()]).toEqual([nameOf(0), nameOf(1)]);
    expect(storage.spooledBytes).toBe(0);
    for (let number = 0; number < 3; number++) {
      expect(await read(storage, nameOf(number))).toEqual(Buffer.alloc(100, number));
    }
    await pass(clock, storage, DAY_MS);
    expect([isOnDisk(2), objects.objects.size]).toEqual([false, 3]);
  });

  it('do not count toward what may wait for S3', async () => {
    const folder = testFolder();
    const clock = new FakeClock();
    const storage = s3Storage(new FakeObjects(), folder, { clock, maxSpoolBytes: 1_000, localMs: DAY_MS });
    for (let number = 0; number < 5; number++) await write(storage, nameOf(number), Buffer.alloc(900));
    expect(storage.spooledBytes).toBe(0);
  });

  it('move early, oldest first, while the disk has less room than it should', async () => {
    const { objects, clock, disk, storage, isOnDisk } = setup({ minFreeBytes: 1_000 });
    await storage.start();
    for (let number = 0; number < 4; number++) await write(storage, nameOf(number), Buffer.alloc(500));
    await storage.settled();
    expect(objects.puts).toBe(0);
    // Twice as much is to be free, and 700 bytes are missing.
    disk.roomBytes = 1_300;
    await pass(clock, storage, 60_000);
    expect([0, 1, 2, 3].map(isOnDisk)).toEqual([false, false, true, true]);
  });

  it('move as many as are missing and no more, while S3 is away', async () => {
    const { objects, clock, disk, storage } = setup({ minFreeBytes: 1_000 });
    await storage.start();
    for (let number = 0; number < 4; number++) await write(storage, nameOf(number), Buffer.alloc(500));
    objects.isAway = true;
    disk.roomBytes = 1_300;
    await pass(clock, storage, 3_600_000);
    // Two wait for S3.
    expect(storage.spooledBytes).toBe(1_000);
    objects.isAway = false;
    // What they give back.
    disk.roomBytes = 2_300;
    await pass(clock, storage, 240_000);
    expect([objects.objects.size, storage.spooledBytes]).toEqual([2, 0]);
  });

  it('lose nothing if S3 is away when they are due, and move later', async () => {
    const { objects, clock, failures, storage } = setup();
    await storage.start();
    await write(storage, nameOf(0), Buffer.alloc(100, 1));
    objects.isAway = true;
    await pass(clock, storage, 2 * DAY_MS);
    await pass(clock, storage, 3_600_000);
    expect(await read(storage, nameOf(0))).toEqual(Buffer.alloc(100, 1));
    expect(failures).toEqual(['RECORDING_S3_UNAVAILABLE']);
    objects.isAway = false;
    await pass(clock, storage, 240_000);
    expect(objects.objects.get(nameOf(0))).toEqual(Buffer.alloc(100, 1));
    expect(failures).toEqual(['RECORDING_S3_UNAVAILABLE', null]);
  });

  it('keep their age over a restart, and move at once if tiers are turned off', async () => {
    const { folder, objects, clock, storage, isOnDisk } = setup();
    await storage.start();
    await write(storage, nameOf(0), Buffer.alloc(100, 1));
    const writtenEpochMs = clock.epochMs();
    clock.advance(1.5 * DAY_MS);
    await storage.close();
    const later = setup({ folder, objects, clock });
    later.disk.writtenEpochMs = () => writtenEpochMs;
    await later.storage.start();
    await later.storage.settled();
    expect(isOnDisk(0)).toBe(true);
    await pass(clock, later.storage, DAY_MS / 2);
    expect([isOnDisk(0), objects.puts]).toEqual([false, 1]);
    await write(later.storage, nameOf(1), Buffer.alloc(100, 2));
    await later.storage.close();
    const without = setup({ folder, objects, clock, localMs: 0 });
    await without.storage.start();
    await without.storage.settled();
    expect(objects.objects.get(nameOf(1))).toEqual(Buffer.alloc(100, 2));
  });

  it('are deleted where they are', async () => {
    const { objects, clock, storage, isOnDisk } = setup();
    await storage.start();
    for (let number = 0; number < 2; number++) await write(storage, nameOf(number), Buffer.alloc(100));
    expect(await storage.delete(nameOf(0))).toBe(true);
    await pass(clock, storage, 2 * DAY_MS);
    expect([...objects.objects.keys()]).toEqual([nameOf(1)]);
    expect(await storage.delete(nameOf(1))).toBe(true);
    expect([objects.objects.size, isOnDisk(0), isOnDisk(1)]).toEqual([0, false, false]);
  });

  it('stay on the disk until S3 has all of them', async () => {
    const { objects, clock, storage, isOnDisk } = setup();
    await storage.start();
    await write(storage, nameOf(0), Buffer.alloc(100, 1));
    // A server that acknowledges what it cut.
    const { byteLength } = objects;
    objects.byteLength = async () => 60;
    await pass(clock, storage, 2 * DAY_MS);
    expect([objects.objects.size, isOnDisk(0)]).toEqual([1, true]);
    objects.byteLength = byteLength;
    await pass(clock, storage, 240_000);
    expect(isOnDisk(0)).toBe(false);
  });
});
