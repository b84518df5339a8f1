/** The contract of limited rights for every store: how they are stored, and what a view leaves of everything else. */

import { describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { actWithin } from './acting-view.ts';
import type { AuditEvent } from './audit.ts';
import {
  sampleApiKey,
  sampleCamera,
  sampleEvent,
  sampleLocation,
  samplePerson,
  sampleShare,
  sampleVideoWall,
  sampleWeeklySchedule,
} from './sample-entities-fixture.ts';
import { ScopeViews } from './scope-views.ts';
import type { Store } from './store.ts';

interface Context {
  store(): Store;
  org(): Ruuid;
}

/** More than a statement binds one by one. */
const MANY = 150;
const ALL_AUDIT = {
  fromMs: 0,
  toMs: 1_000_000,
  includeActions: null,
  excludeActions: [],
  limit: 10,
} as const;

export function describeScopes(context: Context): void {
  describe('limited rights', () => {
    const org = () => context.org();

    it('are stored with people and keys', async () => {
      const scope = { locationUuids: [newRuuid()], cameraUuids: [newRuuid(), newRuuid()] };
      const [person, key] = [samplePerson(org(), { scope }), sampleApiKey(org(), { scope })];
      const { people, apiKeys } = context.store();
      await people.save(person);
      await apiKeys.save(key);
      expect(await people.find(org(), person.uuid)).toEqual(person);
      expect(await apiKeys.findByHash(key.keyHash)).toEqual(key);
    });

    async function twoSites() {
      const store = context.store();
      const [here, there] = [sampleLocation(org()), sampleLocation(org())];
      for (const location of [here, there]) await store.locations.save(location);
      const near = Array.from({ length: MANY }, () => sampleCamera(org(), { locationUuid: here.uuid }));
      const far = sampleCamera(org(), { locationUuid: there.uuid });
      for (const camera of [...near, far]) await store.cameras.save(camera);
      const views = new ScopeViews(store);
      const view = await views.viewOf(org(), { locationUuids: [here.uuid], cameraUuids: [] });
      views.close();
      return { store, near, far, within: <T>(work: () => T): T => actWithin(view, work) };
    }

    it('hide cameras, shares, walls and events elsewhere, and count without them', async () => {
      const { store, near, far, within } = await twoSites();
      const shares = [near[0]!, far].map(({ uuid }) => sampleShare(org(), { cameraUuid: uuid }));
      for (const share of shares) await store.shares.save(share);
      const wallOf = (...uuids: Ruuid[]) =>
        sampleVideoWall(org(), {
          cameras: uuids.map((cameraUuid) => ({ cameraUuid, facet: '', addedAtMs: 1 })),
        });
      const walls = [wallOf(near[0]!.uuid), wallOf(near[0]!.uuid, far.uuid)];
      for (const wall of walls) await store.videoWalls.save(wall);
      const events = [near[0]!, far].map(({ uuid }) => sampleEvent(org(), { deviceUuid: uuid, atMs: 5 }));
      await store.events.add(events);
      await within(async () => {
        expect((await store.cameras.listRecords(org())).length).toBe(MANY);
        expect(await store.cameras.find(org(), far.uuid)).toBeNull();
        expect(await store.shares.list(org())).toEqual([shares[0]]);
        expect(await (await store.shares.listNewestFirst(org(), 1)).toArray()).toEqual([shares[0]]);
        expect(await store.videoWalls.list(org())).toEqual([walls[0]]);
        const range = { kind: 'posEvent', fromMs: 0, toMs: 10 } as const;
        const page = { ...range, order: 'newest-first', after: null, limit: 10 } as const;
        expect(await store.events.page(org(), page)).toEqual([events[0]]);
        expect(await store.events.count(org(), range)).toBe(1);
      });
    });

    it('let nothing elsewhere be changed, added or removed', async () => {
      const { store, far, within } = await twoSites();
      const share = sampleShare(org(), { cameraUuid: far.uuid });
      await store.shares.save(share);
      const refused = { code: 'STORE_NOT_IN_VIEW' };
      const room = { atMost: 10, full: () => new Error('full') };
      await within(async () => {
        const decide = (known: unknown) => (known === null ? ('unchanged' as const) : ('removed' as const));
        expect(await store.shares.change(org(), share.uuid, decide)).toEqual({
          before: null,
          after: null,
        });
        await expect(store.shares.change(org(), share.uuid, () => share)).rejects.toMatchObject(refused);
        await expect(store.shares.save(share)).rejects.toMatchObject(refused);
        const added = sampleShare(org(), { cameraUuid: far.uuid });
        await expect(store.shares.add(added, room)).rejects.toMatchObject(refused);
        expect(await store.shares.remove(org(), share.uuid)).toBe(false);
      });
      expect(await store.shares.list(org())).toEqual([share]);
    });

    it('say which schedules show which cameras', async () => {
      const { store, near, far } = await twoSites();
      const schedule = sampleWeeklySchedule(org());
      await store.schedules.save(schedule);
      for (const camera of [near[0]!, near[0]!, far]) {
        await store.shares.save(sampleShare(org(), { cameraUuid: camera.uuid, scheduleUuid: schedule.uuid }));
      }
      await store.shares.save(sampleShare(org(), { cameraUuid: far.uuid, scheduleUuid: null }));
      const scheduled = await store.shares.scheduled(org());
      const cameras = scheduled.map(({ cameraUuid }) => cameraUuid).toSorted();
      expect(cameras).toEqual([near[0]!.uuid, far.uuid].toSorted());
    });

    it('leave of the audit trail what concerns the own devices and their links', async () => {
      const { store, near, far, within } = await twoSites();
      const shares = [near[0]!, far].map(({ uuid }) => sampleShare(org(), { cameraUuid: uuid }));
      for (const share of shares) await store.shares.save(share);
      const creator = newRuuid();
      const row = (targetUuid: Ruuid, atMs: number, name: string): AuditEvent => ({
        uuid: newRuuid(),
        orgUuid: org(),
        atMs,
        action: 'SHARED_LIVE_VIDEO_STREAM_WITH_PASSWORD_CREATE',
        principal: {
          type: 'USER',
          uuid: name === 'Bea' ? newRuuid() : creator,
          name,
          sourceIp: null,
          userAgent: null,
        },
        targetUuid,
        targetName: '',
      });
      const seen = [row(near[1]!.uuid, 3, 'Ada'), row(shares[0]!.uuid, 2, 'Ada')];
      await store.audit.add([...seen, row(far.uuid, 4, 'Bea'), row(shares[1]!.uuid, 1, 'Bea')]);
      await store.audit.add([row(newRuuid(), 5, 'Bea')]);
      await within(async () => {
        expect(await store.audit.list(org(), ALL_AUDIT)).toEqual(seen);
        const about = (uuid: Ruuid) => ({ ...ALL_AUDIT, about: { deviceUuids: [uuid], uuids: [] } });
        expect(await store.audit.list(org(), about(near[0]!.uuid))).toEqual([seen[1]]);
        expect(await store.audit.list(org(), about(far.uuid))).toEqual([]);
        expect(await store.audit.creators(org())).toEqual([{ uuid: creator, name: 'Ada' }]);
      });
    });
  });
}
