import { describe, expect, it } from 'vitest';
import { eventuallyEqual } from '../core/eventually-equal-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import { silentLog } from '../core/log.ts';
import { AGAIN_AFTER_MS, type CacheDisk, IDLE_MS, RecodedFiles, SWEEP_INTERVAL_MS } from './recoded-files.ts';

const OWN = { organization: 'own', camera: 'dock' };
const OTHER = { organization: 'other', camera: 'gate' };
const fresh = () => false;

/** `maxBytes`: of all files. */
function open({ maxBytes = 1_000 } = {}) {
  const files = new Map<string, Buffer>([['left', Buffer.from('by an earlier gateway')]]);
  const state = { freeBytes: 10_000, failure: null as Error | null, gate: Promise.resolve() };
  const check = (): void => {
    if (state.failure !== null) throw state.failure;
  };
  const disk: CacheDisk = {
    async empty() {
      check();
      files.clear();
    },
    freeBytes: async () => state.freeBytes,
    async write(name, bytes) {
      await state.gate;
      check();
      files.set(name, Buffer.from(bytes));
    },
    async read(name) {
      check();
      return files.get(name)!;
    },
    async remove(name) {
      files.delete(name);
    },
  };
  const logged: string[] = [];
  const log: Log = {
    ...silentLog,
    info: (_fields, message) => logged.push(message),
    warn: (_fields, message) => logged.push(message),
  };
  const clock = new FakeClock();
  const recoded = new RecodedFiles({ disk, maxBytes, minFreeBytes: 5_000, clock, log });
  return { recoded, files, state, logged, clock };
}

describe('H.264 of recordings on the disk', () => {
  it('is read as it was written, and the disk has none of it in plain', async () => {
    const { recoded, files } = open();
    const bytes = Buffer.alloc(100, 'secret');
    await recoded.write('a', OWN, bytes, fresh);
    expect(await recoded.read('a')).toEqual(bytes);
    expect(await recoded.read('b')).toBeNull();
    expect([...files.values()].map((each) => each.includes('secret'))).toEqual([false]);
  });

  it('begins with an empty folder, and leaves one', async () => {
    const { recoded, files } = open();
    recoded.begin();
    await eventuallyEqual(() => files.size, 0);
    await recoded.write('a', OWN, Buffer.alloc(10), fresh);
    expect(files.size).toBe(1);
    await recoded.close();
    expect(files.size).toBe(0);
    await recoded.write('b', OWN, Buffer.alloc(10), fresh);
    expect(files.size).toBe(0);
  });

  it('makes room by deleting what was not used for the longest time', async () => {
    const { recoded, files } = open();
    for (const key of ['a', 'b', 'c']) await recoded.write(key, OWN, Buffer.alloc(300), fresh);
    await recoded.read('a');
    await recoded.write('d', OWN, Buffer.alloc(300), fresh);
    expect(['a', 'b', 'c', 'd'].filter((key) => recoded.has(key))).toEqual(['a', 'c', 'd']);
    expect(files.size).toBe(3);
    expect(recoded.byteLength).toBe(900);
  });

  it('of one organization does not displace that of another', async () => {
    const { recoded } = open();
    await recoded.write('own', OWN, Buffer.alloc(300), fresh);
    for (let number = 0; number < 9; number++)
      await recoded.write(`other ${number}`, OTHER, Buffer.alloc(300), fresh);
    expect(recoded.has('own')).toBe(true);
    expect(recoded.byteLength).toBe(900);
  });

  it('of one organization does not take the places of another at a slow disk', async () => {
    const { recoded, files, state } = open({ maxBytes: 100_000 });
    const gate = Promise.withResolvers<void>();
    state.gate = gate.promise;
    const writes: Promise<void>[] = [];
    for (let number = 0; number < 2 * LIMITS.recodedWrites.total; number++)
      writes.push(recoded.write(`other ${number}`, OTHER, Buffer.alloc(10), fresh));
    writes.push(recoded.write('own', OWN, Buffer.alloc(10), fresh));
    gate.resolve();
    await Promise.all(writes);
    expect(recoded.has('own')).toBe(true);
    expect(files.size).toBeLessThanOrEqual(LIMITS.recodedWrites.total);
  });

  it('gives its room to recordings', async () => {
    const { recoded, files, state } = open();
    await recoded.write('a', OWN, Buffer.alloc(300), fresh);
    state.freeBytes = 5_100;
    await recoded.write('b', OWN, Buffer.alloc(300), fresh);
    expect(files.size).toBe(0);
  });

  it('is not kept if it became stale while it was written', async () => {
    const { recoded, files } = open();
    await recoded.write('a', OWN, Buffer.alloc(10), () => true);
    expect([recoded.has('a'), files.size]).toEqual([false, 0]);
  });

  it('goes when no one has watched it for an hour', async () => {
    const { recoded, files, clock } = open();
    await recoded.write('a', OWN, Buffer.alloc(10), fresh);
    await recoded.write('b', OWN, Buffer.alloc(10), fresh);
    clock.advance(IDLE_MS - SWEEP_INTERVAL_MS);
    await recoded.read('a');
    clock.advance(SWEEP_INTERVAL_MS);
    expect([recoded.has('a'), recoded.has('b'), files.size]).toEqual([true, false, 1]);
  });

  it('that was changed on the disk is not shown', async () => {
    const { recoded, files } = open();
    await recoded.write('a', OWN, Buffer.alloc(10), fresh);
    for (const encrypted of files.values()) encrypted[3]! ^= 1;
    expect(await recoded.read('a')).toBeNull();
    expect(files.size).toBe(0);
  });
});

it('a disk that fails is logged once, left alone for a minute, and used again', async () => {
  const { recoded, files, state, logged, clock } = open();
  state.failure = Object.assign(new Error('full'), { code: 'ENOSPC' });
  await recoded.write('a', OWN, Buffer.alloc(10), fresh);
  state.failure = null;
  await recoded.write('a', OWN, Buffer.alloc(10), fresh);
  expect([recoded.isWorking, recoded.has('a')]).toEqual([false, false]);
  clock.advance(AGAIN_AFTER_MS);
  await recoded.write('a', OWN, Buffer.alloc(10), fresh);
  expect([recoded.isWorking, files.size]).toEqual([true, 1]);
  expect(logged).toEqual([
    'H.264 of recordings not kept on the disk',
    'H.264 of recordings kept on the disk again',
  ]);
});
