import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Counters } from '../counters/counters.ts';
import { createMemoryCounters } from '../counters/memory-counters.ts';
import {
  sampleCamera,
  sampleLocation,
  sampleNvr,
  sampleOrganization,
} from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import type { CameraReport } from '../stream/camera-connection.ts';
import { reportOf } from '../stream/camera-report-fixture.ts';
import { createDeviceServices, type DeviceServices } from './device-services.ts';
import { DeviceStates } from './device-states.ts';
import { FakeOnvifCameras } from './fake-onvif-cameras.ts';
import { FakeRtspCameras } from './fake-rtsp-cameras.ts';

let clock: FakeClock;
let store: Store;
let counters: Counters;
let services: DeviceServices;
let rtspCameras: FakeRtspCameras;
let onvifCameras: FakeOnvifCameras;
let reports: Map<Ruuid, CameraReport>;
let states: DeviceStates;
let orgUuid: Ruuid;
let nvrUuid: Ruuid;
let locationUuid: Ruuid;
beforeEach(async () => {
  clock = new FakeClock();
  store = await openTestStore(clock);
  counters = createMemoryCounters({ clock });
  rtspCameras = new FakeRtspCameras();
  onvifCameras = new FakeOnvifCameras();
  reports = new Map();
  services = createDeviceServices({
    store,
    clock,
    probeCamera: rtspCameras.probe,
    onvif: onvifCameras,
    shares: { remove: async () => undefined, openToAll: async () => [] },
    rules: { applied: () => undefined },
  });
  states = new DeviceStates({ ...services, store, counters, cameraStates: reports });
  const organization = sampleOrganization();
  orgUuid = organization.uuid;
  await store.organizations.save(organization);
  const location = sampleLocation(orgUuid);
  locationUuid = location.uuid;
  await store.locations.save(location);
  nvrUuid = await addNvr({ name: 'Core', locationUuid });
});
afterEach(async () => {
  await counters.close();
  await store.close();
});

async function addNvr(fields: Parameters<typeof sampleNvr>[1]): Promise<Ruuid> {
  const nvr = sampleNvr(orgUuid, fields);
  await store.nvrs.save(nvr);
  return nvr.uuid;
}

async function addCamera(fields: Parameters<typeof sampleCamera>[1]): Promise<Ruuid> {
  const camera = sampleCamera(orgUuid, fields);
  await store.cameras.save(camera);
  return camera.uuid;
}

const putShare = (cameraUuid: Ruuid, ofNvr: Ruuid | null) =>
  counters.putShare({ uuid: newRuuid(), cameraUuid, nvrUuid: ofNvr, expiresAtSec: null });

describe('the states of cameras', () => {
  const cameras = async (filter: Partial<Parameters<DeviceStates['cameras']>[1]> = {}) =>
    (await states.cameras(orgUuid, { includeMummified: false, ...filter })).toArray();

  it('are sorted by name, with details, shares and reports', async () => {
    const lobby = await addCamera({ name: 'Lobby' });
    const dock = await addCamera({ name: 'dock' });
    await services.devices.updateCamera(orgUuid, dock, { details: { floorNumber: 2 } });
    await putShare(dock, null);
    reports.set(lobby, reportOf('live'));
    expect(await cameras()).toMatchObject([
      {
        camera: { uuid: dock },
        details: { floorNumber: 2 },
        sharedCount: 1,
        report: undefined,
      },
      {
        camera: { uuid: lobby },
        details: undefined,
        sharedCount: 0,
        report: { streamState: 'live' },
      },
    ]);
  });

  it('are limited to one kind, and exclude removed ones, if requested', async () => {
    await addCamera({ name: 'Lobby' });
    await addCamera({ name: 'Bell', kind: 'doorbell' });
    await addCamera({ name: 'Old bell', kind: 'doorbell', mummified: true });
    const names = async (filter: Parameters<typeof cameras>[0]) =>
      (await cameras(filter)).map(({ camera }) => camera.name);
    expect(await names({})).toEqual(['Bell', 'Lobby']);
    expect(await names({ kind: 'doorbell' })).toEqual(['Bell']);
    expect(await names({ kind: 'doorbell', includeMummified: true })).toEqual(['Bell', 'Old bell']);
    expect(await names({ kind: 'camera', includeMummified: true })).toEqual(['Lobby']);
  });
});

describe('the states of NVRs', () => {
  it('are those of the cameras behind them', async () => {
    const attic = await addNvr({ name: 'Attic' });
    await addNvr({ name: 'Removed', mummified: true });
    const camera = await addCamera({ nvrUuid });
    await addCamera({ nvrUuid, name: 'Gate' });
    await addCamera({ nvrUuid, mummified: true });
    await addCamera({ nvrUuid: null });
    await putShare(camera, nvrUuid);
    reports.set(camera, reportOf('live'));
    const [first, second, ...others] = await (await states.nvrs(orgUuid)).toArray();
    expect(first).toMatchObject({ nvr: { uuid: attic }, sharedCount: 0, reports: [] });
    expect(second).toMatchObject({ nvr: { uuid: nvrUuid }, sharedCount: 1 });
    expect(second?.reports.map((report) => report?.streamState).sort()).toEqual(['live', undefined]);
    expect(others).toEqual([]);
  });

  it('list assigned cameras, and no NVR of other organizations', async () => {
    const camera = await addCamera({ nvrUuid });
    await addCamera({ nvrUuid, mummified: true });
    await services.devices.updateCamera(orgUuid, camera, { details: { floorNumber: 3 } });
    const assigned = await (await states.assignedCameras(orgUuid, nvrUuid)).toArray();
    expect(assigned).toMatchObject([{ camera: { uuid: camera }, details: { floorNumber: 3 } }]);
    await expect(states.assignedCameras(newRuuid(), nvrUuid)).rejects.toMatchObject({
      code: 'NVR_NOT_FOUND',
    });
  });

  it('match filters, at least one', async () => {
    const attic = await addNvr({ name: 'Attic', locationUuid: null });
    const removed = await addNvr({ name: 'Removed', mummified: true, locationUuid });
    const filtered = async (deviceUuids: Ruuid[], locationUuids: Ruuid[]) =>
      (await services.devices.filteredNvrs(orgUuid, { deviceUuids, locationUuids })).map(({ uuid }) => uuid);
    expect(new Set(await filtered([], []))).toEqual(new Set([nvrUuid, attic]));
    expect(await filtered([attic], [])).toEqual([attic]);
    expect(await filtered([], [locationUuid])).toEqual([nvrUuid]);
    await expect(filtered([removed], [])).rejects.toMatchObject({
      code: 'NVR_NOT_FOUND',
      context: { nvr: removed, list: 'deviceFilter' },
    });
    await expect(filtered([], [newRuuid()])).rejects.toMatchObject({ code: 'LOCATION_NOT_FOUND' });
    await expect(filtered([attic], [locationUuid])).rejects.toMatchObject({ code: 'NVR_FILTER_EMPTY' });
  });
});

describe('cameras that respond to a discovery', () => {
  it('are at the location of the NVRs that it searches for, if that is a single one', async () => {
    const rtspUrl = 'rtsp://192.0.2.20/main';
    const stream = { rtspUrl, profileToken: 'main', codec: 'h264' };
    const device = { manufacturer: 'Example', model: 'Dome', streams: [stream] };
    onvifCameras.byHost.set('192.0.2.20', { device });
    const placeFound = async (deviceUuids: Ruuid[]) => {
      const found = await services.onvifDiscovery.discover(orgUuid, { deviceUuids, locationUuids: [] });
      expect(found).toEqual({ openCount: 1, lockedHosts: [] });
      const [endpoint] = await services.rtspEndpoints.list(orgUuid);
      await services.rtspEndpoints.forget(orgUuid, endpoint!.body.macAddress);
      return endpoint!.body.locationUuid;
    };
    expect(await placeFound([])).toBe(locationUuid);
    const attic = await addNvr({ name: 'Attic', locationUuid: null });
    expect(await placeFound([])).toBeNull();
    expect(await placeFound([nvrUuid])).toBe(locationUuid);
    expect(await placeFound([attic])).toBeNull();
    await expect(placeFound([newRuuid()])).rejects.toMatchObject({ code: 'NVR_NOT_FOUND' });
  });
});

describe('third-party cameras', () => {
  it('are those behind an NVR, and endpoints without a camera', async () => {
    const urls = ['rtsp://192.0.2.10/main', 'rtsp://192.0.2.11/main'];
    for (const rtspUrl of urls) {
      rtspCameras.byUrl.set(rtspUrl, {});
      await services.rtspEndpoints.discover(orgUuid, { rtspUrl, trySavedCredentials: false });
    }
    const assignment = { rtspUrl: urls[0]!, nvrUuid, name: 'Dock' };
    const { cameraUuid } = await services.rtspEndpoints.assign(orgUuid, assignment);
    await addCamera({ nvrUuid, name: 'From the file' });
    await addCamera({ nvrUuid: null, name: 'Alone' });
    const known = await (await states.thirdPartyCameras(orgUuid)).toArray();
    expect(known).toMatchObject([
      { kind: 'unassigned', name: '192.0.2.11', endpoint: { body: { rtspUrl: urls[1] } } },
      {
        kind: 'assigned',
        name: 'Dock',
        state: { camera: { uuid: cameraUuid } },
        endpoint: { body: { rtspUrl: urls[0] } },
      },
      { kind: 'assigned', name: 'From the file', endpoint: undefined },
    ]);
  });
});

describe('discovered cameras', () => {
  it('are listed with the endpoints that are not assigned', async () => {
    const [main, second, other] = [
      'rtsp://192.0.2.10/main',
      'rtsp://192.0.2.10/second',
      'rtsp://192.0.2.11/main',
    ];
    for (const rtspUrl of [main, other, second]) {
      rtspCameras.byUrl.set(rtspUrl!, {});
      await services.rtspEndpoints.discover(orgUuid, { rtspUrl: rtspUrl!, trySavedCredentials: false });
      clock.advance(1);
    }
    const urls = async () =>
      (await (await states.unassignedCameras(orgUuid)).toArray()).map(({ endpoints }) =>
        endpoints.map(({ body }) => body.rtspUrl),
      );
    expect(await urls()).toEqual([[main, second], [other]]);
    const [first] = await (await states.unassignedCameras(orgUuid)).toArray();
    await services.rtspEndpoints.assign(orgUuid, { rtspUrl: main!, nvrUuid });
    expect(await urls()).toEqual([[other], [second]]);
    const ofCamera = await services.rtspEndpoints.listOfCamera(orgUuid, first!.macAddress.toUpperCase());
    expect(ofCamera.map(({ body }) => body.rtspUrl)).toEqual([main, second]);
    expect(await services.rtspEndpoints.listOfCamera(orgUuid, '02:00:00:00:00:00')).toEqual([]);
  });
});

describe('NVRs as records', () => {
  it('are returned in the requested order, announced ones last', async () => {
    const announced = await services.pendingRegistrations.create(orgUuid, {
      serialNumber: 'N-2',
      locationUuid,
      wifiSsid: null,
      wifiPsk: [],
    });
    await services.devices.updateNvr(orgUuid, nvrUuid, { details: { floorNumber: 1 } });
    const record = { nvr: { uuid: nvrUuid }, details: { floorNumber: 1 }, isAnnounced: false };
    const pending = { nvr: { uuid: announced.uuid, serialNumber: 'N-2' }, isAnnounced: true };
    expect(await states.nvrRecords(orgUuid)).toMatchObject([record, pending]);
    expect(await states.nvrRecords(orgUuid, [announced.uuid, nvrUuid])).toMatchObject([pending, record]);
    expect(await states.nvrRecords(orgUuid, [])).toEqual([]);
    const unknown = newRuuid();
    await expect(states.nvrRecords(orgUuid, [nvrUuid, unknown])).rejects.toMatchObject({
      code: 'NVR_NOT_FOUND',
      context: { nvr: unknown },
    });
  });
});

describe('locations', () => {
  it('are sorted by name', async () => {
    await store.locations.save(sampleLocation(orgUuid, { name: 'zoo' }));
    await store.locations.save(sampleLocation(orgUuid, { name: 'Aquarium' }));
    const names = (await services.locations.listByName(orgUuid)).map(({ name }) => name);
    expect(names).toEqual(['Aquarium', (await store.locations.find(orgUuid, locationUuid))!.name, 'zoo']);
  });
});

describe('the configuration of a camera', () => {
  it('is stored field by field, with a schedule that exists', async () => {
    const camera = await addCamera({});
    const update = (settings: object) =>
      services.devices.updateCameraConfig(orgUuid, camera, settings as Record<string, unknown>);
    expect(await services.devices.cameraConfig(orgUuid, camera)).toEqual({});
    await update({ rotation: 180, hdr_enabled: true });
    await update({ rotation: 0 });
    const stored = { rotation: 0, hdr_enabled: true, lastModified: clock.epochMs() };
    expect(await services.devices.cameraConfig(orgUuid, camera)).toEqual(stored);
    await expect(update({ rotation: 90, disabled_schedule_uuid: newRuuid() })).rejects.toMatchObject({
      code: 'CAMERA_CONFIG_SCHEDULE_NOT_FOUND',
      context: { setting: 'disabled_schedule_uuid' },
    });
    expect(await services.devices.cameraConfig(orgUuid, camera)).toEqual(stored);
  });
});

describe('a camera at an address', () => {
  const MAIN = 'rtsp://192.0.2.10/main';
  const wanted = { address: '192.0.2.10', trySavedCredentials: false, isAssigned: false } as const;
  const add = (fields: object = {}) => services.onvifCameras.add(orgUuid, { ...wanted, ...fields });
  const responding = (host: string, login?: string, streams = [{ ...STREAM, rtspUrl: MAIN }]) => {
    const device = { manufacturer: 'Example', model: 'Dome 4', streams };
    onvifCameras.byHost.set(host, { device, ...(login === undefined ? {} : { login }) });
  };
  const STREAM = { profileToken: 'main', codec: 'h264' };

  it('is opened with the login that it accepted, and a camera is created from it', async () => {
    responding('192.0.2.10:8000', 'viewer:s3cret');
    rtspCameras.byUrl.set(MAIN, { login: 'viewer:s3cret' });
    const login = { address: '192.0.2.10:8000', username: 'viewer', password: 's3cret' };
    expect(await add(login)).toMatchObject({
      device: { model: 'Dome 4' },
      endpoint: { body: { rtspUrl: MAIN, lastStatus: 'GOOD' } },
      cameraUuid: null,
      failure: null,
    });
    const { cameraUuid } = await add({ ...login, isAssigned: true, nvrUuid, name: 'Dock' });
    expect(await store.cameras.find(orgUuid, cameraUuid!)).toMatchObject({ name: 'Dock', nvrUuid });
    expect(await add({ ...login, isAssigned: true, nvrUuid })).toMatchObject({
      endpoint: { body: { rtspUrl: MAIN } },
      cameraUuid: null,
      failure: { code: 'RTSP_ENDPOINT_ASSIGNED' },
    });
  });

  it('is not found if nothing responds, it accepts no login, or it reports no stream', async () => {
    const nothing = { endpoint: null, cameraUuid: null };
    expect(await add()).toMatchObject({
      ...nothing,
      device: null,
      failure: { code: 'ONVIF_UNREACHABLE' },
    });
    responding('192.0.2.10', 'a:b');
    expect(await add()).toMatchObject({
      ...nothing,
      device: null,
      failure: { code: 'ONVIF_LOGIN_REFUSED' },
    });
    responding('192.0.2.10', undefined, []);
    expect(await add()).toMatchObject({
      ...nothing,
      device: { model: 'Dome 4' },
      failure: { code: 'ONVIF_STREAM_MISSING' },
    });
    expect(await services.rtspEndpoints.list(orgUuid)).toEqual([]);
  });

  it('uses a saved login if it requires one', async () => {
    responding('192.0.2.10', 'a:b');
    rtspCameras.byUrl.set(MAIN, { login: 'a:b' });
    await services.rtspCredentials.create(orgUuid, { username: 'a', notes: '' }, 'b');
    expect(await add({ trySavedCredentials: true })).toMatchObject({
      endpoint: { body: { username: 'a', lastStatus: 'GOOD' } },
    });
  });

  it.each(['camera.example', '192.0.2.10/other', 'u@192.0.2.10', '192.0.2.10?a=', ''])(
    'is at no %j',
    async (address) => {
      await expect(add({ address })).rejects.toMatchObject({ code: 'CAMERA_ADDRESS_INVALID' });
    },
  );

  it('is assigned to the named NVR, at an existing location', async () => {
    await expect(add({ isAssigned: true })).rejects.toMatchObject({ code: 'ASSIGNMENT_NEEDS_NVR' });
    await expect(add({ locationUuid: newRuuid() })).rejects.toMatchObject({ code: 'LOCATION_NOT_FOUND' });
  });
});
