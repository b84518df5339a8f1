import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import { type ApiFixture, openApiFixture } from './api-fixture.ts';

let fixture: ApiFixture;
beforeAll(async () => {
  fixture = await openApiFixture();
});
afterAll(() => fixture.close());

const CREATE = '/api/camera/createSharedLiveVideoStream';
const newShare = (fields: object) => ({
  cameraUuid: fixture.own.camera.uuid,
  streamType: 'USER',
  vodEnabled: false,
  ...fields,
});

describe('what is stored without effect', () => {
  it.each([
    [{ vodEnabled: true }, 'vodEnabled is stored but has no effect: the gateway does not record.'],
    [
      { audioGatewayUuid: newRuuid() },
      'audioGatewayUuid is stored but has no effect: the gateway does not know an audio gateway with this UUID.',
    ],
    [{ invertSchedule: true }, 'invertSchedule is stored but has no effect without scheduleUuid.'],
    [{}, undefined],
  ])('a share with %j', async (fields, warningMsg) => {
    const ofCamera = await fixture.call(CREATE, newShare(fields));
    expect([ofCamera.error, ofCamera.warningMsg]).toEqual([false, warningMsg]);
    const { cameraUuid: _camera, ...share } = newShare(fields);
    const doorbell = { ...share, doorbellCameraUuid: fixture.own.doorbell.uuid };
    const path = '/api/doorbellcamera/createSharedLiveVideoStream';
    const ofDoorbell = await fixture.call(path, doorbell);
    expect([ofDoorbell.error, ofDoorbell.warningMsg]).toEqual([false, warningMsg]);
  });

  it.each([
    [
      '/api/customer/updateCurrentUserNotificationSettings',
      { summaryEmailEnabled: true },
      /notifies no one itself/,
    ],
    [
      '/api/policy/updateClimatePolicy',
      { policy: { uuid: newRuuid(), name: 'Cold room' } },
      /raises no alerts/,
    ],
    [
      '/api/integrations/accessControl/updateBadgeVendorBIntegrationV2',
      { enabled: true },
      /does not call the vendor/,
    ],
    [
      '/api/integrations/accessControl/updateAlarmVendorIntegration',
      { enabled: true },
      /does not call the vendor/,
    ],
    [
      '/api/org/createPendingRegistration',
      { serialNumber: 'S-1', wifiSsid: 'dock' },
      /^wifiSsid and wifiPsk are stored/,
    ],
    ['/api/integrations/org/submitApiTokenApplication', { displayName: 'x', csr: 'y' }, /^csr is ignored/],
  ])('at %s', async (path, body, warning) => {
    expect(await fixture.call(path, body)).toMatchObject({
      error: false,
      warningMsg: expect.stringMatching(warning),
    });
  });

  it('the configuration of a camera', async () => {
    const config = { deviceUuid: fixture.own.camera.uuid, rotation: 90 };
    const { warningMsg } = await fixture.call('/api/camera/updateConfig', { config });
    expect(warningMsg).toMatch(/sends none of it to the camera\.$/);
  });
});

describe('a value that counts only with its flag', () => {
  it.each([
    [
      '/api/camera/updateDetailsV2',
      () => ({ uuid: fixture.own.camera.uuid, description: 'x' }),
      'description',
    ],
    [
      '/api/relay/updateDetailsV2',
      () => ({ uuid: fixture.own.nvrUuid, floorNumber: 2, floorNumberUpdated: false }),
      'floorNumber',
    ],
  ])('is named as not applied at %s', async (path, body, field) => {
    expect(await fixture.call(path, body())).toMatchObject({
      error: false,
      warningMsg: `${field} was not changed, because ${field}Updated is not true.`,
    });
  });
});
