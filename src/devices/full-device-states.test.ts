import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Counters } from '../counters/counters.ts';
import { createMemoryCounters } from '../counters/memory-counters.ts';
import type { Camera, Nvr } from '../store/entities.ts';
import { sampleCamera, sampleNvr, sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import type { CameraReport } from '../stream/camera-connection.ts';
import { reportOf } from '../stream/camera-report-fixture.ts';
import type { SoundState } from '../stream/sound-state.ts';
import { createDeviceServices, type DeviceServices } from './device-services.ts';
import { FakeOnvifCameras } from './fake-onvif-cameras.ts';
import { FakeRtspCameras } from './fake-rtsp-cameras.ts';
import { FullDeviceStates } from './full-device-states.ts';

let clock: FakeClock;
let store: Store;
let counters: Counters;
let services: DeviceServices;
let rtspCameras: FakeRtspCameras;
let reports: Map<Ruuid, CameraReport>;
let sounds: Map<Ruuid, SoundState>;
let lastChanges: Map<Ruuid, number>;
let states: FullDeviceStates;
let nvr: Nvr;
let camera: Camera;
beforeEach(async () => {
  clock = new FakeClock();
  store = await openTestStore(clock);
  counters = createMemoryCounters({ clock });
  rtspCameras = new FakeRtspCameras();
  [reports, sounds, lastChanges] = [new Map(), new Map(), new Map()];
  services = createDeviceServices({
    store,
    clock,
    probeCamera: rtspCameras.probe,
    onvif: new FakeOnvifCameras(),
    shares: { remove: async () => undefined, openToAll: async () => [] },
    rules: { applied: () => undefined },
    onCameraProbed: async (_org, uuid) => void reports.set(uuid, reportOf('live')),
  });
  const health = {
    lastSeenChangeMs: async (_org: Ruuid, [uuid]: readonly Ruuid[]) => lastChanges.get(uuid!) ?? null,
  };
  states = new FullDeviceStates({
    ...services,
    counters,
    health,
    clock,
    cameraStates: reports,
    cameraSounds: sounds,
    cameraClocks: new Map(),
    cameraSignings: new Map(),
    cameraRecordings: new Map(),
  });
  const organization = sampleOrganization();
  await store.organizations.save(organization);
  nvr = sampleNvr(organization.uuid, { locationUuid: null });
  await store.nvrs.save(nvr);
  camera = sampleCamera(organization.uuid, { locationUuid: null, nvrUuid: nvr.uuid });
  await store.cameras.save(camera);
});
afterEach(async () => {
  await counters.close();
  await store.close();
});

describe('the full state of a camera', () => {
  const stateOf = (uuid: string, { isOpened = false, withConfig = true } = {}) =>
    states.camera(camera.orgUuid, uuid, { isOpened, withConfig });

  it('has what the gateway sees and what was stored, by any facet', async () => {
    await counters.putShare({
      uuid: newRuuid(),
      cameraUuid: camera.uuid,
      nvrUuid: nvr.uuid,
      expiresAtSec: null,
    });
    await services.devices.updateCameraConfig(camera.orgUuid, camera.uuid, { rotation: 180 });
    sounds.set(camera.uuid, { state: 'live', encoding: null, isAlone: false });
    lastChanges.set(camera.uuid, 7);
    expect(await stateOf(`${camera.uuid}.v0`)).toMatchObject({
      camera: { uuid: camera.uuid },
      sharedCount: 1,
      lastChangeMs: 7,
      nowMs: clock.epochMs(),
      report: undefined,
      sound: { state: 'live' },
      audioSupported: null,
      seen: null,
      config: { rotation: 180 },
    });
    expect(await stateOf(camera.uuid, { withConfig: false })).toMatchObject({ config: {} });
    await expect(stateOf(newRuuid())).rejects.toMatchObject({ code: 'CAMERA_NOT_FOUND' });
  });

  it('opens the camera if requested, and has the resulting state', async () => {
    const seen = { rtspUrlStatus: 'GOOD', codec: 'h264', widthPx: null, frameRateHz: 25 };
    await store.cameras.save({ ...camera, tls: 'verify' });
    rtspCameras.byUrl.set(camera.rtspUrl.redacted(), { hasAudio: true });
    expect(await stateOf(camera.uuid, { isOpened: true })).toMatchObject({
      report: { streamState: 'live' },
      audioSupported: true,
      seen,
    });
    // With its own transport and trust: the login is for the camera that the certificate proves.
    const rule = { reach: 'anywhere', orgUuid: camera.orgUuid };
    expect(rtspCameras.reaches).toEqual([{ rule, transport: 'tcp', tls: 'verify' }]);
    rtspCameras.byUrl.clear();
    expect(await stateOf(camera.uuid, { isOpened: true })).toMatchObject({
      audioSupported: null,
      seen: { rtspUrlStatus: 'NOT_REACHABLE', codec: null },
    });
  });
});

describe('the full state of an NVR', () => {
  it('is the state of its cameras', async () => {
    await store.cameras.save(sampleCamera(nvr.orgUuid, { locationUuid: null, nvrUuid: null }));
    reports.set(camera.uuid, reportOf('offline'));
    lastChanges.set(camera.uuid, 9);
    expect(await states.nvr(nvr.orgUuid, nvr.uuid)).toMatchObject({
      nvr: { uuid: nvr.uuid },
      sharedCount: 0,
      lastChangeMs: 9,
      cameras: [{ uuid: camera.uuid, report: { streamState: 'offline' } }],
    });
    await expect(states.nvr(nvr.orgUuid, newRuuid())).rejects.toMatchObject({ code: 'NVR_NOT_FOUND' });
  });
});
