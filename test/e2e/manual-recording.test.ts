/** A person records a camera for a while: it survives a kill of the gateway, and ends on its own. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

let camera: SyntheticCamera;
let gateway: TestGateway;
let yard: string;

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    recording: { fileSize: '4MiB', minFree: '16MiB' },
    cameras: [
      { name: 'Yard', rtsp: camera.url },
      { name: 'Attic', rtsp: camera.url, recording: 'off' },
    ],
  });
  yard = await gateway.cameraUuid('Yard');
});
afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

const settings = () => gateway.call('camera/getRecordingSettings', { cameraUuid: yard });

async function untilRecording(): Promise<void> {
  await until('the recording', async () => (await settings()).state === 'recording');
  expect((await settings()).reasons).toEqual(['manual']);
}

it('is recorded again after a kill, without another request, until someone stops it', async () => {
  const { manual } = await gateway.call('camera/startRecording', { cameraUuid: yard, durationSec: 3_600 });
  await untilRecording();
  await gateway.restart('SIGKILL');
  expect((await settings()).manual).toEqual(manual);
  await untilRecording();
  const range = { fromMs: manual.startedAtMs - 60_000, toMs: Date.now() + 60_000 };
  await until('what was recorded', async () => {
    const { cameras } = await gateway.call('camera/getRecordedSpans', { cameraUuids: [yard], ...range });
    return cameras[0].spans.length > 0;
  });
  await gateway.call('camera/stopRecording', { cameraUuid: yard });
  await until('its end', async () => (await settings()).state === 'off');
  expect(await settings()).not.toHaveProperty('manual');
});

it('ends when it should', async () => {
  await gateway.call('camera/startRecording', { cameraUuid: yard, durationSec: 10 });
  await until('its end', async () => {
    const { manual: running, state } = await settings();
    return running === undefined && state === 'off';
  });
});

it('is refused where the configuration file says off', async () => {
  const cameraUuid = await gateway.cameraUuid('Attic');
  expect(await gateway.call('camera/startRecording', { cameraUuid })).toMatchObject({
    error: true,
    errorMsg: 'The configuration file turns recording off for this camera.',
  });
});
