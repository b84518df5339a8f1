/**
 * Cameras whose video encoder is halted for more than a second while their sound continues, through a whole gateway: ffmpeg hears each
 * beep with its picture afterward, whether or not the clock of the video stood still meanwhile.
 */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { fetchOk, fetchPlaylist, openShare } from '../support/hls.ts';
import { soundBehindPictureMs } from '../support/sound-sync.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

/** Whole groups of pictures, and no whole seconds: the beeps are a second apart. */
const GOP_SEC = 0.4;
const HALTED = { fromMs: 10_000, toMs: 11_600 };
/** Of media since the camera was opened. */
const AFTER_SEC = 15;
const SEGMENTS = 4;
const MAX_OFF_MS = 60;
const CASES = (['h264', 'h265'] as const).flatMap((codec) =>
  ['stops', 'keeps running'].map((clock) => ({ name: `${codec} whose clock ${clock}`, codec, clock })),
);

const cameras: SyntheticCamera[] = [];
let gateway: TestGateway;

beforeAll(async () => {
  for (const { codec, clock } of CASES) {
    const clip = await makeClip(320, 180, { ...(codec === 'h265' ? { codec } : {}), gopSec: GOP_SEC });
    const backMs = HALTED.fromMs - HALTED.toMs;
    const jump = { timestampJump: { afterMs: HALTED.toMs, byMs: backMs, track: 'video' } } as const;
    const faults = { blind: [HALTED], ...(clock === 'stops' ? jump : {}) };
    cameras.push(await startCamera(0, { clip, faults }));
  }
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', window: '60s', idleStop: '5m' },
    cameras: CASES.map(({ name }, index) => ({ name, rtsp: cameras[index]!.url })),
  });
}, 120_000);

afterAll(async () => {
  await gateway?.dispose();
  await Promise.all(cameras.map((camera) => camera.close()));
});

/** The newest segments, once the playlist lists `seconds` of media. */
async function newestAfter(url: string, seconds: number): Promise<Buffer> {
  return until(
    `${seconds} s of ${url}`,
    async () => {
      const { segments } = await fetchPlaylist(url);
      const whole = segments.filter(({ uri, duration }) => duration > 0 && uri.startsWith('seg_'));
      if (whole.reduce((sum, { duration }) => sum + duration, 0) < seconds) return null;
      const newest = whole.slice(-SEGMENTS);
      const media = [await fetchOk(new URL(newest[0]!.map.uri, url).href)];
      for (const { uri } of newest) media.push(await fetchOk(new URL(uri, url).href));
      return Buffer.concat(media);
    },
    120_000,
  );
}

it.concurrent.each(CASES)('$name is heard with its picture', async ({ name }) => {
  const url = await openShare((await gateway.share(name)).m3u8Url);
  for (const seconds of [SEGMENTS + 1, AFTER_SEC + SEGMENTS]) {
    const behindMs = await soundBehindPictureMs(await newestAfter(url, seconds));
    expect(behindMs.length).toBeGreaterThanOrEqual(SEGMENTS - 2);
    expect(Math.max(...behindMs.map(Math.abs))).toBeLessThan(MAX_OFF_MS);
  }
});
