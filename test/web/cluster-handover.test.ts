/** The page of a share link in Chromium, at a node that does not pull the camera, while the one that does is stopped. */

import { afterEach, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestCluster } from '../support/cluster.ts';
import type { Json } from '../support/gateway.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { takePlayback, watchPlayback } from './playback-watch.ts';

let camera: SyntheticCamera | undefined;
let cluster: TestCluster | undefined;
let browser: TestBrowser | undefined;

afterEach(async () => {
  await browser?.close();
  await cluster?.dispose();
  await camera?.close();
});

it.each<[string, { codec?: 'h265' }, Json]>([
  ['a camera that camera threads package', {}, { threads: { cameras: 1 } }],
  ['H.264 that is made of H.265', { codec: 'h265' }, {}],
])(
  'plays on without a gap or a jump: %s',
  async (_what, video, config) => {
    const clip = await makeClip(320, 180, { ...video, durationSec: 16 });
    camera = await startCamera(0, { clip });
    cluster = await TestCluster.start(2, {
      hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
      cameras: [{ name: 'Gate', rtsp: camera.url }],
      ...config,
    });
    const first = cluster.nodes[0]!;
    const share = await first.share('Gate');
    // Someone watches, so that there is an owner.
    await fetch(share.m3u8Url);
    const { owner } = await until('an owner', () => cluster!.leaseOf(share.cameraUuid).catch(() => null));
    const [other] = cluster.othersThan(owner);
    browser = await startBrowser();
    const { page, problems } = await openPage(browser);
    page.setDefaultTimeout(100_000);
    const names = new Set<string>();
    page.on('response', (response) => void names.add(new URL(response.url()).pathname));
    await page.goto(share.pageUrl.replace(first.mediaUrl, other!.mediaUrl));
    const playsFor = async (sec: number): Promise<void> => {
      const now = await page.evaluate(() => document.querySelector('video')?.currentTime ?? 0);
      await page.waitForFunction(
        (end) => (document.querySelector('video')?.currentTime ?? 0) > end,
        now + sec,
      );
    };
    await playsFor(5);
    expect([...names].some((name) => name.includes('/h264/'))).toBe(video.codec === 'h265');
    await watchPlayback(page);
    await owner.end();
    await playsFor(8);
    const { breaks } = await takePlayback(page);
    expect(owner.child.lines.filter((line) => line.includes('handed over with a gap'))).toEqual([]);
    // Nothing was jumped over.
    expect(breaks).toEqual([]);
    expect(problems).toEqual([]);
  },
  240_000,
);
