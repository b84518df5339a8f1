/** The manifest of a live camera and its media, judged by ffmpeg: streams, times and decoding. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { decodeErrors, probePackets, probeStreams } from '../support/media-check.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';

const run = promisify(execFile);
const TIMEOUT_MS = 60_000;
/** One frame of AAC. */
const AUDIO_FRAME_SEC = 1_024 / 48_000;

let main: SyntheticCamera;
let sub: SyntheticCamera;
let gateway: TestGateway;
let url: string;

beforeAll(async () => {
  main = await startCamera(0, { clip: await makeClip(640, 360, { gopSec: 2 }) });
  sub = await startCamera();
  gateway = await TestGateway.start({
    hls: { idleStop: '5m' },
    cameras: [{ name: 'Dock', rtsp: main.url, substream: sub.url }],
  });
  const share = await gateway.share('Dock');
  const opened = await fetch(`${share.pageUrl}/open`, { method: 'POST' });
  const { playlistUrl } = (await opened.json()) as { playlistUrl: string };
  url = new URL('file.mpd', new URL(playlistUrl, gateway.mediaUrl)).href;
  expect((await fetch(url)).status).toBe(200);
});

afterAll(async () => {
  await gateway?.dispose();
  await main?.close();
  await sub?.close();
});

test('ffprobe finds both streams and the audio, with their properties', async () => {
  const { stdout } = await run('ffprobe', ['-v', 'error', '-show_streams', '-of', 'json', url], {
    timeout: TIMEOUT_MS,
  });
  const { streams } = JSON.parse(stdout) as { streams: Record<string, unknown>[] };
  const found = streams.map(({ codec_name, width, height, sample_rate }) => ({
    codec_name,
    width,
    height,
    sample_rate,
  }));
  expect(found).toEqual(
    expect.arrayContaining([
      { codec_name: 'h264', width: 640, height: 360 },
      { codec_name: 'h264', width: 320, height: 180 },
      { codec_name: 'aac', sample_rate: '48000' },
    ]),
  );
});

test.each([
  ['video', 'm4v', 'v', 1 / FRAMES_PER_SEC],
  ['sub/video', 'm4v', 'v', 1 / FRAMES_PER_SEC],
  ['audio', 'm4a', 'a', AUDIO_FRAME_SEC],
] as const)(
  'ffmpeg decodes %s without an error, with every frame at its time',
  async (folder, extension, kind, stepSec) => {
    const manifest = await (await fetch(url)).text();
    const template = new RegExp(`startNumber="(\\d+)" initialization="${folder}/seg_init.mp4"`).exec(
      manifest,
    );
    const number = Number(template![1]);
    const names = ['seg_init.mp4', `seg_${number}.${extension}`, `seg_${number + 1}.${extension}`];
    const bytes: Buffer[] = [];
    for (const name of names) {
      // The second one may still be growing.
      const response = await fetch(new URL(`${folder}/${name}`, url));
      expect(response.status).toBe(200);
      bytes.push(Buffer.from(await response.arrayBuffer()));
    }
    expect(await decodeErrors(bytes)).toBe('');
    expect(await probeStreams(bytes)).toHaveLength(1);
    const times = (await probePackets(bytes, kind)).map(({ pts_time }) => Number(pts_time));
    expect(times.length * stepSec).toBeGreaterThan(1.5);
    for (const [index, sec] of times.entries()) {
      if (index > 0) expect(sec - times[index - 1]!).toBeCloseTo(stepSec, 2);
    }
  },
);

test('the time is the gateway’s, to the millisecond', async () => {
  const beforeMs = Date.now();
  const response = await fetch(new URL('time', url));
  const timeMs = Date.parse(await response.text());
  expect(timeMs).toBeGreaterThanOrEqual(beforeMs - 50);
  expect(timeMs).toBeLessThanOrEqual(Date.now() + 50);
});
