/**
 * Cameras whose sound card runs fast or slow, through a whole gateway: after the first minute, ffmpeg hears each beep beside
 * its picture, and goes on to hear it there.
 */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CameraFaults } from '../../src/synthetic-camera/faults.ts';
import { withPcmuSound } from '../../src/synthetic-camera/pcmu-sound-fixture.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { withWrongAac } from '../support/drifting-sound.ts';
import { TestGateway } from '../support/gateway.ts';
import { fetchOk, fetchPlaylist, openShare } from '../support/hls.ts';
import { soundBehindPictureMs } from '../support/sound-sync.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const MAX_OFF_MS = 100;
/** Of media since the camera was opened: a minute, and some segments that are still in the playlist. */
const SETTLED_SEC = 70;
const WATCHED_SEC = 90;
const SEGMENTS = 4;
const LYING: CameraFaults = { audioReportsOff: { afterMs: 0, byMs: 3_600_000 } };

const CASES = [
  { name: 'AAC of 44,000 Hz that states 44,100', stated: 44_100, trueHz: 44_000, faults: {} },
  { name: 'AAC that is 0.8 % slow', stated: 48_000, trueHz: 47_616, faults: {} },
  { name: 'AAC that is 2 % fast', stated: 48_000, trueHz: 48_960, faults: {} },
  { name: 'AAC that is 0.8 % slow, and lies', stated: 48_000, trueHz: 47_616, faults: LYING },
  { name: 'G.711 that is 1 % fast', stated: null, trueHz: 8_080, faults: {} },
] as const;

const cameras: SyntheticCamera[] = [];
let gateway: TestGateway;

beforeAll(async () => {
  const clip = await makeClip(320, 180);
  for (const { stated, trueHz, faults } of CASES) {
    const drifting =
      stated === null
        ? withPcmuSound(clip, (trueHz / 8_000 - 1) * 1e6)
        : await withWrongAac(clip, stated, trueHz);
    cameras.push(await startCamera(0, { clip: drifting, faults }));
  }
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', idleStop: '5m' },
    cameras: CASES.map(({ name }, index) => ({ name, rtsp: cameras[index]!.url })),
  });
}, 120_000);

afterAll(async () => {
  await gateway?.dispose();
  await Promise.all(cameras.map((camera) => camera.close()));
});

/** Numbers of the segments that the playlist lists, a second each. */
async function wholeSegments(url: string) {
  const { segments } = await fetchPlaylist(url);
  return segments.filter(({ uri, duration }) => duration > 0 && uri.startsWith('seg_'));
}

const numberOf = ({ uri }: { readonly uri: string }): number => Number(/\d+/.exec(uri)![0]);

/** The newest segments, once there are `seconds` of media since segment `first`. */
async function newestAfter(url: string, first: number, seconds: number): Promise<Buffer> {
  return until(
    `${seconds} s of ${url}`,
    async () => {
      const whole = await wholeSegments(url);
      if (whole.length < SEGMENTS || numberOf(whole.at(-SEGMENTS)!) < first + seconds) return null;
      const newest = whole.slice(-SEGMENTS);
      const media = [await fetchOk(new URL(newest[0]!.map.uri, url).href)];
      for (const { uri } of newest) media.push(await fetchOk(new URL(uri, url).href));
      return Buffer.concat(media);
    },
    240_000,
  );
}

it.concurrent.each(CASES)(
  '$name is heard beside its picture',
  async ({ name, trueHz, stated }) => {
    const url = await openShare((await gateway.share(name)).m3u8Url);
    const first = await until('a segment', async () => (await wholeSegments(url))[0]);
    for (const seconds of [SETTLED_SEC, WATCHED_SEC]) {
      const behindMs = await soundBehindPictureMs(await newestAfter(url, numberOf(first), seconds));
      expect(behindMs.length).toBeGreaterThanOrEqual(SEGMENTS - 2);
      expect(Math.max(...behindMs.map(Math.abs))).toBeLessThan(MAX_OFF_MS);
    }
    const lines = gateway.child.lines.filter((line) => line.includes('"camera clock judged"'));
    const rates = lines
      .map((line) => JSON.parse(line) as { name: string; soundFastPpm: number | null })
      .filter((line) => line.name === name && line.soundFastPpm !== null)
      .map((line) => line.soundFastPpm!);
    const expectedPpm = (trueHz / (stated ?? 8_000) - 1) * 1e6;
    expect(rates.length).toBeGreaterThan(0);
    for (const rate of rates) expect(Math.abs(rate - expectedPpm)).toBeLessThan(600);
  },
  300_000,
);
