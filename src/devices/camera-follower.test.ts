import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { Camera } from '../store/entities.ts';
import { sampleCamera, sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { StreamHub } from '../stream/hub.ts';
import type { Source } from '../stream/source/source.ts';
import { CameraFollower } from './camera-follower.ts';
import type { CameraSources } from './camera-sources.ts';

const CLOSED: Source = { engine: 'none', open: () => ({ close: async () => undefined }) };

describe('CameraFollower', () => {
  const organization = sampleOrganization();
  const orgUuid = organization.uuid;
  let store: Store;
  let hub: StreamHub;
  let follower: CameraFollower;
  let forgiven: string[];
  let networks = '';

  beforeEach(async () => {
    const clock = new FakeClock();
    store = await openTestStore(clock);
    await store.organizations.save(organization);
    forgiven = [];
    hub = new StreamHub({
      clock,
      log: silentLog,
      idleStopMs: 1_000,
      onStatusChange: () => undefined,
      limits: { backoffMinMs: 1, backoffMaxMs: 1, startMs: 1, silenceMs: 1 },
      numberingStore: { find: async () => null, save: async () => undefined },
      createPackager: () => {
        throw new Error('no one watches');
      },
    });
    const sources: Pick<CameraSources, 'hubCamera' | 'forgiveLogins' | 'removed'> = {
      hubCamera: ({ uuid, name, rtspUrl }: Camera) => {
        return { uuid, name, fingerprint: rtspUrl.reveal() + networks, main: CLOSED, sub: null };
      },
      removed: () => undefined,
      forgiveLogins: ({ name }) => void forgiven.push(name),
    };
    // The rest of it opens sockets and processes.
    follower = await CameraFollower.start({
      store,
      hub,
      sources: sources as CameraSources,
      log: silentLog,
    });
  });
  afterEach(async () => {
    await follower.stop();
    await hub.close();
    await store.close();
  });

  it('takes over the result of a probe, even of a camera created a moment ago', async () => {
    const camera = sampleCamera(orgUuid, { name: 'Dock', locationUuid: null, nvrUuid: null });
    await store.cameras.save(camera);
    hub.remove(camera.uuid);
    const report = await follower.probed(orgUuid, camera.uuid, { fault: null });
    expect(report?.main.state).toBe('reachable');
    expect(hub.get(camera.uuid)?.report()).toEqual(report);
    expect(forgiven).toEqual(['Dock']);
  });

  it('knows nothing about a camera that does not run', async () => {
    expect(await follower.probed(orgUuid, newRuuid(), { fault: null })).toBeNull();
  });

  it('opens the cameras of an organization again when where they may be has changed', async () => {
    const camera = sampleCamera(orgUuid, { locationUuid: null, nvrUuid: null });
    await store.cameras.save(camera);
    await follower.refresh();
    const stream = hub.get(camera.uuid);
    networks = '10.0.0.0/8';
    follower.organizationChanged(newRuuid());
    await follower.apply(orgUuid, newRuuid());
    expect(hub.get(camera.uuid)).toBe(stream);
    follower.organizationChanged(orgUuid);
    await follower.apply(orgUuid, newRuuid());
    expect(hub.get(camera.uuid)).not.toBe(stream);
  });

  it('passes a new name to a camera that stays open', async () => {
    const camera = sampleCamera(orgUuid, { name: 'Dock', locationUuid: null, nvrUuid: null });
    await store.cameras.save(camera);
    await follower.refresh();
    const stream = hub.get(camera.uuid);
    await store.cameras.save({ ...camera, name: 'Pier' });
    await follower.refresh();
    expect([hub.get(camera.uuid), stream?.name]).toEqual([stream, 'Pier']);
  });
});
