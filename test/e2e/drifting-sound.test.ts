/**
 * Cameras whose sound card runs fast or slow, through a whole gateway: after the first minute, ffmpeg hears each beep beside
 * its picture, and goes on to hear it there.
 */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Clip } from '../../src/synthetic-camera/clip.ts';
import type { CameraFaults } from '../../src/synthetic-camera/faults.ts';
import { withPcmuSound } from '../../src/synthetic-camera/pcmu-sound-fixture.ts';
import { Child } from '../support/child.ts';
import { withWrongAac } from '../support/drifting-sound.ts';
import { TestGateway } from '../support/gateway.ts';
import { fetchOk, fetchPlaylist, openShare } from '../support/hls.ts';
import { startHlsOrigin } from '../support/hls-origin.ts';
import { freePort } from '../support/ports.ts';
import { soundBehindPictureMs } from '../support/sound-sync.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const MAX_OFF_MS = 100;
/** Of media since the camera was opened: a minute, and some segments that are still in the playlist. */
const SETTLED_SEC = 70;
const WATCHED_SEC = 90;
const SEGMENTS = 4;
const LYING: CameraFaults = { audioReportsOff: { afterMs: 0, byMs: 3_600_000 } };

/**
 * `via`: how the gateway gets it. `rtmp`: ffmpeg pushes what the camera sends, whose audio timestamps count samples.
 * `rtmp-stamped` and `hls-stamped`: ffmpeg pushes or publishes it with audio timestamps of the pictures' clock.
 */
const CASES = [
  { name: 'AAC of 44,000 Hz that states 44,100', stated: 44_100, trueHz: 44_000, via: 'rtsp' },
  { name: 'AAC that is 0.8 % slow', stated: 48_000, trueHz: 47_616, via: 'rtsp' },
  { name: 'AAC that is 2 % fast', stated: 48_000, trueHz: 48_960, via: 'rtsp' },
  { name: 'AAC that is 0.8 % slow, and lies', stated: 48_000, trueHz: 47_616, via: 'rtsp', faults: LYING },
  { name: 'G.711 that is 1 % fast', stated: null, trueHz: 8_080, via: 'rtsp' },
  { name: 'AAC over RTMP that is 2 % fast', stated: 48_000, trueHz: 48_960, via: 'rtmp' },
  { name: 'AAC over RTMP that is 0.8 % slow', stated: 48_000, trueHz: 47_616, via: 'rtmp-stamped' },
  { name: 'AAC over HLS that is 0.8 % slow', stated: 48_000, trueHz: 47_616, via: 'hls-stamped' },
] as const satisfies readonly Case[];

interface Case {
  readonly name: string;
  readonly stated: number | null;
  readonly trueHz: number;
  readonly via: 'rtsp' | 'rtmp' | 'rtmp-stamped' | 'hls-stamped';
  readonly faults?: CameraFaults;
}

const keyOf = (name: string): string => `key-of-${name.replace(/\W+/g, '-')}`;

/** What the tests started, in order. */
const started: { close(): Promise<void> }[] = [];
let gateway: TestGateway;

async function driftingClip({ stated, trueHz }: Case): Promise<Clip> {
  const clip = await makeClip(320, 180);
  return stated === null
    ? withPcmuSound(clip, (trueHz / 8_000 - 1) * 1e6)
    : withWrongAac(clip, stated, trueHz);
}

/** ffmpeg's filter of packets that gives the audio the clock of the pictures. */
function stamping({ stated, trueHz }: Case): string[] {
  const scale = `*${stated}/${trueHz}`;
  return ['-bsf:a', `setts=pts=PTS${scale}:dts=DTS${scale}`];
}

/** The camera of a case, as the gateway's configuration has it, and how it is pushed if it is. */
async function startCase(test: Case) {
  const { name, via, faults = {} } = test;
  const clip = await driftingClip(test);
  if (via === 'hls-stamped') {
    const origin = await startHlsOrigin('mpegts', { clip, packetFilter: stamping(test) });
    started.push(origin);
    return { configured: { name, rtsp: origin.url }, push: null };
  }
  const camera = await startCamera(0, { clip, faults });
  started.push(camera);
  if (via === 'rtsp') return { configured: { name, rtsp: camera.url }, push: null };
  const filter = via === 'rtmp-stamped' ? stamping(test) : [];
  return { configured: { name, publishKey: keyOf(name) }, push: { from: camera.url, filter } };
}

beforeAll(async () => {
  const cases = await Promise.all(CASES.map(startCase));
  const port = await freePort();
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', idleStop: '5m' },
    rtmp: { listen: `127.0.0.1:${port}` },
    cameras: cases.map(({ configured }) => configured),
  });
  for (const { configured, push } of cases) {
    if (push === null) continue;
    const input = [
      '-nostdin',
      '-v',
      'error',
      '-rtsp_transport',
      'tcp',
      '-fpsprobesize',
      '0',
      '-i',
      push.from,
    ];
    const output = ['-c', 'copy', ...push.filter, '-f', 'flv'];
    const url = `rtmp://127.0.0.1:${port}/live/${keyOf(configured.name)}`;
    const ffmpeg = new Child('ffmpeg', [...input, ...output, url]);
    started.push({ close: () => ffmpeg.end('SIGKILL') });
  }
}, 120_000);

afterAll(async () => {
  for (const each of started.reverse()) await each.close();
  await gateway?.dispose();
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
