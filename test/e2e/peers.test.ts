/** Cameras nobody here wrote, through the whole gateway, judged by decoders nobody here wrote. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestGateway } from '../support/gateway.ts';
import { type GstCamera, type GstCameraKind, startGstCamera } from '../support/gst-camera.ts';
import { fetchOk, fetchPlaylist, openShare, type TestPlaylist } from '../support/hls.ts';
import { decodeErrors, probeStreams } from '../support/media-check.ts';
import { until } from '../support/until.ts';

interface Case {
  readonly kind: GstCameraKind;
  readonly settings?: Record<string, string>;
  readonly codecs: readonly string[];
}

const CASES: readonly Case[] = [
  { kind: 'h264-aac', codecs: ['h264', 'aac'] },
  { kind: 'h264-aac', settings: { transport: 'udp' }, codecs: ['h264', 'aac'] },
  { kind: 'h264-bframes-aac', codecs: ['h264', 'aac'] },
  { kind: 'h264-only', codecs: ['h264'] },
  { kind: 'h264-aac', settings: { engine: 'ffmpeg' }, codecs: ['h264', 'aac'] },
  { kind: 'h264-pcmu', codecs: ['h264', 'aac'] },
  { kind: 'h265-pcmu', codecs: ['h264', 'aac'] },
  { kind: 'mjpeg-pcmu', codecs: ['h264', 'aac'] },
];

const titleOf = ({ kind, settings }: Case) => [kind, ...Object.values(settings ?? {})].join(' ');

let gateway: TestGateway;
const cameras: GstCamera[] = [];

beforeAll(async () => {
  for (const { kind } of CASES) cameras.push(await startGstCamera(kind));
  gateway = await TestGateway.start({
    ffmpeg: { maxWorkers: 4 },
    cameras: CASES.map((each, index) => ({
      name: titleOf(each),
      rtsp: cameras[index]!.url,
      ...each.settings,
    })),
  });
});

afterAll(async () => {
  await gateway?.dispose();
  await Promise.all(cameras.map((camera) => camera.stop()));
});

/** A playlist with `count` whole segments. */
function playlistWith(url: string, count: number): Promise<TestPlaylist> {
  return until(
    `${count} segments`,
    async () => {
      const playlist = await fetchPlaylist(url);
      const whole = playlist.segments.filter(
        (segment) => segment.duration > 0 && segment.uri.startsWith('seg_'),
      );
      return whole.length >= count ? playlist : null;
    },
    40_000,
  );
}

describe.each(CASES)('$kind $settings', (each) => {
  it('plays without a decoding error', async () => {
    const share = await gateway.share(titleOf(each));
    const mediaUrl = await openShare(share.m3u8Url);
    const playlist = await playlistWith(mediaUrl, 3);
    const names = playlist.segments.slice(0, 3);
    const bytes = [await fetchOk(new URL(names[0]!.map.uri, mediaUrl).href)];
    for (const segment of names) bytes.push(await fetchOk(new URL(segment.uri, mediaUrl).href));
    expect(await decodeErrors(bytes)).toBe('');
    const streams = await probeStreams(bytes);
    expect(streams.map((stream) => stream.codec_name).sort()).toEqual([...each.codecs].sort());
    const video = streams.find((stream) => stream.codec_type === 'video')!;
    expect([video.width, video.height]).toEqual([640, 360]);
    const seconds = names.reduce((sum, segment) => sum + segment.duration, 0);
    const packets = Number(video.nb_read_packets);
    expect(packets).toBeGreaterThan(seconds * 25 * 0.9);
    expect(packets).toBeLessThan(seconds * 25 * 1.1);
    await gateway.revoke(share);
  });
});
