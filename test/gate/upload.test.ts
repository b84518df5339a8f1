/** A recorder hands a clip over by tus-js-client, through a connection that breaks: it is there once, whole, and plays. */

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clipFile, codedPackets, h264With } from '../support/clip-files.ts';
import { CuttingNetwork } from '../support/cutting-network.ts';
import { API_KEY, type Json, TestGateway } from '../support/gateway.ts';
import { BY_KEY, sessionQuery } from '../support/recorded-past.ts';
import { tusUpload } from '../support/tus-upload.ts';
import { until } from '../support/until.ts';
import { startBrowser, type TestBrowser } from '../web/browser.ts';
import { openVideo } from '../web/video-page.ts';

const SECONDS = 4;
const FRAMES_PER_SEC = 25;
const WAIT_MS = 90_000;

let gateway: TestGateway;
let browser: TestBrowser;
let file: Buffer;

/** Ends all of it, the newest first, also what was started before something failed. */
const started = new AsyncDisposableStack();
afterAll(() => started.disposeAsync());

beforeAll(async () => {
  file = clipFile({ seconds: SECONDS, codecs: h264With('-bf 2') });
  gateway = started.adopt(
    await TestGateway.start({
      recording: { minFree: '16MiB' },
      // Its port is the one of no program that runs here (discard).
      cameras: [{ name: 'Gate', rtsp: 'rtsp://127.0.0.1:9/none' }],
    }),
    (one) => one.dispose(),
  );
  browser = started.adopt(await startBrowser(), (one) => one.close());
});

it('becomes a saved clip with the bytes that were sent, which Chromium plays to its end', async () => {
  const cameraUuid = await gateway.cameraUuid('Gate');
  const timestampMs = Date.now() - 3_600_000;
  const network = started.adopt(await CuttingNetwork.to(gateway.mediaUrl, [1_000, 50_000]), (one) =>
    one.close(),
  );
  const outcome = await tusUpload({
    endpoint: network.through(`${gateway.mediaUrl}/upload/clips`),
    key: API_KEY,
    file,
    metadata: {
      clipId: 'gate',
      cameraUuid,
      timestampMs: String(timestampMs),
      title: 'At the gate',
      filetype: 'video/mp4',
      sha256: createHash('sha256').update(file).digest('hex'),
    },
  });
  expect(outcome).toMatchObject({ status: 0 });
  expect(network.cuts).toBe(2);

  const clip = await until(
    'the clip',
    async () => {
      const { savedClips } = await gateway.call('event/getSavedClipsV2', { limit: 10 });
      expect(savedClips).toHaveLength(1);
      return savedClips[0].status === 'COMPLETE' && (savedClips[0] as Json);
    },
    WAIT_MS,
  );
  expect(clip).toMatchObject({ title: 'At the gate', timestampMs, durationSec: SECONDS });

  const path = `/media/metadata/${cameraUuid}/local/${clip.uuid}.mp4`;
  const saved = Buffer.from(await (await fetch(gateway.mediaUrl + path, { headers: BY_KEY })).arrayBuffer());
  for (const stream of ['v', 'a'] as const) {
    // What an encoder puts before the first instant is not heard.
    const heard = (of: Buffer) => codedPackets(of, stream).filter(({ ptsSec }) => ptsSec >= 0);
    const hashes = (of: Buffer) => heard(of).map(({ hash }) => hash);
    expect(hashes(saved).length).toBeGreaterThan(SECONDS * FRAMES_PER_SEC - 1);
    expect(hashes(saved)).toEqual(hashes(file));
  }

  const page = await openVideo(browser, gateway, path + (await sessionQuery(gateway)));
  await page.evaluate(() => document.querySelector('video')!.play());
  await page.waitForFunction(() => document.querySelector('video')!.ended, null, { timeout: WAIT_MS });
  const played = await page.evaluate(() => {
    const video = document.querySelector('video')!;
    return { decoded: video.getVideoPlaybackQuality().totalVideoFrames, error: video.error?.message ?? null };
  });
  expect(played).toEqual({ decoded: SECONDS * FRAMES_PER_SEC, error: null });
  await page.close();
});
