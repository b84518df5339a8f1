/** A camera that sends one IDR picture and then refreshes its pictures gradually, in Chromium. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestGateway } from '../support/gateway.ts';
import { type GstCamera, startGstCamera } from '../support/gst-camera.ts';
import { until } from '../support/until.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { waitForMotion } from './page-probes.ts';

let camera: GstCamera;
let gateway: TestGateway;
let browser: TestBrowser;

beforeAll(async () => {
  camera = await startGstCamera('h264-refresh-only');
  gateway = await TestGateway.start({ cameras: [{ name: 'Yard', rtsp: camera.url }] });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.stop();
});

/** How the camera was opened so far. */
function openings(): object[] {
  const lines = gateway.child.lines.filter((line) => line.includes('"msg":"stream opened"'));
  return lines.map((line) => JSON.parse(line) as object);
}

it('plays until no segment could begin any more, and on by a worker, for those who come later too', async () => {
  const share = await gateway.share('Yard');
  const first = await openPage(browser);
  await first.page.goto(share.pageUrl);
  await waitForMotion(first.page);
  await until('the worker', () => (openings().length > 1 ? true : null));
  const second = await openPage(browser);
  await second.page.goto(share.pageUrl);
  await waitForMotion(second.page);
  await first.page.bringToFront();
  await waitForMotion(first.page);
  expect(openings()).toMatchObject([
    { engine: 'direct' },
    { engine: 'ffmpeg', plan: { video: 'encode', audio: 'off' } },
  ]);
  for (const { page, problems } of [first, second]) {
    await page.close();
    expect(problems).toEqual([]);
  }
});
