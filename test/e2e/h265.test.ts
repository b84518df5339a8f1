/**
 * Cameras with H.265 and G.711 on the direct engine, through a whole gateway: GStreamer's as a peer with its own idea of
 * RFC 7798, and a synthetic one whose pictures show their numbers. What viewers get is judged by ffmpeg.
 */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PictureClient } from '../../src/front-door/pictures/picture-client-fixture.ts';
import type { Clip } from '../../src/synthetic-camera/clip.ts';
import { readFrameNumberStrip } from '../../src/synthetic-camera/frame-number-strip.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { decodedFrameNumbers, expectNumbersInTime } from '../support/frame-numbers.ts';
import { type Json, TestGateway, type TestShare } from '../support/gateway.ts';
import { type GstCamera, startGstCamera } from '../support/gst-camera.ts';
import { fetchOk, fetchPlaylist, fetchRuns, openShare } from '../support/hls.ts';
import { interleavedHabits } from '../support/interleaved-camera.ts';
import { decodeErrors, probePackets, probeStreams } from '../support/media-check.ts';
import { workersOf } from '../support/processes.ts';
import { BY_KEY, rangeOf, recordMore, type TestRange } from '../support/recorded-past.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const FRAME_MS = 1_000 / FRAMES_PER_SEC;
const PICTURE = { widthPx: 320, heightPx: 180 };
/** ffmpeg conceals less than it could. */
const STRICT = ['-err_detect', 'explode'];
const SEGMENTS = 3;

let peer: GstCamera;
let camera: SyntheticCamera;
/** Sends its pictures in another order than that of decoding. */
let swapping: SyntheticCamera;
let clip: Clip;
let gateway: TestGateway;
let lobbyUuid: string;
let range: TestRange;

beforeAll(async () => {
  clip = await makeClip(PICTURE.widthPx, PICTURE.heightPx, { codec: 'h265', durationSec: 16 });
  [peer, camera, swapping] = await Promise.all([
    startGstCamera('h265-pcmu'),
    startCamera(0, { clip, isPcmu: true }),
    startCamera(0, { clip, habits: interleavedHabits() }),
  ]);
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
    recording: { fileSize: '4MiB', minFree: '16MiB' },
    cameras: [
      { name: 'Dock', rtsp: peer.url },
      { name: 'Lobby', rtsp: camera.url, recording: 'always' },
      { name: 'Stairs', rtsp: swapping.url },
    ],
  });
  lobbyUuid = await gateway.cameraUuid('Lobby');
  await recordMore(gateway, 6);
  // Six segments are six seconds or more, however long the camera took to begin.
  range = rangeOf(Date.now() - 6_000, Date.now() - 1_000);
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
  await swapping?.close();
  await peer?.stop();
});

async function multivariant(share: TestShare): Promise<string> {
  return (await fetchOk(share.m3u8Url)).toString();
}

/** The init segment and the first whole segments. */
async function segmentsOf(share: TestShare): Promise<Buffer[]> {
  const url = await openShare(share.m3u8Url);
  const segments = await until(`${SEGMENTS} segments`, async () => {
    const playlist = await fetchPlaylist(url);
    const whole = playlist.segments.filter(({ duration, uri }) => duration > 0 && uri.startsWith('seg_'));
    return whole.length >= SEGMENTS ? whole.slice(0, SEGMENTS) : null;
  });
  const bytes = [await fetchOk(new URL(segments[0]!.map.uri, url).href)];
  for (const { uri } of segments) bytes.push(await fetchOk(new URL(uri, url).href));
  return bytes;
}

function opened(name: string): Json[] {
  const lines = gateway.child.lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  return lines.filter((line) => line.name === name && line.msg === 'stream opened');
}

describe('ffmpeg with a bare URL, which opens every variant that it is shown,', () => {
  it('plays H.265 and starts no transcoder', async () => {
    const share = await gateway.share('Lobby');
    const text = await multivariant(share);
    expect(text.match(/^[^#].*$/gm)).toHaveLength(1);
    expect(text).not.toContain('avc1');
    await until('Lobby playing', () => openShare(share.m3u8Url));
    const { stdout, stderr } = await promisify(execFile)('ffmpeg', [
      ...['-v', 'error', '-nostdin', '-allowed_extensions', 'ALL', '-i', share.m3u8Url],
      ...['-map', '0:v', '-frames:v', '75', '-f', 'framecrc', '-'],
    ]);
    expect([stderr, stdout.split('\n').filter((line) => line.startsWith('0,')).length]).toEqual(['', 75]);
    expect(workersOf(gateway.child.process.pid!)).toEqual([]);
  });
});

describe('live', () => {
  it.each([
    ['Dock', 640, 360],
    ['Lobby', PICTURE.widthPx, PICTURE.heightPx],
    ['Stairs', PICTURE.widthPx, PICTURE.heightPx],
  ])('HLS of %s decodes without an error', async (name, width, height) => {
    const share = await gateway.share(name);
    const media = await segmentsOf(share);
    expect(await decodeErrors(media, STRICT)).toBe('');
    const streams = await probeStreams(media);
    expect(streams.find(({ codec_type }) => codec_type === 'video')).toMatchObject({
      codec_name: 'hevc',
      codec_tag_string: 'hvc1',
      width,
      height,
      profile: 'Main',
    });
    const times = (await probePackets(media, 'v')).map(({ pts_time }) => Number(pts_time));
    for (const [index, sec] of times.entries()) {
      if (index > 0) expect((sec - times[index - 1]!) * 1_000).toBeCloseTo(FRAME_MS, -1);
    }
    const text = await multivariant(share);
    expect(text).toMatch(/CODECS="hvc1\.1\.6\.L\d+\.90[,"]/);
    expect(text).toContain(`RESOLUTION=${width}x${height}`);
    expect(text).toContain('FRAME-RATE=25.000');
    expect(opened(name)).toMatchObject([{ engine: 'direct', transport: 'tcp' }]);
  });

  it('DASH decodes without an error', async () => {
    const share = await gateway.share('Lobby');
    const url = new URL('file.mpd', await openShare(share.m3u8Url));
    const manifest = (await fetchOk(url.href)).toString();
    expect(manifest).toMatch(/codecs="hvc1\.1\.6\.L\d+\.90"/);
    const number = Number(/startNumber="(\d+)" initialization="video\/seg_init.mp4"/.exec(manifest)![1]);
    const names = ['seg_init.mp4', `seg_${number}.m4v`, `seg_${number + 1}.m4v`];
    const media: Buffer[] = [];
    for (const name of names) media.push(await fetchOk(new URL(`video/${name}`, url).href));
    expect(await decodeErrors(media, STRICT)).toBe('');
    expect(await probeStreams(media)).toMatchObject([{ codec_name: 'hevc' }]);
  });

  it('access units over WebSocket begin with the VPS, and decode', async () => {
    const folder = new URL('.', await openShare((await gateway.share('Lobby')).m3u8Url)).href;
    const client = await PictureClient.open(`${folder}ws`);
    await until('two seconds', () => client.frames.length >= 2 * FRAMES_PER_SEC);
    client.leave();
    const { frames } = client;
    expect(frames[0]!.isKey).toBe(true);
    for (const { bytes, isKey } of frames) expect(bytes[4]! >> 1 === 32).toBe(isKey);
    expect(
      await decodeErrors(
        frames.map(({ bytes }) => bytes),
        STRICT,
      ),
    ).toBe('');
  });

  it('a still image shows the number of its frame', async () => {
    const share = await gateway.share('Lobby');
    const response = await fetch(share.m3u8Url.replace('file.m3u8', 'poster.jpg'));
    expect(response.status).toBe(200);
    const takenAtMs = Number(response.headers.get('x-picture-time-ms'));
    const image = Buffer.from(await response.arrayBuffer());
    const { data, info } = await sharp(image).greyscale().raw().toBuffer({ resolveWithObject: true });
    expect(info).toMatchObject({ width: PICTURE.widthPx, height: PICTURE.heightPx });
    const at = (x: number, y: number) =>
      data[(Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels]!;
    const frame = { number: readFrameNumberStrip(at), wallMs: takenAtMs };
    expectNumbersInTime([frame], times());
  });
});

function times() {
  return { startEpochMs: camera.startEpochMs, clipFrames: clip.pictures.length, fps: FRAMES_PER_SEC };
}

describe('recorded', () => {
  it('a range shows in every frame the number that its wall time says', async () => {
    const uris = await gateway.call('camera/getMediaUris', { cameraUuid: lobbyUuid });
    const uri = (uris.wanVodM3u8UriTemplate as string)
      .replace('{START_TIME}', `${range.startSec}`)
      .replace('{DURATION}', `${range.durationSec}`);
    const text = await (await fetch(uri, { headers: BY_KEY })).text();
    expect(text).toMatch(/CODECS="hvc1\.1\.6\.L\d+\.90[,"]/);
    const variant = text.split('\n').find((line) => line !== '' && !line.startsWith('#'));
    const runs = await fetchRuns(new URL(variant!, uri).href);
    expect(runs).toHaveLength(1);
    const [{ segments, media }] = runs as [(typeof runs)[0]];
    expect(await decodeErrors(media, STRICT)).toBe('');
    const numbers = await decodedFrameNumbers(media, PICTURE);
    expect(numbers.length).toBeGreaterThan(3 * FRAMES_PER_SEC);
    const startMs = segments[0]!.programDateTime!;
    expectNumbersInTime(
      numbers.map((number, index) => ({ number, wallMs: startMs + index * FRAME_MS })),
      times(),
    );
  });

  it('a clip is a file that decodes', async () => {
    const { clipUuid } = await gateway.call('video/spliceV3', {
      deviceUuids: [lobbyUuid],
      startTimeMillis: (range.startSec + 1) * 1_000,
      durationSec: 3,
      saveToConsole: true,
    });
    const { clipLocation } = await until('the clip', async () => {
      const { clip: made } = await gateway.call('event/getClipWithProgress', { clipUuid });
      expect(made.status).not.toBe('FAILED');
      return made.status === 'COMPLETE' ? made : null;
    });
    const url = `${gateway.mediaUrl}/media/metadata/${clipLocation.region}/${clipUuid}.mp4`;
    const file = Buffer.from(await (await fetch(url, { headers: BY_KEY })).arrayBuffer());
    expect(await decodeErrors([file], STRICT)).toBe('');
    const streams = await probeStreams([file]);
    expect(streams[0]).toMatchObject({ codec_name: 'hevc', width: PICTURE.widthPx });
    expect((await decodedFrameNumbers([file], PICTURE)).every((number) => number !== null)).toBe(true);
  });

  it('an instant of the past is an image', async () => {
    const timestampMs = (range.startSec + 2) * 1_000 + 500;
    const requested = { cameraUuid: lobbyUuid, downscaleFactor: 1, jpgQuality: 80, timestampMs };
    const { frameUri } = await gateway.call('video/getExactFrameUri', requested);
    const image = Buffer.from(await (await fetch(frameUri, { headers: BY_KEY })).arrayBuffer());
    expect(await sharp(image).metadata()).toMatchObject({ format: 'jpeg', width: PICTURE.widthPx });
  });
});
