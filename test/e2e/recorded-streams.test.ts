/** Both streams of a camera are recorded: playlists, manifests, MP4s and clips of each. Judged by ffprobe. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { decodedFrameNumbers, expectNumbersInTime } from '../support/frame-numbers.ts';
import { TestGateway } from '../support/gateway.ts';
import { fetchRuns } from '../support/hls.ts';
import { probeStreams } from '../support/media-check.ts';
import { BY_KEY, rangeOf, recordMore, type TestRange } from '../support/recorded-past.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const FRAME_MS = 1_000 / FRAMES_PER_SEC;
const MAIN = { widthPx: 640, heightPx: 360 };
const SUB = { widthPx: 320, heightPx: 180 };
const CLIP_SEC = 64;
const WAIT_MS = 60_000;

let main: SyntheticCamera;
let sub: SyntheticCamera;
let gateway: TestGateway;
let range: TestRange;

beforeAll(async () => {
  main = await startCamera(0, {
    clip: await makeClip(MAIN.widthPx, MAIN.heightPx, { gopSec: 2, durationSec: CLIP_SEC }),
  });
  sub = await startCamera(0, { clip: await makeClip(SUB.widthPx, SUB.heightPx, { durationSec: CLIP_SEC }) });
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
    recording: { minFree: '16MiB' },
    cameras: [
      { name: 'Dock', rtsp: main.url, substream: sub.url, recording: 'always' },
      { name: 'Large', rtsp: main.url, substream: sub.url, recording: 'always', recordingStreams: 'main' },
      { name: 'Small', rtsp: main.url, substream: sub.url, recording: 'always', recordingStreams: 'sub' },
    ],
  });
  await recordMore(gateway, 2);
  const fromMs = Date.now();
  await recordMore(gateway, 4);
  range = rangeOf(fromMs, Date.now() - 3_000);
});

afterAll(async () => {
  await gateway?.dispose();
  await main?.close();
  await sub?.close();
});

/** Of the range of the camera, with its credentials. */
async function uriOf(name: string, kind: 'm3u8' | 'mpd', query = ''): Promise<string> {
  const cameraUuid = await gateway.cameraUuid(name);
  const uris = await gateway.call('camera/getMediaUris', { cameraUuid });
  const template: string = kind === 'm3u8' ? uris.wanVodM3u8UriTemplate : uris.wanVodMpdUriTemplate;
  return (
    template.replace('{START_TIME}', `${range.startSec}`).replace('{DURATION}', `${range.durationSec}`) +
    query
  );
}

/** The URLs of the variants that a query lists. */
async function variantsOf(name: string, query: string): Promise<{ url: string; info: string }[]> {
  const uri = await uriOf(name, 'm3u8', query);
  const response = await fetch(uri, { headers: BY_KEY });
  const lines = (await response.text()).split('\n');
  return lines.flatMap((line, i) =>
    line === '' || line.startsWith('#') ? [] : [{ url: new URL(line, uri).href, info: lines[i - 1]! }],
  );
}

async function videoOf(media: readonly Buffer[]) {
  const streams = await probeStreams([...media]);
  const video = streams.find(({ codec_type }) => codec_type === 'video');
  return { widthPx: video?.width, heightPx: video?.height, streams: streams.length };
}

describe('a camera of which both streams are recorded', () => {
  it('has a variant of each, with the properties and frames of its recording', async () => {
    const variants = await variantsOf('Dock', '?video=all');
    expect(variants.map(({ info }) => info.match(/RESOLUTION=(\S+)/)?.[1])).toEqual(['640x360', '320x180']);
    for (const [i, { url, info }] of variants.entries()) {
      const size = [MAIN, SUB][i]!;
      const [run, ...others] = await fetchRuns(url);
      expect(others).toEqual([]);
      expect(await videoOf(run!.media)).toEqual({ ...size, streams: 2 });
      const bytes = run!.media.slice(1).reduce((sum, { length }) => sum + length, 0);
      const seconds = run!.segments.reduce((sum, { duration }) => sum + duration, 0);
      const average = Number(/AVERAGE-BANDWIDTH=(\d+)/.exec(info)?.[1]);
      expect(Math.abs(average / ((bytes * 8) / seconds) - 1)).toBeLessThan(0.01);
      const numbers = await decodedFrameNumbers(run!.media, size);
      const startMs = run!.segments[0]!.programDateTime!;
      expectNumbersInTime(
        numbers.map((number, index) => ({ number, wallMs: startMs + index * FRAME_MS })),
        {
          startEpochMs: [main, sub][i]!.startEpochMs,
          clipFrames: CLIP_SEC * FRAMES_PER_SEC,
          fps: FRAMES_PER_SEC,
        },
      );
    }
  });

  it.each([
    ['', ['640x360']],
    ['?video=sub', ['320x180']],
    ['?_ds=h200', ['320x180']],
    ['?_ds=h1080', ['640x360', '320x180']],
  ])('lists for the query %o', async (query, expected) => {
    const variants = await variantsOf('Dock', query);
    expect(variants.map(({ info }) => info.match(/RESOLUTION=(\S+)/)?.[1])).toEqual(expected);
  });

  it('has both in one set of its manifest', async () => {
    const response = await fetch(await uriOf('Dock', 'mpd'), { headers: BY_KEY });
    const text = await response.text();
    expect(text.match(/<Period /g)).toHaveLength(1);
    expect([...text.matchAll(/<Representation id="([^"]+)"/g)].map(([, id]) => id)).toEqual([
      'video',
      'sub-video',
      'audio',
      'thumbnails',
    ]);
  });

  it.each([
    ['', MAIN],
    ['?_ds=h180', SUB],
    ['?_ds=h720', MAIN],
  ])('is an MP4 of the height of the query %o', async (query, size) => {
    const [variant] = await variantsOf('Dock', '');
    const url = `${new URL('clip.mp4', variant!.url).href}${query}`;
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(await videoOf([Buffer.from(await response.arrayBuffer())])).toEqual({ ...size, streams: 2 });
  });

  it.each([
    [undefined, MAIN],
    [200, SUB],
  ])('is a clip of at most the height %s', async (maxHeight, size) => {
    const cameraUuid = await gateway.cameraUuid('Dock');
    const { clipUuid } = await gateway.call('video/spliceV3', {
      deviceUuids: [cameraUuid],
      startTimeMillis: range.startSec * 1_000,
      durationSec: Math.min(2, range.durationSec),
      ...(maxHeight === undefined ? {} : { maxHeight }),
    });
    await until(
      'the clip',
      async () => {
        const { clip } = await gateway.call('event/getClipWithProgress', { clipUuid });
        return clip.status === 'COMPLETE';
      },
      WAIT_MS,
    );
    const response = await fetch(`${gateway.mediaUrl}/media/metadata/${cameraUuid}/local/${clipUuid}.mp4`, {
      headers: BY_KEY,
    });
    expect(await videoOf([Buffer.from(await response.arrayBuffer())])).toMatchObject(size);
  });
});

describe('a camera of which one stream is recorded', () => {
  it.each([
    ['Large', '640x360'],
    ['Small', '320x180'],
  ])('%s has that one, whatever is asked for', async (name, expected) => {
    for (const query of ['', '?video=all', '?video=sub', '?_ds=h200']) {
      const variants = await variantsOf(name, query);
      expect(variants.map(({ info }) => info.match(/RESOLUTION=(\S+)/)?.[1])).toEqual([expected]);
    }
    const response = await fetch(await uriOf(name, 'mpd'), { headers: BY_KEY });
    const [video] = /<AdaptationSet [^>]*contentType="video"[\s\S]*?<\/AdaptationSet>/.exec(
      await response.text(),
    )!;
    expect(video.match(/width="\d+" height="\d+"/g)).toEqual([
      `width="${expected.split('x')[0]}" height="${expected.split('x')[1]}"`,
    ]);
  });

  it('says so in its settings', async () => {
    const settings = async (name: string) =>
      gateway.call('camera/getRecordingSettings', { cameraUuid: await gateway.cameraUuid(name) });
    expect(await settings('Small')).toMatchObject({ streams: 'sub', setInFile: ['recording', 'streams'] });
    expect(await settings('Dock')).toMatchObject({ defaults: { streams: 'both' }, state: 'recording' });
  });
});
