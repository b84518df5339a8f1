import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { sampleOrganization } from '../../store/sample-entities-fixture.ts';
import type { Store } from '../../store/store.ts';
import { openTestStore } from '../../store/test-store-fixture.ts';
import { Licenses, reportLicenses } from './license.ts';
import { ProximityTags } from './proximity-tags.ts';

let clock: FakeClock;
let store: Store;
let tags: ProximityTags;
let licenses: Licenses;
let orgUuid: Ruuid;
beforeEach(async () => {
  clock = new FakeClock();
  store = await openTestStore(clock);
  tags = new ProximityTags({ store, clock });
  licenses = new Licenses({ store, clock });
  const organization = sampleOrganization();
  orgUuid = organization.uuid;
  await store.organizations.save(organization);
});
afterEach(() => store.close());

describe('proximity tags', () => {
  it('stay as they are when reported again; their image is for a browser', async () => {
    const tag = { uuid: newRuuid(), name: 'Porter' };
    expect(await tags.report(orgUuid, [tag, tag])).toBe(1);
    await tags.update(orgUuid, tag.uuid, { description: 'Night', imageUrl: '' });
    expect(await tags.report(orgUuid, [{ ...tag, name: 'Other' }])).toBe(0);
    expect(await tags.list(orgUuid)).toMatchObject([
      { name: 'Porter', body: { description: 'Night', imageUrl: null } },
    ]);
    const picture = tags.update(orgUuid, tag.uuid, { imageUrl: 'javascript:alert(1)' });
    await expect(picture).rejects.toMatchObject({ code: 'PROXIMITY_TAG_IMAGE_INVALID' });
    await tags.remove(orgUuid, tag.uuid);
    await expect(tags.remove(orgUuid, tag.uuid)).rejects.toMatchObject({
      code: 'PROXIMITY_TAG_NOT_FOUND',
    });
  });
});

describe('licences', () => {
  it('are replaced by later reports, and expire', async () => {
    const report = (nowMs: number, expiresAtMs: number) =>
      reportLicenses(store, orgUuid, nowMs, [{ id: 'L-1', expiresAtMs }]);
    expect(await report(1, 10)).toEqual([{ isAccepted: true, kept: null, changed: null }]);
    expect(await report(2, 10)).toEqual([{ isAccepted: false, kept: null, changed: null }]);
    expect(await report(3, 20)).toEqual([{ isAccepted: true, kept: null, changed: 'expiresAtMs' }]);
    const listAt = async (epochMs: number) => {
      clock.stepWallClock(epochMs - clock.epochMs());
      return (await licenses.list(orgUuid)).toArray();
    };
    const license = { createdAtMs: 1, updatedAtMs: 3 };
    expect(await listAt(19)).toMatchObject([{ license, state: 'CLAIMED' }]);
    expect(await listAt(20)).toMatchObject([{ license, state: 'EXPIRED' }]);
  });
});
