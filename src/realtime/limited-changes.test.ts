import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../core/eventually-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Camera } from '../store/entities.ts';
import { type ResourceKindName, resourceKind } from '../store/resource.ts';
import {
  sampleCamera,
  sampleEvent,
  sampleLocation,
  sampleNvr,
  sampleOrganization,
  samplePerson,
  sampleShare,
  sampleWeeklySchedule,
} from '../store/sample-entities-fixture.ts';
import { ScopeViews } from '../store/scope-views.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { ChangeFollower } from './change-follower.ts';
import type { ChangeMessage } from './change-message.ts';
import { LimitedChanges } from './limited-changes.ts';

let store: Store;
let views: ScopeViews;
let follower: ChangeFollower;
let orgUuid: Ruuid;
let site: Ruuid;
let own: Camera;
let messages: ChangeMessage[];

beforeEach(async () => {
  store = await openTestStore(new FakeClock());
  const organization = sampleOrganization();
  orgUuid = organization.uuid;
  await store.organizations.save(organization);
  const location = sampleLocation(orgUuid);
  site = location.uuid;
  await store.locations.save(location);
  own = sampleCamera(orgUuid, { locationUuid: site });
  await store.cameras.save(own);
  messages = [];
  views = new ScopeViews(store);
  const limited = new LimitedChanges({ views, store });
  const scope = { locationUuids: [site], cameraUuids: [] };
  const take = limited.listener(orgUuid, scope, (message) => void messages.push(message), expect.unreachable);
  follower = await ChangeFollower.start({
    store,
    topics: { hasListeners: () => true, publish: (_orgUuid, message) => take(message) },
  });
});
afterEach(async () => {
  follower.close();
  views.close();
  await store.close();
});

/** Everything before it has been passed on by then: messages keep their order. */
async function settled(): Promise<ChangeMessage[]> {
  const name = `Settled ${newRuuid()}`;
  await store.cameras.save({ ...own, name });
  await eventually('the last message arrives', () => messages.at(-1)?.update?.name === name);
  return messages.slice(0, -1);
}

async function saveResource(kind: ResourceKindName, parentUuid: Ruuid | null, body: object): Promise<Ruuid> {
  const uuid = newRuuid();
  const times = { createdAtMs: 1, updatedAtMs: 1 };
  const resource = { uuid, orgUuid, name: 'Planted', parentUuid, body, secret: null, ...times };
  await store.resources.of(resourceKind<object>(kind)).save(resource);
  return uuid;
}

describe('a listener who is limited to a site', () => {
  it('gets changes of its cameras and shares', async () => {
    const share = sampleShare(orgUuid, { cameraUuid: own.uuid, name: 'Gate' });
    await store.shares.save(share);
    await store.shares.remove(orgUuid, share.uuid);
    follower.viewerChanged({ ...VIEWER, orgUuid, shareUuid: share.uuid, cameraUuid: own.uuid });
    const seen = (await settled()).map(({ entity, entityUuid, type }) => [entity, entityUuid, type]);
    expect(seen).toEqual([
      ['SHARED_STREAMS', share.uuid, 'CREATE'],
      ['SHARED_STREAMS', share.uuid, 'DELETE'],
    ]);
  });

  it('gets nothing that names another site', async () => {
    const location = sampleLocation(orgUuid, { name: 'Planted' });
    await store.locations.save(location);
    const nvr = sampleNvr(orgUuid, { name: 'Planted', locationUuid: location.uuid });
    await store.nvrs.save(nvr);
    const camera = sampleCamera(orgUuid, { name: 'Planted', locationUuid: location.uuid, nvrUuid: nvr.uuid });
    await store.cameras.save(camera);
    const share = sampleShare(orgUuid, { cameraUuid: camera.uuid, name: 'Planted' });
    await store.shares.save(share);
    const schedule = sampleWeeklySchedule(orgUuid, { name: 'Planted' });
    await store.schedules.save(schedule);
    const clip = { deviceUuids: [own.uuid, camera.uuid] };
    const hidden = [location, nvr, camera, share, schedule].map(({ uuid }): string => uuid);
    hidden.push(
      await saveResource('savedClip', own.uuid, clip),
      await saveResource('seekPoint', camera.uuid, {}),
      await saveResource('timelapse', own.uuid, { devices: [camera.uuid] }),
      await saveResource('door', nvr.uuid, { locationUuid: location.uuid }),
      await saveResource('lockdownRule', location.uuid, {}),
      await saveResource('sharedClipGroup', null, { itemUuids: [] }),
      await saveResource('case', null, { items: [{ cameraUuids: [camera.uuid] }] }),
      await saveResource('hold', camera.uuid, { cameraUuid: camera.uuid, reason: 'Planted' }),
    );
    const alert = sampleEvent(orgUuid, { kind: 'policyAlert', id: newRuuid(), deviceUuid: camera.uuid });
    await store.events.add([alert]);
    follower.viewerChanged({ ...VIEWER, orgUuid, shareUuid: share.uuid, cameraUuid: camera.uuid });
    await store.shares.remove(orgUuid, share.uuid);
    await store.cameras.remove(orgUuid, camera.uuid);
    const text = JSON.stringify(await settled());
    expect([...hidden, alert.id, 'Planted', VIEWER.viewerId].filter((each) => text.includes(each))).toEqual(
      [],
    );
  });

  it('learns only that a list changed if its records belong to no camera', async () => {
    await store.schedules.save(sampleWeeklySchedule(orgUuid, { name: 'Nights' }));
    expect(await settled()).toEqual([
      { entity: 'SCHEDULE', entityUuid: '', type: 'UPDATE', deviceUuid: null, update: null },
    ]);
  });

  it('learns that a camera was moved elsewhere, and of one that comes', async () => {
    const second = sampleLocation(orgUuid);
    await store.locations.save(second);
    await store.cameras.save({ ...own, locationUuid: second.uuid });
    await eventually('the camera is gone', () => messages.length === 1);
    await store.cameras.save({ ...own, locationUuid: site });
    expect((await settled()).map(({ type, update }) => [type, update?.locationUuid ?? null])).toEqual([
      ['DELETE', null],
      ['UPDATE', site],
    ]);
  });

  it('learns that a camera was removed', async () => {
    const camera = sampleCamera(orgUuid, { locationUuid: site });
    await store.cameras.save(camera);
    await store.cameras.remove(orgUuid, camera.uuid);
    const seen = (await settled()).map(({ entityUuid, type }) => [entityUuid, type]);
    expect(seen).toEqual([
      [camera.uuid, 'CREATE'],
      [camera.uuid, 'DELETE'],
    ]);
  });
});

const VIEWER = { type: 'CREATE', viewerId: 'a-viewer-of-theirs', viewers: 1 } as const;

it('never include people', async () => {
  await store.people.save(samplePerson(orgUuid));
  await store.locations.save(sampleLocation(orgUuid, { uuid: site, name: 'Harbor' }));
  await eventually('a message', () => messages.length > 0);
  expect(messages.map(({ entity }) => entity)).toEqual(['LOCATION']);
});
