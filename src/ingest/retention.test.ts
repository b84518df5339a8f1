import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Crossing } from '../store/crossing.ts';
import { EVENT_KINDS } from '../store/event.ts';
import { SLICE_PAUSE_MS } from '../store/leased-sweep.ts';
import { sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { FIRST_SWEEP_AFTER_MS, RetentionSweeper, ROWS_PER_SLICE } from './retention.ts';

const MS_PER_DAY = 86_400_000;
const AUDIT_MAX_ROWS = 20;
const PERIODS = {
  eventsMs: 10 * MS_PER_DAY,
  crossingsMs: 20 * MS_PER_DAY,
  auditMs: 30 * MS_PER_DAY,
  auditMaxRows: AUDIT_MAX_ROWS,
};

let clock: FakeClock;
let store: Store;
let orgUuid: Ruuid;
let sweeper: RetentionSweeper;
const deviceUuid = newRuuid();
beforeEach(async () => {
  clock = new FakeClock();
  store = await openTestStore(clock);
  const organization = sampleOrganization();
  orgUuid = organization.uuid;
  await store.organizations.save(organization);
  sweeper = new RetentionSweeper({ store, periods: PERIODS, clock, log: silentLog });
});
afterEach(async () => {
  await sweeper.stop();
  await store.close();
});

/** Lets the clock pass the pauses until `work` is done. */
async function passing<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const watched = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await store.ping();
    clock.advance(SLICE_PAUSE_MS);
  }
  return watched;
}

const crossing = (id: string, atMs: number): Crossing => {
  return { id, atMs, deviceUuid, facet: '', object: 'HUMAN', objectId: 1, direction: 'INGRESS' };
};
const addAudit = (atMs: number) =>
  store.audit.add([
    {
      uuid: newRuuid(),
      orgUuid,
      atMs,
      action: 'CAMERA_UPDATE',
      principal: { type: 'UNKNOWN', uuid: null, name: 'Sluice', sourceIp: null, userAgent: null },
      targetUuid: deviceUuid,
      targetName: 'Lobby',
    },
  ]);

it('removes what is older than its period, and nothing else', async () => {
  const nowMs = clock.epochMs();
  for (const [keptMs, name] of [
    [PERIODS.eventsMs, 'events'],
    [PERIODS.crossingsMs, 'crossings'],
    [PERIODS.auditMs, 'audit'],
  ] as const) {
    for (const atMs of [nowMs - keptMs - 1, nowMs - keptMs]) {
      if (name === 'events') {
        await store.events.add(
          EVENT_KINDS.map((kind) => ({ orgUuid, kind, id: `${atMs}`, deviceUuid, atMs, body: {} })),
        );
      } else if (name === 'crossings') {
        await store.crossings.add(orgUuid, [crossing(`${atMs}`, atMs)]);
        await store.occupancy.add(orgUuid, [{ id: `${atMs}`, deviceUuid, facet: '', atMs, count: 3 }]);
      } else await addAudit(atMs);
    }
  }
  // A crossing, its quarter hour's sum, a count, an audit row, and an event of each kind.
  expect(await passing(sweeper.sweep())).toBe(4 + EVENT_KINDS.length);
  const everything = { fromMs: 0, toMs: nowMs };
  for (const kind of EVENT_KINDS) expect(await store.events.count(orgUuid, { kind, ...everything })).toBe(1);
  const device = { deviceUuid, facet: '' };
  const left = await store.crossings.page(orgUuid, { device, ...everything, after: null, limit: 9 });
  expect(left.map(({ atMs }) => atMs)).toEqual([nowMs - PERIODS.crossingsMs]);
  const startMs = nowMs - PERIODS.crossingsMs - MS_PER_DAY;
  const buckets = {
    devices: null,
    fromMs: startMs,
    toMs: nowMs,
    runs: [{ startMs, lengthMs: 900_000, count: 2_016 }],
  };
  for (const isDeduplicated of [false, true]) {
    expect(await store.crossings.counts(orgUuid, { ...buckets, isDeduplicated })).toEqual([
      { bucketStartMs: nowMs - PERIODS.crossingsMs, ingressCount: 1, egressCount: 0 },
    ]);
  }
  expect(await store.occupancy.peaks(orgUuid, buckets)).toMatchObject([
    { atMs: nowMs - PERIODS.crossingsMs },
  ]);
  const filter = { includeActions: null, excludeActions: [], limit: 9 };
  expect(await store.audit.list(orgUuid, { ...everything, ...filter })).toMatchObject([
    { atMs: nowMs - PERIODS.auditMs },
  ]);
});

it('cuts an audit trail that is too long, in slices', async () => {
  const nowMs = clock.epochMs();
  for (let i = 0; i < AUDIT_MAX_ROWS + 5; i++) await addAudit(nowMs + i);
  expect(await passing(sweeper.sweep())).toBe(5);
  const filter = { includeActions: null, excludeActions: [], limit: 99 };
  const left = await store.audit.list(orgUuid, { fromMs: 0, toMs: nowMs + 1_000, ...filter });
  expect([left.length, left.at(-1)?.atMs]).toEqual([AUDIT_MAX_ROWS, nowMs + 5]);
});

it('sweeps on its own, in slices, and stops between two of them', async () => {
  const atMs = clock.epochMs() - PERIODS.eventsMs - MS_PER_DAY;
  const rows = ROWS_PER_SLICE * 2 + 1;
  for (let first = 0; first < rows; first += 500) {
    const events = Array.from({ length: Math.min(500, rows - first) }, (_, index) => {
      return { orgUuid, kind: 'posEvent', id: `${first + index}`, deviceUuid, atMs, body: {} } as const;
    });
    await store.events.add(events);
  }
  const left = () => store.events.count(orgUuid, { kind: 'posEvent', fromMs: 0, toMs: clock.epochMs() });
  clock.advance(FIRST_SWEEP_AFTER_MS - 1);
  expect(await left()).toBe(rows);
  clock.advance(1);
  while ((await left()) === rows) await store.ping();
  expect(await left()).toBe(rows - ROWS_PER_SLICE);
  await sweeper.stop();
  clock.advance(SLICE_PAUSE_MS);
  expect(await left()).toBe(rows - ROWS_PER_SLICE);
});

it('follows periods that change between two sweeps', async () => {
  const periods = { ...PERIODS };
  const following = new RetentionSweeper({ store, periods, clock, log: silentLog });
  await addAudit(clock.epochMs() - 2 * MS_PER_DAY);
  expect(await passing(following.sweep())).toBe(0);
  periods.auditMs = MS_PER_DAY;
  expect(await passing(following.sweep())).toBe(1);
  await following.stop();
});
