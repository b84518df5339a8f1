/** The page of a preview in Chromium, against a whole gateway: it plays without a share, and ends with its key. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { frameOnScreen } from './frame-watch.ts';
import { useGatewayPage } from './gateway-page.ts';
import { expectNoPicture, waitForMotion } from './page-probes.ts';

let camera: SyntheticCamera;
let gateway: TestGateway;

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({ cameras: [{ name: 'Dock', rtsp: camera.url }] });
});
afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

const opened = useGatewayPage(() => gateway);

test('a preview plays by the grant in its fragment, and nothing is left of it when its key ends', async () => {
  const { page } = opened();
  const cameraUuid = await gateway.cameraUuid('Dock');
  const wanted = { displayName: 'console', authType: 'API_TOKEN' };
  const { apiKey } = await gateway.call('integrations/org/submitApiTokenApplication', wanted);
  const { pageUrl } = await gateway.call('camera/createPreviewGrant', { cameraUuid }, apiKey);
  await page.goto(pageUrl);
  await waitForMotion(page);
  await until('a frame of the camera', async () => (await frameOnScreen(page))?.number);
  expect(await page.title()).toBe('Dock');
  const { apiTokens } = await gateway.call('integrations/org/getApiTokens');
  const { tokenUuid } = apiTokens.find((each: Json) => each.displayName === 'console');
  await gateway.call('integrations/org/revokeApiToken', { tokenUuid });
  await expect.poll(() => page.isVisible('#message')).toBe(true);
  await expectNoPicture(page);
});
