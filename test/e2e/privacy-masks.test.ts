/** Privacy masks of a running gateway: what viewers of links get of a camera with masks, on every route. */

import { spawnSync } from 'node:child_process';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { fetchOk, fetchRuns, openShare } from '../support/hls.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

/** Covers the middle of the picture. */
const MIDDLE = { left: 2_500, top: 2_500, right: 7_500, bottom: 7_500 };
/** Video black in limited range, and what encoding adds to it. */
const BLACK_LUMA = 16;
const NOISE = 6;

interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface Decoded {
  readonly frames: readonly Buffer[];
  readonly widthPx: number;
  readonly heightPx: number;
}

const pointsOf = ({ left, top, right, bottom }: Area) => [
  { x: left, y: top },
  { x: right, y: top },
  { x: right, y: bottom },
  { x: left, y: bottom },
];

/** Every frame of a file, as luma. */
function decode(file: Buffer): Decoded {
  const probe = spawnSync(
    'ffprobe',
    [
      '-v',
      'error',
      '-select_streams',
      'v',
      '-show_entries',
      'stream=width,height',
      '-of',
      'csv=p=0',
      'pipe:0',
    ],
    { input: file },
  );
  const [widthPx, heightPx] = probe.stdout.toString().trim().split(',').map(Number) as [number, number];
  const { stdout, stderr } = spawnSync(
    'ffmpeg',
    [
      '-v',
      'error',
      '-i',
      'pipe:0',
      '-map',
      '0:v',
      '-vsync',
      'passthrough',
      '-f',
      'rawvideo',
      '-pix_fmt',
      'gray',
      '-',
    ],
    { input: file, maxBuffer: 1e9 },
  );
  expect(stderr.toString()).toBe('');
  const frameBytes = widthPx * heightPx;
  const frames = Array.from({ length: Math.floor(stdout.length / frameBytes) }, (_, at) =>
    stdout.subarray(at * frameBytes, (at + 1) * frameBytes),
  );
  return { frames, widthPx, heightPx };
}

/** The brightest pixel of an area of a frame. */
function brightest(
  frame: Buffer,
  { widthPx, heightPx }: Pick<Decoded, 'widthPx' | 'heightPx'>,
  area: Area,
): number {
  const at = (share: number, px: number): number => Math.floor((share * px) / 10_000);
  let most = 0;
  for (let y = at(area.top, heightPx); y < at(area.bottom, heightPx); y++) {
    for (let x = at(area.left, widthPx); x < at(area.right, widthPx); x++) {
      most = Math.max(most, frame[y * widthPx + x]!);
    }
  }
  return most;
}

/** In limited range, black is 16; ffmpeg's gray is full range. */
function expectMasked(decoded: Decoded, area: Area, least = 1): void {
  expect(decoded.frames.length).toBeGreaterThanOrEqual(least);
  const whole = { left: 0, top: 0, right: 10_000, bottom: 10_000 };
  for (const frame of decoded.frames) {
    expect(brightest(frame, decoded, area)).toBeLessThanOrEqual(BLACK_LUMA + NOISE);
    expect(brightest(frame, decoded, whole)).toBeGreaterThan(100);
  }
}

function isMasked(decoded: Decoded, area: Area): boolean {
  return decoded.frames.every((frame) => brightest(frame, decoded, area) <= BLACK_LUMA + NOISE);
}

/** All that a playlist lists. */
async function windowOf(url: string): Promise<Decoded> {
  const [run] = await fetchRuns(url);
  return decode(Buffer.concat(run!.media));
}

async function still(url: string): Promise<Decoded> {
  const { data, info } = await sharp(await fetchOk(url))
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const luma = Buffer.from(data.filter((_, at) => at % info.channels === 0));
  return { frames: [luma], widthPx: info.width, heightPx: info.height };
}

let camera: SyntheticCamera;
let gateway: TestGateway;

async function setMasks(areas: readonly Area[]): Promise<void> {
  const masks = areas.map((area) => ({ name: '', points: pointsOf(area) }));
  const cameraUuid = await gateway.cameraUuid('Lobby');
  const answer = await gateway.call('camera/setPrivacyMasks', { cameraUuid, masks });
  if (answer.error) throw new Error(answer.errorMsg);
}

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', window: '6s', idleStop: '5m' },
    cameras: [{ name: 'Lobby', rtsp: camera.url, recording: 'always' }],
  });
});
afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

describe('a link of a camera with a mask', () => {
  let share: TestShare;

  beforeAll(async () => {
    await setMasks([MIDDLE]);
    share = await gateway.share('Lobby', { vodEnabled: true });
  });

  it('plays live video whose mask is black in every frame, from the first one on', async () => {
    const playlist = await openShare(share.m3u8Url);
    await until('three segments', async () => (await fetchRuns(playlist))[0]!.segments.length > 2);
    expectMasked(await windowOf(playlist), MIDDLE, 25);
  });

  it('has masked stills', async () => {
    expectMasked(await still(share.m3u8Url.replace('file.m3u8', 'poster.jpg')), MIDDLE);
  });

  it('shows the whole picture if it says so', async () => {
    const open = await gateway.share('Lobby', { showsUnmasked: true });
    const playlist = await openShare(open.m3u8Url);
    await until('a segment', async () => (await fetchRuns(playlist))[0]!.segments.length > 0);
    expect(isMasked(await windowOf(playlist), MIDDLE)).toBe(false);
  });
});
