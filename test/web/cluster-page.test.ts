/** The page of a share link in Chromium behind nginx, each request at another node, while the node of the camera is killed. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestCluster } from '../support/cluster.ts';
import { type LoadBalancer, movedTo, startLoadBalancer } from '../support/load-balancer.ts';
import type { PlaylistText } from '../support/playlist-text.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { playlistsOf } from './seen-playlists.ts';

/** Longer than a pause that would be too long, and than what a page has buffered. */
const FURTHER_SEGMENTS = 10;

let camera: SyntheticCamera;
let cluster: TestCluster;
let nginx: LoadBalancer;
let browser: TestBrowser;

beforeAll(async () => {
  camera = await startCamera();
  cluster = await TestCluster.start(3, {
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
    cameras: [{ name: 'Gate', rtsp: camera.url }],
  });
  nginx = await startLoadBalancer(cluster.nodes);
  browser = await startBrowser();
}, 400_000);
afterAll(async () => {
  await browser?.close();
  await nginx?.stop();
  await cluster?.dispose();
  await camera?.close();
});

const mediaSecOf = (page: Page) => page.evaluate(() => document.querySelector('video')?.currentTime ?? 0);

async function playsBeyond(page: Page, sec: number): Promise<void> {
  await page.waitForFunction((endSec) => (document.querySelector('video')?.currentTime ?? 0) > endSec, sec, {
    timeout: 60_000,
  });
}

it('plays on when the node of the camera is killed, with a discontinuity and no number that goes back', async () => {
  const share = await cluster.nodes[0]!.share('Gate');
  const { page, problems } = await openPage(browser);
  page.setDefaultTimeout(100_000);
  const playlists = playlistsOf(page);
  await page.goto(movedTo(share.pageUrl, nginx));
  await playsBeyond(page, (await mediaSecOf(page)) + 5);
  const { owner } = await cluster.leaseOf(share.cameraUuid);
  const discontinuitiesBefore = Math.max(...playlists.map(discontinuitiesOf));
  const { hint: hintBefore } = playlists.at(-1)!;
  await owner.end('SIGKILL');
  const firstMsn = await until('further segments', () => {
    const first = firstMsnOfNewOwner(playlists);
    return first !== null && playlists.at(-1)!.hint.msn >= first + FURTHER_SEGMENTS && first;
  });
  await playsBeyond(page, (await mediaSecOf(page)) + 1);
  expect(firstMsn).toBeGreaterThan(hintBefore.msn);
  // The first segment can be a gap that makes the list long enough.
  const breaks = playlists.flatMap(({ segments }) => segments.filter((one) => one.hasDiscontinuity));
  expect([firstMsn, firstMsn + 1]).toContain(breaks.find(({ msn }) => msn >= firstMsn)?.msn);
  expect(discontinuitiesOf(playlists.at(-1)!)).toBeGreaterThan(discontinuitiesBefore);
  for (const [at, { mediaSequence, hint }] of playlists.entries()) {
    if (at === 0) continue;
    const last = playlists[at - 1]!;
    expect(mediaSequence).toBeGreaterThanOrEqual(last.mediaSequence);
    expect(hint.msn).toBeGreaterThanOrEqual(last.hint.msn);
  }
  expect(problems).toEqual([]);
  await page.close();
});

/** The new owner leaves out the numbers that the one before might have used. */
function firstMsnOfNewOwner(playlists: readonly PlaylistText[]): number | null {
  const listed = new Set(playlists.flatMap(({ segments }) => segments.map(({ msn }) => msn)));
  const ascending = [...listed].sort((a, b) => a - b);
  return ascending.find((msn, at) => at > 0 && ascending[at - 1] !== msn - 1) ?? null;
}

/** Up to the end of the playlist. */
function discontinuitiesOf({ discontinuitySequence, segments }: PlaylistText): number {
  return discontinuitySequence + segments.filter(({ hasDiscontinuity }) => hasDiscontinuity).length;
}
