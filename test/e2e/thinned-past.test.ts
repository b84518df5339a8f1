/** A camera whose video is older than it is kept: a gateway thins it to key frames, which play, by HLS and DASH, as MP4, and as exact frames. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Clip } from '../../src/synthetic-camera/clip.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { decodedFrameNumbers } from '../support/frame-numbers.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { fetchRuns } from '../support/hls.ts';
import { decodeErrors, probePackets } from '../support/media-check.ts';
import { BY_KEY, moveRecordings, recordMore } from '../support/recorded-past.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const PICTURE = { widthPx: 320, heightPx: 180 };
const MOVED_MS = 3 * 3_600_000;
const DAY_MS = 86_400_000;

let gateway: TestGateway;
let camera: SyntheticCamera;
let clip: Clip;
let cameraUuid = '';
/** When something was recorded, epoch milliseconds. */
let recorded: { fromMs: number; toMs: number };

async function spans(): Promise<Record<'spans' | 'pictures', { fromMs: number; toMs: number }[]>> {
  const now = Date.now();
  const range = { cameraUuids: [cameraUuid], fromMs: now - DAY_MS / 2, toMs: now - MOVED_MS / 2 };
  const { cameras } = await gateway.call('camera/getRecordedSpans', range);
  return (cameras as Json[])[0] as never;
}

beforeAll(async () => {
  clip = await makeClip(PICTURE.widthPx, PICTURE.heightPx);
  camera = await startCamera(0, { clip });
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '2s' },
    recording: { fileSize: '4MiB', minFree: '16MiB', keep: { main: '1h', keyFrames: '7d' } },
    cameras: [{ name: 'Lobby', rtsp: camera.url, recording: 'always' }],
  });
  cameraUuid = await gateway.cameraUuid('Lobby');
  await recordMore(gateway, 14);
  await gateway.end();
  moveRecordings(gateway, -MOVED_MS);
  await gateway.run();
  const { pictures } = await until('the key frames', async () => {
    const now = await spans();
    const isAll = JSON.stringify(now.pictures) === JSON.stringify(now.spans);
    return isAll && now.pictures.length > 0 ? now : null;
  });
  recorded = { fromMs: pictures[0]!.fromMs, toMs: pictures.at(-1)!.toMs };
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

async function vodUri(kind: 'wanVodM3u8UriTemplate' | 'wanVodMpdUriTemplate'): Promise<string> {
  const template = (await gateway.call('camera/getMediaUris', { cameraUuid }))[kind] as string;
  const startSec = Math.floor(recorded.fromMs / 1_000);
  const durationSec = Math.ceil((recorded.toMs - recorded.fromMs) / 1_000) + 1;
  return template.replace('{START_TIME}', `${startSec}`).replace('{DURATION}', `${durationSec}`);
}

async function mediaPlaylistUrl(): Promise<string> {
  const uri = await vodUri('wanVodM3u8UriTemplate');
  const text = await (await fetch(uri, { headers: BY_KEY })).text();
  expect(text).not.toContain('mp4a');
  return new URL(text.split('\n').find((line) => line !== '' && !line.startsWith('#'))!, uri).href;
}

/** The picture that the camera showed at that time, by its clock. */
function isOfTime(number: number | null, wallMs: number): boolean {
  const index = Math.round(((wallMs + MOVED_MS - camera.startEpochMs) * FRAMES_PER_SEC) / 1_000);
  const frames = clip.pictures.length;
  const late = (((index - (number ?? Number.NaN)) % frames) + frames) % frames;
  return Math.min(late, frames - late) <= FRAMES_PER_SEC / 2;
}

describe('what is left of a recording', () => {
  it('is listed as pictures, for all of its time', async () => {
    const { spans: all, pictures } = await spans();
    expect(pictures).toEqual(all);
  });

  it('is one picture for each group of pictures, at its time, without sound', async () => {
    const runs = await fetchRuns(await mediaPlaylistUrl());
    let seconds = 0;
    for (const { segments, media } of runs) {
      expect(await decodeErrors(media)).toBe('');
      const packets = await probePackets(media, 'v');
      expect(await probePackets(media, 'a')).toEqual([]);
      const numbers = await decodedFrameNumbers(media, PICTURE);
      expect(numbers).toHaveLength(packets.length);
      const startMs = segments[0]!.programDateTime!;
      const firstSec = Number(packets[0]!.pts_time);
      for (const [i, number] of numbers.entries()) {
        const atMs = startMs + (Number(packets[i]!.pts_time) - firstSec) * 1_000;
        expect(isOfTime(number, atMs), `picture ${number} at ${atMs - startMs} ms`).toBe(true);
      }
      const times = packets.map(({ pts_time }) => Number(pts_time));
      for (const [i, atSec] of times.slice(1).entries()) expect(atSec - times[i]!).toBeGreaterThan(0.8);
      seconds += times.at(-1)! - times[0]!;
    }
    expect(seconds).toBeGreaterThan(11);
  });

  it('has a manifest without sound', async () => {
    const manifest = await (await fetch(await vodUri('wanVodMpdUriTemplate'), { headers: BY_KEY })).text();
    expect(manifest).toContain('contentType="video"');
    expect(manifest).not.toContain('contentType="audio"');
  });

  it('has exact frames, which say when they were taken', async () => {
    const timestampMs = Math.round(recorded.fromMs + 5_500);
    const { frameUri } = await gateway.call('video/getExactFrameUri', { cameraUuid, timestampMs });
    const response = await fetch(frameUri as string, { headers: BY_KEY });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  });

  it('is whole for those who check it', async () => {
    const { fromMs, toMs } = recorded;
    const checked = await gateway.call('evidence/validateRecording', {
      cameraUuid,
      fromMs: Math.floor(fromMs),
      toMs: Math.ceil(toMs),
    });
    expect(checked).toMatchObject({ error: false, isWhole: true, changed: 0, unsigned: 0, unlinked: 0 });
  });
});
