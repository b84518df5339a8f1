import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Camera, Location, Nvr, Share } from '../store/entities.ts';
import {
  sampleCamera,
  sampleLocation,
  sampleNvr,
  sampleOrganization,
  sampleShare,
} from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { keepDeviceReports } from './device-report.ts';
import { createDeviceServices, type DeviceServices } from './device-services.ts';
import { FakeOnvifCameras } from './fake-onvif-cameras.ts';
import { FakeRtspCameras } from './fake-rtsp-cameras.ts';

const RTSP_URL = 'rtsp://192.0.2.10/stream1';

let clock: FakeClock;
let store: Store;
let services: DeviceServices;
let rtspCameras: FakeRtspCameras;
let removedShares: Ruuid[];
let orgUuid: Ruuid;
let location: Location;
let nvr: Nvr;
beforeEach(async () => {
  clock = new FakeClock();
  store = await openTestStore(clock);
  rtspCameras = new FakeRtspCameras();
  removedShares = [];
  const shares = {
    async remove(_org: Ruuid, uuid: Ruuid) {
      removedShares.push(uuid);
    },
    openToAll: async (_org: Ruuid, shares: readonly Share[]) =>
      shares.filter(
        ({ expiresAtSec }) => (expiresAtSec ?? Number.POSITIVE_INFINITY) * 1_000 > clock.epochMs(),
      ),
  };
  const network = { probeCamera: rtspCameras.probe, onvif: new FakeOnvifCameras() };
  services = createDeviceServices({
    store,
    shares,
    rules: { applied: () => undefined },
    clock,
    ...network,
  });
  const organization = sampleOrganization();
  orgUuid = organization.uuid;
  await store.organizations.save(organization);
  location = sampleLocation(orgUuid);
  await store.locations.save(location);
  nvr = sampleNvr(orgUuid, { locationUuid: location.uuid, fromConfig: false });
  await store.nvrs.save(nvr);
});
afterEach(() => store.close());

const addCamera = async (fields: object = {}) => {
  const camera = sampleCamera(orgUuid, {
    locationUuid: location.uuid,
    nvrUuid: nvr.uuid,
    fromConfig: false,
    ...fields,
  });
  await store.cameras.save(camera);
  return camera;
};

describe('devices', () => {
  it('are found by facet while they exist, doorbells as such', async () => {
    const camera = await addCamera();
    expect(await services.devices.findCamera(orgUuid, `${camera.uuid}.v0`)).toMatchObject({ facet: 'v0' });
    await expect(services.devices.findDoorbellCamera(orgUuid, camera.uuid)).rejects.toMatchObject({
      code: 'NOT_A_DOORBELL_CAMERA',
    });
    await services.devices.removeCamera(orgUuid, camera.uuid, true);
    await expect(services.devices.findCamera(orgUuid, camera.uuid)).rejects.toMatchObject({
      code: 'CAMERA_NOT_FOUND',
    });
    expect(await services.devices.camerasBehind(orgUuid, nvr.uuid)).toEqual([]);
  });

  it('of the configuration file keep what it says, and accept details', async () => {
    const camera = await addCamera({ fromConfig: true });
    const update = (name: string) =>
      services.devices.updateCamera(orgUuid, camera.uuid, { name, details: { floorNumber: 3 } });
    await update(camera.name);
    expect(await services.devices.details(orgUuid, camera.uuid)).toMatchObject({ floorNumber: 3 });
    await expect(update('Other')).rejects.toMatchObject({ code: 'DEVICE_DECLARED_IN_CONFIG' });
    await expect(services.devices.removeCamera(orgUuid, camera.uuid, false)).rejects.toMatchObject({
      code: 'DEVICE_DECLARED_IN_CONFIG',
    });
  });

  it('are removed with their shares and details; an NVR only if it has no cameras', async () => {
    const camera = await addCamera();
    const share = sampleShare(orgUuid, { cameraUuid: camera.uuid, scheduleUuid: null });
    await store.shares.save(share);
    await expect(services.devices.removeNvr(orgUuid, nvr.uuid)).rejects.toMatchObject({ code: 'NVR_IN_USE' });
    await services.devices.removeCamera(orgUuid, camera.uuid, false);
    expect(removedShares).toEqual([share.uuid]);
    await services.devices.removeNvr(orgUuid, nvr.uuid);
    await expect(services.devices.findNvr(orgUuid, nvr.uuid)).rejects.toMatchObject({
      code: 'NVR_NOT_FOUND',
    });
  });

  it('accept only reports that are newer than the last one', async () => {
    const { uuid: deviceUuid } = await addCamera();
    const report = (timestampMs: number, firmwareVersion: string) =>
      keepDeviceReports(store, orgUuid, 0, [{ deviceUuid, timestampMs, report: { firmwareVersion } }]);
    expect(await report(2, 'two')).toEqual([{ isAccepted: true, kept: null, changed: null }]);
    expect(await report(1, 'one')).toEqual([{ isAccepted: false, kept: 'timestampMs', changed: null }]);
    expect(await report(2, 'one')).toMatchObject([{ isAccepted: false, kept: 'firmwareVersion' }]);
    expect((await services.devices.details(orgUuid, deviceUuid)).report).toEqual({ firmwareVersion: 'two' });
  });
});

describe('RTSP cameras', () => {
  it('are tried, stored, and assigned to an announced NVR', async () => {
    rtspCameras.byUrl.set(RTSP_URL, { login: 'viewer:secret' });
    const wanted = { rtspUrl: RTSP_URL, trySavedCredentials: true };
    expect(await services.rtspEndpoints.discover(orgUuid, wanted)).toMatchObject({
      status: 'NOT_AUTHENTICATED',
    });
    await services.rtspCredentials.create(orgUuid, { username: 'viewer', notes: '' }, 'secret');
    expect(await services.rtspEndpoints.discover(orgUuid, wanted)).toMatchObject({ status: 'GOOD' });
    const announced = await services.pendingRegistrations.create(orgUuid, {
      serialNumber: 'N-2',
      locationUuid: location.uuid,
      wifiSsid: null,
      wifiPsk: [],
    });
    const assignment = { rtspUrl: RTSP_URL, nvrUuid: announced.uuid };
    const { cameraUuid } = await services.rtspEndpoints.assign(orgUuid, assignment);
    const { camera } = await services.devices.findCamera(orgUuid, cameraUuid);
    expect(camera.rtspUrl.reveal()).toBe('rtsp://viewer:secret@192.0.2.10/stream1');
    expect(await store.nvrs.find(orgUuid, announced.uuid)).toMatchObject({ serialNumber: 'N-2' });
    await expect(services.rtspEndpoints.assign(orgUuid, assignment)).rejects.toMatchObject({
      code: 'RTSP_ENDPOINT_ASSIGNED',
    });
  });

  it('need a serial number and a name', async () => {
    const wanted = { locationUuid: location.uuid, wifiSsid: null, wifiPsk: [] };
    const create = (serialNumber: string) =>
      services.pendingRegistrations.create(orgUuid, { ...wanted, serialNumber });
    await expect(create(' ')).rejects.toMatchObject({ code: 'SERIAL_NUMBER_BLANK' });
    const { uuid, body } = await create(' N-3 ');
    expect(body.serialNumber).toBe('N-3');
    await expect(create('N-3')).rejects.toMatchObject({ code: 'HARDWARE_REGISTERED' });
    const rename = (name: string) => services.pendingRegistrations.update(orgUuid, uuid, { name });
    await expect(rename(' ')).rejects.toMatchObject({ code: 'NVR_UNNAMED' });
    await rename(' East wing ');
    const [registration] = await services.pendingRegistrations.list(orgUuid);
    expect(registration).toMatchObject({ uuid, name: 'East wing' });
  });

  it('are named by a URL, or by a MAC address with one endpoint', async () => {
    const discover = (rtspUrl: string) =>
      services.rtspEndpoints.discover(orgUuid, { rtspUrl, trySavedCredentials: false });
    await expect(discover('no address')).rejects.toMatchObject({ code: 'RTSP_URL_INVALID' });
    // A raw slash in the password: the user would be the host, and the rest of the password a path that is shown.
    await expect(discover('rtsp://admin:12/34@192.0.2.10/main')).rejects.toMatchObject({
      code: 'RTSP_URL_INVALID',
    });
    const second = 'rtsp://192.0.2.10/stream2';
    for (const url of [RTSP_URL, second]) {
      rtspCameras.byUrl.set(url, {});
      await discover(url);
    }
    const [endpoint] = await services.rtspEndpoints.list(orgUuid);
    const assign = (query: object) => services.rtspEndpoints.assign(orgUuid, { ...query, nvrUuid: nvr.uuid });
    await expect(assign({})).rejects.toMatchObject({ code: 'RTSP_ENDPOINT_NOT_NAMED' });
    await expect(assign({ macAddress: endpoint!.body.macAddress })).rejects.toMatchObject({
      code: 'RTSP_ENDPOINT_AMBIGUOUS',
    });
  });
});

describe('locations', () => {
  it('have a name, an existing zone and a parent, and limited depth', async () => {
    const create = (details: object, parentUuid: Ruuid | null = null) =>
      services.locations.create(orgUuid, { name: 'Floor', ...details }, parentUuid);
    await expect(create({ name: ' ' })).rejects.toMatchObject({ code: 'LOCATION_UNNAMED' });
    await expect(create({ tz: 'Mars/Olympus' })).rejects.toMatchObject({
      code: 'LOCATION_TIME_ZONE_UNKNOWN',
    });
    await expect(create({}, newRuuid())).rejects.toMatchObject({ code: 'LOCATION_PARENT_NOT_FOUND' });
    let deepest = location.uuid;
    for (let depth = 2; depth <= 16; depth++) deepest = await create({}, deepest);
    await expect(create({}, deepest)).rejects.toMatchObject({ code: 'LOCATION_TOO_DEEP' });
  });

  it('are removed if nothing uses them, and clear an address with an empty string', async () => {
    await services.locations.update(orgUuid, location.uuid, { address1: '', name: ' Pier ' });
    expect(await store.locations.find(orgUuid, location.uuid)).toMatchObject({
      name: 'Pier',
      address1: null,
    });
    await expect(services.locations.remove(orgUuid, location.uuid)).rejects.toMatchObject({
      code: 'LOCATION_IN_USE',
      context: { sentence: `The location is in use by NVR ${nvr.name}.` },
    });
    const unused = await services.locations.create(orgUuid, { name: 'Unused' }, null);
    await services.locations.remove(orgUuid, unused);
    await expect(services.locations.remove(orgUuid, unused)).rejects.toMatchObject({
      code: 'LOCATION_NOT_FOUND',
    });
  });
});

describe('nearby feeds', () => {
  it('are the newest share of each camera for emergency services, the nearest first', async () => {
    const near = await addCamera();
    const far = await addCamera();
    await services.devices.updateCamera(orgUuid, far.uuid, { details: { latitude: 50, longitude: 8 } });
    const shareOf = async (camera: Camera, fields: Partial<Share> = {}) => {
      const share = sampleShare(orgUuid, {
        cameraUuid: camera.uuid,
        scheduleUuid: null,
        streamType: 'RAPIDSOS',
        ...fields,
      });
      await store.shares.save(share);
      return share.uuid;
    };
    const unlimited = { expiresAtSec: null };
    const ofFar = await shareOf(far, unlimited);
    await shareOf(near, { ...unlimited, createdAtMs: 1 });
    const ofNear = await shareOf(near, { ...unlimited, createdAtMs: 2 });
    await shareOf(near, { ...unlimited, createdAtMs: 3, streamType: 'USER' });
    await shareOf(near, { expiresAtSec: 1, createdAtMs: 4 });
    const feeds = await services.nearbyFeeds.near(orgUuid, { latitude: 40.7, longitude: -74 });
    expect(feeds.map(({ uuid }) => uuid)).toEqual([ofNear, ofFar]);
  });
});
