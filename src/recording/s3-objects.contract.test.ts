/** A real S3 server, through the AWS SDK. */

import { inspect } from 'node:util';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestS3Server } from '../../test/support/s3-server.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { testFolder } from './recording-fixture.ts';
import { s3Storage, uploadingAtOnce } from './s3-fixture.ts';
import { S3Objects, type S3Settings } from './s3-objects.ts';
import { describeStorageContract } from './storage-contract.ts';

let server: TestS3Server;
let prefixes = 0;
const clients: S3Objects[] = [];
beforeAll(async () => {
  server = await TestS3Server.start();
  await server.createBucket('recordings');
}, 180_000);
afterAll(async () => {
  for (const client of clients) client.close();
  await server?.stop();
});

/** Each in a place of its own in the bucket. */
function objects(settings: Partial<S3Settings> = {}, pageNames?: number): S3Objects {
  const given = {
    bucket: 'recordings',
    region: 'us-east-1',
    endpoint: server.endpoint,
    prefix: `t${prefixes++}/`,
    credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'hush-hush-hush' },
    ...settings,
  };
  const client = new S3Objects(given, pageNames);
  clients.push(client);
  return client;
}

function put(store: S3Objects, name: string, content: Buffer): Promise<void> {
  return store.put(name, {
    byteLength: content.length,
    crc32: crc32(content),
    async *content() {
      yield content.subarray(0, 10);
      yield content.subarray(10);
    },
  });
}

const clock = new FakeClock();
describeStorageContract('S3 server', () => uploadingAtOnce(s3Storage(objects(), testFolder(), { clock })));

describe('S3Objects', () => {
  it('stores objects and reads ranges of them', async () => {
    const store = objects();
    const content = Buffer.from(Array.from({ length: 3_000_000 }, (_, i) => i % 251));
    await put(store, 'a/main/1.mp4', content);
    expect(await store.byteLength('a/main/1.mp4')).toBe(3_000_000);
    expect(await store.read('a/main/1.mp4', 1_234_567, 99)).toEqual(content.subarray(1_234_567, 1_234_666));
    expect(await store.byteLength('a/main/2.mp4')).toBeNull();
    await expect(store.read('a/main/2.mp4', 0, 9)).rejects.toMatchObject({ code: 'RECORDING_NOT_FOUND' });
    await store.delete('a/main/1.mp4');
    await store.delete('a/main/1.mp4');
    expect(await store.list('a/main')).toEqual([]);
  });

  it('lists more than a page', async () => {
    const store = objects({}, 4);
    const names = ['00', '01', '02', '03', '04', '05', '06', '07', '08'];
    await Promise.all(names.map((name) => put(store, `b/${name}`, Buffer.alloc(11))));
    expect(await store.list('b')).toEqual(names);
    expect(await store.list('')).toEqual(['b']);
  });

  it('says that S3 does not answer, or refuses, without any credential', async () => {
    const store = objects();
    const missing = objects({ bucket: 'elsewhere' });
    const refused = await missing.list('').catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'RECORDING_S3_REFUSED', context: { errno: 'NoSuchBucket' } });
    server.cut(true);
    const away = await put(store, 'd', Buffer.alloc(100)).catch((error: unknown) => error);
    expect(away).toMatchObject({ code: 'RECORDING_S3_UNAVAILABLE' });
    server.cut(false);
    for (const error of [away, refused]) {
      expect(inspect(error, { depth: 9 })).not.toMatch(/hush|AKIATEST|Signature/);
    }
  });
});

describe('S3Storage over a server', () => {
  it('loses nothing when the connection is cut in the middle, and uploads later', async () => {
    const storage = s3Storage(objects(), testFolder(), { clock });
    const write = async (name: string, value: number) => {
      const appender = await storage.create(name, 2_000_000);
      await appender.append([Buffer.alloc(2_000_000, value)]);
      await appender.seal();
    };
    await write('a/main/000000000000.mp4', 1);
    await storage.settled();
    server.cut(true);
    await write('a/main/000000000001.mp4', 2);
    await storage.settled();
    expect(storage.spooledBytes).toBe(2_000_000);
    const content = async (name: string) => {
      const reader = await storage.open(name);
      const bytes = await reader.read(1_000_000, 5);
      await reader.close();
      return bytes;
    };
    expect(await content('a/main/000000000001.mp4')).toEqual(Buffer.alloc(5, 2));
    await expect(content('a/main/000000000000.mp4')).rejects.toMatchObject({
      code: 'RECORDING_S3_UNAVAILABLE',
    });
    server.cut(false);
    clock.advance(60_000);
    await storage.settled();
    expect(storage.spooledBytes).toBe(0);
    expect(await content('a/main/000000000000.mp4')).toEqual(Buffer.alloc(5, 1));
    expect(await content('a/main/000000000001.mp4')).toEqual(Buffer.alloc(5, 2));
    await storage.close();
  });
});
