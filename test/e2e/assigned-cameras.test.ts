/** A camera that is registered only through the API: found, assigned, watched, lost, unassigned. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { fetchPlaylist, openShare } from '../support/hls.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

let camera: SyntheticCamera;
let gateway: TestGateway;

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', window: '8s', idleStop: '5m' },
    sources: { backoffMin: '200ms', backoffMax: '1s' },
    demo: false,
  });
});
afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

async function succeed(path: string, body: Json = {}): Promise<Json> {
  const response = await gateway.call(path, body);
  expect(response).toMatchObject({ error: false });
  return response;
}

const alerts = async (): Promise<Json[]> =>
  (await succeed('event/getUnhealthyDeviceAlerts')).unhealthyDeviceAlerts;

describe('a camera of the API', () => {
  it('is streamed from its assignment until it is taken away', async () => {
    await succeed('org/createPendingRegistration', { serialNumber: 'NVR-1' });
    const { hardwareList } = await succeed('org/findAllHardwareWithPendingRegistration');
    const nvruuid = hardwareList[0].uuid;
    const found = await succeed('relay/manualDiscoverCamera', { rtspUrl: camera.url });
    expect(found).toMatchObject({ rtspUrlStatus: 'GOOD', result: { codec: 'h264' } });
    const { deviceUuid } = await succeed('relay/assignThirdPartyCameraToNVR', {
      nvruuid,
      rtspUrl: camera.url,
      name: 'Dock',
    });
    const share = await gateway.share('Dock');
    expect(share.cameraUuid).toBe(deviceUuid);
    await fetchPlaylist(await openShare(share.m3u8Url), '?_HLS_msn=1');
    const { fullCameraState } = await succeed('camera/getFullCameraState', { cameraUuid: deviceUuid });
    expect(fullCameraState).toMatchObject({
      connectionStatus: 'GREEN',
      audioSupported: true,
      onCameraState: { v0: { streamState: 'live' } },
    });
    expect(await alerts()).toEqual([]);

    await camera.close();
    const down = await until('the camera and its NVR are down', async () => {
      const current = await alerts();
      return current.length === 2 ? current : null;
    });
    expect(down.map(({ deviceUuid: uuid }) => uuid).sort()).toEqual([deviceUuid, nvruuid].sort());
    expect((await alerts()).map(({ uuid }) => uuid).sort()).toEqual(down.map(({ uuid }) => uuid).sort());

    await succeed('relay/unassignThirdPartyCamera', { thirdPartyCameraUuid: deviceUuid });
    await until('nothing is down any more', async () => (await alerts()).length === 0);
    const { cameraStates } = await succeed('camera/getMinimalCameraStateList');
    expect(cameraStates).toEqual([]);
    expect((await fetch(share.m3u8Url)).status).toBe(403);
    await succeed('relay/unregister', { nvruuid });
  });
});
