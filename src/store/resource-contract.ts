/** The contract of resources and events in every store. Part of the store contract. */

import { describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import type { EventMark, StoredEvent } from './event.ts';
import { type Resource, type ResourceMark, resourceKind } from './resource.ts';
import { sampleEvent } from './sample-entities-fixture.ts';
import type { ChangeEvent, Store } from './store.ts';

interface Context {
  store(): Store;
  org(): Ruuid;
  otherOrg(): Ruuid;
}

interface DoorBody {
  readonly lock: string;
  readonly tags: readonly string[];
}

const DOORS = resourceKind<DoorBody>('door');
const LICENSES = resourceKind<DoorBody>('license');
const WEBHOOKS = resourceKind<{ readonly url: string; readonly isUsedByRules: boolean }>('webhook');

function sampleDoor(orgUuid: Ruuid, overrides: Partial<Resource<DoorBody>> = {}): Resource<DoorBody> {
  return {
    uuid: newRuuid(),
    orgUuid,
    name: 'Gate',
    parentUuid: null,
    body: { lock: 'shut', tags: ['a', 'ü', '"'] },
    secret: null,
    createdAtMs: 1_000,
    updatedAtMs: 2_000,
    ...overrides,
  };
}

export function describeResources(context: Context): void {
  describe('resources', () => {
    const doors = () => context.store().resources.of(DOORS);

    it('are returned as they were saved, including secrets', async () => {
      const door = sampleDoor(context.org(), { parentUuid: newRuuid(), secret: new Secret('hunter2') });
      await doors().save(door);
      const found = await doors().find(context.org(), door.uuid);
      expect({ ...found, secret: found?.secret?.reveal() }).toEqual({ ...door, secret: 'hunter2' });
    });

    it('have a body in one piece, also if fields of it are encrypted', async () => {
      const webhooks = context.store().resources.of(WEBHOOKS);
      const body = { isUsedByRules: true, url: 'https://hooks.example/T0/s3cret?key=ü"' };
      const webhook = { ...sampleDoor(context.org()), body };
      await webhooks.save(webhook);
      expect(await webhooks.list(context.org())).toEqual([webhook]);
      const { after } = await webhooks.change(context.org(), webhook.uuid, (known) => ({
        ...known!,
        body: { ...known!.body, isUsedByRules: false },
      }));
      expect(after?.body).toEqual({ ...body, isUsedByRules: false });
      expect(await webhooks.find(context.org(), webhook.uuid)).toEqual(after);
    });

    it('belong to one organization and one kind', async () => {
      const door = sampleDoor(context.org());
      await doors().save(door);
      expect(await doors().find(context.otherOrg(), door.uuid)).toBeNull();
      expect(await doors().remove(context.otherOrg(), door.uuid)).toBe(false);
      expect(await context.store().resources.of(LICENSES).find(context.org(), door.uuid)).toBeNull();
      await doors().save({ ...door, orgUuid: context.otherOrg(), name: 'Theirs' });
      await context
        .store()
        .resources.of(LICENSES)
        .save({ ...door, name: 'Licence' });
      expect(await doors().find(context.org(), door.uuid)).toEqual(door);
      expect(await doors().remove(context.otherOrg(), door.uuid)).toBe(true);
      expect(await doors().list(context.org())).toEqual([door]);
    });

    it('are found without their organization if the uuid itself proves access', async () => {
      const door = sampleDoor(context.otherOrg());
      await doors().save(door);
      expect(await doors().findEverywhere(door.uuid)).toEqual(door);
      expect(await doors().findEverywhere(newRuuid())).toBeNull();
      expect(await context.store().resources.of(LICENSES).findEverywhere(door.uuid)).toBeNull();
    });

    it('are listed in creation order, and by parent', async () => {
      const parentUuid = newRuuid();
      const late = sampleDoor(context.org(), { createdAtMs: 3, parentUuid });
      const early = sampleDoor(context.org(), { createdAtMs: 1, parentUuid });
      const elsewhere = sampleDoor(context.org(), { createdAtMs: 2 });
      await doors().saveAll([late, early, elsewhere]);
      expect(await doors().list(context.org())).toEqual([early, elsewhere, late]);
      expect(await doors().listByParent(context.org(), parentUuid)).toEqual([early, late]);
      expect(await doors().count(context.org())).toBe(3);
    });

    it('are each read once by paging while rows are added', async () => {
      const known = Array.from({ length: 7 }, (_, i) => sampleDoor(context.org(), { createdAtMs: i >> 1 }));
      await doors().saveAll(known);
      const met: Ruuid[] = [];
      let after: ResourceMark | null = null;
      for (;;) {
        const page: Resource<DoorBody>[] = await doors().page(context.org(), { after, limit: 2 });
        if (page.length === 0) break;
        met.push(...page.map(({ uuid }) => uuid));
        after = page.at(-1)!;
        if (met.length === 4) await doors().save(sampleDoor(context.org(), { createdAtMs: 99 }));
      }
      expect(new Set(met).size).toBe(8);
      expect(met.slice(0, 7).sort()).toEqual(known.map(({ uuid }) => uuid).sort());
    });

    it('notify listeners of what happened to them', async () => {
      const changes: ChangeEvent[] = [];
      context.store().onChange((change) => changes.push(change));
      const door = sampleDoor(context.org());
      await doors().save(door);
      await doors().save({ ...door, name: 'Back gate' });
      await doors().remove(context.org(), door.uuid);
      expect(changes.map(({ entity, type }) => `${entity} ${type}`)).toEqual([
        'door CREATE',
        'door UPDATE',
        'door DELETE',
      ]);
    });
  });

  describe('events', () => {
    it('are added once, no matter how often they are reported', async () => {
      const { events } = context.store();
      const first = sampleEvent(context.org(), { id: 'till-1/0001' });
      expect(await events.add([first, sampleEvent(context.org())])).toBe(2);
      expect(await events.add([{ ...first, body: { total: 99 } }])).toBe(0);
      expect(await events.find(context.org(), 'posEvent', first.id)).toEqual(first);
      expect(await events.find(context.otherOrg(), 'posEvent', first.id)).toBeNull();
      expect(await events.add([sampleEvent(context.otherOrg(), { id: first.id })])).toBe(1);
    });

    it('are acknowledged once, by the first one, who can change the note', async () => {
      const { events } = context.store();
      const alert = sampleEvent(context.org(), { kind: 'policyAlert', id: newRuuid() });
      const other = sampleEvent(context.org(), { kind: 'policyAlert', id: newRuuid() });
      await events.add([alert, other]);
      const changes: ChangeEvent[] = [];
      const end = context.store().onChange((change) => void changes.push(change));
      const by = (actorName: string) => ({ atMs: 5, actorUuid: newRuuid(), actorName, note: '' });
      const people = [by('Ada'), by('Bo')];
      const held = await Promise.all(people.map((person) => events.acknowledge(alert, null, person)));
      expect(held.toSorted()).toEqual([false, true]);
      const first = people[held.indexOf(true)]!;
      const find = () => events.find(context.org(), 'policyAlert', alert.id);
      expect(await find()).toEqual({ ...alert, acknowledgement: first });
      const noted = { ...first, note: 'The usual “van”' };
      expect(await events.acknowledge(alert, people[held.indexOf(false)]!, noted)).toBe(false);
      expect(await events.acknowledge(alert, first, noted)).toBe(true);
      expect(await find()).toEqual({ ...alert, acknowledgement: noted });
      end();
      expect(changes.map(({ entity, type, uuid }) => [entity, type, uuid])).toEqual([
        ['alertAcknowledgement', 'CREATE', alert.id],
        ['alertAcknowledgement', 'UPDATE', alert.id],
      ]);
      const all = { kind: 'policyAlert', fromMs: 0, toMs: 10_000, order: 'newest-first' } as const;
      const open = await events.page(context.org(), { ...all, isOpen: true, after: null, limit: 5 });
      expect(open).toEqual([other]);
      expect(await events.amend(alert, { changed: true })).toBe(true);
      expect((await find())?.acknowledgement).toEqual(noted);
      const abroad = { ...alert, orgUuid: context.otherOrg() };
      expect(await events.acknowledge(abroad, null, first)).toBe(false);
    });

    it('are reopened and taken by comparison, so the first one wins', async () => {
      const { events } = context.store();
      const alert = sampleEvent(context.org(), { kind: 'policyAlert', id: newRuuid() });
      await events.add([alert]);
      const changes: ChangeEvent[] = [];
      const end = context.store().onChange((change) => void changes.push(change));
      const by = (actorName: string) => ({ atMs: 5, actorUuid: newRuuid(), actorName });
      const people = [by('Ada'), by('Bo')];
      const held = await Promise.all(people.map((person) => events.take(alert, null, person)));
      expect(held.toSorted()).toEqual([false, true]);
      const [taker, other] = held[0] ? people : people.toReversed();
      const find = () => events.find(context.org(), 'policyAlert', alert.id);
      expect(await find()).toEqual({ ...alert, taking: taker });
      expect(await events.take(alert, other!, null)).toBe(false);
      const acknowledgement = { ...taker!, note: '“van”' };
      expect(await events.acknowledge(alert, null, acknowledgement)).toBe(true);
      const open = { kind: 'policyAlert', isOpen: true, fromMs: 0, toMs: 10_000 } as const;
      expect(await events.count(context.org(), open)).toBe(0);
      expect(await events.acknowledge(alert, { ...acknowledgement, note: '' }, null)).toBe(false);
      expect(await events.acknowledge(alert, acknowledgement, null)).toBe(true);
      expect(await events.take(alert, taker!, null)).toBe(true);
      expect(await events.take(alert, null, null)).toBe(false);
      expect(await find()).toEqual(alert);
      end();
      const fields = { timestampMs: 5, name: taker!.actorName };
      expect(changes.map(({ entity, type, details }) => [entity, type, details])).toEqual(
        [
          ['alertTaking', 'CREATE'],
          ['alertAcknowledgement', 'CREATE'],
          ['alertAcknowledgement', 'DELETE'],
          ['alertTaking', 'DELETE'],
        ].map((change) => [...change, { deviceUuid: alert.deviceUuid, fields }]),
      );
      await events.add(
        [1, 2, 3].map((atMs) => sampleEvent(context.org(), { kind: 'policyAlert', id: newRuuid(), atMs })),
      );
      expect(await events.count(context.org(), open)).toBe(4);
      expect(await events.count(context.org(), { ...open, limit: 2 })).toBe(2);
    });

    it('announce alerts and component events, each once, and footage of an alert that comes or goes', async () => {
      const { events } = context.store();
      const changes: ChangeEvent[] = [];
      const end = context.store().onChange((change) => void changes.push(change));
      const shown = {
        durationSec: 7,
        policyAlertTriggers: ['MOTION'],
        textDescription: 'Gate\u0000\u0001 “left”',
      };
      const of = { kind: 'policyAlert', id: newRuuid(), atMs: 50 } as const;
      const alert = sampleEvent(context.org(), { ...of, body: { ...shown, tempC: 21 } });
      const door = sampleEvent(context.org(), { kind: 'componentEvent', id: newRuuid(), atMs: 60 });
      await events.add([alert, door, sampleEvent(context.org())]);
      await events.add([alert, door]);
      const footage = { thumbnailLocation: { region: 'local' } };
      await events.amend(alert, { ...alert.body, saved: true });
      const saved = { ...alert, body: { ...alert.body, saved: true } };
      await events.amend(saved, { ...saved.body, ...footage });
      await events.amend({ ...saved, body: { ...saved.body, ...footage } }, shown);
      end();
      const fields = { uuid: alert.id, deviceUuid: alert.deviceUuid, timestampMs: 50, ...shown };
      expect(changes.map(({ entity, type, uuid, details }) => [entity, type, uuid, details])).toEqual([
        ['policyAlert', 'CREATE', alert.id, { deviceUuid: alert.deviceUuid, fields }],
        ['componentEvent', 'CREATE', door.id, { deviceUuid: door.deviceUuid, fields: { timestampMs: 60 } }],
        ...[{ ...fields, ...footage }, fields].map((now) => [
          'policyAlert',
          'UPDATE',
          alert.id,
          { deviceUuid: alert.deviceUuid, fields: now },
        ]),
      ]);
    });

    it('match no empty list of devices, and no empty list of actions', async () => {
      const { events, audit } = context.store();
      await events.add([sampleEvent(context.org())]);
      const range = { fromMs: 0, toMs: 10_000 };
      const all = { ...range, kind: 'posEvent', order: 'newest-first', after: null, limit: 5 } as const;
      expect(await events.page(context.org(), all)).toHaveLength(1);
      expect(await events.page(context.org(), { ...all, deviceUuids: [] })).toEqual([]);
      const noAction = { ...range, includeActions: [], excludeActions: [], limit: 5 };
      expect(await audit.list(context.org(), noAction)).toEqual([]);
    });

    it('are unfinished until finished, while someone follows, and once each', async () => {
      const { events } = context.store();
      const alert = (atMs: number) => sampleEvent(context.org(), { kind: 'policyAlert', atMs });
      await events.add([alert(1)]);
      let told = 0;
      const unfollow = events.follow(() => (told += 1));
      const [late, early] = [alert(30), alert(20)];
      await events.add([late, early, sampleEvent(context.org())]);
      await events.add([sampleEvent(context.org())]);
      expect(told).toBe(1);
      expect(await events.unfinished(10)).toEqual([early, late]);
      expect(await events.unfinished(1)).toEqual([early]);
      const claim = { owner: newRuuid(), ttlMs: 60_000 };
      await events.claimUnfinished(2, claim);
      await events.finish([early], claim.owner);
      await events.add([early]);
      expect(await events.unfinished(10)).toEqual([late]);
      await events.finish([late], claim.owner);
      unfollow();
      await events.add([alert(40)]);
      expect(await events.unfinished(10)).toEqual([]);
      expect(told).toBe(1);
    });

    it.each(['oldest-first', 'newest-first'] as const)(
      'are paged %s within a half-open range',
      async (order) => {
        const { events } = context.store();
        const deviceUuid = newRuuid();
        const all = [10, 20, 20, 30, 40].map((atMs, i) =>
          sampleEvent(context.org(), { atMs, id: `e${i}`, deviceUuid }),
        );
        await events.add([...all, sampleEvent(context.org(), { atMs: 25 })]);
        const range = { kind: 'posEvent', deviceUuid, fromMs: 10, toMs: 40 } as const;
        expect(await events.count(context.org(), range)).toBe(4);
        const met: string[] = [];
        let after: EventMark | null = null;
        for (;;) {
          const page: StoredEvent[] = await events.page(context.org(), { ...range, order, after, limit: 3 });
          if (page.length === 0) break;
          met.push(...page.map(({ id }) => id));
          after = page.at(-1)!;
        }
        const expected = ['e0', 'e1', 'e2', 'e3'];
        expect(met).toEqual(order === 'oldest-first' ? expected : expected.reverse());
      },
    );
  });
}
