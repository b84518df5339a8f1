import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, type ApiFixture, openApiFixture } from '../api-fixture.ts';
import { DEVICE_STATE_PROPERTIES } from '../types/device-state.ts';

const CAMERAS = '/api/camera/getMinimalCameraStateList';
const NVRS = '/api/relay/getMinimalNVRStateList';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

const share = (cameraUuid: string, expirationTimeSecs?: number) =>
  fixture.call('/api/camera/createSharedLiveVideoStream', {
    cameraUuid,
    streamType: 'USER',
    vodEnabled: false,
    expirationTimeSecs,
  });
const states = (response: Answer, list: string) => response[list] as Record<string, unknown>[];
const counts = async () => {
  const cameras = states(await fixture.call(CAMERAS), 'cameraStates');
  const nvrs = states(await fixture.call(NVRS), 'nvrstates');
  return [...cameras, ...nvrs].map((state) => [
    state.name,
    state.liveStreamShared,
    state.liveStreamsSharedCount,
  ]);
};

describe('device state lists', () => {
  it('count the shares that have not expired, per camera and per NVR', async () => {
    const { camera, doorbell } = fixture.own;
    await share(camera.uuid, 60);
    await share(camera.uuid);
    await share(doorbell.uuid, 30);
    expect(await counts()).toEqual([
      ['Front door', true, 1],
      ['Lobby', true, 2],
      ['Core', true, 2],
    ]);
    fixture.clock.advance(60_000);
    expect(await counts()).toEqual([
      ['Front door', false, 0],
      ['Lobby', true, 1],
      ['Core', true, 1],
    ]);
  });

  it('have every field of their types', async () => {
    const [camera] = states(await fixture.call(CAMERAS), 'cameraStates');
    expect(Object.keys(DEVICE_STATE_PROPERTIES)).toEqual(expect.arrayContaining(Object.keys(camera!)));
    const [nvr] = states(await fixture.call(NVRS), 'nvrstates');
    const ofNvrs = [
      ...Object.keys(DEVICE_STATE_PROPERTIES),
      'numThirdPartyCamerasAssigned',
      'numThirdPartyCamerasSupported',
    ];
    expect(ofNvrs).toEqual(expect.arrayContaining(Object.keys(nvr!)));
    expect(nvr).toMatchObject({ serialNumber: 'SN-1', numThirdPartyCamerasAssigned: 1, mummified: false });
  });

  it('show the health that the hub reports', async () => {
    fixture.cameraStates.set(fixture.own.camera.uuid, 'starting');
    const [doorbell, camera] = states(await fixture.call(CAMERAS), 'cameraStates');
    for (const field of ['connectionStatus', 'healthStatus']) expect(doorbell).not.toHaveProperty(field);
    expect(camera).toMatchObject({ connectionStatus: 'YELLOW', healthStatusDetails: 'DELAYED' });
    const [nvr] = states(await fixture.call(NVRS), 'nvrstates');
    expect(nvr).toMatchObject({ connectionStatus: 'YELLOW', connectionDetail: { state: 'connecting' } });
  });

  it('leave out removed cameras unless requested', async () => {
    await fixture.store.cameras.save({ ...fixture.own.camera, mummified: true });
    const names = async (body: object) =>
      states(await fixture.call(CAMERAS, body), 'cameraStates').map((state) => state.name);
    expect(await names({})).toEqual(['Front door']);
    expect(await names({ includeMummified: true })).toEqual(['Front door', 'Lobby']);
  });

  it('refuse an invalid flag', async () => {
    expect((await fixture.call(CAMERAS, { includeMummified: 1 })).errorMsg).toBe(
      'includeMummified must be a boolean, got number.',
    );
  });

  it('never show camera addresses', async () => {
    expect((await fixture.post(CAMERAS)).body).not.toMatch(/rtsp|s3cret/);
  });
});

const LIST = '/api/camera/getMinimalList';

it(`${LIST} lists the cameras in brief`, async () => {
  const { camera, doorbell, locationUuid } = fixture.own;
  await fixture.call('/api/camera/createSharedLiveVideoStream', {
    cameraUuid: camera.uuid,
    streamType: 'USER',
    vodEnabled: false,
  });
  const row = { deviceUuid: camera.uuid, timestampMs: 1_767_225_600_000, ssid: 'yard', wifiBars: 3 };
  expect(await fixture.call('/api/ingest/deviceReports', { rows: [row] })).toMatchObject({
    acceptedCount: 1,
  });
  const list = async (body: object = {}, headers = {}) =>
    (await fixture.call(LIST, body, headers)).cameras as Record<string, unknown>[];
  expect(await list()).toMatchObject([
    { uuid: doorbell.uuid, name: doorbell.name, liveStreamShared: false, mummified: false },
    { uuid: camera.uuid, name: camera.name, locationUuid, liveStreamShared: true, ssid: 'yard', wifiBars: 3 },
  ]);
  await fixture.store.cameras.save({ ...doorbell, mummified: true });
  expect((await list()).map(({ uuid }) => uuid)).toEqual([camera.uuid]);
  expect((await list({ includeMummified: true })).map(({ uuid }) => uuid)).toEqual([
    doorbell.uuid,
    camera.uuid,
  ]);
  const foreign = await list({}, { 'x-auth-apikey': fixture.foreign.apiKey });
  expect(foreign.map(({ uuid }) => uuid)).not.toContain(camera.uuid);
  expect(await fixture.call(LIST, { includeMummified: 1 })).toMatchObject({
    error: true,
    errorMsg: expect.stringMatching(/^includeMummified must be/),
  });
});
