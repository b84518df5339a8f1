/** dash.js in Chromium, unmodified, plays a camera live: every picture has its number, in its place. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { expectInOrder } from '../support/frame-order.ts';
import { PATIENT, TestGateway } from '../support/gateway.ts';
import { refusalReason } from '../support/hls.ts';
import { FRAMES_PER_SEC, startCamera } from '../support/synthetic.ts';
import { openPage, startBrowser, type TestBrowser } from '../web/browser.ts';
import { takePictures, watchFrames } from '../web/frame-watch.ts';
import { PlayerPages } from '../web/player-page.ts';

const PICTURES = 75;
const WAIT_MS = 90_000;

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let pages: PlayerPages;

/** Ends all of it, the newest first, also what was started before something failed. */
const started = new AsyncDisposableStack();
afterAll(() => started.disposeAsync());

beforeAll(async () => {
  camera = started.adopt(await startCamera(), (one) => one.close());
  gateway = started.adopt(
    await TestGateway.start({
      sources: PATIENT,
      hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
      cameras: [{ name: 'Dock', rtsp: camera.url }],
    }),
    (one) => one.dispose(),
  );
  browser = started.adopt(await startBrowser(), (one) => one.close());
  pages = started.adopt(await PlayerPages.start(), (one) => one.close());
});

it('plays the manifest of a share with each picture at its place', async () => {
  const share = await gateway.share('Dock');
  const opened = await fetch(`${share.pageUrl}/open`, { method: 'POST' });
  const { playlistUrl } = (await opened.json()) as { playlistUrl: string };
  const manifestUrl = new URL('file.mpd', new URL(playlistUrl, gateway.mediaUrl)).href;
  const manifest = await (await fetch(manifestUrl)).text();
  expect(manifest).toMatch(/<MPD [^>]*type="dynamic"/);
  const { page, problems } = await openPage(browser);
  page.setDefaultTimeout(WAIT_MS);
  await watchFrames(page);
  await pages.play(page, 'dash.js', manifestUrl);
  const shown = await takePictures(page, PICTURES);
  expectInOrder(shown, { fps: FRAMES_PER_SEC, clipFrames: 64 * FRAMES_PER_SEC });
  expect(await page.evaluate(() => window.playerErrors)).toEqual([]);
  expect(problems).toEqual([]);

  // The manifest's grant ends with the share.
  await gateway.revoke(share);
  const refused = await fetch(manifestUrl);
  expect([refused.status, await refusalReason(refused)]).toEqual([403, 'revoked']);
  await page.close();
});
