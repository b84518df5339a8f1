/** The contract of `change` in every store, and its guarantees between two stores over one database. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import type { Share } from './entities.ts';
import type { NextRecord } from './record-change.ts';
import { type Resource, type RoomForMore, resourceKind } from './resource.ts';
import {
  sampleApiKey,
  sampleCamera,
  sampleLocation,
  sampleOrganization,
  sampleShare,
} from './sample-entities-fixture.ts';
import type { ChangeEvent, Store } from './store.ts';

interface Context {
  store(): Store;
  org(): Ruuid;
  otherOrg(): Ruuid;
}

interface CounterBody {
  readonly count: number;
}

const COUNTERS = resourceKind<CounterBody>('door');
const AT_ONCE = 40;

function counter(orgUuid: Ruuid, overrides: Partial<Resource<CounterBody>> = {}): Resource<CounterBody> {
  return {
    uuid: newRuuid(),
    orgUuid,
    name: 'Gate\u0000',
    parentUuid: null,
    body: { count: 0 },
    secret: null,
    createdAtMs: 1_000,
    updatedAtMs: 2_000,
    ...overrides,
  };
}

/** The counter plus one; a new one if there is none. */
function raised(orgUuid: Ruuid, uuid: Ruuid, known: Resource<CounterBody> | null): Resource<CounterBody> {
  const before = known ?? counter(orgUuid, { uuid });
  return { ...before, body: { count: before.body.count + 1 } };
}

export function describeRecordChanges({ store, org, otherOrg }: Context): void {
  const counters = () => store().resources.of(COUNTERS);

  describe('changing a record', () => {
    it('adds, replaces and removes it, and returns what it found and left', async () => {
      const events = recordChanges(store());
      const share = sampleShare(org());
      const renamed = { ...share, name: 'Gate' };
      const change = (next: NextRecord<Share>) => store().shares.change(org(), share.uuid, () => next);
      expect(await change('removed')).toEqual({ before: null, after: null });
      expect(await change(share)).toEqual({ before: null, after: share });
      expect(await change(renamed)).toEqual({ before: share, after: renamed });
      expect(await change('unchanged')).toEqual({ before: renamed, after: renamed });
      expect(await store().shares.find(org(), share.uuid)).toEqual(renamed);
      expect(await change('removed')).toEqual({ before: renamed, after: null });
      expect(await store().shares.find(org(), share.uuid)).toBeNull();
      expect(events.map(({ type, details }) => [type, details?.fields.name])).toEqual([
        ['CREATE', share.name],
        ['UPDATE', 'Gate'],
        ['DELETE', 'Gate'],
      ]);
    });

    it('does this with every kind of column: encrypted, a fraction, a list, null', async () => {
      const [location, camera] = [sampleLocation(org()), sampleCamera(org(), { substreamUrl: null })];
      const key = sampleApiKey(org());
      const door = counter(org(), { secret: new Secret('hunter2'), parentUuid: newRuuid() });
      await store().locations.save({
        ...location,
        latitude: 52.520_008_1,
        longitude: -0.1,
        labels: ['ü\u0001'],
      });
      await store().cameras.save(camera);
      await store().apiKeys.save(key);
      await counters().save(door);
      const name = 'Renamed \u0000 漢';
      const renamed = <T extends { name: string }>(known: T | null) => ({ ...known!, name });
      await store().locations.change(org(), location.uuid, renamed);
      await store().cameras.change(org(), camera.uuid, renamed);
      await store().apiKeys.change(org(), key.uuid, renamed, 'vital');
      await counters().change(org(), door.uuid, renamed);
      expect(await store().locations.find(org(), location.uuid)).toEqual({
        ...location,
        name,
        latitude: 52.520_008_1,
        longitude: -0.1,
        labels: ['ü\u0001'],
      });
      expect(await store().cameras.find(org(), camera.uuid)).toEqual({ ...camera, name });
      expect(await store().apiKeys.find(org(), key.uuid)).toEqual({ ...key, name });
      const found = await counters().find(org(), door.uuid);
      expect({ ...found, secret: found?.secret?.reveal() }).toEqual({ ...door, name, secret: 'hunter2' });
      for (const uuid of [door.uuid]) await counters().change(org(), uuid, () => 'removed');
      expect(await counters().count(org())).toBe(0);
    });

    it('loses none of many at once, and reports each once, in the order in which they were stored', async () => {
      const uuid = newRuuid();
      const share = sampleShare(org(), { accessEpoch: 0 });
      await store().shares.save(share);
      const events = recordChanges(store());
      await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, index) => {
          await counters().change(org(), uuid, (known) => raised(org(), uuid, known));
          await store().shares.change(org(), share.uuid, (known) => {
            const accessEpoch = (known?.accessEpoch ?? 0) + 1;
            return { ...share, accessEpoch, name: `${accessEpoch} by ${index}` };
          });
        }),
      );
      expect((await counters().find(org(), uuid))?.body.count).toBe(AT_ONCE);
      expect((await store().shares.find(org(), share.uuid))?.accessEpoch).toBe(AT_ONCE);
      const ofShare = events.filter(({ entity }) => entity === 'share');
      expect(ofShare.map(({ details }) => Number.parseInt(String(details?.fields.name), 10))).toEqual(
        Array.from({ length: AT_ONCE }, (_, index) => index + 1),
      );
      const ofCounter = events.filter(({ entity }) => entity === 'door').map(({ type }) => type);
      expect(ofCounter).toEqual(['CREATE', ...Array.from({ length: AT_ONCE - 1 }, () => 'UPDATE')]);
    });

    it('decides again from what was written, removed or created again in the meantime', async () => {
      const door = counter(org());
      await counters().save(door);
      const seen: (number | null)[] = [];
      const meanwhile = [
        () => counters().save({ ...door, body: { count: 10 } }),
        () => counters().remove(org(), door.uuid),
        () => counters().save({ ...door, body: { count: 20 } }),
        () => Promise.resolve(),
      ];
      const { before, after } = await counters().change(org(), door.uuid, async (known) => {
        seen.push(known?.body.count ?? null);
        await meanwhile.shift()!();
        return raised(org(), door.uuid, known);
      });
      expect(seen).toEqual([0, 10, null, 20]);
      expect([before?.body.count, after?.body.count]).toEqual([20, 21]);
      expect((await counters().find(org(), door.uuid))?.body.count).toBe(21);
    });

    it('gives up with STORE_CONTENDED if someone else is faster every time, and stores nothing', async () => {
      const door = counter(org());
      await counters().save(door);
      let written = 0;
      const changed = counters().change(org(), door.uuid, async () => {
        await counters().save({ ...door, body: { count: ++written } });
        return { ...door, name: 'Never' };
      });
      await expect(changed).rejects.toMatchObject({ kind: 'unavailable', code: 'STORE_CONTENDED' });
      expect(await counters().find(org(), door.uuid)).toEqual({ ...door, body: { count: written } });
    });

    it('fails if the decision fails, stores nothing, and lets the next one run', async () => {
      const door = counter(org());
      await counters().save(door);
      const events = recordChanges(store());
      const failing = counters().change(org(), door.uuid, () => {
        throw new Error('no');
      });
      const next = counters().change(org(), door.uuid, (known) => raised(org(), door.uuid, known));
      await expect(failing).rejects.toThrow('no');
      expect((await next).after?.body.count).toBe(1);
      expect(events).toHaveLength(1);
      const other = counters().change(org(), door.uuid, (known) => ({ ...known!, uuid: newRuuid() }));
      await expect(other).rejects.toThrow(RangeError);
    });

    it("never sees or takes over another organization's", async () => {
      const [share, door] = [sampleShare(org()), counter(org())];
      await store().shares.save(share);
      await counters().save(door);
      const seen: unknown[] = [];
      const stolen = store().shares.change(otherOrg(), share.uuid, (known) => {
        seen.push(known);
        return { ...share, orgUuid: otherOrg() };
      });
      await expect(stolen).rejects.toMatchObject({ code: 'STORE_OTHER_ORG' });
      await store().shares.change(otherOrg(), share.uuid, () => 'removed');
      expect(seen).toEqual([null]);
      expect(await store().shares.find(org(), share.uuid)).toEqual(share);
      await counters().change(otherOrg(), door.uuid, (known) => raised(otherOrg(), door.uuid, known));
      expect(await counters().find(org(), door.uuid)).toEqual(door);
    });

    it('fails like saving', async () => {
      const key = sampleApiKey(org());
      const twin = sampleApiKey(otherOrg(), { keyHash: key.keyHash });
      await store().apiKeys.save(key);
      const added = store().apiKeys.change(otherOrg(), twin.uuid, () => twin);
      await expect(added).rejects.toMatchObject({ code: 'STORE_DUPLICATE' });
      const camera = sampleCamera(org(), { nvrUuid: newRuuid() });
      const saved = store().cameras.change(org(), camera.uuid, () => camera);
      await expect(saved).rejects.toMatchObject({ code: 'STORE_REFERENCE' });
    });

    it('adds none beyond the limit, no matter how many arrive at once', async () => {
      const full = () => new Error('full');
      const parentUuid = newRuuid();
      const add = (room: RoomForMore, overrides: Partial<Resource<CounterBody>> = {}) => {
        const door = counter(org(), overrides);
        return counters().change(org(), door.uuid, (known) => raised(org(), door.uuid, known ?? door), room);
      };
      const outcomes = await Promise.allSettled(
        Array.from({ length: 8 }, () => add({ atMost: 5, within: 'organization', full })),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
      for (const each of outcomes) if (each.status === 'rejected') expect(each.reason).toEqual(full());
      expect(await counters().count(org())).toBe(5);
      const [known] = await counters().list(org());
      await add({ atMost: 5, within: 'organization', full }, { uuid: known!.uuid });
      await add({ atMost: 1, within: 'parent', full }, { parentUuid });
      await expect(add({ atMost: 1, within: 'parent', full }, { parentUuid })).rejects.toThrow('full');
      await counters().change(otherOrg(), newRuuid(), () => 'unchanged', {
        atMost: 0,
        within: 'parent',
        full,
      });
      expect(await counters().count(org())).toBe(6);
      // Another organization has a number of its own.
      const theirs = counter(otherOrg());
      const room = { atMost: 5, within: 'organization', full } as const;
      await counters().change(otherOrg(), theirs.uuid, () => theirs, room);
      expect(await counters().count(otherOrg())).toBe(1);
    });
  });

  describe('changing many records', () => {
    it('adds, replaces, removes and leaves them, in uuid order, each once', async () => {
      const doors = Array.from({ length: 150 }, (_, index) => counter(org(), { body: { count: index } }));
      const known = doors.slice(0, 120);
      await counters().saveAll(known);
      const events = recordChanges(store());
      const uuids = doors.map(({ uuid }) => uuid);
      const changes = await counters().changeAll(org(), [...uuids, uuids[0]!], (door, uuid) => {
        if (door === null) return counter(org(), { uuid, body: { count: -1 } });
        if (door.body.count < 10) return 'removed';
        return door.body.count < 20 ? 'unchanged' : raised(org(), uuid, door);
      });
      const expected = doors.map((_, index) =>
        index < 10 ? null : index < 20 ? index : index < 120 ? index + 1 : -1,
      );
      expect(changes.map(({ after }) => after?.body.count ?? null)).toEqual(expected);
      expect(changes.map(({ before }) => before?.body.count ?? null)).toEqual(
        doors.map((_, index) => (index < 120 ? index : null)),
      );
      const stored = new Map((await counters().list(org())).map(({ uuid, body }) => [uuid, body.count]));
      expect(uuids.map((uuid) => stored.get(uuid) ?? null)).toEqual(expected);
      const types = Map.groupBy(events, ({ type }) => type);
      expect([...types].map(([type, { length }]) => [type, length])).toEqual([
        ['DELETE', 10],
        ['UPDATE', 100],
        ['CREATE', 30],
      ]);
      expect(await counters().changeAll(org(), [], () => 'removed')).toEqual([]);
    });

    it('loses nothing next to other changes, of many records or of one', async () => {
      const uuids = Array.from({ length: 5 }, () => newRuuid());
      await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, index) => {
          await counters().changeAll(org(), uuids, (known, uuid) => raised(org(), uuid, known));
          const uuid = uuids[index % uuids.length]!;
          await counters().change(org(), uuid, (known) => raised(org(), uuid, known));
        }),
      );
      const counts = (await counters().list(org())).map(({ body }) => body.count);
      expect(counts).toEqual(uuids.map(() => AT_ONCE + AT_ONCE / uuids.length));
    });
  });
}

/** `open` returns two stores over one fresh database each time; the suite closes them, the first one last. */
export function describeChangesBetweenStores(
  name: string,
  open: () => Promise<readonly [Store, Store]>,
): void {
  describe(`changes of one record in two stores: ${name}`, () => {
    let stores: readonly [Store, Store];
    const org = sampleOrganization();
    beforeEach(async () => {
      stores = await open();
      await stores[0].organizations.save(org);
    });
    afterEach(async () => {
      await stores[1].close();
      await stores[0].close();
    });

    it('are all stored, and each is reported only by its own store', async () => {
      const [uuid, many] = [newRuuid(), Array.from({ length: 20 }, () => newRuuid())];
      const share = sampleShare(org.uuid, { accessEpoch: 0 });
      await stores[0].shares.save(share);
      const told = stores.map(recordChanges);
      await Promise.all(
        stores.map(async (store) => {
          const counters = store.resources.of(COUNTERS);
          for (let round = 0; round < AT_ONCE; round++) {
            await counters.change(org.uuid, uuid, (known) => raised(org.uuid, uuid, known));
            await store.shares.change(org.uuid, share.uuid, (known) => ({
              ...(known ?? share),
              accessEpoch: (known?.accessEpoch ?? 0) + 1,
            }));
            await counters.changeAll(org.uuid, many, (known, each) => raised(org.uuid, each, known));
          }
        }),
      );
      const counts = await Promise.all(
        [uuid, ...many].map(
          async (each) => (await stores[0].resources.of(COUNTERS).find(org.uuid, each))?.body.count,
        ),
      );
      expect(counts).toEqual(counts.map(() => 2 * AT_ONCE));
      expect((await stores[1].shares.find(org.uuid, share.uuid))?.accessEpoch).toBe(2 * AT_ONCE);
      for (const events of told) {
        const of = (wanted: Ruuid) => events.filter((event) => event.uuid === wanted).length;
        expect([uuid, share.uuid, ...many].map(of)).toEqual(counts.map(() => AT_ONCE).concat(AT_ONCE));
      }
    });

    it('add none beyond the limit', async () => {
      const room: RoomForMore = { atMost: 10, within: 'organization', full: () => new Error('full') };
      const outcomes = await Promise.allSettled(
        stores.flatMap((store) =>
          Array.from({ length: 10 }, () => {
            const door = counter(org.uuid);
            return store.resources.of(COUNTERS).change(org.uuid, door.uuid, () => door, room);
          }),
        ),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
      expect(await stores[0].resources.of(COUNTERS).count(org.uuid)).toBe(10);
    });

    it('add none beyond either of two limits', async () => {
      const [full, fullParent] = [new Error('full'), new Error('full parent')];
      const rooms: readonly RoomForMore[] = [
        { atMost: 4, within: 'parent', full: () => fullParent },
        { atMost: 6, within: 'organization', full: () => full },
      ];
      const parents = [newRuuid(), newRuuid()];
      const outcomes = await Promise.allSettled(
        [...stores, ...stores, ...stores].flatMap((store) =>
          parents.map((parentUuid) => {
            const door = counter(org.uuid, { parentUuid });
            return store.resources.of(COUNTERS).change(org.uuid, door.uuid, () => door, rooms);
          }),
        ),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(6);
      for (const each of outcomes)
        if (each.status === 'rejected') expect([full, fullParent]).toContain(each.reason);
      const counters = stores[0].resources.of(COUNTERS);
      const counts = await Promise.all(parents.map((uuid) => counters.listByParent(org.uuid, uuid)));
      expect(Math.max(...counts.map(({ length }) => length))).toBeLessThanOrEqual(4);
      const late = counter(org.uuid, { parentUuid: newRuuid() });
      await expect(counters.change(org.uuid, late.uuid, () => late, rooms)).rejects.toBe(full);
    });

    it('add no key beyond the limit, which counts those that are not revoked', async () => {
      for (const store of stores) await store.apiKeys.save(sampleApiKey(org.uuid, { revokedAtMs: 1 }));
      const full = new Error('full');
      const room = { atMost: 5, full: () => full };
      const outcomes = await Promise.allSettled(
        stores.flatMap(({ apiKeys }) =>
          Array.from({ length: 6 }, () => apiKeys.add(sampleApiKey(org.uuid), room)),
        ),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
      for (const each of outcomes) if (each.status === 'rejected') expect(each.reason).toBe(full);
      expect(await stores[1].apiKeys.list(org.uuid)).toHaveLength(7);
    });
  });
}

function recordChanges(store: Store): ChangeEvent[] {
  const events: ChangeEvent[] = [];
  store.onChange((event) => events.push(event));
  return events;
}
