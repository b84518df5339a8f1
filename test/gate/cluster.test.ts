/** Two nodes over PostgreSQL and Redis: the one that owns the camera is killed, and a viewer in Chromium at the other goes on. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/sources/synthetic-camera/synthetic-camera.ts';
import { TestCluster } from '../support/cluster.ts';
import { PATIENT } from '../support/gateway.ts';
import { FRAMES_PER_SEC, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { openPage, startBrowser, type TestBrowser } from '../web/browser.ts';
import { takePictures, watchFrames } from '../web/frame-watch.ts';
import { playlistsOf } from '../web/seen-playlists.ts';

const CLIP_FRAMES = 64 * FRAMES_PER_SEC;
const PICTURES = 25;
/** More than a player has buffered. */
const FURTHER_SEGMENTS = 5;
const WAIT_MS = 90_000;

let camera: SyntheticCamera;
let cluster: TestCluster;
let browser: TestBrowser;

/** Ends all of it, the newest first, also what was started before something failed. */
const started = new AsyncDisposableStack();
afterAll(() => started.disposeAsync());

beforeAll(async () => {
  camera = started.adopt(await startCamera(), (one) => one.close());
  const nodes = await TestCluster.start(2, {
    sources: PATIENT,
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
    cameras: [{ name: 'Gate', rtsp: camera.url }],
  });
  cluster = started.adopt(nodes, (one) => one.dispose());
  browser = started.adopt(await startBrowser(), (one) => one.close());
});

it('takes the camera over, with no number that goes back and no frame that comes again', async () => {
  const [first] = cluster.nodes;
  const share = await first!.share('Gate');
  // Someone watches, so that there is an owner.
  await fetch(share.m3u8Url);
  const { owner, fence } = await until('an owner', () => cluster.leaseOf(share.cameraUuid), WAIT_MS);
  const [other] = cluster.othersThan(owner);
  const { page, problems } = await openPage(browser);
  page.setDefaultTimeout(WAIT_MS);
  await watchFrames(page);
  const playlists = playlistsOf(page);
  await page.goto(share.pageUrl.replace(first!.mediaUrl, other!.mediaUrl));
  const before = await takePictures(page, PICTURES);
  expect(camera.connectedClients()).toBe(1);

  await owner.end('SIGKILL');
  const lastMsn = playlists.at(-1)!.hint.msn;
  const goesOn = () => playlists.at(-1)!.hint.msn > lastMsn + FURTHER_SEGMENTS;
  await until('segments of the new owner', goesOn, WAIT_MS);
  const after = await takePictures(page, PICTURES);
  const lease = await cluster.leaseOf(share.cameraUuid);
  expect(lease.owner).toBe(other);
  expect(lease.fence).toBeGreaterThan(fence);
  expect(camera.connectedClients()).toBe(1);

  for (const [at, { mediaSequence, discontinuitySequence, hint }] of playlists.entries()) {
    const last = playlists[at - 1] ?? playlists[at]!;
    expect(mediaSequence).toBeGreaterThanOrEqual(last.mediaSequence);
    expect(discontinuitySequence).toBeGreaterThanOrEqual(last.discontinuitySequence);
    expect(hint.msn).toBeGreaterThanOrEqual(last.hint.msn);
  }
  const hasSeam = playlists.some(({ segments }) => segments.some(({ hasDiscontinuity }) => hasDiscontinuity));
  expect(hasSeam).toBe(true);
  const shown = [...before, ...after].map(({ number }) => number!);
  const steps = shown.slice(1).map((number, at) => (number - shown[at]! + CLIP_FRAMES) % CLIP_FRAMES);
  // A step back would be most of the clip ahead.
  expect(steps.filter((step) => step > CLIP_FRAMES / 2)).toEqual([]);
  expect(problems).toEqual([]);
});
