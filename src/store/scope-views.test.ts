import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { actingView, actWithin, seeingAll } from './acting-view.ts';
import { sampleCamera, sampleLocation, sampleNvr, sampleOrganization } from './sample-entities-fixture.ts';
import { ScopeViews } from './scope-views.ts';
import type { Store } from './store.ts';
import { openTestStore } from './test-store-fixture.ts';

let store: Store;
let views: ScopeViews;
let orgUuid: Ruuid;
beforeEach(async () => {
  store = await openTestStore(new FakeClock());
  const organization = sampleOrganization();
  orgUuid = organization.uuid;
  await store.organizations.save(organization);
  views = new ScopeViews(store);
});
afterEach(async () => {
  views.close();
  await store.close();
});

const sites = (...locationUuids: Ruuid[]) => ({ locationUuids, cameraUuids: [] });

async function addSite(parentUuid: Ruuid | null = null): Promise<Ruuid> {
  const location = sampleLocation(orgUuid, { parentUuid });
  await store.locations.save(location);
  return location.uuid;
}

describe('a view', () => {
  it('has the cameras of a site, directly, by their NVR, and of the locations within it', async () => {
    const site = await addSite();
    const within = await addSite(await addSite(site));
    const nvr = sampleNvr(orgUuid, { locationUuid: site });
    await store.nvrs.save(nvr);
    const cameras = [
      sampleCamera(orgUuid, { locationUuid: site }),
      sampleCamera(orgUuid, { locationUuid: null, nvrUuid: nvr.uuid }),
      sampleCamera(orgUuid, { locationUuid: within }),
      sampleCamera(orgUuid, { locationUuid: await addSite() }),
      // Its own location counts, not that of its NVR.
      sampleCamera(orgUuid, { locationUuid: await addSite(), nvrUuid: nvr.uuid }),
      sampleCamera(orgUuid, { locationUuid: null }),
    ];
    for (const camera of cameras) await store.cameras.save(camera);
    const view = await views.viewOf(orgUuid, sites(site));
    expect(cameras.map(({ uuid }) => view.seesDevice(uuid))).toEqual([true, true, true, false, false, false]);
    expect([view.seesDevice(nvr.uuid), view.seesSite(within)]).toEqual([true, true]);
  });

  it('has a single camera, the name of its location, and nothing else there', async () => {
    const site = await addSite();
    const [one, other] = [1, 2].map(() => sampleCamera(orgUuid, { locationUuid: site }));
    await store.cameras.save(one!);
    await store.cameras.save(other!);
    const view = await views.viewOf(orgUuid, { locationUuids: [], cameraUuids: [one!.uuid] });
    expect([view.seesDevice(one!.uuid), view.seesDevice(other!.uuid)]).toEqual([true, false]);
    expect([view.seesLocation(site), view.seesSite(site)]).toEqual([true, false]);
    expect(view.namesHidden({ any: [{ where: `${other!.uuid}.v0` }] })).toBe(true);
    expect(view.namesHidden({ any: [one!.uuid, newRuuid(), 'text', null] })).toBe(false);
  });

  it('ends in a circle of locations', async () => {
    const [one, other] = [newRuuid(), newRuuid()];
    await store.locations.save(sampleLocation(orgUuid, { uuid: one, parentUuid: null }));
    await store.locations.save(sampleLocation(orgUuid, { uuid: other, parentUuid: one }));
    await store.locations.save(sampleLocation(orgUuid, { uuid: one, parentUuid: other }));
    const view = await views.viewOf(orgUuid, sites(other));
    expect(view.seesSite(one)).toBe(true);
  });

  it('is read again after a change, and not of another organization', async () => {
    const site = await addSite();
    const camera = sampleCamera(orgUuid, { locationUuid: site });
    const before = await views.viewOf(orgUuid, sites(site));
    expect(await views.viewOf(orgUuid, sites(site))).toBe(before);
    await store.cameras.save(camera);
    expect((await views.viewOf(orgUuid, sites(site))).seesDevice(camera.uuid)).toBe(true);
    const foreign = await views.viewOf(newRuuid(), sites(site));
    expect([foreign.seesDevice(camera.uuid), foreign.seesSite(site)]).toEqual([false, false]);
  });

  it('is also complete if a limited caller is the first who needs it', async () => {
    const [here, there] = [await addSite(), await addSite()];
    const camera = sampleCamera(orgUuid, { locationUuid: there });
    await store.cameras.save(camera);
    const narrow = await views.viewOf(orgUuid, sites(here));
    views.refresh();
    const wide = await actWithin(narrow, () => views.viewOf(orgUuid, sites(there)));
    expect(wide.seesDevice(camera.uuid)).toBe(true);
  });

  it('is not that of listeners to changes', async () => {
    const site = await addSite();
    const view = await views.viewOf(orgUuid, sites(site));
    const seen: unknown[] = [];
    store.onChange(() => void seen.push(actingView()));
    await actWithin(view, async () => {
      await store.shares.remove(orgUuid, newRuuid());
      expect(actingView()).toBe(view);
      expect(seeingAll(actingView)).toBeNull();
      await store.videoWalls.list(orgUuid);
    });
    await store.locations.remove(orgUuid, site);
    expect(seen).toEqual([null]);
  });
});
