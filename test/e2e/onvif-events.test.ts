/** A camera's motion over ONVIF, through a whole gateway: alert, recording, reload, shutdown. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { FakeOnvifDevice } from '../../src/devices/onvif/fake-onvif-device.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { runCli } from '../support/cli.ts';
import { TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const PASSWORD = 'open-sesame-42';
const motion = (value: boolean) =>
  ({
    topic: 'tns1:RuleEngine/CellMotionDetector/Motion',
    operation: 'Changed',
    data: { IsMotion: `${value}` },
  }) as const;

let camera: SyntheticCamera;
let device: FakeOnvifDevice;
let gateway: TestGateway;

const cameras = () => [
  {
    name: 'Yard',
    rtsp: camera.url,
    recording: 'events',
    onvif: `http://admin:${PASSWORD}@127.0.0.1:${device.port}`,
  },
];

beforeAll(async () => {
  camera = await startCamera();
  device = await FakeOnvifDevice.open({
    events: {},
    clockEpochMs: Date.now(),
    checks: 'http',
    login: { username: 'admin', password: PASSWORD },
    streams: { main: camera.url },
  });
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', window: '10s' },
    cameras: cameras(),
    recording: { fileSize: '4MiB', minFree: '16MiB', preRoll: '2s', postRoll: '7s' },
  });
});
afterAll(async () => {
  await gateway?.end();
  await gateway?.dispose();
  await device?.close();
  await camera?.close();
});

const alertsOf = async () => (await gateway.call('event/getPolicyAlertsV2', {})).policyAlerts;
async function recording(): Promise<string> {
  const cameraUuid = await gateway.cameraUuid('Yard');
  const { fullCameraState } = await gateway.call('camera/getFullCameraState', { cameraUuid });
  return fullCameraState.onCameraState.v0.recording;
}

describe('a camera with an ONVIF service', () => {
  it('raises an alert when something moves, and is recorded while it does', async () => {
    await until('a subscription', () => device.pullPoint.pulls > 0);
    await until('the pre-roll', async () => (await recording()) === 'standby');
    const notifiedEpochMs = Date.now();
    device.pullPoint.notify(motion(true));
    const [alert] = await until('an alert', async () => {
      const alerts = await alertsOf();
      return alerts.length > 0 && alerts;
    });
    const deviceUuid = await gateway.cameraUuid('Yard');
    expect(alert).toMatchObject({ deviceUuid, policyAlertTriggers: ['MOTION'], textDescription: 'Motion' });
    // The device says whole seconds.
    expect(alert.timestampMs > notifiedEpochMs - 1_000 && alert.timestampMs <= Date.now()).toBe(true);
    await until('recording', async () => (await recording()) === 'recording');
    // Longer than the post-roll after its beginning: only what goes on keeps it recording.
    await new Promise((resolve) => setTimeout(resolve, alert.timestampMs + 11_000 - Date.now()));
    expect(await recording()).toBe('recording');
    device.pullPoint.notify(motion(false));
    await until('the end', async () => (await recording()) === 'standby');
    // Its clip, which shows the beginning, is shorter.
    await until('its length', async () => (await alertsOf())[0].durationSec >= 10);
    expect(await alertsOf()).toHaveLength(1);
  });

  it('is checked by sluice check', async () => {
    const file = join(gateway.folder, 'check.yaml');
    await writeFile(file, stringify({ data: join(gateway.folder, 'checked'), cameras: cameras() }));
    const { code, stdout } = await runCli('check', '--config', file);
    expect(stdout).toMatch(
      /^Yard \(ONVIF\) {2}Example & Sons Dome 4, 1 stream, events, clock [+−]\d+\.\d s$/m,
    );
    expect([code, stdout.includes(PASSWORD)]).toEqual([0, false]);
    expect(stdout).toContain('2 of 2 streams and services work.');
  });

  it('is subscribed to until the file says otherwise', async () => {
    const { subscribed } = device.pullPoint;
    await gateway.configure({ cameras: cameras().map(({ onvif, ...camera }) => camera) });
    gateway.child.process.kill('SIGHUP');
    await until('the end of the subscription', () => !device.pullPoint.isSubscribed);
    await gateway.configure({ cameras: cameras() });
    gateway.child.process.kill('SIGHUP');
    await until('a new subscription', () => device.pullPoint.subscribed > subscribed);
    await until('its first pull', () => device.pullPoint.isSubscribed);
    await gateway.end();
    expect(device.pullPoint.isSubscribed).toBe(false);
  });
});
