import { describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { silentLog } from '../core/log.ts';
import { FileStorage } from '../recording/file-storage.ts';
import { testFolder } from '../recording/recording-fixture.ts';
import { BLOCK_BYTES, POOL_BYTES } from './read-pool.ts';
import type { ReadMessage } from './read-protocol.ts';
import { ReadSide } from './read-side.ts';
import {
  READ_DEADLINE_MS,
  READS_IN_THREAD,
  type ReadThreadEvents,
  RecordingReads,
} from './recording-reads.ts';

const NAME = 'camera/main/000000000000.mp4';
const CONTENT = Buffer.from(Array.from({ length: 1_000 }, (_, i) => i & 0xff));

/** Reads of one file; `hang` keeps the thread from answering. */
async function open() {
  const clock = new FakeClock();
  const folder = testFolder();
  const storage = new FileStorage(folder);
  const appender = await storage.create(NAME, 0);
  await appender.append([CONTENT]);
  await appender.seal();
  const launches: ReadThreadEvents[] = [];
  const memories: SharedArrayBuffer[] = [];
  const hung: ReadMessage[] = [];
  const thread = { isHanging: false };
  const reads = new RecordingReads({
    launch: (memory, events) => {
      launches.push(events);
      memories.push(memory);
      const side = new ReadSide(storage, memory, (notice) => events.onNotice(notice));
      return {
        post: (message) => {
          if (thread.isHanging) hung.push(message);
          else void side.take(message);
        },
        terminate: () => undefined,
      };
    },
    clock,
    log: silentLog,
  });
  const resume = async () => {
    thread.isHanging = false;
    const side = new ReadSide(storage, memories.at(-1)!, (notice) => launches.at(-1)!.onNotice(notice));
    for (const message of hung.splice(0)) await side.take(message);
  };
  return { clock, storage, reads, launches, memories, hung, thread, resume };
}

const codeOf = (read: Promise<Buffer>) =>
  read.then(
    () => 'read',
    (error: { code: string }) => error.code,
  );

describe('RecordingReads', () => {
  it('reads exactly the bytes that were asked for', async () => {
    const { reads } = await open();
    const [first, second] = await Promise.all([
      reads.read({ name: NAME, offset: 0, length: 10 }),
      reads.read({ name: NAME, offset: 990, length: 10 }),
    ]);
    expect(first).toEqual(CONTENT.subarray(0, 10));
    expect(second).toEqual(CONTENT.subarray(990));
    expect([reads.waiting, reads.waitingBytes]).toEqual([0, 0]);
  });

  it('says that a file is gone, and that one is shorter than the catalog says', async () => {
    const { reads, storage } = await open();
    expect(await codeOf(reads.read({ name: NAME, offset: 995, length: 10 }))).toBe('RECORDING_IO');
    await storage.delete(NAME);
    expect(await codeOf(reads.read({ name: NAME, offset: 0, length: 10 }))).toBe('RECORDING_NOT_FOUND');
  });

  it('lends bytes from its pool until they are given back', async () => {
    const { reads, memories } = await open();
    const job = { name: NAME, offset: 20, length: 30 };
    const lent = await reads.lend(job);
    const other = await reads.lend({ ...job, offset: 21 });
    expect([lent.bytes, other.bytes]).toEqual([CONTENT.subarray(20, 50), CONTENT.subarray(21, 51)]);
    expect([lent.bytes.buffer, other.bytes.byteOffset]).toEqual([memories[0], BLOCK_BYTES]);
    lent.release();
    for (let offset = 0; offset < 1_000; offset++) {
      const next = await reads.lend({ name: NAME, offset, length: 1 });
      expect(next.bytes[0]).toBe(CONTENT[offset]);
      next.release();
    }
    expect(other.bytes).toEqual(CONTENT.subarray(21, 51));
  });

  it('lends memory of its own when the pool is full', async () => {
    const { reads, memories } = await open();
    const job = { name: NAME, offset: 0, length: 10 };
    const lent = await Promise.all(
      Array.from({ length: POOL_BYTES / BLOCK_BYTES + 1 }, () => reads.lend(job)),
    );
    expect(lent.filter(({ bytes }) => bytes.buffer === memories[0]).length).toBe(POOL_BYTES / BLOCK_BYTES);
    expect(lent.every(({ bytes }) => bytes.equals(CONTENT.subarray(0, 10)))).toBe(true);
  });

  it('gives no place to anyone else while a thread that hangs may still write to it', async () => {
    const { reads, clock, thread, resume, memories } = await open();
    thread.isHanging = true;
    const late = reads
      .lend({ name: NAME, offset: 0, length: 10 })
      .catch((error: { code: string }) => error.code);
    clock.advance(READ_DEADLINE_MS - 1);
    const second = reads.lend({ name: NAME, offset: 1, length: 10 });
    clock.advance(1);
    expect(await late).toBe('PLAYBACK_STORAGE_SLOW');
    await resume();
    const { bytes } = await second;
    expect([bytes.buffer, bytes.byteOffset]).toEqual([memories[0], BLOCK_BYTES]);
    for (let blocks = 2; blocks < POOL_BYTES / BLOCK_BYTES; blocks++) {
      await reads.lend({ name: NAME, offset: 0, length: 10 });
    }
    expect((await reads.lend({ name: NAME, offset: 0, length: 10 })).bytes.byteOffset).toBe(0);
  });

  it('fails within the deadline when the storage hangs, and at once while it does', async () => {
    const { reads, clock, thread, hung, resume } = await open();
    thread.isHanging = true;
    const late = Array.from({ length: READS_IN_THREAD + 5 }, (_, i) =>
      codeOf(reads.read({ name: NAME, offset: i, length: 1 })),
    );
    expect(hung.length).toBe(READS_IN_THREAD);
    clock.advance(READ_DEADLINE_MS);
    expect(new Set(await Promise.all(late))).toEqual(new Set(['PLAYBACK_STORAGE_SLOW']));
    expect(await codeOf(reads.read({ name: NAME, offset: 0, length: 1 }))).toBe('PLAYBACK_STORAGE_SLOW');
    expect(reads.waitingBytes).toBe(READS_IN_THREAD);
    await resume();
    expect(reads.waitingBytes).toBe(0);
    expect(await reads.read({ name: NAME, offset: 7, length: 1 })).toEqual(CONTENT.subarray(7, 8));
  });

  it('takes no more of one organization than its bounds, in number and in bytes', async () => {
    const { reads, thread, resume } = await open();
    thread.isHanging = true;
    const taken = Array.from({ length: LIMITS.recordingReads.total / 2 }, () =>
      codeOf(reads.read({ name: NAME, offset: 0, length: 1 })),
    );
    expect(await codeOf(reads.read({ name: NAME, offset: 0, length: 1 }))).toBe('PLAYBACK_TOO_MANY_READS');
    await resume();
    await Promise.all(taken);
    thread.isHanging = true;
    const large = codeOf(reads.read({ name: NAME, offset: 0, length: LIMITS.recordingReadBytes.total / 2 }));
    expect(await codeOf(reads.read({ name: NAME, offset: 0, length: 1 }))).toBe('PLAYBACK_TOO_MANY_READS');
    await resume();
    expect(await large).toBe('RECORDING_IO');
    expect(reads.waitingBytes).toBe(0);
  });

  it('survives the end of its thread: what it had fails, what waits is read by the next one', async () => {
    const { reads, clock, launches, thread, hung } = await open();
    thread.isHanging = true;
    const had = Array.from({ length: READS_IN_THREAD }, () =>
      codeOf(reads.read({ name: NAME, offset: 0, length: 1 })),
    );
    const waits = reads.read({ name: NAME, offset: 3, length: 1 });
    thread.isHanging = false;
    launches[0]!.onEnd(new Error('out of memory'));
    expect(new Set(await Promise.all(had))).toEqual(new Set(['PLAYBACK_READER_FAILED']));
    clock.advance(1_000);
    expect(await waits).toEqual(CONTENT.subarray(3, 4));
    expect(launches.length).toBe(2);
    // An answer of the thread before is not one of this thread's.
    launches[0]!.onNotice({ id: hung[0]!.id, bytes: Buffer.alloc(1) });
    expect(reads.waitingBytes).toBe(0);
  });

  it('fails what waits when it closes', async () => {
    const { reads, thread, clock } = await open();
    thread.isHanging = true;
    const waits = codeOf(reads.read({ name: NAME, offset: 0, length: 1 }));
    reads.close();
    expect(await waits).toBe('PLAYBACK_READER_FAILED');
    expect(await codeOf(reads.read({ name: NAME, offset: 0, length: 1 }))).toBe('PLAYBACK_READER_FAILED');
    expect(clock.pendingTimers).toBe(0);
  });
});

it('reports a defect of ours as what it is, with its stack', async () => {
  const { storage, reads } = await open();
  storage.open = async () => (undefined as unknown as { reader: never }).reader;
  await expect(reads.read({ name: NAME, offset: 0, length: 10 })).rejects.toMatchObject({
    code: 'INTERNAL',
    kind: 'internal',
    context: { name: NAME },
    cause: { message: expect.stringContaining('recording-reads.test.ts') },
  });
});

it('starts its thread again after ever longer pauses, although it answers before it ends', async () => {
  const { clock, reads, launches } = await open();
  const startsMonoMs: number[] = [];
  for (let at = 0; at < 240; at++, clock.advance(250)) {
    const read = reads.read({ name: NAME, offset: 0, length: 10 });
    const responded = read.catch(() => undefined);
    if (launches.length === startsMonoMs.length) continue;
    startsMonoMs.push(clock.monoMs());
    await responded;
    launches.at(-1)!.onEnd(new Error('out of memory'));
  }
  reads.close();
  const pauses = startsMonoMs.slice(1).map((startMonoMs, i) => startMonoMs - startsMonoMs[i]!);
  expect(pauses.slice(0, 7)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000]);
});
