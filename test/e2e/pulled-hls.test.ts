/**
 * Cameras over HLS as Apple's tools publish them: audio in a playlist of its own, H.265, variables, several variants. ffmpeg
 * publishes, and what viewers of the gateway get is judged by ffmpeg.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodedFrameNumbers } from '../support/frame-numbers.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { fetchOk, fetchPlaylist, openShare } from '../support/hls.ts';
import { type HlsOrigin, startHlsOrigin } from '../support/hls-origin.ts';
import { decodeErrors, probeStreams } from '../support/media-check.ts';
import { workersOf } from '../support/processes.ts';
import { soundBehindPictureMs } from '../support/sound-sync.ts';
import { makeClip } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const MAX_OFF_MS = 80;
const PICTURE = { widthPx: 320, heightPx: 180 };
const SEGMENTS = 4;
const PATIENCE_MS = 60_000;
const TOKEN = 'secret-of-this-camera';

/** The same media as a small variant, named by a variable that is part of the URL. */
const withVariables = (text: string): string =>
  text
    .replace(
      '#EXTM3U',
      '#EXTM3U\n#EXT-X-DEFINE:QUERYPARAM="token"\n#EXT-X-DEFINE:NAME="video",VALUE="picture"',
    )
    .replace('picture.m3u8', '{$video}.m3u8?token={$token}')
    .replace('URI="sound.m3u8"', 'URI="sound.m3u8?token={$token}"');

let apart: HlsOrigin;
let stalling: HlsOrigin;
let silent: HlsOrigin;
let hevc: HlsOrigin;
let gateway: TestGateway;

beforeAll(async () => {
  const h265 = await makeClip(320, 180, { codec: 'h265', durationSec: 16 });
  [apart, stalling, silent, hevc] = await Promise.all([
    startHlsOrigin('fmp4-apart', { rewrite: withVariables }),
    startHlsOrigin('fmp4-apart'),
    startHlsOrigin('fmp4-apart'),
    startHlsOrigin('fmp4', { clip: h265 }),
  ]);
  silent.break(/sound/, 'stall');
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', idleStop: '5m' },
    cameras: [
      { name: 'Apart', rtsp: `${apart.url}?token=${TOKEN}` },
      { name: 'Stalling', rtsp: stalling.url },
      { name: 'Silent', rtsp: silent.url },
      { name: 'Hevc', rtsp: hevc.url },
    ],
  });
});

afterAll(async () => {
  await gateway?.dispose();
  await Promise.all([apart, stalling, silent, hevc].map((origin) => origin?.close()));
});

function logged(name: string, message: RegExp): Json[] {
  const lines = gateway.child.lines.filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line)).filter((line) => line.name === name && message.test(line.msg));
}

/** The init segment and the newest whole segments, once there are `SEGMENTS` after `afterSec` of the camera's time. */
async function watched(url: string, segmentsBefore = 0): Promise<Buffer[]> {
  const segments = await until(
    'whole segments',
    async () => {
      const { segments: listed } = await fetchPlaylist(url);
      const whole = listed.filter(({ duration, uri }) => duration > 0 && uri.startsWith('seg_'));
      return whole.length >= segmentsBefore + SEGMENTS ? whole.slice(segmentsBefore) : null;
    },
    PATIENCE_MS,
  );
  const bytes = [await fetchOk(new URL(segments[0]!.map.uri, url).href)];
  for (const { uri } of segments) bytes.push(await fetchOk(new URL(uri, url).href));
  return bytes;
}

async function opened(name: string): Promise<string> {
  const { m3u8Url } = await gateway.share(name);
  return until(`${name} playing`, () => openShare(m3u8Url), PATIENCE_MS);
}

async function soundStateOf(name: string): Promise<string> {
  const cameraUuid = await gateway.cameraUuid(name);
  const { fullCameraState } = await gateway.call('camera/getFullCameraState', { cameraUuid });
  return fullCameraState.onCameraState.v0.sound;
}

describe('a camera with audio in a playlist of its own', () => {
  it('is heard in sync without a worker, over variables in its playlists', async () => {
    const media = await watched(await opened('Apart'));
    expect(await decodeErrors(media)).toBe('');
    const behindMs = await soundBehindPictureMs(Buffer.concat(media));
    process.stdout.write(`sound apart behind picture by ${behindMs.map(Math.round).join(', ')} ms\n`);
    expect(behindMs.length).toBeGreaterThanOrEqual(2);
    for (const each of behindMs) expect(Math.abs(each)).toBeLessThan(MAX_OFF_MS);
    expect(await soundStateOf('Apart')).toBe('live');
    expect(logged('Apart', /^stream opened$/)).toEqual([
      expect.objectContaining({
        engine: 'http',
        format: 'hls-fmp4',
        codecs: [expect.stringMatching(/^avc1\./), 'mp4a.40.2'],
      }),
    ]);
    expect(workersOf(gateway.child.process.pid!)).toEqual([]);
    expect(gateway.child.lines.join('\n')).not.toContain(TOKEN);
  });

  it('shows every picture while its audio stalls', async () => {
    const url = await opened('Stalling');
    await until('sound', async () => (await soundStateOf('Stalling')) === 'live', PATIENCE_MS);
    stalling.break(/sound/, 'stall');
    await until('silence', async () => (await soundStateOf('Stalling')) === 'silent', PATIENCE_MS);
    const { segments } = await fetchPlaylist(url);
    const numbers = await decodedFrameNumbers(await watched(url, segments.length - 1), PICTURE);
    // The camera's clip begins again with frame 0.
    const skips = numbers.filter(
      (number, index) => index > 0 && number !== 0 && number !== numbers[index - 1]! + 1,
    );
    expect([numbers.length > SEGMENTS * 20, skips]).toEqual([true, []]);
    expect(logged('Stalling', /^stream opened$/)).toHaveLength(1);
    expect(logged('Stalling', /offline/)).toEqual([]);
  });

  it('is shown without it if its playlist does not come', async () => {
    const media = await watched(await opened('Silent'));
    const streams = await probeStreams(media);
    expect(streams.map(({ codec_type }) => codec_type)).toEqual(['video']);
    expect(await soundStateOf('Silent')).toBe('unsupported');
    expect(logged('Silent', /audio left out/)).toEqual([expect.objectContaining({ code: 'late' })]);
  });
});

describe('a camera with H.265', () => {
  it('is relayed without a worker', async () => {
    const media = await watched(await opened('Hevc'));
    expect(await decodeErrors(media, ['-err_detect', 'explode'])).toBe('');
    const streams = await probeStreams(media);
    expect(streams.map(({ codec_name }) => codec_name).toSorted()).toEqual(['aac', 'hevc']);
    for (const each of await soundBehindPictureMs(Buffer.concat(media))) {
      expect(Math.abs(each)).toBeLessThan(MAX_OFF_MS);
    }
    expect(logged('Hevc', /^stream opened$/)).toEqual([
      expect.objectContaining({
        engine: 'http',
        format: 'hls-fmp4',
        codecs: [expect.stringMatching(/^hvc1\./), 'mp4a.40.2'],
      }),
    ]);
    expect(workersOf(gateway.child.process.pid!)).toEqual([]);
  });
});
