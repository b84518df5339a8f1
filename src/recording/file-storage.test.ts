import { readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FakeDisk } from './fake-disk.ts';
import { FileStorage } from './file-storage.ts';
import { testFolder } from './recording-fixture.ts';
import { describeStorageContract } from './storage-contract.ts';

describeStorageContract(
  'file system that cannot reserve',
  () => new FileStorage(testFolder(), new FakeDisk()),
);

const NAME = 'camera/main/000000000000.mp4';

describe('FileStorage', () => {
  it('adds nothing if the disk becomes full in the middle of an append', async () => {
    const disk = new FakeDisk();
    const storage = new FileStorage(testFolder(), disk);
    const appender = await storage.create(NAME, 0);
    await appender.append([Buffer.alloc(50, 1)]);
    disk.tornBytes = 5;
    const torn = appender.append([Buffer.alloc(50, 2), Buffer.alloc(50, 3)]);
    await expect(torn).rejects.toMatchObject({ code: 'RECORDING_DISK_FULL', context: { errno: 'ENOSPC' } });
    expect(appender.byteLength).toBe(50);
    const reader = await storage.open(NAME);
    // The first bytes are written last: the file does not begin like a box.
    expect(await reader.read(50, 8)).toEqual(Buffer.alloc(8));
    await reader.close();
    disk.tornBytes = null;
    await appender.append([Buffer.alloc(4, 4)]);
    await appender.seal();
    const sealed = await storage.open(NAME);
    expect(await sealed.read(0, 99)).toEqual(Buffer.concat([Buffer.alloc(50, 1), Buffer.alloc(4, 4)]));
    await sealed.close();
  });

  it.each(['write', 'sync', 'truncate'] as const)('names the file if %s fails', async (call) => {
    const disk = new FakeDisk();
    const appender = await new FileStorage(testFolder(), disk).create(NAME, 0);
    disk.broken.add(call);
    const work = async () => {
      await appender.append([Buffer.alloc(9)]);
      await appender.seal();
    };
    await expect(work()).rejects.toMatchObject({
      code: 'RECORDING_IO',
      context: { name: NAME, errno: 'EIO' },
    });
    await appender.abandon();
  });

  it.each([
    ['our own', () => (undefined as unknown as { x: number }).x],
    ["Node's, about an argument", () => Buffer.alloc('x' as unknown as number)],
  ])('does not take a defect for a fault of the disk: %s', async (_, defect) => {
    const disk = new FakeDisk();
    disk.freeBytes = () => defect() as number;
    await expect(new FileStorage(testFolder(), disk).freeBytes()).rejects.toMatchObject({
      code: 'INTERNAL',
      kind: 'internal',
      cause: { name: 'TypeError' },
    });
  });

  it('writes nothing to a file that another process has cut, and does not mind room that the system reserves', async () => {
    const disk = new FakeDisk();
    const folder = testFolder();
    const storage = new FileStorage(folder, disk);
    const appender = await storage.create(NAME, 1_000);
    await appender.append([Buffer.alloc(100, 1)]);
    // ext4 reserves several extents one after the other.
    for (const reservedBytes of [400, 1_000]) {
      truncateSync(join(folder, NAME), reservedBytes);
      await appender.append([Buffer.alloc(100, 2)]);
    }
    // Another process finishes it: after its first 100 bytes.
    truncateSync(join(folder, NAME), 100);
    for (const work of [() => appender.append([Buffer.alloc(100, 3)]), () => appender.seal()]) {
      await expect(work()).rejects.toMatchObject({ code: 'RECORDING_TAKEN', context: { name: NAME } });
    }
    expect(readFileSync(join(folder, NAME))).toEqual(Buffer.alloc(100, 1));
    await appender.abandon();
  });
});
