/**
 * Thumbnails and single frames of an encrypted recording, as programs get them: ffmpeg and ffprobe judge each JPEG and each fragment, before and
 * after a restart of the gateway, and with masks there are none.
 */

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readFrameNumberStrip } from '../../src/synthetic-camera/frame-number-strip.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { fetchOk, openShare } from '../support/hls.ts';
import { maskOf } from '../support/private-video.ts';
import { recordMore, sessionQuery } from '../support/recorded-past.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';

const run = promisify(execFile);
const [TILE_WIDTH_PX, TILE_HEIGHT_PX, COLUMNS] = [256, 144, 5];
const RECORDED_SEC = 32;

let camera: SyntheticCamera;
let gateway: TestGateway;
let share: TestShare;
let startSec: number;
let durationSec: number;

beforeAll(async () => {
  camera = await startCamera(0, {
    clip: await makeClip(640, 360, { durationSec: 64, bitrateBitsPerSec: 2_000_000, codec: 'h265' }),
  });
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
    recording: { minFree: '16MiB', encrypt: true },
    cameras: [{ name: 'Dock', rtsp: camera.url, recording: 'always' }],
  });
  share = await gateway.share('Dock', { vodEnabled: true, vodPastSecs: 3_600 });
  await recordMore(gateway, 2);
  startSec = Math.ceil(Date.now() / 1_000);
  await recordMore(gateway, RECORDED_SEC);
  durationSec = Math.floor(Date.now() / 1_000) - 2 - startSec;
}, 240_000);

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

const folder = async (): Promise<string> =>
  new URL(`vod/${startSec}/${durationSec}/`, await openShare(share.m3u8Url)).href;

/** The frame numbers that the places of the first sheet show; null: it is gray. */
async function numbers(): Promise<(number | null)[]> {
  const base = await folder();
  const playlist = (await fetchOk(`${base}thumbnails.m3u8`)).toString();
  const [name] = /^thumbnails\/.*$/m.exec(playlist)!;
  const { data, info } = await sharp(await fetchOk(base + name))
    .grayscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  expect([info.width, info.height, info.channels]).toEqual([1_280, 864, 1]);
  return Array.from({ length: 3 }, (_, place) => {
    const left = (place % COLUMNS) * TILE_WIDTH_PX;
    const at = (x: number, y: number) =>
      data[Math.floor(y * TILE_HEIGHT_PX) * info.width + left + Math.floor(x * TILE_WIDTH_PX)]!;
    return readFrameNumberStrip(at);
  });
}

it('lists fragments of one key frame, which ffmpeg decodes one by one and all in a row', async () => {
  const base = await folder();
  const playlist = (await fetchOk(`${base}key-frames.m3u8`)).toString();
  const names = playlist.match(/^key-frames\/seg_\d+\.mp4$/gm)!;
  expect(names.length).toBeGreaterThan(RECORDED_SEC / 2);
  const input = ['-v', 'error', '-f', 'hls', '-allowed_extensions', 'ALL', '-i', `${base}key-frames.m3u8`];
  const shown = ['-select_streams', 'v', '-show_entries', 'frame=pict_type,key_frame', '-of', 'csv=p=0'];
  const { stdout, stderr } = await run('ffprobe', [...input, ...shown]);
  expect(stderr).toBe('');
  const frames = stdout.split('\n').filter((line) => line !== '');
  expect(frames).toHaveLength(names.length);
  expect(new Set(frames.map((frame) => frame.replace(/,$/, '')))).toEqual(new Set(['1,I']));
  const segment = await fetchOk(base + names[3]!);
  const whole = await fetchOk(`${base}seg_4.m4v`);
  expect(segment.length).toBeLessThan(whole.length / 2);
});

it('plays from lists that name thumbnails, in ffmpeg', async () => {
  const uris = await gateway.call('camera/getMediaUris', { cameraUuid: await gateway.cameraUuid('Dock') });
  const query = await sessionQuery(gateway);
  for (const template of [uris.wanVodM3u8UriTemplate, uris.wanVodMpdUriTemplate] as string[]) {
    const url =
      template.replace('{START_TIME}', `${startSec}`).replace('{DURATION}', `${durationSec}`) + query;
    const text = await (await fetch(url)).text();
    expect(text).toMatch(/EXT-X-IMAGE-STREAM-INF|thumbnail_tile/);
    const decode = ['-v', 'error', '-xerror', '-t', '5', '-i', url, '-map', '0:v:0', '-f', 'null', '-'];
    expect((await run('ffmpeg', decode)).stderr).toBe('');
  }
});

it('shows the same thumbnails before and after a restart, from a file that no one else can read', async () => {
  const before = await numbers();
  for (const number of before) expect(number! % FRAMES_PER_SEC).toBe(0);
  expect(new Set(before).size).toBe(3);
  await gateway.restart();
  expect(await numbers()).toEqual(before);
  const cameraUuid = await gateway.cameraUuid('Dock');
  const thumbnails = join(gateway.folder, 'data', 'recordings', cameraUuid, 'main-thumbnails');
  const [file] = readdirSync(thumbnails);
  const bytes = readFileSync(join(thumbnails, file!));
  expect(bytes.length).toBeGreaterThan(3_000);
  expect(bytes.includes('SLTN')).toBe(false);
});

it('has neither for a link that shows masks', async () => {
  const cameraUuid = await gateway.cameraUuid('Dock');
  const area = { left: 2_500, top: 2_500, right: 7_500, bottom: 7_500 };
  await gateway.call('camera/setPrivacyMasks', { cameraUuid, masks: [maskOf(area)], masksForViewers: false });
  const base = await folder();
  const manifest = (await fetchOk(`${base}file.mpd`)).toString();
  expect(manifest).not.toContain('thumbnail');
  for (const name of [
    'thumbnails.m3u8',
    `thumbnails/${startSec * 1_000}_1.jpg`,
    'key-frames.m3u8',
    'key-frames/seg_1.mp4',
  ])
    expect((await fetch(base + name)).status, name).toBe(404);
});
