import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid } from '../../core/ruuid.ts';
import { sampleCamera } from '../../store/sample-entities-fixture.ts';
import { type Answer, type ApiFixture, openApiFixture } from '../api-fixture.ts';
import { REPORTED_FULL_STATE_FIELDS, REPORTED_STATE_FIELDS } from '../types/device-report-fields.ts';

const INGEST = '/api/ingest/deviceReports';
const NVR_STATES = '/api/relay/getMinimalNVRStateList';

/** Every field that a device can report, with a value of its own. */
const REPORT = {
  defaultInterface: 'eth0',
  defaultInterfaceMac: '02:00:5e:10:00:01',
  externalIPAddress: '198.51.100.4',
  lanAddresses: ['192.0.2.7'],
  secondaryLanAddresses: ['192.0.2.8', '192.0.2.9'],
  firmwareVersion: '4.2.1',
  firmwareUpdateInProgress: true,
  hwVariation: 'NVR-32',
  mediaRegion: 'eu-1',
  region: 'eu-2',
  mediaStorageDeviceUuid: newRuuid(),
  ssid: 'yard',
  wifiApMac: '02:00:5e:10:00:02',
  wifiBars: 3,
  wifiSignalStrength: -61,
  afSupport: true,
  baseVideoOperationUri: 'https://nvr.example/ops',
  latestFirmwareVersion: '4.3',
  maxZoomPercent: 400,
  versionsBehind: 2,
  archiveRegion: 'eu-3',
  cameraFramerate: 25,
  numThirdPartyCamerasSupported: 32,
  primaryLinkSpeedMbps: 1_000,
  secondaryLinkSpeedMbps: 100,
  totalStreamingPixels: 66_355_200,
  supportedFacets: ['v0', 'a0'],
};

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

const report = (row: object, headers = {}): Promise<Answer> =>
  fixture.call(INGEST, { rows: [{ deviceUuid: fixture.own.nvrUuid, timestampMs: 1_000, ...row }] }, headers);
const nvrState = async (headers = {}) =>
  ((await fixture.call(NVR_STATES, {}, headers)).nvrstates as Record<string, unknown>[])[0];

describe('what an NVR reports', () => {
  it('is in its states and its record, every field of it', async () => {
    const before = await nvrState();
    for (const name of Object.keys(REPORTED_STATE_FIELDS)) {
      expect([name, before?.[name]]).toEqual([name, /Addresses$/.test(name) ? [] : undefined]);
    }
    expect(await report(REPORT)).toMatchObject({ acceptedCount: 1, rejected: [] });
    const ofState = (names: object) =>
      Object.fromEntries(Object.keys(names).map((name) => [name, REPORT[name as keyof typeof REPORT]]));
    const state = { ...ofState(REPORTED_STATE_FIELDS), supportedFacets: ['v0', 'a0'] };
    expect(await nvrState()).toMatchObject({ ...state, numThirdPartyCamerasSupported: 32 });
    const nvr = { nvruuid: fixture.own.nvrUuid };
    const { fullNVRState } = await fixture.call('/api/relay/getFullNVRState', nvr);
    expect(fullNVRState).toMatchObject({ ...state, ...ofState(REPORTED_FULL_STATE_FIELDS) });
    const { nvrs } = await fixture.call('/api/relay/getDetails');
    const { archiveRegion, cameraFramerate, hwVariation, mediaStorageDeviceUuid } = REPORT;
    const { primaryLinkSpeedMbps, secondaryLinkSpeedMbps, totalStreamingPixels } = REPORT;
    expect(nvrs).toMatchObject([
      {
        archiveRegion,
        cameraFramerate,
        hwVariation,
        mediaStorageDeviceUuid,
        primaryLinkSpeedMbps,
        secondaryLinkSpeedMbps,
        totalStreamingPixels,
      },
    ]);
  });

  it('stays until a newer report says otherwise, and does not touch its details', async () => {
    const rename = { uuid: fixture.own.nvrUuid, floorNumber: 3, floorNumberUpdated: true };
    await fixture.call('/api/relay/updateDetailsV2', rename);
    await report(REPORT);
    expect(await report({ timestampMs: 999, firmwareVersion: '1' })).toMatchObject({
      acceptedCount: 0,
      duplicateCount: 1,
    });
    await report({ timestampMs: 2_000, firmwareVersion: '4.3' });
    expect(await nvrState()).toMatchObject({ firmwareVersion: '4.3', ssid: 'yard', floorNumber: 3 });
  });

  it('cannot be reported or read by anyone else', async () => {
    const foreign = { 'x-auth-apikey': fixture.foreign.apiKey };
    expect(await report(REPORT, foreign)).toMatchObject({
      acceptedCount: 0,
      rejected: [{ index: 0, field: 'deviceUuid' }],
    });
    expect(await report({ deviceUuid: newRuuid() })).toMatchObject({ rejected: [{ field: 'deviceUuid' }] });
    expect(await report({ wifiBars: 'all' })).toMatchObject({ rejected: [{ field: 'wifiBars' }] });
    await report(REPORT);
    expect(await nvrState(foreign)).toMatchObject({ lanAddresses: [] });
    expect(await nvrState(foreign)).not.toHaveProperty('firmwareVersion');
  });
});

describe('what a camera reports', () => {
  it('is in its states, and goes with the camera', async () => {
    const camera = sampleCamera(fixture.own.organization.uuid, { name: 'Yard', fromConfig: false });
    await fixture.store.cameras.save(camera);
    await report({ ...REPORT, deviceUuid: camera.uuid, serialNumber: 'C-7' });
    const { cameraStates } = await fixture.call('/api/camera/getMinimalCameraStateList');
    expect(cameraStates).toContainEqual(
      expect.objectContaining({ uuid: camera.uuid, firmwareVersion: '4.2.1', serialNumber: 'C-7' }),
    );
    const { fullCameraState } = await fixture.call('/api/camera/getFullCameraState', {
      cameraUuid: camera.uuid,
    });
    expect(fullCameraState).toMatchObject({ lanAddresses: ['192.0.2.7'], maxZoomPercent: 400 });
    const removed = await fixture.call('/api/camera/delete', { cameraUuid: camera.uuid, mummify: false });
    expect(removed.error).toBe(false);
    await fixture.store.cameras.save(camera);
    const again = await fixture.call('/api/camera/getFullCameraState', { cameraUuid: camera.uuid });
    for (const field of ['firmwareVersion', 'serialNumber']) {
      expect(again.fullCameraState).not.toHaveProperty(field);
    }
  });
});
