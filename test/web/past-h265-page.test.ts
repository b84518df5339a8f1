/** The page of a link to a camera that was recorded in H.265, in a browser that does not decode it: the past plays in H.264. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { workersOf } from '../support/processes.ts';
import { recordMore } from '../support/recorded-past.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { type ShownFrame, takeShownFrames } from './frame-watch.ts';
import { useGatewayPage } from './gateway-page.ts';
import { waitForMotion } from './page-probes.ts';

const WIDTH_PX = 640;

let camera: SyntheticCamera;
let gateway: TestGateway;

beforeAll(async () => {
  camera = await startCamera(0, { clip: await makeClip(WIDTH_PX, 360, { codec: 'h265' }), isPcmu: true });
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5s' },
    recording: { fileSize: '4MiB', minFree: '16MiB' },
    cameras: [{ name: 'Dock', rtsp: camera.url, recording: 'always' }],
  });
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

const filesOnDisk = () => readdirSync(join(gateway.folder, 'data', 'h264-cache')).length;

const view = useGatewayPage(() => gateway);

test('plays the past from where the timeline is clicked, and takes no worker when it is paused', async () => {
  const { page } = view();
  const { pageUrl } = await gateway.share('Dock', { vodEnabled: true });
  const sharedMs = Date.now();
  await recordMore(gateway, 25);
  await page.goto(pageUrl);
  await waitForMotion(page);
  await page.waitForFunction(() => document.querySelectorAll('#timeline-windows span').length > 0);
  await page.selectOption('#span', '600');
  const box = (await page.locator('#timeline').boundingBox())!;
  const agoSec = (Date.now() - sharedMs) / 1_000 - 4;
  await page.mouse.click(box.x + box.width * (1 - agoSec / 600), box.y + box.height / 2);
  await page.waitForSelector('#speed:not([hidden])');
  await waitForMotion(page);
  const shown: ShownFrame[] = [];
  await until('frames of the past', async () => {
    shown.push(...(await takeShownFrames(page)).filter(({ number }) => number !== null));
    return shown.length > 25;
  });
  await until('H.264 on the disk', async () => filesOnDisk() > 0);
  expect(new Set(shown.map(({ widthPx }) => widthPx))).toEqual(new Set([WIDTH_PX]));
  await page.keyboard.press('k');
  await until('no worker', async () => workersOf(gateway.child.process.pid!).length === 0);
});
