/** The page of a share link in Chromium, from a listener with TLS: hls.js plays over HTTP/2, and WebSockets work beside it. */

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { CertificateFolder } from '../support/certificates.ts';
import { TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { watchFrames } from './frame-watch.ts';
import { waitForMotion } from './page-probes.ts';

let certificates: CertificateFolder;
let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let record: PageRecord;

beforeAll(async () => {
  certificates = new CertificateFolder();
  camera = await startCamera();
  gateway = await TestGateway.start({
    tls: { media: certificates.make('media') },
    hls: { idleStop: '5m' },
    cameras: [{ name: 'Dock', rtsp: camera.url }],
  });
  // The certificate is its own.
  browser = await startBrowser(['--ignore-certificate-errors']);
});

afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
  certificates?.remove();
});

beforeEach(async () => {
  record = await openPage(browser);
  await watchFrames(record.page);
});

afterEach(async () => {
  await record.page.close();
  expect(record.problems).toEqual([]);
  expect([...record.origins].filter((origin) => origin !== gateway.mediaUrl)).toEqual([]);
});

test('parts and playlists come over HTTP/2, and the video moves', async () => {
  const { page } = record;
  const share = await gateway.share('Dock');
  await page.goto(share.pageUrl);
  await waitForMotion(page);
  await page.waitForSelector('#live[data-state="live"]');
  const isPart = String.raw`/seg_\d+\.\d+\.m4v$`;
  await page.waitForFunction(
    (pattern) =>
      performance.getEntriesByType('resource').filter(({ name }) => new RegExp(pattern).test(name)).length >=
      10,
    isPart,
  );
  const protocols = await page.evaluate(() =>
    (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .filter(({ responseEnd }) => responseEnd > 0)
      .map(
        ({ name, nextHopProtocol }) => [new URL(name).pathname.split('.').at(-1)!, nextHopProtocol] as const,
      ),
  );
  const of = (extension: string) =>
    new Set(protocols.filter(([one]) => one === extension).map(([, protocol]) => protocol));
  expect([of('m4v'), of('m3u8'), of('js')]).toEqual([new Set(['h2']), new Set(['h2']), new Set(['h2'])]);
  expect(record.failedLoads).toEqual([]);
});

test('access units come over a WebSocket on the same port', async () => {
  const { page } = record;
  const share = await gateway.share('Dock');
  const { playlistUrl } = (await (
    await page.request.post(`${share.pageUrl}/open`, { data: {}, ignoreHTTPSErrors: true })
  ).json()) as { playlistUrl: string };
  const folder = new URL('./', new URL(playlistUrl, gateway.mediaUrl)).href;
  await page.goto(share.pageUrl);
  const messages = await page.evaluate(
    (url) =>
      new Promise<number>((resolve, reject) => {
        const socket = new WebSocket(url);
        let count = 0;
        socket.onmessage = () => {
          count += 1;
          if (count < 20) return;
          socket.close();
          resolve(count);
        };
        socket.onerror = () => reject(new Error('the WebSocket failed'));
      }),
    `${folder.replace('https:', 'wss:')}ws`,
  );
  expect(messages).toBe(20);
});

test('a revoked link stops the page, and says why', async () => {
  const { page } = record;
  const share = await gateway.share('Dock');
  await page.goto(share.pageUrl);
  await waitForMotion(page);
  await gateway.revoke(share);
  await page.waitForFunction(() => document.body.textContent.includes('turned off'));
});
