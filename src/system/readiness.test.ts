import { beforeEach, describe, expect, it } from 'vitest';
import type { ClusterAbsence } from '../cluster/cluster.ts';
import { GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import type { Readiness } from '../core/readiness.ts';
import { STORE_ERRORS } from '../store/errors.ts';
import { createReadiness, MIN_FREE_BYTES, WRITE_CHECK_INTERVAL_MS } from './readiness.ts';

let clock: FakeClock;
let writes: number;
let freeBytes: number;
let failure: GatewayError | null;
let isAway: boolean;
let isFollowed: boolean | null;
let absence: ClusterAbsence | null;
let ask: () => Promise<Readiness>;

beforeEach(() => {
  clock = new FakeClock();
  [writes, freeBytes, failure, isAway] = [0, MIN_FREE_BYTES, null, false];
  isFollowed = null;
  absence = null;
  ask = createReadiness({
    store: {
      async ping() {
        if (isAway) throw new GatewayError(STORE_ERRORS.STORE_UNREACHABLE);
      },
      async checkWriting() {
        writes++;
        if (failure !== null) throw failure;
      },
    },
    counters: { status: () => 'up' },
    foreignChanges: {
      get isUp() {
        return isFollowed;
      },
    },
    clock,
    absence: () => absence,
    freeBytes: async () => freeBytes,
  });
});

const notReady = (store: string) => ({ ready: false, checks: { store, counters: 'ok' } });

describe('readiness', () => {
  it('tries to write, a limited number of times however often it is called', async () => {
    const responses = await Promise.all(Array.from({ length: 1_000 }, ask));
    expect(responses.every(({ ready }) => ready)).toBe(true);
    expect(writes).toBe(1);
    clock.advance(WRITE_CHECK_INTERVAL_MS - 1);
    await ask();
    expect(writes).toBe(1);
    clock.advance(1);
    await ask();
    expect(writes).toBe(2);
  });

  it.each(['starting', 'draining'] as const)(
    'fails while the node is %s in its cluster, whatever the store does',
    async (state) => {
      [absence, isAway] = [state, true];
      expect(await ask()).toEqual({ ready: false, checks: { cluster: state } });
      expect(writes).toBe(0);
    },
  );

  it('fails while the store accepts no write, and says why', async () => {
    failure = new GatewayError(STORE_ERRORS.STORE_DISK_FULL);
    expect(await ask()).toEqual(notReady('STORE_DISK_FULL'));
    expect(await ask()).toEqual(notReady('STORE_DISK_FULL'));
    failure = null;
    clock.advance(WRITE_CHECK_INTERVAL_MS);
    expect(await ask()).toMatchObject({ ready: true });
  });

  it('says whether changes of other processes arrive, if there can be any', async () => {
    expect((await ask()).checks).toEqual({ store: 'ok', counters: 'ok' });
    isFollowed = true;
    expect((await ask()).checks).toMatchObject({ changes: 'ok' });
    isFollowed = false;
    expect(await ask()).toMatchObject({ ready: true, checks: { changes: expect.stringMatching(/^down;/) } });
  });

  it('fails when the disk has no room, even if the write succeeded', async () => {
    freeBytes = MIN_FREE_BYTES - 1;
    expect(await ask()).toEqual(notReady('STORE_DISK_FULL'));
  });

  it('fails immediately when the store does not respond', async () => {
    expect(await ask()).toMatchObject({ ready: true });
    isAway = true;
    expect(await ask()).toEqual(notReady('STORE_UNREACHABLE'));
  });
});
