import { expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { resourceKind } from '../../store/resource.ts';
import { sampleOrganization } from '../../store/sample-entities-fixture.ts';
import { openTestStore } from '../../store/test-store-fixture.ts';
import { ComponentEvents } from './component-events.ts';

const TIME_MS = Date.UTC(2026, 0, 1);

it('component events are listed by door, filtered, page by page', async () => {
  const store = await openTestStore(new FakeClock());
  const organization = sampleOrganization();
  const orgUuid = organization.uuid;
  await store.organizations.save(organization);
  const events = new ComponentEvents(store);
  const doorUuid = newRuuid();
  const query = { doorUuid, fromMs: 0, toMs: TIME_MS + 10, order: 'oldest-first', limit: 1 } as const;
  const all = { ...query, after: null, types: null, userUuids: null };
  await expect(events.page(orgUuid, all)).rejects.toMatchObject({
    code: 'EVENT_DOOR_NOT_FOUND',
  });
  await store.resources.of(resourceKind<object>('door')).save({
    uuid: doorUuid,
    orgUuid,
    name: '',
    parentUuid: null,
    body: {},
    secret: null,
    createdAtMs: 0,
    updatedAtMs: 0,
  });
  const known = await events.knownDoors(orgUuid, [doorUuid, newRuuid()]);
  expect(known).toEqual(new Set([doorUuid]));
  const event = (type: string, timestampMs: number) => ({
    uuid: newRuuid(),
    accessControlledDoorUuid: doorUuid,
    type,
    timestampMs,
  });
  const reported = [event('ButtonEvent', TIME_MS), event('DoorbellEvent', TIME_MS + 1)];
  const everything = [...reported, event('ButtonEvent', TIME_MS + 2)];
  expect(await events.report(orgUuid, everything)).toBe(3);
  const buttons = { ...all, types: new Set(['ButtonEvent']) };
  const first = await events.page(orgUuid, buttons);
  expect(first.events.map(({ atMs }) => atMs)).toEqual([TIME_MS]);
  const second = await events.page(orgUuid, { ...buttons, after: first.next });
  expect(second).toMatchObject({ events: [{ atMs: TIME_MS + 2 }], next: null });
  await store.close();
});
