/** The page of a share link on a gateway with viewer threads: hls.js has several connections, each to any of them. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { FRAMES_PER_SEC, startCamera } from '../support/synthetic.ts';
import { takeCountedFrames } from './frame-watch.ts';
import { useGatewayPage } from './gateway-page.ts';
import { expectNoPicture, waitForMotion } from './page-probes.ts';

const THREADS = 3;
const WATCH_SEC = 8;

let cameras: SyntheticCamera[];
let gateway: TestGateway;
beforeAll(async () => {
  cameras = [await startCamera(), await startCamera()];
  const [rtsp, sub] = cameras.map(({ url }) => url);
  gateway = await TestGateway.start({
    threads: { viewers: THREADS },
    cameras: [{ name: 'Dock', rtsp, substream: sub }],
  });
});
afterAll(async () => {
  await gateway?.dispose();
  for (const camera of cameras ?? []) await camera.close();
});

const opened = useGatewayPage(() => gateway);

test('plays every frame in order, and stops when the share is revoked', async () => {
  const { page, failedLoads } = opened();
  const share = await gateway.share('Dock');
  await page.goto(share.pageUrl);
  await waitForMotion(page);
  await page.waitForSelector('#live[data-state="live"]');
  const { counts: before } = await takeCountedFrames(page);
  await page.waitForFunction(
    (endSec) => document.querySelector('video')!.currentTime >= endSec,
    before.currentSec + WATCH_SEC,
  );
  const { shown, counts } = await takeCountedFrames(page);
  const steps = shown.slice(1).map(({ number, mediaSec }, i) => ({
    frames: number! - shown[i]!.number!,
    ofTime: Math.round((mediaSec - shown[i]!.mediaSec) * FRAMES_PER_SEC),
  }));
  // A busy page may read the number from the frame right after the one it was notified about.
  expect(steps.filter(({ frames, ofTime }) => frames > 0 && Math.abs(frames - ofTime) > 2)).toEqual([]);
  expect(counts.bufferedRanges).toBe(1);
  expect(failedLoads).toEqual([]);

  await gateway.revoke(share);
  await page.waitForSelector('#message-title:text("This link has been turned off")');
  await expectNoPicture(page);
});
