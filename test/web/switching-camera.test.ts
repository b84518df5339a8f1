/** A camera that switches its resolution every five seconds, within one RTSP session, in Chromium. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestGateway } from '../support/gateway.ts';
import { type GstCamera, startGstCamera } from '../support/gst-camera.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { waitForMotion } from './page-probes.ts';

const SWITCHES = 2;

let camera: GstCamera;
let gateway: TestGateway;
let browser: TestBrowser;

beforeAll(async () => {
  camera = await startGstCamera('h264-switching-only');
  gateway = await TestGateway.start({ cameras: [{ name: 'Yard', rtsp: camera.url }] });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.stop();
});

it('plays on in each resolution, without reopening the camera', async () => {
  const { page, problems } = await openPage(browser);
  await page.goto((await gateway.share('Yard')).pageUrl);
  await waitForMotion(page);
  const width = () => page.evaluate(() => document.querySelector('video')?.videoWidth ?? 0);
  for (let switches = 0; switches < SWITCHES; switches++) {
    const before = await width();
    await page.waitForFunction((px) => document.querySelector('video')?.videoWidth !== px, before, {
      timeout: 60_000,
    });
    await waitForMotion(page);
  }
  expect([320, 640]).toContain(await width());
  await page.close();
  expect(problems).toEqual([]);
  const opened = gateway.child.lines.filter((line) => line.includes('"msg":"stream opened"'));
  expect(opened).toHaveLength(1);
});
