/**
 * The recorded past of cameras with masks, as viewers of links get it: every frame of every route is decoded, and has the masks that are in
 * force now, whatever was in force when it was recorded.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { fetchOk, fetchRuns, openShare } from '../support/hls.ts';
import { probeStreams } from '../support/media-check.ts';
import { type Area, decodeFrames, decodeStill, isBlackIn, maskOf } from '../support/private-video.ts';
import { BY_KEY, rangeOf, recordMore, type TestRange } from '../support/recorded-past.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const MIDDLE: Area = { left: 2_500, top: 2_500, right: 7_500, bottom: 7_500 };
const CORNER: Area = { left: 0, top: 5_000, right: 2_000, bottom: 10_000 };
/** Of 3 s at 25 frames per second, and of the whole segments around it. */
const LEAST_FRAMES = 60;

let cameras: SyntheticCamera[];
let sub: SyntheticCamera;
let gateway: TestGateway;
let range: TestRange;

async function setMasks(name: string, areas: readonly Area[], masksForViewers = false): Promise<void> {
  const cameraUuid = await gateway.cameraUuid(name);
  await gateway.call('camera/setPrivacyMasks', { cameraUuid, masks: areas.map(maskOf), masksForViewers });
}

const pastShare = (name: string, fields: object = {}): Promise<TestShare> =>
  gateway.share(name, { vodEnabled: true, vodPastSecs: 3_600, ...fields });

/** The folder of the range, for a new viewer. */
async function folderOf({ m3u8Url }: TestShare): Promise<string> {
  return new URL(`vod/${range.startSec}/${range.durationSec}/`, await openShare(m3u8Url)).href;
}

/** Whether the area, and not all, is black in each frame, and whether there are as many as there should be. */
function isMasked(file: Buffer, area: Area): boolean {
  const video = decodeFrames(file);
  return video.frames.length >= LEAST_FRAMES && isBlackIn(video, area);
}

/** All media of a playlist. */
async function playlistAt(url: string): Promise<Buffer> {
  const [run, ...others] = await fetchRuns(url);
  expect(others).toEqual([]);
  return Buffer.concat(run!.media);
}

/** All video of a manifest. */
async function manifestAt(folder: string, path: string): Promise<Buffer> {
  const text = (await fetchOk(`${folder}${path}`)).toString();
  const base = new URL('.', `${folder}${path}`).href;
  const videos = [...text.matchAll(/initialization="([^"]*)" media="([^"]*m4v)" ?>?/g)];
  expect(videos).toHaveLength(1);
  const [, init, media] = videos[0]!;
  const parts = [await fetchOk(new URL(init!, base).href)];
  for (let number = 1; ; number++) {
    const response = await fetch(new URL(media!.replace('$Number$', `${number}`), base));
    if (response.status === 404) return Buffer.concat(parts);
    expect(response.status).toBe(200);
    parts.push(Buffer.from(await response.arrayBuffer()));
  }
}

beforeAll(async () => {
  const h265 = await makeClip(320, 180, { codec: 'h265', durationSec: 8 });
  cameras = await Promise.all([startCamera(), startCamera(0, { clip: h265, isPcmu: true })]);
  sub = await startCamera(0, { clip: await makeClip(160, 90) });
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
    recording: { fileSize: '4MiB', minFree: '16MiB' },
    cameras: [
      ...['H.264', 'H.265'].map((name, index) => ({ name, rtsp: cameras[index]!.url, recording: 'always' })),
      { name: 'Both', rtsp: cameras[0]!.url, substream: sub.url, recording: 'always' },
    ],
  });
  // Recorded without masks.
  await recordMore(gateway, 12);
  range = rangeOf(Date.now() - 5_000, Date.now() - 2_000);
  await setMasks('H.264', [MIDDLE]);
  await setMasks('H.265', [MIDDLE]);
  await setMasks('Both', [MIDDLE]);
});
afterAll(async () => {
  await gateway?.dispose();
  await Promise.all((cameras ?? []).map((camera) => camera.close()));
  await sub?.close();
});

const ROUTES: Readonly<Record<string, (folder: string) => Promise<Buffer>>> = {
  'file.m3u8': (folder) => playlistAt(`${folder}file.m3u8`),
  'stream.m3u8': (folder) => playlistAt(`${folder}stream.m3u8`),
  'file.m3u8?video=h264': (folder) => playlistAt(`${folder}file.m3u8?video=h264`),
  'h264/file.m3u8': (folder) => playlistAt(`${folder}h264/file.m3u8`),
  'file.mpd': (folder) => manifestAt(folder, 'file.mpd'),
  'file.mpd?video=h264': (folder) => manifestAt(folder, 'file.mpd?video=h264'),
  'beside/file.mpd': (folder) => manifestAt(folder, 'beside/file.mpd'),
  'video/': (folder) => segmentsIn(`${folder}video/`),
  'h264/video/': (folder) => segmentsIn(`${folder}h264/video/`),
  'clip.mp4': (folder) => fetchOk(`${folder}clip.mp4`),
  'clip.mp4?video=h264': (folder) => fetchOk(`${folder}clip.mp4?video=h264`),
};

async function segmentsIn(folder: string): Promise<Buffer> {
  const parts = [await fetchOk(`${folder}seg_init.mp4`)];
  for (const number of [1, 2, 3]) parts.push(await fetchOk(`${folder}seg_${number}.m4v`));
  return Buffer.concat(parts);
}

it.each(['sub/file.m3u8', 'sub/h264/stream.m3u8'])(
  'has it in every frame of the substream in %s',
  async (path) => {
    const folder = await folderOf(await pastShare('Both'));
    const file = await playlistAt(`${folder}${path}`);
    expect(isMasked(file, MIDDLE)).toBe(true);
    expect((await probeStreams([file])).find(({ codec_type }) => codec_type === 'video')?.width).toBe(160);
  },
);

it.each(['sub/video/', 'sub/h264/video/', 'beside/sub/video/'])(
  'has it in the substream of a manifest, in %s',
  async (path) => {
    const folder = await folderOf(await pastShare('Both'));
    expect(isMasked(await segmentsIn(`${folder}${path}`), MIDDLE)).toBe(true);
  },
);

it('has it in an MP4 of the substream', async () => {
  const folder = await folderOf(await pastShare('Both'));
  const file = await fetchOk(`${folder}clip.mp4?_ds=h100`);
  expect(isMasked(file, MIDDLE)).toBe(true);
  expect((await probeStreams([file])).find(({ codec_type }) => codec_type === 'video')?.width).toBe(160);
});

describe.each(['H.264', 'H.265'])('the past of an %s camera with a mask', (name) => {
  it.each(Object.keys(ROUTES))('has it in every frame of %s', async (route) => {
    const folder = await folderOf(await pastShare(name));
    expect(isMasked(await ROUTES[route]!(folder), MIDDLE)).toBe(true);
  });

  it('is on the page of its link', async () => {
    const { pageUrl } = await pastShare(name);
    const page = await (await fetch(`${pageUrl}/open`, { method: 'POST' })).json();
    expect(page).toHaveProperty('pastUrl');
  });

  it('has other masks as soon as they are others, also where the earlier ones were shown', async () => {
    const folder = await folderOf(await pastShare(name));
    expect(isMasked(await segmentsIn(`${folder}video/`), MIDDLE)).toBe(true);
    await setMasks(name, [CORNER]);
    expect(isMasked(await segmentsIn(`${folder}video/`), CORNER)).toBe(true);
    await setMasks(name, [MIDDLE]);
  });

  it('has it in a shared clip, and in one that is made for every device', async () => {
    const deviceUuid = await gateway.cameraUuid(name);
    const { clipUuid } = await gateway.call('video/spliceV3', {
      deviceUuids: [deviceUuid],
      startTimeMillis: range.startSec * 1_000,
      durationSec: range.durationSec,
      title: 'Clip',
    });
    await until('the clip', async () => {
      const { clip } = await gateway.call('event/getClipWithProgress', { clipUuid });
      return clip.status === 'COMPLETE';
    });
    const { shareUrl } = await gateway.call('event/createSharedClipGroupV3', {
      uuids: [{ eventUuid: clipUuid }],
    });
    const { itemsUrl } = await (await fetch(`${shareUrl}/open`, { method: 'POST' })).json();
    const list = new URL(itemsUrl, shareUrl);
    const { items } = await (await fetch(list)).json();
    const [file] = items[0].files;
    expect(file.imageUrl).toBeNull();
    const url = new URL(file.url, list).href;
    for (const each of [url, `${url}?video=h264`]) expect(isMasked(await fetchOk(each), MIDDLE)).toBe(true);
    const own = `${gateway.mediaUrl}/media/metadata/${deviceUuid}/local/${clipUuid}.mp4`;
    const response = await fetch(`${own}?video=h264`, { headers: BY_KEY });
    expect(isMasked(Buffer.from(await response.arrayBuffer()), MIDDLE)).toBe(false);
  });

  it('ends while it is downloaded when the masks are others', async () => {
    const folder = await folderOf(await pastShare(name));
    const download = await fetch(`${folder}clip.mp4`);
    expect(download.status).toBe(200);
    await setMasks(name, [CORNER]);
    // What was on its way before may be all of it: then it has the earlier masks.
    const whole = await download.arrayBuffer().catch(() => null);
    expect(whole === null || isMasked(Buffer.from(whole), MIDDLE)).toBe(true);
    await setMasks(name, [MIDDLE]);
  });

  it('is an MP4 for every device without masks, if its query says so', async () => {
    const folder = await folderOf(await pastShare(name, { showsUnmasked: true }));
    const response = await fetch(`${folder}clip.mp4?video=h264&download`);
    expect(response.headers.get('content-disposition')).toContain('.mp4');
    const file = Buffer.from(await response.arrayBuffer());
    const streams = await probeStreams([file]);
    expect(streams.map(({ codec_name }) => codec_name)).toEqual(['h264', 'aac']);
    const { frames } = decodeFrames(file);
    // Of the range, and no more.
    expect(frames.length).toBeGreaterThan(range.durationSec * FRAMES_PER_SEC - 2);
    expect(frames.length).toBeLessThan(range.durationSec * FRAMES_PER_SEC + 2);
    expect(isMasked(file, MIDDLE)).toBe(false);
  });

  it('has it for viewers of the organization if the masks are for them, and is whole for operators', async () => {
    const cameraUuid = await gateway.cameraUuid(name);
    await setMasks(name, [MIDDLE], true);
    const keyWith = async (role: string) => {
      const wanted = { displayName: role, authType: 'API_TOKEN', role };
      return (await gateway.call('integrations/org/submitApiTokenApplication', wanted)).apiKey as string;
    };
    const [viewer, operator] = [await keyWith('viewer'), await keyWith('operator')];
    const by = (key: string) => ({ headers: { 'x-auth-scheme': 'api-token', 'x-auth-apikey': key } });
    const media = `${gateway.mediaUrl}/media/${cameraUuid}/local`;
    const isHidden = async (key: string, path: string): Promise<boolean | number> => {
      const request = () => fetch(`${media}/${path}`, by(key));
      // A connection that carried a view with other masks was cut: clients try again on another one.
      const response = await request().catch(request);
      if (response.status !== 200) return response.status;
      const file = Buffer.from(await response.arrayBuffer());
      if (!path.startsWith('snapshot')) return isMasked(file, MIDDLE);
      return isBlackIn(await decodeStill(file), MIDDLE);
    };
    const clip = `vod/${range.startSec}/${range.durationSec}/clip.mp4`;
    for (const path of [clip, `${clip}?video=h264`, 'snapshot.jpeg']) {
      expect([path, await isHidden(viewer, path), await isHidden(operator, path)]).toEqual([
        path,
        true,
        false,
      ]);
    }
    const { playlistUrl } = await gateway.call('camera/createPreviewGrant', { cameraUuid }, viewer);
    const folder = new URL(`vod/${range.startSec}/${range.durationSec}/`, playlistUrl).href;
    expect(isMasked(await playlistAt(`${folder}file.m3u8`), MIDDLE)).toBe(true);
    const liveUrl = new URL('file.m3u8', playlistUrl).href;
    const [live] = await until('a live segment', () => fetchRuns(liveUrl).catch(() => null));
    expect(isBlackIn(decodeFrames(Buffer.concat(live!.media)), MIDDLE)).toBe(true);
    const isFrameHidden = async (key: string): Promise<boolean> => {
      const request = { cameraUuid, timestampMs: range.startSec * 1_000 + 1_300 };
      const { frameData } = await gateway.call('video/getExactFrameData', request, key);
      return isBlackIn(await decodeStill(Buffer.from(frameData, 'base64')), MIDDLE);
    };
    expect([await isFrameHidden(viewer), await isFrameHidden(operator)]).toEqual([true, false]);
    await setMasks(name, [MIDDLE], false);
    expect(await isHidden(viewer, clip)).toBe(false);
  });

  it('is whole for a link that says so', async () => {
    const folder = await folderOf(await pastShare(name, { showsUnmasked: true }));
    expect(isMasked(await playlistAt(`${folder}file.m3u8`), MIDDLE)).toBe(false);
  });
});
