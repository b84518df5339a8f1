/** Viewer threads speak TLS and HTTP/2 themselves, and forward what they do not serve. */

import { copyFileSync } from 'node:fs';
import type { ClientHttp2Session } from 'node:http2';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { CertificateFolder, type MadeCertificate } from '../support/certificates.ts';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { ask, certificateName, Http2Viewer, openHttp2, openHttp2Viewer } from '../support/http2-viewer.ts';
import { readPlaylistText } from '../support/playlist-text.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

/** The kernel divides connections between the threads: both have some of so many. */
const VIEWERS = 20;

let certificates: CertificateFolder;
let files: MadeCertificate;
let camera: SyntheticCamera;
let gateway: TestGateway;
let share: TestShare;
let session: ClientHttp2Session;

beforeAll(async () => {
  certificates = new CertificateFolder();
  files = certificates.make('one');
  camera = await startCamera();
  gateway = await TestGateway.start({
    tls: { media: files },
    threads: { viewers: 2 },
    hls: { idleStop: '5m' },
    cameras: [{ name: 'Lobby', rtsp: camera.url }],
  });
  share = await gateway.share('Lobby');
  session = await openHttp2(gateway.mediaUrl);
});
afterAll(async () => {
  session?.destroy();
  await gateway?.dispose();
  await camera?.close();
  certificates?.remove();
});

const openViewer = (of = share) => openHttp2Viewer(session, of);

it('forwarded requests with and without a body are answered, next to each other on one connection', async () => {
  expect(share.pageUrl).toMatch(/^https:/);
  const [opened, page, status] = await Promise.all([
    ask(session, `${share.pageUrl}/open`, { ':method': 'POST' }, '{}'),
    ask(session, share.pageUrl),
    ask(session, `${gateway.mediaUrl}/readyz`),
  ]);
  expect(JSON.parse(opened.body.toString())).toMatchObject({
    playlistUrl: expect.stringContaining('/live/'),
  });
  expect([page.status, page.body.toString()]).toEqual([200, expect.stringContaining('<html')]);
  expect([status.status, JSON.parse(status.body.toString())]).toEqual([
    200,
    expect.objectContaining({ ready: true }),
  ]);
  const head = await ask(session, share.pageUrl, { ':method': 'HEAD' });
  expect([head.status, head.body.length]).toEqual([200, 0]);
});

it('viewers play over a new certificate, in both threads', async () => {
  const urls = await Promise.all(Array.from({ length: VIEWERS }, () => openViewer()));
  const viewers = urls.map((url) => new Http2Viewer(url, { reconnects: true }));
  await until('every viewer to play', () => viewers.every(({ parts }) => parts > 0));
  const { cert, key } = certificates.make('other');
  copyFileSync(cert, files.cert);
  copyFileSync(key, files.key);
  gateway.child.process.kill('SIGHUP');
  await gateway.child.line(/TLS certificate reloaded/);
  await until('the new certificate everywhere', async () => {
    const names = Array.from({ length: VIEWERS }, async () => {
      const fresh = await openHttp2(gateway.mediaUrl);
      const name = certificateName(fresh);
      fresh.close();
      return name;
    });
    return (await Promise.all(names)).every((name) => name === 'other');
  });
  await Promise.all(viewers.map((viewer) => viewer.stop()));
  expect(viewers.flatMap(({ failures }) => failures)).toEqual([]);
});

it('a revoked viewer that waits gets the reason, and others on the connection go on', async () => {
  const revoked = await gateway.share('Lobby');
  const [url, others] = [await openViewer(revoked), await openViewer()];
  const { hint } = readPlaylistText((await ask(session, url)).body.toString());
  const waiting = ask(session, `${url}?_HLS_msn=${hint.msn + 1}`);
  const othersWaiting = ask(session, `${others}?_HLS_msn=${hint.msn + 1}`);
  await ask(session, url);
  await gateway.revoke(revoked);
  const refused = await waiting;
  expect([refused.status, refused.body.toString()]).toEqual([403, expect.stringContaining('revoked')]);
  expect((await othersWaiting).status).toBe(200);
});
