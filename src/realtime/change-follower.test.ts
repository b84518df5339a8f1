import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { PolicyAlerts } from '../events/policy-alerts.ts';
import { MANUAL_RECORDINGS } from '../store/manual-recording.ts';
import { resourceKind } from '../store/resource.ts';
import {
  sampleApiKey,
  sampleCamera,
  sampleOrganization,
  samplePerson,
} from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { reportOf } from '../stream/camera-report-fixture.ts';
import type { LiveStateName } from '../stream/media/live-media.ts';
import { ChangeFollower } from './change-follower.ts';
import type { ChangeMessage } from './change-message.ts';

const CAMERA_CONFIGS = resourceKind('cameraConfig');
const DOORS = resourceKind<{ readonly state: string }>('door');

let store: Store;
let follower: ChangeFollower;
let orgUuid: Ruuid;
let told: { orgUuid: Ruuid; message: ChangeMessage }[];

beforeEach(async () => {
  const clock = new FakeClock();
  store = await openTestStore(clock);
  orgUuid = newRuuid();
  await store.organizations.save(sampleOrganization({ uuid: orgUuid }));
  told = [];
  const publish = (org: Ruuid, message: ChangeMessage) => void told.push({ orgUuid: org, message });
  follower = await ChangeFollower.start({ store, topics: { hasListeners: () => true, publish } });
});

afterEach(async () => {
  follower.close();
  await store.close();
});

describe('ChangeFollower', () => {
  it('reports once that a camera went offline, and that it plays again', async () => {
    const camera = sampleCamera(orgUuid, { nvrUuid: null, locationUuid: null });
    await store.cameras.save(camera);
    told = [];
    const states: LiveStateName[] = ['starting', 'live', 'offline', 'starting'];
    for (const state of [...states, 'offline', 'live', 'idle'] as const) {
      follower.cameraStatusChanged(camera.uuid, reportOf(state));
    }
    follower.cameraStatusChanged(newRuuid(), reportOf('offline'));
    const common = { entity: 'CAMERA', entityUuid: camera.uuid, type: 'UPDATE', deviceUuid: camera.uuid };
    expect(told).toEqual([
      { orgUuid, message: { ...common, update: { online: false, connectionStatus: 'RED' } } },
      { orgUuid, message: { ...common, update: { online: true, connectionStatus: 'GREEN' } } },
    ]);
  });

  it('reports that people changed, and nothing about them', async () => {
    const person = samplePerson(orgUuid);
    await store.people.save(person);
    await store.people.remove(orgUuid, person.uuid);
    await store.resources.of(resourceKind('scimGroup')).save({
      uuid: newRuuid(),
      orgUuid,
      name: 'Guards',
      parentUuid: null,
      secret: null,
      body: {},
      createdAtMs: 1,
      updatedAtMs: 1,
    });
    const message = { entity: 'PEOPLE', entityUuid: '', type: 'UPDATE', deviceUuid: null, update: null };
    expect(told).toEqual([message, message, message].map((each) => ({ orgUuid, message: each })));
  });

  it('reports an emergency whose views changed: its report shows them', async () => {
    const emergencyUuid = newRuuid();
    await store.resources.of(resourceKind('emergencyView')).save({
      uuid: newRuuid(),
      orgUuid,
      name: '',
      parentUuid: emergencyUuid,
      secret: null,
      body: {},
      createdAtMs: 1,
      updatedAtMs: 1,
    });
    const changed = { entity: 'EMERGENCY', entityUuid: emergencyUuid, type: 'UPDATE' };
    expect(told).toEqual([{ orgUuid, message: { ...changed, deviceUuid: null, update: null } }]);
  });

  it('reports the first contact with a camera that no one had watched', async () => {
    const camera = sampleCamera(orgUuid, { nvrUuid: null, locationUuid: null });
    await store.cameras.save(camera);
    told = [];
    for (const state of ['not-checked', 'reachable', 'reachable', 'offline', 'reachable'] as const) {
      follower.cameraStatusChanged(camera.uuid, reportOf('idle', state));
    }
    expect(told.map(({ message }) => message.update)).toEqual([
      { online: true, connectionStatus: 'GREEN' },
      { online: false, connectionStatus: 'RED' },
      { online: true, connectionStatus: 'GREEN' },
    ]);
  });

  it('reports that the recording of a camera, or its settings, have changed', async () => {
    const camera = sampleCamera(orgUuid, { nvrUuid: null, locationUuid: null });
    await store.cameras.save(camera);
    told = [];
    const { uuid } = camera;
    const common = { orgUuid, name: '', parentUuid: uuid, secret: null, createdAtMs: 1, updatedAtMs: 1 };
    const body = { startedAtMs: 1, endsAtMs: 2, startedBy: 'Ada' };
    await store.resources.of(MANUAL_RECORDINGS).save({ ...common, uuid, body });
    await store.resources.of(MANUAL_RECORDINGS).remove(orgUuid, uuid);
    await store.resources.of(CAMERA_CONFIGS).save({ ...common, uuid: newRuuid(), body: {} });
    const recorded = { code: null, reasons: ['manual'], isForbidden: false } as const;
    follower.recordingChanged(uuid, { ...recorded, state: 'recording' });
    follower.recordingChanged(newRuuid(), { ...recorded, state: 'recording' });
    const message = { entity: 'CAMERA', entityUuid: uuid, type: 'UPDATE', deviceUuid: uuid };
    expect(told).toEqual([
      ...Array.from({ length: 3 }, () => ({ orgUuid, message: { ...message, update: null } })),
      { orgUuid, message: { ...message, update: { recording: 'recording' } } },
    ]);
  });

  it('reports cases by their title, and holds with their camera', async () => {
    const common = { orgUuid, secret: null, body: {}, createdAtMs: 1, updatedAtMs: 1 };
    const [uuid, cameraUuid] = [newRuuid(), newRuuid()];
    const opened = { ...common, uuid, name: 'Theft', parentUuid: null };
    await store.resources.of(resourceKind('case')).save(opened);
    await store.resources
      .of(resourceKind('hold'))
      .save({ ...common, uuid, name: '', parentUuid: cameraUuid });
    await store.resources.of(resourceKind('hold')).remove(orgUuid, uuid);
    expect(told.map(({ message }) => message)).toEqual([
      {
        entity: 'EVIDENCE_CASE',
        entityUuid: uuid,
        type: 'CREATE',
        deviceUuid: null,
        update: { name: 'Theft' },
      },
      {
        entity: 'LEGAL_HOLD',
        entityUuid: uuid,
        type: 'CREATE',
        deviceUuid: cameraUuid,
        update: { name: '' },
      },
      { entity: 'LEGAL_HOLD', entityUuid: uuid, type: 'DELETE', deviceUuid: cameraUuid, update: null },
    ]);
  });

  it('reports doors with their device, including removed ones', async () => {
    const [uuid, parentUuid] = [newRuuid(), newRuuid()];
    const times = { createdAtMs: 1, updatedAtMs: 1 };
    const body = { state: 'LOCKED' };
    const door = { uuid, orgUuid, name: 'Gate', parentUuid, secret: null, body, ...times };
    await store.resources.of(DOORS).save(door);
    await store.resources.of(DOORS).remove(orgUuid, uuid);
    const common = { entity: 'ACCESS_CONTROLLED_DOOR', entityUuid: uuid, deviceUuid: parentUuid };
    expect(told.map(({ message }) => message)).toEqual([
      { ...common, type: 'CREATE', update: { name: 'Gate' } },
      { ...common, type: 'DELETE', update: null },
    ]);
  });

  it('reports a policy alert once, and no other report', async () => {
    const deviceUuid = newRuuid();
    const alert = { orgUuid, kind: 'policyAlert', id: 'a1', deviceUuid, atMs: 5, body: {} } as const;
    await store.events.add([alert, { ...alert, kind: 'posEvent' }]);
    await store.events.add([alert]);
    const message = { entity: 'POLICY_ALERT', entityUuid: 'a1', type: 'CREATE', deviceUuid };
    const update = { uuid: 'a1', deviceUuid, timestampMs: 5 };
    expect(told).toEqual([{ orgUuid, message: { ...message, update } }]);
  });

  it('tells what the command line of the API family prints of an alert: it asks no further', async () => {
    const shown = {
      durationSec: 12,
      policyAlertTriggers: ['MOTION_HUMAN'],
      textDescription: 'Motion at the front desk',
    };
    const body = { ...shown, tempC: 21 };
    const deviceUuid = newRuuid();
    await store.events.add([{ orgUuid, kind: 'policyAlert', id: 'a1', deviceUuid, atMs: 5, body }]);
    expect(told[0]?.message.update).toEqual({ uuid: 'a1', deviceUuid, timestampMs: 5, ...shown });
  });

  it('tells that the clip of an alert is there, and that it is gone, but not that someone saved it', async () => {
    const [deviceUuid, uuid] = [newRuuid(), newRuuid()];
    const alert = { orgUuid, kind: 'policyAlert', id: uuid, deviceUuid, atMs: 5, body: {} } as const;
    await store.events.add([alert]);
    told = [];
    const alerts = new PolicyAlerts(store);
    const footage = { clipLocation: { region: 'local' }, thumbnailLocation: { region: 'local' } };
    await alerts.amend(orgUuid, uuid, (body) => ({ ...body, durationSec: 7, ...footage }));
    await alerts.markSaved(orgUuid, uuid, true);
    await alerts.amend(orgUuid, newRuuid(), (body) => ({ ...body, ...footage }));
    await alerts.amend(orgUuid, uuid, () => ({ durationSec: 7 }));
    const common = { entity: 'POLICY_ALERT', entityUuid: uuid, type: 'UPDATE', deviceUuid };
    const update = { uuid, deviceUuid, timestampMs: 5, durationSec: 7 };
    expect(told.map(({ message }) => message)).toEqual([
      { ...common, update: { ...update, ...footage } },
      { ...common, update },
    ]);
  });

  it('says nothing about keys, and nothing after its end', async () => {
    await store.apiKeys.save(sampleApiKey(orgUuid));
    follower.close();
    await store.cameras.save(sampleCamera(orgUuid, { nvrUuid: null, locationUuid: null }));
    expect(told).toEqual([]);
  });
});
