/** What an installer's program does: probe a camera, create it, watch it without a share, and read what it does. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { Secret } from '../../src/core/secret.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { API_KEY, TestGateway } from '../support/gateway.ts';
import { fetchPlaylist } from '../support/hls.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const PASSWORD = 'p@ss:w/rd#1';
const JPEG_START = Buffer.of(0xff, 0xd8, 0xff);

let camera: SyntheticCamera;
let gateway: TestGateway;

beforeAll(async () => {
  const credentials = { username: 'admin', password: new Secret(PASSWORD), algorithm: 'MD5' } as const;
  camera = await startCamera(0, { credentials });
  gateway = await TestGateway.start({ sources: { allowLocal: true }, cameras: [] });
  await until(
    'the API to answer',
    async () => !(await gateway.call('camera/getMinimalCameraStateList')).error,
  );
});
afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

it('a camera is probed, created, watched and measured, and its view ends with its key', async () => {
  const source = { mainUrl: camera.url, username: 'admin' };
  const refused = await gateway.call('camera/probeCamera', { ...source, password: 'wrong' });
  expect(refused.main).toMatchObject({ works: false, errorReason: 'wrong-password' });

  const probed = await gateway.call('camera/probeCamera', { ...source, password: PASSWORD });
  expect(probed.main).toMatchObject({ works: true, transport: 'tcp' });
  expect(probed.main.videoCodec).toMatch(/^avc1\./);
  expect(probed.main.keyFrameDistanceSec).toBeGreaterThan(0);
  expect(probed.snapshot.width).toBeLessThanOrEqual(640);
  expect(Buffer.from(probed.snapshot.imageData, 'base64').subarray(0, 3)).toEqual(JPEG_START);

  const { cameraUuid } = await gateway.call('camera/createCamera', {
    ...source,
    password: PASSWORD,
    name: 'Yard',
  });
  const wanted = { displayName: 'console', authType: 'API_TOKEN' };
  const { apiKey } = await gateway.call('integrations/org/submitApiTokenApplication', wanted);
  const preview = await gateway.call('camera/createPreviewGrant', { cameraUuid }, apiKey);
  const page = await fetch(preview.pageUrl);
  expect(page.headers.get('content-security-policy')).toContain(`frame-ancestors ${gateway.apiUrl};`);
  const opened = await fetch(`${gateway.mediaUrl}/preview/${preview.grant}/open`, { method: 'POST' });
  expect(await opened.json()).toMatchObject({ status: 'open', name: 'Yard' });
  expect((await fetchPlaylist(preview.playlistUrl)).text).toContain('#EXTM3U');
  const extended = await gateway.call(
    'camera/createPreviewGrant',
    { cameraUuid, grant: preview.grant },
    apiKey,
  );
  expect(extended.playlistUrl).toBe(preview.playlistUrl);

  await until('the state to have what the stream is like', async () => {
    const { cameras } = await gateway.call('camera/getCameraStreamStates', { cameraUuids: [cameraUuid] });
    const { main } = cameras[0];
    return main.state === 'live' && main.width === probed.main.width && main.keyFrameDistanceSec > 0;
  });
  const still = await gateway.call('camera/getSnapshot', { cameraUuid, width: 320, maxAgeSec: 600 });
  expect(Buffer.from(still.imageData, 'base64').subarray(0, 3)).toEqual(JPEG_START);

  const { apiTokens } = await gateway.call('integrations/org/getApiTokens', {}, API_KEY);
  const { tokenUuid } = apiTokens.find((each: { displayName: string }) => each.displayName === 'console');
  await gateway.call('integrations/org/revokeApiToken', { tokenUuid });
  const after = await fetch(preview.playlistUrl);
  expect([after.status, await after.json()]).toMatchObject([403, { reason: 'credential-ended' }]);
});
