import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLog } from '../core/log.ts';
import { ShareCatalog } from './share-catalog.ts';
import { openSharingFixture, type SharingFixture } from './sharing-fixture.ts';

let fixture: SharingFixture;
beforeEach(async () => {
  fixture = await openSharingFixture();
});
afterEach(() => fixture.close());

it('is loaded again after a store that could not be read', async () => {
  const { store, clock, orgUuid, shares, request } = fixture;
  const share = await shares.create(orgUuid, request);
  let isAway = true;
  const flaky: typeof store.shares = Object.create(store.shares, {
    listEverywhere: {
      value: () => (isAway ? Promise.reject(new Error('away')) : store.shares.listEverywhere()),
    },
    find: { value: (org: typeof orgUuid, uuid: typeof orgUuid) => store.shares.find(org, uuid) },
  });
  const catalog = new ShareCatalog({ store: { ...store, shares: flaky }, clock, log: silentLog });
  await expect(catalog.current()).rejects.toThrow('away');
  isAway = false;
  await catalog.current();
  expect(catalog.find(orgUuid, share.uuid)?.uuid).toBe(share.uuid);
  await shares.remove(orgUuid, share.uuid);
  await catalog.current();
  expect(catalog.find(orgUuid, share.uuid)).toBeNull();
  catalog.close();
});
