/** Third-party cameras, through the whole gateway, judged by third-party decoders. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, TestGateway, type TestShare } from '../support/gateway.ts';
import { type GstCamera, type GstCameraKind, startGstCamera } from '../support/gst-camera.ts';
import { fetchOk, fetchPlaylist, openShare, type TestPlaylist } from '../support/hls.ts';
import { decodeErrors, probePackets, probeStreams } from '../support/media-check.ts';
import { until } from '../support/until.ts';

interface Case {
  readonly title: string;
  readonly kind: GstCameraKind;
  /** In addition to the camera's name and address in the configuration. */
  readonly settings: Json;
  /** What the log says about how the camera was opened. */
  readonly opened: Json;
  readonly hasAudio: boolean;
}

const DIRECT_TCP = { engine: 'direct', transport: 'tcp' };
const COPY = { video: 'copy', audio: 'copy' };

const CASES: readonly Case[] = [
  { title: 'H.264 and AAC', kind: 'h264-aac', settings: {}, opened: DIRECT_TCP, hasAudio: true },
  {
    title: 'H.264 and AAC over UDP',
    kind: 'h264-aac',
    settings: { transport: 'udp' },
    opened: { engine: 'direct', transport: 'udp' },
    hasAudio: true,
  },
  { title: 'B-frames', kind: 'h264-bframes-aac', settings: {}, opened: DIRECT_TCP, hasAudio: true },
  { title: 'H.264 alone', kind: 'h264-only', settings: {}, opened: DIRECT_TCP, hasAudio: false },
  {
    title: 'PCMU by direct',
    kind: 'h264-pcmu',
    settings: { engine: 'direct' },
    opened: DIRECT_TCP,
    hasAudio: false,
  },
  {
    title: 'B-frames by ffmpeg',
    kind: 'h264-bframes-aac',
    settings: { engine: 'ffmpeg' },
    opened: { engine: 'ffmpeg', plan: COPY },
    hasAudio: true,
  },
  {
    title: 'H.264 alone by ffmpeg over UDP',
    kind: 'h264-only',
    settings: { engine: 'ffmpeg', transport: 'udp' },
    opened: { engine: 'ffmpeg', plan: { video: 'copy', audio: 'off' } },
    hasAudio: false,
  },
  {
    title: 'PCMU',
    kind: 'h264-pcmu',
    settings: {},
    opened: DIRECT_TCP,
    hasAudio: true,
  },
  {
    title: 'Opus',
    kind: 'h264-opus',
    settings: {},
    opened: DIRECT_TCP,
    hasAudio: true,
  },
  {
    title: 'H.265 and PCMU',
    kind: 'h265-pcmu',
    settings: {},
    opened: { engine: 'ffmpeg', plan: { video: 'encode', audio: 'encode' } },
    hasAudio: true,
  },
  {
    title: 'Motion JPEG and PCMU',
    kind: 'mjpeg-pcmu',
    settings: {},
    opened: { engine: 'ffmpeg', plan: { video: 'encode', audio: 'encode' } },
    hasAudio: true,
  },
];

const FRAMES_PER_SEC = 25;
/** How many cameras run at once: all of them together would be the load that makes them stumble. */
const CASES_AT_ONCE = 4;
const SEGMENTS = 3;
/** Until the camera's first sender report joins the tracks, ffmpeg's timestamps may be off by a few frames. */
const FFMPEG_SETTLES_MS = 1_000;

let gateway: TestGateway;
/** One per case: GStreamer refuses a description while another client sets up tracks of the same stream. */
let cameras: GstCamera[] = [];
/** Of the cases that run now. */
const shares: TestShare[] = [];

beforeAll(async () => {
  cameras = await Promise.all(CASES.map(({ kind }) => startGstCamera(kind)));
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', idleStop: '4s' },
    ffmpeg: { maxWorkers: 2 * CASES_AT_ONCE },
    cameras: CASES.map(({ title, settings }, index) => ({
      name: title,
      rtsp: cameras[index]!.url,
      ...settings,
    })),
  });
});

afterAll(async () => {
  await gateway?.dispose();
  await Promise.all(cameras.map((camera) => camera.stop()));
});

/** The gateway's log lines about a camera with this message. */
function logged(name: string, message: string): Json[] {
  const lines = gateway.child.lines.filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line)).filter((line) => line.name === name && line.msg === message);
}

async function playlistWithSegments(share: TestShare): Promise<TestPlaylist> {
  const url = await openShare(share.m3u8Url);
  return until(
    `${SEGMENTS} segments`,
    async () => {
      const playlist = await fetchPlaylist(url);
      const whole = playlist.segments.filter(
        (segment) => segment.duration > 0 && segment.uri.startsWith('seg_'),
      );
      return whole.length >= SEGMENTS ? playlist : null;
    },
    40_000,
  );
}

/** Presentation times of the frames in milliseconds from the first, in presentation order. */
async function pictureTimesMs(bytes: readonly Buffer[]): Promise<number[]> {
  const packets = await probePackets(bytes, 'v');
  const timesSec = packets.map((packet) => Number(packet.pts_time)).sort((a, b) => a - b);
  return timesSec.map((timeSec) => (timeSec - timesSec[0]!) * 1_000);
}

for (let from = 0; from < CASES.length; from += CASES_AT_ONCE) {
  describe(`a GStreamer camera (from ${from + 1})`, () => {
    // Not in the cases: they share idle connections, which a revocation may reset while another case takes one.
    afterAll(() => Promise.all(shares.splice(0).map((share) => gateway.revoke(share))));
    it.concurrent.each(CASES.slice(from, from + CASES_AT_ONCE))('$title', checkCase);
  });
}

async function checkCase({ title, opened, hasAudio }: Case): Promise<void> {
  const share = await gateway.share(title);
  shares.push(share);
  const playlist = await playlistWithSegments(share);
  const segments = playlist.segments.slice(0, SEGMENTS);
  const bytes = [await fetchOk(new URL(segments[0]!.map.uri, playlist.url).href)];
  for (const { uri } of segments) bytes.push(await fetchOk(new URL(uri, playlist.url).href));

  expect(await decodeErrors(bytes)).toBe('');
  const streams = await probeStreams(bytes);
  expect(streams.map((stream) => stream.codec_name).sort()).toEqual(hasAudio ? ['aac', 'h264'] : ['h264']);
  const video = streams.find((stream) => stream.codec_type === 'video')!;
  expect([video.width, video.height]).toEqual([640, 360]);
  const timesMs = await pictureTimesMs(bytes);
  const durationMs = segments.reduce((sum, segment) => sum + segment.duration * 1_000, 0);
  expect(Math.abs((timesMs.length * 1_000) / FRAMES_PER_SEC - durationMs)).toBeLessThan(100);
  const settledMs = opened.engine === 'ffmpeg' ? FFMPEG_SETTLES_MS : 0;
  for (const [index, timeMs] of timesMs.entries()) {
    if (index === 0 || timeMs < settledMs) continue;
    const intervalMs = timeMs - timesMs[index - 1]!;
    expect(Math.abs(intervalMs - 1_000 / FRAMES_PER_SEC), `before picture ${index}`).toBeLessThan(20);
  }

  expect(logged(title, 'stream opened')).toEqual([expect.objectContaining(opened)]);
  const skipped = logged(title, 'camera tracks skipped');
  expect(skipped.map((line) => line.skipped)).toEqual(
    title === 'PCMU by direct' ? [[expect.objectContaining({ kind: 'audio', encodings: ['pcmu'] })]] : [],
  );
}
