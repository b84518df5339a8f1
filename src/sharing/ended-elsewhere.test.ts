import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid } from '../core/ruuid.ts';
import { openTestStore } from '../store/open-test-store.ts';
import { sampleOrganization } from '../store/sample-entities.ts';
import type { Store } from '../store/store.ts';
import { EndedViews } from './ended-views.ts';

let store: Store;
let clock: FakeClock;
let here: EndedViews;
let there: EndedViews;
const organization = sampleOrganization();
const linkUuid = newRuuid();
const of = { orgUuid: organization.uuid, linkUuid };
const from = { ip: '192.0.2.1' };

beforeEach(async () => {
  clock = new FakeClock();
  store = await openTestStore(clock);
  await store.organizations.save(organization);
  [here, there] = [new EndedViews(clock, store.endedViews), new EndedViews(clock, store.endedViews)];
});
afterEach(() => store.close());

const end = (by: EndedViews, blocked: boolean) =>
  by.end({
    ...{ ...of, viewerId: 'v', grantUntilEpochMs: clock.epochMs() + 60_000 },
    blocked: blocked ? { address: from.ip, untilEpochMs: clock.epochMs() + 600_000 } : null,
  });

it('a view that one node ended is ended at the other, which learns of it once', async () => {
  await end(there, false);
  expect(here.find(of.orgUuid, linkUuid, 'v', from)).toBeNull();
  expect(await here.refresh()).toMatchObject([of]);
  expect(here.find(of.orgUuid, linkUuid, 'v', from)).not.toBeNull();
  expect(await here.refresh()).toEqual([]);
});

it('an address that one node blocked is blocked at the other, until either lets it in', async () => {
  await end(there, true);
  await here.refresh();
  expect(here.find(of.orgUuid, linkUuid, null, from)).not.toBeNull();
  expect(await here.unblock(of.orgUuid, linkUuid, from.ip)).toBe(true);
  clock.advance(60_000);
  await there.refresh();
  expect(there.find(of.orgUuid, linkUuid, null, from)).toBeNull();
});

it('an address that was just blocked stays so while the store is read', async () => {
  const reading = here.refresh();
  await end(here, true);
  await reading;
  expect(here.find(of.orgUuid, linkUuid, null, from)).not.toBeNull();
});
