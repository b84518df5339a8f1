/**
 * A camera that the API adds over ONVIF and HTTPS, through a whole gateway: its substream, its clock, its motion, and its
 * moves. Then a camera of the file.
 */

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../src/core/secret.ts';
import { FakeOnvifDevice, type FakeOnvifDeviceOptions } from '../../src/devices/onvif/fake-onvif-device.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const LOGIN = { username: 'admin', password: 'open-sesame-42' };
const CREDENTIALS = { ...LOGIN, password: new Secret(LOGIN.password), algorithm: 'MD5' } as const;
const PEM = readFileSync(
  resolve(import.meta.dirname, '../../src/sources/direct/fixtures/self-signed.pem'),
  'utf8',
);
/** As OpenSSL writes it. */
const FINGERPRINT = `sha256:${new X509Certificate(PEM).fingerprint256}`;
const AHEAD_MS = 90_000;

let camera: SyntheticCamera;
let small: SyntheticCamera;
let added: FakeOnvifDevice;
let declared: FakeOnvifDevice;
let gateway: TestGateway;

beforeAll(async () => {
  camera = await startCamera(0, { credentials: CREDENTIALS });
  small = await startCamera(0, { credentials: CREDENTIALS });
  const device: FakeOnvifDeviceOptions = {
    events: {},
    ptz: {},
    media2: 'works',
    login: LOGIN,
    checks: 'http',
    clockEpochMs: Date.now() + AHEAD_MS,
    streams: {
      main: { uri: camera.url, size: [1920, 1080] },
      sub: { uri: small.url, size: [640, 360] },
    },
  };
  added = await FakeOnvifDevice.open({ ...device, tls: { key: PEM, cert: PEM } });
  declared = await FakeOnvifDevice.open(device);
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', window: '8s' },
    nvrs: [{ name: 'Core' }],
    cameras: [
      {
        name: 'Yard',
        rtsp: camera.url,
        onvif: `http://${LOGIN.username}:${LOGIN.password}@127.0.0.1:${declared.port}`,
      },
    ],
  });
});
afterAll(async () => {
  await gateway?.end();
  await gateway?.dispose();
  await added?.close();
  await declared?.close();
  await small?.close();
  await camera?.close();
});

async function succeed(path: string, body: Json = {}): Promise<Json> {
  const response = await gateway.call(path, body);
  expect(response).toMatchObject({ error: false });
  return response;
}

async function add(fields: Json): Promise<Json> {
  const { nvrstates } = await succeed('relay/getMinimalNVRStateList');
  const [{ uuid: nvrUuid }] = nvrstates;
  return succeed('relay/addThirdPartyCameraViaOnvif', {
    ipAddress: `127.0.0.1:${added.port}`,
    ...LOGIN,
    autoAssign: true,
    nvrUuid,
    name: 'Dock',
    ...fields,
  });
}

describe('a camera that is added over ONVIF', () => {
  it('is asked for nothing if its certificate is not the one that it must have', async () => {
    for (const tls of ['verify', `sha256:${'0'.repeat(64)}`]) {
      const { found, assignmentMsg } = await add({ tls });
      expect([found, assignmentMsg]).toEqual([false, expect.stringMatching(/certificate/)]);
    }
    expect(added.requested).toEqual([]);
    expect(
      await gateway.call('relay/addThirdPartyCameraViaOnvif', { ipAddress: '192.0.2.1', tls: 'sure' }),
    ).toEqual(
      expect.objectContaining({
        error: true,
        errorMsg: expect.stringMatching(/^tls must be any, verify, or/),
      }),
    );
  });

  it('is created with its substream, and its motion becomes alerts', async () => {
    const { assignedDeviceUuid: cameraUuid, assignmentMsg } = await add({ tls: FINGERPRINT });
    expect(assignmentMsg).toBeUndefined();
    await until('a subscription', () => added.pullPoint.pulls > 0);
    added.pullPoint.notify({
      topic: 'tns1:RuleEngine/CellMotionDetector/Motion',
      operation: 'Changed',
      data: { IsMotion: 'true' },
    });
    const [alert] = await until('an alert', async () => {
      const { policyAlerts } = await succeed('event/getPolicyAlertsV2');
      return policyAlerts.length > 0 && policyAlerts;
    });
    expect(alert).toMatchObject({ deviceUuid: cameraUuid, policyAlertTriggers: ['MOTION'] });
    const share = await gateway.share('Dock');
    const playlist = await until('both streams', async () => {
      const text = await (await fetch(share.m3u8Url)).text();
      return text.split('#EXT-X-STREAM-INF').length === 3 && text;
    });
    expect(playlist).toContain('#EXTM3U');
    await until('a substream that plays', () => small.playingClients() > 0);
  });

  it('shows how far its clock is off', async () => {
    const cameraUuid = await gateway.cameraUuid('Dock');
    const offset = async (force: boolean) => {
      const { fullCameraState } = await succeed('camera/getFullCameraState', { cameraUuid, force });
      return fullCameraState.onCameraState.v0.onvifClockOffsetMs;
    };
    // The fake's clock stands still.
    const told = await offset(false);
    expect(Math.abs(told - AHEAD_MS)).toBeLessThan(60_000);
    expect(await offset(true)).toBeLessThan(told);
  });

  it('is moved over the same connection, and stopped by the gateway', async () => {
    const cameraUuid = await gateway.cameraUuid('Dock');
    const { panTiltModes, presets } = await succeed('relay/getPtzStatus', { cameraUuid });
    expect([panTiltModes, presets]).toEqual([
      ['CONTINUOUS', 'RELATIVE', 'ABSOLUTE'],
      [{ presetToken: '1', name: 'Gate' }],
    ]);
    const body = { cameraUuid, mode: 'CONTINUOUS', pan: -0.5, tilt: 0.25, timeoutMs: 700 };
    await succeed('relay/movePtz', body);
    expect(added.ptz.requests).toEqual([
      { name: 'ContinuousMove', profile: 'main', axes: { pan: -0.5, tilt: 0.25 }, timeout: 'PT1S' },
    ]);
    await until('the stop', () => !added.ptz.isMoving);
    const feed = await succeed('report/getAuditFeed', { includeActions: ['MOVE_CAMERA_PTZ'] });
    expect(feed.auditEvents).toMatchObject([{ action: 'MOVE_CAMERA_PTZ', targetUuid: cameraUuid }]);
  });
});

describe('a camera of the configuration file', () => {
  it('is moved as well, and stopped when the gateway ends', async () => {
    const cameraUuid = await gateway.cameraUuid('Yard');
    await succeed('relay/gotoPtzPreset', { cameraUuid, presetToken: '1' });
    await succeed('relay/movePtz', { cameraUuid, mode: 'CONTINUOUS', zoom: 1, timeoutMs: 30_000 });
    expect(declared.ptz.isMoving).toBe(true);
    await gateway.end();
    expect(declared.ptz.isMoving).toBe(false);
    expect(declared.ptz.requests.map(({ name }) => name)).toEqual(['GotoPreset', 'ContinuousMove', 'Stop']);
  });
});
