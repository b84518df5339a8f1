import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { type Log, silentLog } from '../../core/log.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { type Numbering, type NumberingStore, RenditionNumbering } from './numbering.ts';

const KEY = { cameraUuid: newRuuid(), rendition: 'main' as const, fence: 0 };

class MemoryStore implements NumberingStore {
  entry: Numbering | null = null;
  saves = 0;
  isBroken = false;
  async find() {
    if (this.isBroken) throw new Error('disk gone');
    return this.entry;
  }
  async save(entry: Numbering) {
    if (this.isBroken) throw new Error('disk gone');
    this.saves++;
    this.entry = entry;
  }
}

function numbers(nextMediaSequenceNumber: number, nextDiscontinuitySequence = 0): Numbering {
  return { nextMediaSequenceNumber, nextDiscontinuitySequence, initFingerprint: 'aa' };
}

describe('RenditionNumbering', () => {
  it('starts at one, and is not a continuation, for a rendition never seen', async () => {
    const numbering = await RenditionNumbering.open(new MemoryStore(), KEY, silentLog);
    expect(numbering.current).toEqual({
      nextMediaSequenceNumber: 1,
      nextDiscontinuitySequence: 0,
      initFingerprint: null,
    });
    expect(numbering.isContinuation).toBe(false);
  });

  it('never repeats a number after a crash, wherever it happens', async () => {
    const store = new MemoryStore();
    for (let published = 0, rounds = 0; rounds < 5; rounds++) {
      const numbering = await RenditionNumbering.open(store, KEY, silentLog);
      expect(numbering.current.nextMediaSequenceNumber).toBeGreaterThanOrEqual(published);
      published = numbering.current.nextMediaSequenceNumber;
      for (let segment = 0; segment < 700 * rounds; segment++) {
        numbering.advance(numbers(++published, rounds));
        if (segment % 100 === 0) await new Promise(setImmediate);
        if (segment % 100 === 99) expect(store.entry!.nextMediaSequenceNumber).toBeGreaterThan(published);
      }
      expect(store.entry!.nextMediaSequenceNumber).toBeGreaterThanOrEqual(published);
    }
  });

  it('continues exactly where it was after a clean stop', async () => {
    const store = new MemoryStore();
    const first = await RenditionNumbering.open(store, KEY, silentLog);
    first.advance(numbers(17, 3));
    await first.close();
    const second = await RenditionNumbering.open(store, KEY, silentLog);
    expect(second.current).toMatchObject(numbers(17, 3));
    expect(second.isContinuation).toBe(true);
  });

  it('writes once per block, not per segment', async () => {
    const store = new MemoryStore();
    const numbering = await RenditionNumbering.open(store, KEY, silentLog);
    for (let segment = 1; segment <= 5_000; segment++) numbering.advance(numbers(segment));
    await numbering.close();
    expect(store.saves).toBeLessThan(12);
  });

  it('saves a new init segment at once', async () => {
    const store = new MemoryStore();
    const numbering = await RenditionNumbering.open(store, KEY, silentLog);
    numbering.advance({ ...numbers(1), initFingerprint: 'bb' });
    await new Promise(setImmediate);
    expect(store.entry?.initFingerprint).toBe('bb');
  });

  it('keeps a camera watchable while the store is broken', async () => {
    const store = new MemoryStore();
    store.isBroken = true;
    const numbering = await RenditionNumbering.open(store, KEY, silentLog);
    numbering.advance(numbers(1));
    await numbering.close();
    expect(numbering.current.nextMediaSequenceNumber).toBe(1);
  });

  it('says that numbers are not saved, but not if someone else numbers the camera by now', async () => {
    const errors: string[] = [];
    const log: Log = { ...silentLog, error: (_, message) => void errors.push(message) };
    const store = new MemoryStore();
    const numbering = await RenditionNumbering.open(store, { ...KEY, fence: 3 }, log);
    store.save = () =>
      Promise.reject(new GatewayError({ code: 'LEASE_ENDED', kind: 'conflict', message: 'Not the owner.' }));
    await numbering.close();
    expect(errors).toEqual([]);
    store.save = () => Promise.reject(new Error('disk gone'));
    await numbering.close();
    expect(errors).toEqual([expect.stringContaining('segment numbering not saved')]);
  });

  it('with a fence, needs a store to begin, and ends with the last number that is stored', async () => {
    const store = new MemoryStore();
    const key = { ...KEY, fence: 3 };
    store.isBroken = true;
    await expect(RenditionNumbering.open(store, key, silentLog)).rejects.toThrow();
    store.isBroken = false;
    const numbering = await RenditionNumbering.open(store, key, silentLog);
    const end = store.entry!.nextMediaSequenceNumber;
    store.isBroken = true;
    expect(numbering.advance(numbers(end - 1))).toBe(true);
    await new Promise(setImmediate);
    expect(numbering.advance(numbers(end))).toBe(false);
    store.isBroken = false;
    numbering.advance(numbers(end - 1));
    await new Promise(setImmediate);
    expect(numbering.advance(numbers(end))).toBe(true);
  });
});
