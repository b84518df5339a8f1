/** Privacy masks of a running gateway: what viewers of links get of a camera with masks, on every route. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PictureClient } from '../../src/front-door/pictures/picture-client-fixture.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { fetchOk, fetchPlaylist, fetchRuns, openShare } from '../support/hls.ts';
import { freePort } from '../support/ports.ts';
import {
  type Area,
  decodeFrames,
  decodeStill,
  isBlackIn,
  type LumaFrames,
  maskOf,
} from '../support/private-video.ts';
import { workersOf } from '../support/processes.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

/** Covers the middle of the picture. */
const MIDDLE: Area = { left: 2_500, top: 2_500, right: 7_500, bottom: 7_500 };
const CORNER: Area = { left: 0, top: 5_000, right: 2_000, bottom: 10_000 };
function expectMasked(video: LumaFrames, area: Area, least = 1): void {
  expect(video.frames.length).toBeGreaterThanOrEqual(least);
  expect(isBlackIn(video, area)).toBe(true);
}

/** All that a playlist lists. */
async function windowOf(url: string): Promise<LumaFrames> {
  const [run] = await fetchRuns(url);
  return decodeFrames(Buffer.concat(run!.media));
}

/** What ffmpeg reads by RTSP. */
async function readByRtsp(url: string, frames: number): Promise<LumaFrames> {
  const input = ['-nostdin', '-v', 'error', '-rtsp_transport', 'tcp', '-i', url];
  const output = ['-an', '-c', 'copy', '-frames:v', String(frames), '-f', 'h264', '-'];
  const options = { encoding: 'buffer', maxBuffer: 1e9, timeout: 60_000 } as const;
  const { stdout } = await promisify(execFile)('ffmpeg', [...input, ...output], options);
  return decodeFrames(stdout, 'h264');
}

const still = async (url: string): Promise<LumaFrames> => decodeStill(await fetchOk(url));

let camera: SyntheticCamera;
let gateway: TestGateway;

async function setMasks(areas: readonly Area[]): Promise<void> {
  const masks = areas.map(maskOf);
  const cameraUuid = await gateway.cameraUuid('Lobby');
  const answer = await gateway.call('camera/setPrivacyMasks', { cameraUuid, masks });
  if (answer.error) throw new Error(answer.errorMsg);
}

describe.each([
  ['one thread', {}],
  ['threads for viewers and cameras', { threads: { viewers: 1, cameras: 1 } }],
])('with %s, a link of a camera with a mask', (_title, threads) => {
  let share: TestShare;

  beforeAll(async () => {
    camera = await startCamera();
    gateway = await TestGateway.start({
      ...threads,
      hls: { segmentTarget: '1s', partTarget: '200ms', window: '6s', idleStop: '5m' },
      rtsp: { listen: `127.0.0.1:${await freePort()}` },
      cameras: [{ name: 'Lobby', rtsp: camera.url, recording: 'always' }],
    });
    await setMasks([MIDDLE]);
    share = await gateway.share('Lobby', { vodEnabled: true });
  });
  afterAll(async () => {
    await gateway?.dispose();
    await camera?.close();
  });

  it('plays live video whose mask is black in every frame, from the first one on', async () => {
    const playlist = await openShare(share.m3u8Url);
    await until('three segments', async () => (await fetchRuns(playlist))[0]!.segments.length > 2);
    expectMasked(await windowOf(playlist), MIDDLE, 25);
  });

  it('has masked stills', async () => {
    expectMasked(await still(share.m3u8Url.replace('file.m3u8', 'poster.jpg')), MIDDLE);
  });

  it('has them over WebSocket', async () => {
    const folder = new URL('.', await openShare(share.m3u8Url)).href;
    const client = await PictureClient.open(`${folder}ws`);
    await until('frames', () => client.frames.length >= 30);
    client.leave();
    expectMasked(decodeFrames(Buffer.concat(client.frames.map(({ bytes }) => bytes)), 'h264'), MIDDLE, 30);
  });

  it('has them by RTSP', async () => {
    expectMasked(await readByRtsp(share.rtspUrl!, 30), MIDDLE, 28);
  });

  it('has them at paths that a cache can keep', async () => {
    const shared = await gateway.share('Lobby', { cdn: true });
    const playlist = await openShare(shared.m3u8Url);
    const { text } = await fetchPlaylist(playlist);
    expect(text).toMatch(/\/cdn\//);
    expect(text).not.toContain(share.cameraUuid);
    expectMasked(await windowOf(playlist), MIDDLE, 25);
  });

  it('sends nothing without masks after its worker was killed', async () => {
    const folder = new URL('.', await openShare(share.m3u8Url)).href;
    const client = await PictureClient.open(`${folder}ws`);
    await until('frames', () => client.frames.length >= 10);
    const [pid] = workersOf(gateway.child.process.pid!);
    process.kill(pid!, 'SIGKILL');
    await until('the end', () => client.end !== null);
    const statuses = new Set<number>();
    const { url } = await until('another worker', async () => {
      const response = await fetch(`${folder}file.m3u8`);
      statuses.add(response.status);
      const [next] = workersOf(gateway.child.process.pid!);
      return response.status === 200 && next !== undefined && next !== pid ? response : null;
    });
    await until('new video', async () => (await fetchRuns(url)).length > 1);
    for (const { media } of await fetchRuns(url)) expectMasked(decodeFrames(Buffer.concat(media)), MIDDLE);
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expectMasked(decodeFrames(Buffer.concat(client.frames.map(({ bytes }) => bytes)), 'h264'), MIDDLE, 10);
  });

  it('is cut off by other masks, and shows those', async () => {
    const folder = new URL('.', await openShare(share.m3u8Url)).href;
    const client = await PictureClient.open(`${folder}ws`);
    await until('frames', () => client.frames.length >= 10);
    await setMasks([CORNER]);
    await client.ended;
    expect(client.end).toBe('1008 grant-expired');
    const playlist = await until('the new masks', () => openShare(share.m3u8Url).catch(() => null));
    await until('segments', async () => (await fetchRuns(playlist))[0]!.segments.length > 1);
    const window = await windowOf(playlist);
    expectMasked(window, CORNER, 10);
    expect(isBlackIn(window, MIDDLE)).toBe(false);
    expectMasked(await still(share.m3u8Url.replace('file.m3u8', 'poster.jpg')), CORNER);
    await setMasks([MIDDLE]);
  });

  it('shows the whole picture if it says so', async () => {
    const open = await gateway.share('Lobby', { showsUnmasked: true });
    const playlist = await openShare(open.m3u8Url);
    await until('a segment', async () => (await fetchRuns(playlist))[0]!.segments.length > 0);
    expect(isBlackIn(await windowOf(playlist), MIDDLE)).toBe(false);
  });
});
