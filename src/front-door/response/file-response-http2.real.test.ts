/** Blocks of a file that is sent over HTTP/2 are someone else's memory as soon as they are released. */

import type { FastifyReply } from 'fastify';
import { afterEach, expect, it } from 'vitest';
import {
  frame,
  framesIn,
  get,
  ListenerFixture,
  PREFACE,
  type RawClient,
  until,
} from '../../connections/listener-fixture.ts';
import type { ServedFile } from '../../playback/served-file.ts';
import { sendFile } from './file-response.ts';

const BLOCK_BYTES = 512 * 1_024;
const BLOCKS = 64;
const OPEN_WINDOWS = Buffer.concat([
  frame(4, 0, 0, Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff])),
  frame(8, 0, 0, Buffer.from([0x7f, 0x00, 0x00, 0x00])),
]);
const CANCEL = Buffer.from([0, 0, 0, 8]);

let bench: ListenerFixture;
let taken = 0;
let released = 0;
afterEach(() => bench.close());

const file: ServedFile = {
  byteLength: BLOCK_BYTES * BLOCKS,
  digest: 'abc',
  modifiedEpochMs: 0,
  async *read() {
    for (let block = 0; block < BLOCKS; block++) {
      taken += 1;
      const buffers = [Buffer.alloc(BLOCK_BYTES / 2, block), Buffer.alloc(BLOCK_BYTES / 2, block)];
      const release = (): void => {
        released += 1;
      };
      yield { buffers, release };
    }
  },
};

async function openBench(): Promise<{ client: RawClient; ended: () => boolean }> {
  [taken, released] = [0, 0];
  let isOver = false;
  bench = await ListenerFixture.open({
    isHttp2Plain: true,
    answer: (request, raw) => {
      const reply = { raw, request: { method: request.method }, hijack: () => undefined };
      const flow = { mayContinue: () => true, onProgress: () => undefined, onSent: () => undefined };
      const whole = { status: 200, first: 0, end: file.byteLength } as const;
      const kind = { type: 'video/mp4', downloadName: null };
      void sendFile(reply as unknown as FastifyReply, file, kind, whole, flow).then(() => {
        isOver = true;
      });
    },
  });
  const client = bench.tcp(Buffer.concat([PREFACE, OPEN_WINDOWS]));
  await until(() => client.bytesRead > 0);
  client.socket.write(frame(4, 1, 0));
  return { client, ended: () => isOver };
}

/** Until the client's connection takes no more. */
async function stuck(): Promise<void> {
  for (let quiet = 0, before = -1; quiet < 100; before = taken) {
    quiet = taken === before && taken > 0 ? quiet + 1 : 0;
    await new Promise(setImmediate);
  }
}

it('a whole file arrives, and each block is released when it was sent', async () => {
  const { client, ended } = await openBench();
  client.socket.write(get(1));
  await until(() => client.bytesRead > file.byteLength && ended());
  expect([taken, released]).toEqual([BLOCKS, BLOCKS]);
  const body = Buffer.concat(
    framesIn(client.bytes).flatMap(({ type, payload }) => (type === 0 ? [payload] : [])),
  );
  expect(body.length).toBe(file.byteLength);
  for (let block = 0; block < BLOCKS; block++) expect(body[block * BLOCK_BYTES]).toBe(block);
});

it('the block on its way is released only when nothing reads it, if the client resets the stream', async () => {
  const { client, ended } = await openBench();
  client.socket.pause();
  client.socket.write(get(1));
  await stuck();
  expect([taken < BLOCKS, released]).toEqual([true, taken - 1]);
  client.socket.write(frame(3, 0, 1, CANCEL));
  await stuck();
  expect([ended(), released]).toEqual([false, taken - 1]);
  client.socket.resume();
  const ping = () => framesIn(client.bytes).find(({ type, flags }) => type === 6 && flags === 0);
  await until(() => ping() !== undefined);
  expect(ended()).toBe(false);
  client.socket.write(frame(6, 1, 0, ping()!.payload));
  await until(ended);
  expect(released).toBe(taken);
});

it('or when the connection is gone', async () => {
  const { client, ended } = await openBench();
  client.socket.pause();
  client.socket.write(get(1));
  await stuck();
  client.socket.destroy();
  await until(ended);
  expect(released).toBe(taken);
});
