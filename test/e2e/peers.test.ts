/** Third-party cameras, through the whole gateway, judged by third-party decoders. */

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
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
  /** What viewers get. */
  readonly audio: 'aac' | 'flac' | 'opus' | null;
  /** Default: h264. */
  readonly video?: string;
  /** Instead of `rtsp`, or `rtsps` for a camera with a certificate. */
  readonly scheme?: 'rtsp+http' | 'rtsp+https';
  readonly isTls?: boolean;
}

const PEM = resolve(import.meta.dirname, '../../src/sources/direct/fixtures/self-signed.pem');
const PINNED = `sha256:${new X509Certificate(readFileSync(PEM)).fingerprint256}`;
const DIRECT_HTTP = { engine: 'direct', transport: 'http' };
const DIRECT_TCP = { engine: 'direct', transport: 'tcp' };
const COPY = { video: 'copy', audio: 'copy' };

const CASES: readonly Case[] = [
  { title: 'H.264 and AAC', kind: 'h264-aac', settings: {}, opened: DIRECT_TCP, audio: 'aac' },
  {
    title: 'H.264 and AAC over UDP',
    kind: 'h264-aac',
    settings: { transport: 'udp' },
    opened: { engine: 'direct', transport: 'udp' },
    audio: 'aac',
  },
  { title: 'B-frames', kind: 'h264-bframes-aac', settings: {}, opened: DIRECT_TCP, audio: 'aac' },
  { title: 'H.264 alone', kind: 'h264-only', settings: {}, opened: DIRECT_TCP, audio: null },
  {
    title: 'PCMU by direct',
    kind: 'h264-pcmu',
    settings: { engine: 'direct' },
    opened: DIRECT_TCP,
    audio: 'flac',
  },
  {
    title: 'B-frames by ffmpeg',
    kind: 'h264-bframes-aac',
    settings: { engine: 'ffmpeg' },
    opened: { engine: 'ffmpeg', plan: COPY },
    audio: 'aac',
  },
  {
    title: 'H.264 alone by ffmpeg over UDP',
    kind: 'h264-only',
    settings: { engine: 'ffmpeg', transport: 'udp' },
    opened: { engine: 'ffmpeg', plan: { video: 'copy', audio: 'off' } },
    audio: null,
  },
  {
    title: 'PCMU',
    kind: 'h264-pcmu',
    settings: {},
    opened: DIRECT_TCP,
    audio: 'flac',
  },
  {
    title: 'Opus',
    kind: 'h264-opus',
    settings: {},
    opened: DIRECT_TCP,
    audio: 'opus',
  },
  {
    title: 'H.265 and PCMU',
    kind: 'h265-pcmu',
    settings: {},
    opened: DIRECT_TCP,
    audio: 'flac',
    video: 'hevc',
  },
  {
    title: 'H.265 over UDP',
    kind: 'h265-pcmu',
    settings: { transport: 'udp' },
    opened: { engine: 'direct', transport: 'udp' },
    audio: 'flac',
    video: 'hevc',
  },
  {
    title: 'HTTP',
    kind: 'h264-aac',
    settings: { transport: 'http' },
    opened: DIRECT_HTTP,
    audio: 'aac',
  },
  {
    title: 'HTTPS with a pinned certificate',
    kind: 'h264-aac',
    settings: { tls: PINNED },
    opened: DIRECT_HTTP,
    audio: 'aac',
    scheme: 'rtsp+https',
    isTls: true,
  },
  {
    title: 'TLS with a pinned certificate',
    kind: 'h264-aac',
    settings: { tls: PINNED },
    opened: DIRECT_TCP,
    audio: 'aac',
    isTls: true,
  },
  {
    title: 'H.265 and PCMU over HTTP',
    kind: 'h265-pcmu',
    settings: {},
    opened: DIRECT_HTTP,
    audio: 'flac',
    video: 'hevc',
    scheme: 'rtsp+http',
  },
  {
    title: 'Motion JPEG and PCMU',
    kind: 'mjpeg-pcmu',
    settings: {},
    opened: DIRECT_TCP,
    audio: 'flac',
  },
  {
    title: 'Motion JPEG by ffmpeg',
    kind: 'mjpeg-pcmu',
    settings: { engine: 'ffmpeg' },
    opened: { engine: 'ffmpeg', plan: { video: 'encode', audio: 'encode' } },
    audio: 'aac',
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
  cameras = await Promise.all(
    CASES.map(({ kind, isTls = false }) => startGstCamera(kind, undefined, isTls ? PEM : null)),
  );
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', idleStop: '4s' },
    ffmpeg: { maxWorkers: 2 * CASES_AT_ONCE },
    cameras: CASES.map(({ title, settings, scheme }, index) => ({
      name: title,
      rtsp: scheme === undefined ? cameras[index]!.url : cameras[index]!.url.replace(/^rtsps?/, scheme),
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
  return until(`${SEGMENTS} segments`, async () => {
    const playlist = await fetchPlaylist(url);
    const whole = playlist.segments.filter(
      (segment) => segment.duration > 0 && segment.uri.startsWith('seg_'),
    );
    return whole.length >= SEGMENTS ? playlist : null;
  });
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

async function checkCase({ title, opened, audio, video: codec = 'h264' }: Case): Promise<void> {
  const share = await gateway.share(title);
  shares.push(share);
  const playlist = await playlistWithSegments(share);
  const segments = playlist.segments.slice(0, SEGMENTS);
  const bytes = [await fetchOk(new URL(segments[0]!.map.uri, playlist.url).href)];
  for (const { uri } of segments) bytes.push(await fetchOk(new URL(uri, playlist.url).href));

  expect(await decodeErrors(bytes)).toBe('');
  const streams = await probeStreams(bytes);
  expect(streams.map((stream) => stream.codec_name).sort()).toEqual(
    [...(audio === null ? [] : [audio]), codec].sort(),
  );
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
  expect(logged(title, 'camera tracks skipped')).toEqual([]);
}
