import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { eventually } from '../core/eventually-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import type { LeaseRepository } from './lease.ts';
import { LeasedSweep, SLICE_PAUSE_MS, SWEEP_INTERVAL_MS, type SweepTurn } from './leased-sweep.ts';
import type { Store } from './store.ts';
import { openTestStore } from './test-store-fixture.ts';

const FIRST_AFTER_MS = 60_000;

let clock: FakeClock;
let store: Store;
let leases: LeaseRepository;
let begun: string[];
const sweeps: LeasedSweep[] = [];

beforeEach(async () => {
  clock = new FakeClock();
  store = await openTestStore(clock);
  // As over a database that several gateways share.
  const own = store.leases;
  leases = {
    isShared: true,
    take: (...args) => own.take(...args),
    takeExpired: (...args) => own.takeExpired(...args),
    keep: (...args) => own.keep(...args),
    release: (...args) => own.release(...args),
    releaseAll: (...args) => own.releaseAll(...args),
  };
  begun = [];
});
afterEach(async () => {
  await Promise.all(sweeps.splice(0).map((sweep) => sweep.stop()));
  await store.close();
});

function open(gateway: string, work: (turn: SweepTurn) => Promise<number> = async () => 1): LeasedSweep {
  const sweep = new LeasedSweep({
    leases,
    name: 'old',
    what: 'old rows',
    firstAfterMs: FIRST_AFTER_MS,
    sweep: (turn) => {
      begun.push(gateway);
      return work(turn);
    },
    clock,
    log: silentLog,
  });
  sweeps.push(sweep);
  return sweep;
}

it('one of two gateways sweeps, and again an hour later', async () => {
  const keep = vi.spyOn(leases, 'keep');
  open('A');
  clock.advance(1);
  open('B');
  clock.advance(FIRST_AFTER_MS - 1);
  await eventually('A has swept, and keeps its lease', () => keep.mock.calls.length === 1);
  const take = vi.spyOn(leases, 'take');
  clock.advance(1);
  await eventually('B is refused', async () => (await take.mock.results[0]?.value) === null);
  expect(begun).toEqual(['A']);
  clock.advance(SWEEP_INTERVAL_MS - 1);
  await eventually('an hour later', () => begun.length === 2);
});

it('a sweep that fails is tried again', async () => {
  open('A', async () => {
    throw new Error('the database is away');
  });
  clock.advance(FIRST_AFTER_MS);
  await eventually('the second one', () => {
    clock.advance(SWEEP_INTERVAL_MS);
    return begun.length >= 2;
  });
});

it('a gateway that stops ends its pause, and leaves the rest', async () => {
  let slices = 0;
  const sweep = open('A', async (turn) => {
    for (; !turn.isOver; slices++) await turn.pause();
    return slices;
  });
  clock.advance(FIRST_AFTER_MS);
  await eventually('the second slice', () => {
    clock.advance(SLICE_PAUSE_MS);
    return slices >= 2;
  });
  await sweep.stop();
  const swept = slices;
  clock.advance(SWEEP_INTERVAL_MS);
  expect([slices, begun]).toEqual([swept, ['A']]);
});
