/**
 * Recorded H.265 for players that decode H.264 alone: the same numbers, times, and pictures, made by jailed workers when someone looks.
 * Judged by ffmpeg and by the frame numbers in the picture.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Clip } from '../../src/synthetic-camera/clip.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { decodedFrameNumbers, expectNumbersInTime } from '../support/frame-numbers.ts';
import { TestGateway } from '../support/gateway.ts';
import { fetchOk, fetchPlaylist, fetchRuns, openShare, type TestSegment } from '../support/hls.ts';
import { interleavedHabits } from '../support/interleaved-camera.ts';
import { decodeErrors, probePackets, probeStreams } from '../support/media-check.ts';
import { BY_KEY, rangeOf, recordMore, type TestRange } from '../support/recorded-past.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';

const FRAME_MS = 1_000 / FRAMES_PER_SEC;
const PICTURE = { widthPx: 320, heightPx: 180 };
/** ffmpeg conceals less than it could. */
const STRICT = ['-err_detect', 'explode'];

let lobby: SyntheticCamera;
/** Sends its pictures in another order than that of decoding. */
let stairs: SyntheticCamera;
let hall: SyntheticCamera;
let clip: Clip;
let gateway: TestGateway;
let range: TestRange;

beforeAll(async () => {
  clip = await makeClip(PICTURE.widthPx, PICTURE.heightPx, { codec: 'h265', durationSec: 16 });
  [lobby, stairs, hall] = await Promise.all([
    startCamera(0, { clip, isPcmu: true }),
    startCamera(0, { clip, habits: interleavedHabits() }),
    startCamera(0, { clip: await makeClip(PICTURE.widthPx, PICTURE.heightPx) }),
  ]);
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
    recording: { fileSize: '4MiB', minFree: '16MiB' },
    cameras: [
      { name: 'Lobby', rtsp: lobby.url, recording: 'always' },
      { name: 'Stairs', rtsp: stairs.url, recording: 'always' },
      { name: 'Hall', rtsp: hall.url, recording: 'always' },
    ],
  });
  await recordMore(gateway, 6);
  range = rangeOf(Date.now() - 6_000, Date.now() - 1_000);
});

afterAll(async () => {
  await gateway?.dispose();
  await Promise.all([lobby, stairs, hall].map((camera) => camera?.close()));
});

/** The folder of the range, as the camera's own URI leads to it. */
async function folderOf(name: string): Promise<string> {
  const cameraUuid = await gateway.cameraUuid(name);
  const { wanVodM3u8UriTemplate } = await gateway.call('camera/getMediaUris', { cameraUuid });
  const uri = (wanVodM3u8UriTemplate as string)
    .replace('{START_TIME}', `${range.startSec}`)
    .replace('{DURATION}', `${range.durationSec}`);
  const text = await (await fetch(uri, { headers: BY_KEY })).text();
  const variant = text.split('\n').find((line) => line !== '' && !line.startsWith('#'))!;
  return new URL('.', new URL(variant, uri)).href;
}

describe.each([
  ['Lobby', () => lobby],
  ['Stairs', () => stairs],
] as const)('the H.265 recording of %s', (name, camera) => {
  it('shows as H.264 in every frame the number that its wall time says', async () => {
    const folder = await folderOf(name);
    const recorded = await fetchPlaylist(`${folder}file.m3u8`);
    const [run, ...others] = await fetchRuns(`${folder}h264/file.m3u8`);
    expect(others).toEqual([]);
    const { segments, media } = run!;
    const facts = (of: readonly TestSegment[]) => of.map(({ uri, duration }) => [uri, duration]);
    expect(facts(segments)).toEqual(facts(recorded.segments));
    expect(await decodeErrors(media, STRICT)).toBe('');
    const streams = await probeStreams(media);
    expect(streams.find(({ codec_type }) => codec_type === 'video')).toMatchObject({
      codec_name: 'h264',
      codec_tag_string: 'avc1',
      width: PICTURE.widthPx,
      height: PICTURE.heightPx,
    });
    const numbers = await decodedFrameNumbers(media, PICTURE);
    expect(numbers.length).toBeGreaterThan(3 * FRAMES_PER_SEC);
    const startMs = segments[0]!.programDateTime!;
    expectNumbersInTime(
      numbers.map((number, index) => ({ number, wallMs: startMs + index * FRAME_MS })),
      { startEpochMs: camera().startEpochMs, clipFrames: clip.pictures.length, fps: FRAMES_PER_SEC },
    );
  });

  it('has the times of the recording, frame by frame', async () => {
    const folder = await folderOf(name);
    const times = async (path: string, selector: 'v' | 'a') => {
      const [run] = await fetchRuns(`${folder}${path}`);
      const packets = await probePackets(run!.media, selector);
      return packets.map(({ pts_time }) => Number(pts_time)).sort((a, b) => a - b);
    };
    expect(await times('h264/file.m3u8', 'v')).toEqual(await times('file.m3u8', 'v'));
    expect(await times('h264/file.m3u8', 'a')).toEqual(await times('file.m3u8', 'a'));
  });
});

it('the playlist of the range takes video=h264 in its query', async () => {
  const folder = await folderOf('Lobby');
  const { segments } = await fetchPlaylist(`${folder}file.m3u8?video=h264`);
  expect(segments[0]!.map.uri).toBe('h264/seg_init.mp4');
  expect(segments.map(({ uri }) => uri)).toEqual(segments.map((_, index) => `h264/seg_${index + 1}.m4v`));
  const refused = await fetch(`${folder}file.m3u8?video=vp9`);
  expect([refused.status, await refused.text()]).toEqual([
    400,
    expect.stringContaining('video must be h264'),
  ]);
});

it('the URI of a device lists the variants that its query names, and both only if it says so', async () => {
  const cameraUuid = await gateway.cameraUuid('Lobby');
  const uris = await gateway.call('camera/getMediaUris', { cameraUuid });
  const uri = (uris.wanVodM3u8UriTemplate as string)
    .replace('{START_TIME}', `${range.startSec}`)
    .replace('{DURATION}', `${range.durationSec}`);
  const codecsOf = async (query: string) => {
    const text = await (await fetch(`${uri}${query}`, { headers: BY_KEY })).text();
    return [...text.matchAll(/^#EXT-X-STREAM-INF:.*CODECS="(....)/gm)].map(([, codec]) => codec);
  };
  expect(await codecsOf('')).toEqual(['hvc1']);
  expect(await codecsOf('?video=h264')).toEqual(['avc1']);
  expect(await codecsOf('?video=all')).toEqual(['hvc1', 'avc1']);
});

it('a manifest has both, or H.264 alone if the query says so, and names a profile that decodes it', async () => {
  const folder = await folderOf('Lobby');
  const codecsOf = (manifest: string) =>
    [...manifest.matchAll(/<Representation id="(?:video|h264)" codecs="([^"]+)"/g)].map(
      ([, codec]) => codec!,
    );
  const both = codecsOf((await fetchOk(`${folder}file.mpd`)).toString());
  expect(both.map((codec) => codec.slice(0, 4))).toEqual(['hvc1', 'avc1']);
  const manifest = (await fetchOk(`${folder}file.mpd?video=h264`)).toString();
  expect(codecsOf(manifest)).toEqual([both[1]]);
  const init = await fetchOk(`${folder}h264/video/seg_init.mp4`);
  const avcC = init.subarray(init.indexOf('avcC') + 4);
  // Main profile, or Baseline that decoders of Main decode (constraint_set1_flag).
  const [, profile, constraints, level] = avcC;
  expect(both[1]).toBe(`avc1.4d40${level!.toString(16)}`);
  expect(profile === 0x4d || (profile === 0x42 && (constraints! & 0x40) !== 0)).toBe(true);
  const [audio] = await probeStreams([
    await fetchOk(`${folder}audio/seg_init.mp4`),
    await fetchOk(`${folder}audio/seg_1.m4a`),
  ]);
  expect(audio).toMatchObject({ codec_type: 'audio' });
});

it('viewers without audio get H.264 without it', async () => {
  const { m3u8Url } = await gateway.share('Lobby', {
    vodEnabled: true,
    vodPastSecs: 600,
    includeAudio: false,
  });
  const live = await openShare(m3u8Url);
  const url = new URL(`vod/${range.startSec}/${range.durationSec}/h264/file.m3u8`, live).href;
  const [run] = await fetchRuns(url);
  const streams = await probeStreams(run!.media);
  expect(streams.map(({ codec_name }) => codec_name)).toEqual(['h264']);
});

it('an H.264 recording is the same in both folders, byte by byte', async () => {
  const folder = await folderOf('Hall');
  for (const name of ['seg_init.mp4', 'seg_1.m4v']) {
    expect(await fetchOk(`${folder}h264/${name}`)).toEqual(await fetchOk(`${folder}${name}`));
  }
});
