/** The synthetic viewer at listeners with TLS in a whole gateway: it speaks what viewers speak there. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { CertificateFolder } from '../support/certificates.ts';
import { type Json, TestGateway, type TestShare } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

let certificates: CertificateFolder;
let camera: SyntheticCamera;
let gateway: TestGateway;
let share: TestShare;
let config: Json;
beforeAll(async () => {
  certificates = new CertificateFolder();
  camera = await startCamera();
  config = {
    tls: { media: certificates.make('media') },
    cameras: [{ name: 'Lobby', rtsp: camera.url }],
    serviceLevels: { every: '10s', runTime: '5s' },
  };
  gateway = await TestGateway.start(config);
  share = await gateway.share('Lobby', { name: 'Front desk' });
});
afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
  certificates?.remove();
});

it('plays over HTTP/2, and says so', async () => {
  await gateway.call('console/updateServiceProbe', {
    sharedLiveVideoStreamUuid: share.uuid,
    isProbed: true,
  });
  const run = await until<Json>('a run', async () => {
    const { shares } = await gateway.call('console/getServiceLevels');
    return shares[0]?.runs[0];
  });
  expect(run).toMatchObject({ outcome: 'played', protocol: 'h2', failedRequests: 0 });
  expect(run.firstPictureMs).toBeGreaterThan(0);
  expect(run.playedSec).toBeGreaterThan(2);
  const { probe } = await gateway.call('console/getServiceLevels');
  expect(probe.day.delayP50Ms).toBeGreaterThan(0);
  const metrics = await (await fetch(`${gateway.apiUrl}/metrics`)).text();
  expect(metrics).toMatch(/^sluice_service_protocol_info\{[^}]*name="Front desk",protocol="h2"\} 1$/m);
});

it('finds viewer threads at the port that the system chose', async () => {
  await gateway.configure({
    ...config,
    listen: { api: new URL(gateway.apiUrl).host, media: '127.0.0.1:0' },
    threads: { viewers: 1 },
  });
  await gateway.end();
  await until('the end of the camera', () => camera.playingClients() === 0);
  await gateway.run();
  // No one else knows the port.
  await until('media for the synthetic viewer', () => camera.playingClients() > 0);
});
