import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { eventually } from '../core/eventually-fixture.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import { sampleCamera, sampleOrganization, sampleShare } from '../store/sample-entities-fixture.ts';
import { ExpiredShares, FIRST_SWEEP_AFTER_MS, KEPT_AFTER_EXPIRATION_SEC } from './expired-shares.ts';
import { FIXTURE_EPOCH_MS, openSharingFixture, type SharingFixture } from './sharing-fixture.ts';

const NOW_SEC = FIXTURE_EPOCH_MS / 1_000;

let fixture: SharingFixture;
let expired: ExpiredShares;
let isFailing: string | null;

beforeEach(async () => {
  fixture = await openSharingFixture();
  isFailing = null;
  const { store, clock, wallShares, groups } = fixture;
  expired = new ExpiredShares({
    store,
    clock,
    wallShares,
    sharedGroups: groups,
    log: silentLog,
    shares: {
      remove: async (orgUuid, uuid) => {
        if (uuid === isFailing) throw new Error('the store does not answer');
        await fixture.shares.remove(orgUuid, uuid);
      },
    },
  });
});
afterEach(async () => {
  await expired.stop();
  await fixture.close();
});

const create = (expirationTimeSecs: number | null) =>
  fixture.shares.create(fixture.orgUuid, { ...fixture.request, expirationTimeSecs });

it('links that expired long ago are removed, with what is known about them, and others stay', async () => {
  const [over, recent, lasting] = [await create(60), await create(100_000), await create(null)];
  fixture.clock.advance((61 + KEPT_AFTER_EXPIRATION_SEC) * 1_000);
  await eventually('the share is gone', () => fixture.directory.find(over.uuid) === undefined);
  const left = await fixture.store.shares.list(fixture.orgUuid);
  expect(left.map(({ uuid }) => uuid).sort()).toEqual([recent.uuid, lasting.uuid].sort());
  expect(fixture.directory.find(recent.uuid)).toBeDefined();
});

it('one link that cannot be removed keeps no other, of any organization', async () => {
  const { store, clock } = fixture;
  const neighbor = sampleOrganization();
  await store.organizations.save(neighbor);
  const camera = sampleCamera(neighbor.uuid, { locationUuid: null, nvrUuid: null });
  await store.cameras.save(camera);
  const make = () =>
    sampleShare(neighbor.uuid, {
      uuid: newRuuid(),
      cameraUuid: camera.uuid,
      scheduleUuid: null,
      expiresAtSec: NOW_SEC - KEPT_AFTER_EXPIRATION_SEC - 10,
    });
  const stuck = make();
  isFailing = stuck.uuid;
  for (const share of [stuck, ...Array.from({ length: 70 }, make)]) await store.shares.save(share);
  const own = await create(60);
  clock.advance((60 + KEPT_AFTER_EXPIRATION_SEC) * 1_000 + FIRST_SWEEP_AFTER_MS);
  await eventually('all others are gone', async () => {
    clock.advance(50);
    const left = [...(await store.shares.list(neighbor.uuid)), ...(await store.shares.list(fixture.orgUuid))];
    return left.length === 1 && left[0]!.uuid === stuck.uuid;
  });
  expect(fixture.directory.find(own.uuid)).toBeUndefined();
});

it('a full organization loses what has expired before a new link is refused', async () => {
  const [over, lasting] = [await create(60), await create(null)];
  fixture.clock.advance(61_000);
  const add = fixture.store.shares.add.bind(fixture.store.shares);
  const room = vi.spyOn(fixture.store.shares, 'add').mockImplementation((share, { atMost, full }) => {
    expect(atMost).toBe(LIMITS.shares.perOrganization);
    return add(share, { atMost: 2, full });
  });
  const created = await create(null);
  expect(room).toHaveBeenCalledTimes(2);
  const left = (await fixture.store.shares.list(fixture.orgUuid)).map(({ uuid }) => uuid);
  expect(left.sort()).toEqual([lasting.uuid, created.uuid].sort());
  expect(fixture.directory.find(over.uuid)).toBeUndefined();
  await expect(create(null)).rejects.toMatchObject({ code: 'TOO_MANY_SHARES' });
});
