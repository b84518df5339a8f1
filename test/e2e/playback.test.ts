/**
 * The past of a recorded camera, over a restart of the camera and of the gateway: playlists and manifests of ranges,
 * judged by ffmpeg and by the frame numbers in the picture; who may see it; clips of alerts, also through nginx.
 */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRuuid } from '../../src/core/ruuid.ts';
import type { Clip } from '../../src/synthetic-camera/clip.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { decodedFrameNumbers, expectNumbersInTime } from '../support/frame-numbers.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { fetchOk, fetchPlaylist, fetchRuns, refusalReason, type TestSegment } from '../support/hls.ts';
import { decodeErrors, probedSeconds, probePackets, probeStreams } from '../support/media-check.ts';
import { TestNginx } from '../support/nginx.ts';
import { BY_KEY, rangeOf, recordMore, sessionQuery, type TestRange } from '../support/recorded-past.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';
import { describeTimelapses } from '../support/timelapses.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const FRAME_MS = 1_000 / FRAMES_PER_SEC;
const PICTURE = { widthPx: 320, heightPx: 180 };

let gateway: TestGateway;
let camera: SyntheticCamera;
let clip: Clip;
let cameraUuid = '';
/** When each life of the camera began, epoch milliseconds. */
const lives: number[] = [];
/** All that is recorded before the tests begin, whole seconds. */
let range: TestRange = { startSec: 0, durationSec: 0 };

async function startLife(port: number): Promise<void> {
  camera = await startCamera(port, { clip });
  lives.push(camera.startEpochMs);
}

beforeAll(async () => {
  clip = await makeClip(PICTURE.widthPx, PICTURE.heightPx);
  const startMs = Date.now();
  await startLife(0);
  const { port } = camera;
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '2s' },
    sources: { backoffMin: '200ms', backoffMax: '1s' },
    recording: { fileSize: '4MiB', minFree: '16MiB', preRoll: '2s', postRoll: '1s' },
    public: { internalFiles: '/sluice-files/' },
    cameras: [{ name: 'Lobby', rtsp: camera.url, recording: 'always' }],
  });
  cameraUuid = await gateway.cameraUuid('Lobby');
  await recordMore(gateway, 5);
  await camera.close();
  await startLife(port);
  await recordMore(gateway, 5);
  await gateway.restart();
  await recordMore(gateway, 5);
  range = rangeOf(startMs, Date.now() - 2_000);
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

/** The URI that the API names for the past, with a range put in. */
async function pastUri(kind: 'wanVodM3u8UriTemplate' | 'wanVodMpdUriTemplate', of = range): Promise<string> {
  const template = (await gateway.call('camera/getMediaUris', { cameraUuid }))[kind] as string;
  return template.replace('{START_TIME}', `${of.startSec}`).replace('{DURATION}', `${of.durationSec}`);
}

/** The Media Playlist that the device's own URI leads to. */
async function mediaPlaylistUrl(of = range): Promise<string> {
  const uri = await pastUri('wanVodM3u8UriTemplate', of);
  const text = await (await fetch(uri, { headers: BY_KEY })).text();
  const variant = text.split('\n').find((line) => line !== '' && !line.startsWith('#'));
  if (variant === undefined) throw new Error(text);
  return new URL(variant, uri).href;
}

/** Every frame shows the number that the wall time says. Returns how many there were. */
async function expectNumbersOfWallTime(media: readonly Buffer[], startMs: number): Promise<number> {
  const numbers = await decodedFrameNumbers(media, PICTURE);
  const startEpochMs = lives.findLast((atMs) => atMs - FRAME_MS <= startMs)!;
  expectNumbersInTime(
    numbers.map((number, i) => ({ number, wallMs: startMs + i * FRAME_MS })),
    { startEpochMs, clipFrames: clip.pictures.length, fps: FRAMES_PER_SEC },
  );
  return numbers.length;
}

describe('HLS of a range', () => {
  it('shows in every frame the number that its wall time says, over both restarts', async () => {
    const url = await mediaPlaylistUrl();
    const { text } = await fetchPlaylist(url);
    expect(text).toContain('#EXT-X-PLAYLIST-TYPE:VOD');
    expect(text.trimEnd().endsWith('#EXT-X-ENDLIST')).toBe(true);
    const runs = await fetchRuns(url);
    expect(runs.length).toBeGreaterThanOrEqual(3);
    let frames = 0;
    for (const { segments, media } of runs) {
      frames += await expectNumbersOfWallTime(media, segments[0]!.programDateTime!);
      expect(await decodeErrors(media)).toBe('');
      const [video, audio] = await Promise.all([probePackets(media, 'v'), probePackets(media, 'a')]);
      const end = ({ pts_time, duration_time }: (typeof video)[number]) =>
        Number(pts_time) + Number(duration_time);
      expect(Math.abs(Number(audio[0]!.pts_time) - Number(video[0]!.pts_time))).toBeLessThan(0.05);
      expect(Math.abs(end(audio.at(-1)!) - end(video.at(-1)!))).toBeLessThan(0.05);
    }
    expect(frames).toBeGreaterThan(10 * FRAMES_PER_SEC);
    const ofRange = segmentsSec(runs.flatMap(({ segments }) => segments));
    expect(Math.abs((await probedSeconds(url)) - ofRange)).toBeLessThan(0.1);
  });

  it('begins where it is asked to, with the segment that covers the instant', async () => {
    const all = await fetchPlaylist(await mediaPlaylistUrl());
    const later = { startSec: Math.ceil(all.segments[1]!.programDateTime! / 1_000), durationSec: 2 };
    const { text, segments } = await fetchPlaylist(await mediaPlaylistUrl(later));
    const firstMs = segments[0]!.programDateTime!;
    expect(firstMs).toBeLessThanOrEqual(later.startSec * 1_000);
    const offsetSec = Number(/#EXT-X-START:TIME-OFFSET=([\d.]+),PRECISE=YES/.exec(text)![1]);
    expect(firstMs + offsetSec * 1_000).toBeCloseTo(later.startSec * 1_000, 0);
    expect(segments.map(({ uri }) => uri)).toEqual(segments.map((_, i) => `seg_${i + 1}.mp4`));
  });

  it('grows while it is recorded, and ends when the range is full', async () => {
    const soon = { startSec: Math.floor(Date.now() / 1_000) - 3, durationSec: 6 };
    const url = await mediaPlaylistUrl(soon);
    const before = await fetchPlaylist(url);
    expect(before.text).toContain('#EXT-X-PLAYLIST-TYPE:EVENT');
    const after = await until('the end of the range', async () => {
      const playlist = await fetchPlaylist(url);
      return playlist.text.includes('#EXT-X-ENDLIST') ? playlist : null;
    });
    const names = (playlist: typeof before) => playlist.segments.map(({ uri, duration }) => [uri, duration]);
    expect(names(after).slice(0, before.segments.length)).toEqual(names(before));
    expect(segmentsSec(after.segments)).toBeGreaterThanOrEqual(soon.durationSec);
  });
});

function segmentsSec(segments: readonly TestSegment[]): number {
  return segments.reduce((sum, { duration }) => sum + duration, 0);
}

describe('DASH of a range', () => {
  it('has video and audio of their own, whose frames show the numbers of their wall time', async () => {
    const uri = await pastUri('wanVodMpdUriTemplate');
    const manifest = await (await fetch(uri, { headers: BY_KEY })).text();
    const base = new URL(/<BaseURL>(.*)<\/BaseURL>/.exec(manifest)![1]!, uri);
    const periods = [...manifest.matchAll(/<Period id="t(\d+)"[\s\S]*?<\/Period>/g)];
    expect(periods.length).toBeGreaterThanOrEqual(3);
    let frames = 0;
    for (const [index, [text, epochMs]] of periods.entries()) {
      for (const folder of ['video', 'audio']) {
        const template = new RegExp(
          `startNumber="(\\d+)" initialization="(${folder}/seg_init[^"]*)" media="(${folder}/[^"]*)">(.*?)</SegmentTemplate>`,
        ).exec(text)!;
        const count = [...template[4]!.matchAll(/<S [^>]*?(?: r="(\d+)")?\/>/g)].reduce(
          (sum, [, repeats]) => sum + 1 + Number(repeats ?? 0),
          0,
        );
        const media = [await fetchOk(new URL(template[2]!, base).href)];
        for (let i = 0; i < count; i++) {
          const name = template[3]!.replace('$Number$', String(Number(template[1]) + i));
          media.push(await fetchOk(new URL(name, base).href));
        }
        expect(await probeStreams(media)).toHaveLength(1);
        expect(await decodeErrors(media)).toBe('');
        // The first Period begins where the range does, which may be after its first frame.
        if (folder === 'video' && index > 0) frames += await expectNumbersOfWallTime(media, Number(epochMs));
      }
    }
    expect(frames).toBeGreaterThan(5 * FRAMES_PER_SEC);
  });

  it('lasts as long as ffprobe finds, without credentials after the manifest', async () => {
    const uri = (await pastUri('wanVodMpdUriTemplate')) + (await sessionQuery(gateway));
    const manifest = (await fetchOk(uri)).toString();
    expect(manifest).not.toContain('x-auth');
    const { segments } = await fetchPlaylist(await mediaPlaylistUrl());
    const durationSec = Number(/mediaPresentationDuration="PT([\d.]+)S"/.exec(manifest)![1]);
    expect(durationSec).toBeLessThanOrEqual(range.durationSec);
    expect(durationSec).toBeGreaterThan(segmentsSec(segments) - 1);
    const one = { startSec: Math.ceil(segments[1]!.programDateTime! / 1_000), durationSec: 2 };
    const short = (await pastUri('wanVodMpdUriTemplate', one)) + (await sessionQuery(gateway));
    expect(await probedSeconds(short)).toBeCloseTo(2, 1);
  });
});

describe('who may see the past', () => {
  const grantFolder = async (fields: Json): Promise<string> => {
    const share = await gateway.share('Lobby', fields);
    const opened = await fetch(`${share.pageUrl}/open`, { method: 'POST' });
    const { playlistUrl } = (await opened.json()) as { playlistUrl: string };
    return new URL('.', new URL(playlistUrl, gateway.mediaUrl)).href;
  };
  const at = (folder: string, { startSec, durationSec }: typeof range, name: string) =>
    `${folder}vod/${startSec}/${durationSec}/${name}`;

  it('shows viewers of a share only what was recorded for them, without sound if it excludes that', async () => {
    const folder = await grantFolder({ vodEnabled: true, includeAudio: false });
    const createdMs = Date.now();
    const since = { startSec: range.startSec, durationSec: 3_600 };
    const { segments } = await fetchPlaylist(at(folder, since, 'file.m3u8'));
    const [first] = segments;
    expect(first!.programDateTime!).toBeGreaterThan(createdMs - 30_000);
    const base = at(folder, since, '');
    const media = [await fetchOk(base + first!.map.uri), await fetchOk(base + first!.uri)];
    expect((await probeStreams(media)).map(({ codec_type }) => codec_type)).toEqual(['video']);
    for (const name of ['audio/seg_init.mp4', 'audio/seg_1.m4a']) {
      expect((await fetch(base + name)).status).toBe(404);
    }
  });

  it('refuses the past of a share that does not show it, and ranges that make no sense', async () => {
    const folder = await grantFolder({ vodEnabled: false });
    for (const name of ['file.m3u8', 'file.mpd', 'seg_init.mp4', 'seg_1.m4v', 'video/seg_1.m4v']) {
      const refused = await fetch(at(folder, range, name));
      expect([refused.status, await refusalReason(refused)]).toEqual([403, 'past-not-shared']);
    }
    const shown = await grantFolder({ vodEnabled: true });
    const nowSec = Math.floor(Date.now() / 1_000);
    for (const path of [
      `${nowSec}/0`,
      `${nowSec}/-5`,
      `-1/5`,
      'NaN/5',
      `1e9/5`,
      `${nowSec + 60}/5`,
      `5/86401`,
    ]) {
      expect((await fetch(`${shown}vod/${path}/file.m3u8`)).status).toBe(400);
    }
    expect((await fetch(`${shown}vod/5/5/file.m3u8`)).status).toBe(403);
  });

  it('counts a program that sends its key with every segment as one viewer', async () => {
    const manifest = await pastUri('wanVodMpdUriTemplate');
    const fetchByKey = async (name: string) => {
      const response = await fetch(manifest.replace('file.mpd', name), { headers: BY_KEY });
      expect(response.status).toBe(200);
      return Buffer.from(await response.arrayBuffer());
    };
    const viewers = async () => {
      const text = (await fetchOk(`${gateway.apiUrl}/metrics`)).toString();
      return Number(/^sluice_viewers (\d+)$/m.exec(text)![1]);
    };
    const media = [await fetchByKey('seg_init.mp4'), await fetchByKey('seg_1.m4v')];
    const before = await viewers();
    for (let number = 2; number <= 5; number++) media.push(await fetchByKey(`seg_${number}.m4v`));
    expect(await viewers()).toBe(before);
    expect(await decodeErrors(media)).toBe('');
    expect((await fetch(manifest)).status).toBe(401);
  });

  it('ends a range in progress when its share is revoked', async () => {
    const share = await gateway.share('Lobby', { vodEnabled: true });
    const opened = await fetch(`${share.pageUrl}/open`, { method: 'POST' });
    const { playlistUrl } = (await opened.json()) as { playlistUrl: string };
    const folder = new URL('.', new URL(playlistUrl, gateway.mediaUrl)).href;
    const since = { startSec: Math.floor(Date.now() / 1_000) - 10, durationSec: 3_600 };
    await until('a segment', async () => (await fetch(at(folder, since, 'seg_1.m4v'))).ok);
    await gateway.revoke(share);
    const refused = await fetch(at(folder, since, 'seg_1.m4v'));
    expect([refused.status, await refusalReason(refused)]).toEqual([403, 'revoked']);
  });
});

describeTimelapses(() => ({ gateway, cameraUuid, range, picture: PICTURE, playlistUrl: mediaPlaylistUrl }));

describe('the clip of an alert', () => {
  const alertUuid = newRuuid();
  let atMs = 0;
  let alert: Json;

  beforeAll(async () => {
    // The pre-roll is recorded without a gap, though the gateway was killed just before.
    await recordMore(gateway, 3);
    atMs = Date.now();
    await gateway.call('ingest/policyAlerts', {
      rows: [{ uuid: alertUuid, deviceUuid: cameraUuid, timestampMs: atMs, textDescription: 'Motion' }],
    });
    alert = await until('the clip', async () => {
      const { policyAlert } = await gateway.call('event/getPolicyAlertDetails', {
        policyAlertUuid: alertUuid,
      });
      return policyAlert.clipLocation?.region === undefined ? null : policyAlert;
    });
  });

  /** As scripts of the API family build it. */
  const clipUrl = (base: string) =>
    `${base}/media/metadata/${alert.deviceUuid}/${alert.clipLocationMap[cameraUuid].region}/${alertUuid}.mp4`;

  it('shows the time around it, without a gap', async () => {
    const whole = await fetch(clipUrl(gateway.mediaUrl), { headers: BY_KEY });
    expect(whole.status).toBe(200);
    const media = [Buffer.from(await whole.arrayBuffer())];
    expect(await decodeErrors(media)).toBe('');
    const numbers = await decodedFrameNumbers(media, PICTURE);
    expect(Math.abs(numbers.length - 3 * FRAMES_PER_SEC)).toBeLessThanOrEqual(1);
    const total = clip.pictures.length;
    expect(numbers).toEqual(numbers.map((_, i) => (numbers[0]! + i) % total));
    expect((await fetch(clipUrl(gateway.mediaUrl))).status).toBe(401);
  });

  it('is in pieces where the command line of the API family downloads it', async () => {
    const folder = clipUrl(gateway.mediaUrl).replace('.mp4', '');
    const pieceOf = (name: string, headers = BY_KEY) => fetch(`${folder}/${name}`, { headers });
    // An alert lasts as long as its clip does, which has been recorded by then.
    await recordMore(gateway, 3);
    const media: Buffer[] = [];
    let name = 'seg_init.mp4';
    for (let number = 1; number <= 100; number++) {
      const response = await pieceOf(name);
      if (response.status !== 200) {
        expect(response.status).toBe(404);
        break;
      }
      media.push(Buffer.from(await response.arrayBuffer()));
      name = `seg_${number}.m4v`;
    }
    expect(await decodeErrors(media)).toBe('');
    const numbers = await decodedFrameNumbers(media, PICTURE);
    expect(numbers.length).toBeGreaterThanOrEqual(3 * FRAMES_PER_SEC);
    expect(numbers.length).toBeLessThan(5.5 * FRAMES_PER_SEC);
    expect((await pieceOf('seg_1.m4v', {} as typeof BY_KEY)).status).toBe(401);
    expect((await pieceOf('seg_1.ts')).status).toBe(404);
    const manifest = await pieceOf('clip.mpd');
    expect(manifest.headers.get('content-type')).toBe('application/dash+xml');
    const lines = Object.entries(BY_KEY).map(([header, value]) => `${header}: ${value}\r\n`);
    const args = [
      '-v',
      'error',
      '-headers',
      lines.join(''),
      '-show_entries',
      'stream=codec_type',
      '-of',
      'csv=p=0',
    ];
    const { stdout } = await run('ffprobe', [...args, `${folder}/clip.mpd`]);
    // ffprobe lists a stream once for its program, and once for itself.
    expect([...new Set(stdout.match(/[a-z]+/g))].toSorted()).toEqual(['audio', 'video']);
  });

  it('has an image at the address that the command line of the API family builds', async () => {
    const url = `${gateway.mediaUrl}/media/metadata/${alert.thumbnailLocation.region}/${alertUuid}.jpeg`;
    const image = await fetch(url, { headers: BY_KEY });
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect(Buffer.from(await image.arrayBuffer()).subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
  });

  it('is sent by nginx, as the guide sets it up, and by no other way', async () => {
    const guide = readFileSync(resolve(import.meta.dirname, '../../docs/guide/clips.md'), 'utf8');
    const locations = /```nginx\n([\s\S]*?)```/.exec(guide)![1]!;
    const recordings = join(gateway.folder, 'data', 'recordings');
    expect(locations).toContain('/var/lib/sluice/recordings/');
    const nginx = await TestNginx.start(
      locations.replace('/var/lib/sluice/recordings', recordings),
      gateway.mediaUrl,
    );
    try {
      const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
      const direct = await bytesOf(await fetch(clipUrl(gateway.mediaUrl), { headers: BY_KEY }));
      const response = await fetch(`${clipUrl(nginx.url)}?download`, { headers: BY_KEY });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'video/mp4']);
      expect(response.headers.get('content-disposition')).toContain(`filename="${alertUuid} - `);
      // It is nginx that sends it: this is not our entity tag, and no one sees where it lies.
      const etag = response.headers.get('etag')!;
      expect(etag).toMatch(/^"[0-9a-f]+-[0-9a-f]+"$/);
      expect(response.headers.get('x-accel-redirect')).toBeNull();
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(await bytesOf(response)).toEqual(direct);
      const part = await fetch(clipUrl(nginx.url), { headers: { ...BY_KEY, range: 'bytes=100-299' } });
      expect([part.status, await bytesOf(part)]).toEqual([206, direct.subarray(100, 300)]);
      const known = await fetch(clipUrl(nginx.url), { headers: { ...BY_KEY, 'if-none-match': etag } });
      expect(known.status).toBe(304);
      expect((await fetch(clipUrl(nginx.url))).status).toBe(401);
      const { headers } = await fetch(clipUrl(gateway.mediaUrl), {
        headers: { ...BY_KEY, 'x-sendfile-type': 'X-Accel-Redirect' },
      });
      const location = headers.get('x-accel-redirect')!;
      expect(location).toMatch(/^\/sluice-files\/clips\/[^/]+\/[^/]+\.mp4$/);
      for (const path of [location, location.replace('/clips/', '/clips/../clips/'), '/sluice-files/']) {
        expect((await fetch(`${nginx.url}${path}`, { headers: BY_KEY })).status).toBe(404);
      }
    } finally {
      await nginx.stop();
    }
  });
});
