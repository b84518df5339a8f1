/** The contract of shares of video walls in every store. Part of the store contract. */

import { describe, expect, it } from 'vitest';
import type { Ruuid } from '../core/ruuid.ts';
import { sampleVideoWall, sampleWallShare } from './sample-entities-fixture.ts';
import type { ChangeEvent, Store } from './store.ts';

interface Context {
  store(): Store;
  org(): Ruuid;
  otherOrg(): Ruuid;
}

export function describeWallShares({ store, org, otherOrg }: Context): void {
  describe('shares of video walls', () => {
    it('are returned as they were saved, those of one wall in creation order', async () => {
      const [wall, another] = [sampleVideoWall(org()), sampleVideoWall(org())];
      await store().videoWalls.save(wall);
      await store().videoWalls.save(another);
      const late = sampleWallShare(org(), wall.uuid, { createdAtMs: 3_000 });
      const early = sampleWallShare(org(), wall.uuid, {
        createdAtMs: 1_000,
        expiresAtSec: null,
        scheduleUuid: null,
        unscheduledMessage: null,
        passwordHash: null,
        deviceSchedules: {},
      });
      const others = sampleWallShare(org(), another.uuid, { createdAtMs: 2_000 });
      for (const share of [late, others, early]) await store().wallShares.save(share);
      expect(await store().wallShares.listByWall(org(), wall.uuid)).toEqual([early, late]);
      expect(await store().wallShares.listByWall(otherOrg(), wall.uuid)).toEqual([]);
      expect(await store().wallShares.list(org())).toEqual([early, others, late]);
      expect(await store().wallShares.find(org(), late.uuid)).toEqual(late);
    });

    it('belong to a wall of their organization', async () => {
      const wall = sampleVideoWall(org());
      await store().videoWalls.save(wall);
      const trespasser = sampleWallShare(otherOrg(), wall.uuid);
      await expect(store().wallShares.save(trespasser)).rejects.toMatchObject({ code: 'STORE_REFERENCE' });
    });

    it('go with their wall', async () => {
      const [wall, another] = [sampleVideoWall(org()), sampleVideoWall(org())];
      await store().videoWalls.save(wall);
      await store().videoWalls.save(another);
      const share = sampleWallShare(org(), wall.uuid);
      const kept = sampleWallShare(org(), another.uuid);
      await store().wallShares.save(share);
      await store().wallShares.save(kept);
      expect(await store().videoWalls.remove(org(), wall.uuid)).toBe(true);
      expect(await store().wallShares.listEverywhere()).toEqual([kept]);
    });

    it('announce what listeners may know', async () => {
      const wall = sampleVideoWall(org());
      const share = sampleWallShare(org(), wall.uuid);
      const events: ChangeEvent[] = [];
      store().onChange((event) => events.push(event));
      await store().videoWalls.save(wall);
      await store().wallShares.save(share);
      await store().wallShares.remove(org(), share.uuid);
      const common = { orgUuid: org(), uuid: share.uuid };
      const details = {
        deviceUuid: null,
        fields: {
          videoWallUuid: wall.uuid,
          scheduleUuid: share.scheduleUuid,
          expirationTimeSecs: share.expiresAtSec,
          passwordProtected: true,
        },
      };
      expect(events).toEqual([
        {
          entity: 'videoWall',
          type: 'CREATE',
          orgUuid: org(),
          uuid: wall.uuid,
          details: { deviceUuid: null, fields: { name: wall.name, cameras: 2 } },
        },
        { ...common, entity: 'wallShare', type: 'CREATE', details },
        { ...common, entity: 'wallShare', type: 'DELETE', details },
      ]);
    });
  });
}
