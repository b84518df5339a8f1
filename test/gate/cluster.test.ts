/** Two nodes over PostgreSQL and Redis: the one that owns the camera is killed, and a viewer in Chromium at the other goes on. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestCluster } from '../support/cluster.ts';
import { framesAhead, picturesIn } from '../support/frame-order.ts';
import { PATIENT } from '../support/gateway.ts';
import { FRAMES_PER_SEC, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { openPage, startBrowser, type TestBrowser } from '../web/browser.ts';
import { type ShownFrame, takePictures, watchFrames } from '../web/frame-watch.ts';
import { playlistsOf } from '../web/seen-playlists.ts';

const CLIP_FRAMES = 64 * FRAMES_PER_SEC;
const PICTURES = 25;
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

const aheadOf = (from: number, number: number | null) => framesAhead(from, number, CLIP_FRAMES);

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
  // The dead owner has sent no picture with a later number.
  const lastNumber = Math.floor(((Date.now() - camera.startEpochMs) * FRAMES_PER_SEC) / 1_000);
  const isLater = (number: number | null) => aheadOf(lastNumber, number) > 0;
  const after: ShownFrame[] = [];
  const later = () => after.filter(({ number }) => isLater(number));
  while (picturesIn(later()) < PICTURES) after.push(...(await takePictures(page, 1)));
  // A list names the seam with the first whole segment behind it.
  const hasSeam = () =>
    playlists.some(({ segments }) => segments.some(({ hasDiscontinuity }) => hasDiscontinuity));
  await until('the seam in a list', hasSeam, WAIT_MS);
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
  const shown = [...before, ...after].map(({ number }) => number);
  expect(shown).not.toContain(null);
  const stepsBack = shown.slice(1).filter((number, at) => aheadOf(shown[at]!, number) < 0);
  expect(stepsBack).toEqual([]);
  expect(problems).toEqual([]);
});
