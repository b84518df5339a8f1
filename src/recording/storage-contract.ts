/** The contract of every storage of recordings. The test of each implementation runs it. */

import { beforeEach, describe, expect, it } from 'vitest';
import type { MediaStorage } from './media-storage.ts';

const NAME = 'camera/main/000000000000.mp4';
const RESERVED_BYTES = 1_048_576;

const bytes = (count: number, value: number) => Buffer.alloc(count, value);

/** `open` returns a fresh, empty storage each time. */
export function describeStorageContract(name: string, open: () => MediaStorage): void {
  describe(`storage contract: ${name}`, () => {
    let storage: MediaStorage;

    beforeEach(() => {
      storage = open();
    });

    async function contentOf(file: string): Promise<Buffer> {
      const reader = await storage.open(file);
      try {
        return await reader.read(0, reader.byteLength);
      } finally {
        await reader.close();
      }
    }

    it('appends pieces one after the other', async () => {
      const appender = await storage.create(NAME, RESERVED_BYTES);
      expect(appender.name).toBe(NAME);
      await appender.append([bytes(10, 1), bytes(3, 2)]);
      await appender.append([bytes(20, 3)]);
      expect([appender.byteLength, appender.syncedBytes]).toEqual([33, 0]);
      await appender.sync();
      expect(appender.syncedBytes).toBe(33);
      await appender.append([bytes(9, 4)]);
      expect(appender.syncedBytes).toBe(33);
      await appender.seal();
      const content = Buffer.concat([bytes(10, 1), bytes(3, 2), bytes(20, 3), bytes(9, 4)]);
      expect(await contentOf(NAME)).toEqual(content);
    });

    it('can be read while it is written', async () => {
      const appender = await storage.create(NAME, RESERVED_BYTES);
      await appender.append([bytes(100, 1)]);
      const reader = await storage.open(NAME);
      expect(await reader.read(20, 30)).toEqual(bytes(30, 1));
      await reader.close();
      await appender.seal();
    });

    it('reads only what there is', async () => {
      const appender = await storage.create(NAME, RESERVED_BYTES);
      await appender.append([bytes(100, 1)]);
      await appender.seal();
      const reader = await storage.open(NAME);
      expect(reader.byteLength).toBe(100);
      expect((await reader.read(90, 50)).length).toBe(10);
      expect((await reader.read(500, 50)).length).toBe(0);
      const target = new Uint8Array(new SharedArrayBuffer(50));
      expect(await reader.readInto(target, 20)).toBe(50);
      expect(Buffer.from(target)).toEqual(await reader.read(20, 50));
      expect([await reader.readInto(target, 90), await reader.readInto(target, 500)]).toEqual([10, 0]);
      await reader.close();
    });

    it('has nothing but zeros in the room that is reserved', async () => {
      const appender = await storage.create(NAME, RESERVED_BYTES);
      await appender.append([bytes(100, 1)]);
      const reader = await storage.open(NAME);
      const rest = await reader.read(100, RESERVED_BYTES);
      expect(rest.every((byte) => byte === 0)).toBe(true);
      await reader.close();
      await appender.abandon();
      await appender.abandon();
    });

    it('grows beyond what was reserved', async () => {
      const appender = await storage.create(NAME, 10);
      await appender.append([bytes(1_000, 1)]);
      await appender.seal();
      expect(await contentOf(NAME)).toEqual(bytes(1_000, 1));
    });

    it('continues a file at a length, without what followed', async () => {
      const first = await storage.create(NAME, RESERVED_BYTES);
      await first.append([bytes(100, 1)]);
      await first.abandon();
      const second = await storage.reopen(NAME, 60);
      expect(second.byteLength).toBe(60);
      await second.append([bytes(9, 2)]);
      await second.seal();
      expect(await contentOf(NAME)).toEqual(Buffer.concat([bytes(60, 1), bytes(9, 2)]));
    });

    it('never overwrites a file', async () => {
      await (await storage.create(NAME, RESERVED_BYTES)).seal();
      await expect(storage.create(NAME, RESERVED_BYTES)).rejects.toMatchObject({ code: 'RECORDING_EXISTS' });
    });

    it('says that a file does not exist', async () => {
      await expect(storage.open(NAME)).rejects.toMatchObject({ code: 'RECORDING_NOT_FOUND' });
      await expect(storage.reopen(NAME, 0)).rejects.toMatchObject({ code: 'RECORDING_NOT_FOUND' });
      expect(await storage.delete(NAME)).toBe(false);
    });

    it('lists names in order, folder by folder', async () => {
      for (const name of ['b/main/2.mp4', 'b/main/1.mp4', 'b/sub/7.mp4', 'a/main/3.mp4']) {
        await (await storage.create(name, 0)).seal();
      }
      expect(await storage.list('')).toEqual(['a', 'b']);
      expect(await storage.list('b')).toEqual(['main', 'sub']);
      expect(await storage.list('b/main')).toEqual(['1.mp4', '2.mp4']);
      expect(await storage.list('c')).toEqual([]);
      expect(await storage.delete('b/main/1.mp4')).toBe(true);
      expect(await storage.list('b/main')).toEqual(['2.mp4']);
    });

    it('knows how much can be written', async () => {
      expect(await storage.freeBytes()).toBeGreaterThan(0);
    });
  });
}
