import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { resourceKind } from '../store/resource.ts';
import { sampleEvent, sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import type { IngestContext } from './ingest-kind.ts';
import { type ReportStorage, roomProblems, trimHistory } from './stored-reports.ts';

const DOOR_STORAGE: ReportStorage<Ruuid> = { records: 'doors', kind: 'door', uuidOf: (uuid) => uuid };
const DOORS = resourceKind<object>('door');

let store: Store;
let greedy: IngestContext;
let modest: IngestContext;

beforeEach(async () => {
  store = await openTestStore(new FakeClock());
  const [first, second] = [sampleOrganization(), sampleOrganization()];
  for (const organization of [first, second]) await store.organizations.save(organization);
  greedy = { orgUuid: first.uuid, store, nowMs: 5 };
  modest = { orgUuid: second.uuid, store, nowMs: 5 };
});
afterEach(() => store.close());

/** As if the organization had this much. */
function pretend(orgUuid: Ruuid, use: { readonly rows: number; readonly bytes: number }): void {
  const { of } = store.use;
  vi.spyOn(store.use, 'of').mockImplementation(async (org, kind) =>
    org === orgUuid ? use : of.call(store.use, org, kind),
  );
}

const addDoor = async ({ orgUuid }: IngestContext): Promise<Ruuid> => {
  const uuid = newRuuid();
  const door = { uuid, orgUuid, name: '', parentUuid: null, body: {}, secret: null };
  await store.resources.of(DOORS).save({ ...door, createdAtMs: 1, updatedAtMs: 1 });
  return uuid;
};

it('a full organization can change what it has and add nothing, and others can add', async () => {
  const known = await addDoor(greedy);
  const most = LIMITS.doors.perOrganization;
  pretend(greedy.orgUuid, { rows: most - 1, bytes: 0 });
  const [first, second] = [newRuuid(), newRuuid()];
  const full = {
    field: '',
    reason: expect.stringContaining('limit of 10,000 access controlled doors (`doors`)'),
  };
  expect(await roomProblems(DOOR_STORAGE, greedy, [known, first, first, second])).toEqual([
    null,
    null,
    null,
    full,
  ]);
  expect(await roomProblems(DOOR_STORAGE, modest, [newRuuid()])).toEqual([]);
});

it('an organization whose records are too large can change nothing', async () => {
  const known = await addDoor(greedy);
  pretend(greedy.orgUuid, { rows: 1, bytes: LIMITS.doors.bytesPerOrganization });
  expect(await roomProblems(DOOR_STORAGE, greedy, [known])).toEqual([
    { field: '', reason: expect.stringContaining('64 MiB of access controlled doors (`doors`)') },
  ]);
});

it('a batch of history removes at most a few thousand rows', async () => {
  await store.events.add([sampleEvent(greedy.orgUuid)]);
  const removals = vi.spyOn(store.events, 'removeExcess').mockResolvedValue(500);
  await trimHistory({ history: 'events' }, greedy);
  expect(removals.mock.calls.length).toBe(8);
  expect(removals.mock.calls[0]).toEqual([
    greedy.orgUuid,
    { rows: LIMITS.events.perOrganization, bytes: LIMITS.events.bytesPerOrganization },
    500,
  ]);
});
