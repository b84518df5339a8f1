/** The first seconds of a camera that no one watched: what pullers get, and in which order. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { readFrameNumbers } from '../support/frame-numbers.ts';
import { TestGateway } from '../support/gateway.ts';
import { fetchOk, fetchPlaylist, openBareUrl, openShare, refusalReason } from '../support/hls.ts';
import { readPlaylistText } from '../support/playlist-text.ts';
import { PromptCamera } from '../support/prompt-camera.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const LONG_GOP_SEC = 10;
const GOPS_SEC = [2, LONG_GOP_SEC];
const SIZE = { widthPx: 320, heightPx: 180 };
const PULLED_SEC = 12;
const REPORT = /^#EXT-X-RENDITION-REPORT:URI="([^"]+)",LAST-MSN=(\d+),LAST-PART=(\d+)\n$/m;

let everySecond: SyntheticCamera;
let smartCodec: SyntheticCamera;
let gateway: TestGateway;
/** For each distance of key frames, one for a puller, and one for a client that reads playlists. */
const prompt: PromptCamera[] = [];

beforeAll(async () => {
  for (const gopSec of GOPS_SEC) {
    const gopClip = await makeClip(SIZE.widthPx, SIZE.heightPx, { gopSec });
    for (let index = 0; index < 2; index++) prompt.push(await PromptCamera.start(gopClip));
  }
  everySecond = await startCamera();
  const clip = await makeClip(320, 180, { gopSec: LONG_GOP_SEC });
  smartCodec = await startCamera(0, { clip });
  const long = ['Long one', 'Long two', 'Long three'].map((name) => ({ name, rtsp: smartCodec.url }));
  const short = ['Short one', 'Short two', 'Short three'].map((name) => ({ name, rtsp: everySecond.url }));
  gateway = await TestGateway.start({
    hls: { idleStop: '5m' },
    // Unlike other cameras, a synthetic one sends nothing before its first key frame: that must not count as
    // silence.
    sources: { silenceTimeout: '30s' },
    cameras: [
      ...long,
      ...short,
      ...GOPS_SEC.flatMap((gopSec, at) => [
        { name: `Pulled ${gopSec}`, rtsp: prompt[2 * at]!.url },
        { name: `Read ${gopSec}`, rtsp: prompt[2 * at + 1]!.url },
      ]),
      { name: 'Two streams', rtsp: everySecond.url, substream: smartCodec.url },
      { name: 'No sub', rtsp: everySecond.url, substream: 'rtsp://127.0.0.1:9/gone' },
    ],
  });
});

afterAll(async () => {
  await gateway?.dispose();
  await everySecond?.close();
  await smartCodec?.close();
  await Promise.all(prompt.map((camera) => camera.close()));
});

/** The part that the playlist hints at. */
const hintOf = async (url: string) => readPlaylistText((await fetchOk(url)).toString()).hint;

describe.each(GOPS_SEC)('the viewer who opens a camera with a key frame every %i s', (gopSec) => {
  it('gets every frame once at the bare URL, from the first one on', async () => {
    const { m3u8Url } = await gateway.share(`Pulled ${gopSec}`);
    const numbers = await readFrameNumbers(['-i', m3u8Url], SIZE, PULLED_SEC * FRAMES_PER_SEC);
    expect(numbers).toEqual(Array.from({ length: PULLED_SEC * FRAMES_PER_SEC }, (_, number) => number));
  });

  it('finds the first part there as a segment, and no target duration that changes', async () => {
    const { m3u8Url } = await gateway.share(`Read ${gopSec}`);
    const url = await openBareUrl(m3u8Url);
    const first = await fetchPlaylist(url);
    expect(first.text).not.toContain('EXT-X-INDEPENDENT-SEGMENTS');
    expect(first.segments.length).toBeLessThanOrEqual(3);
    const [head] = first.segments;
    const media = await Promise.all([head!.map.uri, head!.uri].map((uri) => fetchOk(new URL(uri, url).href)));
    expect(Buffer.concat(media).indexOf('mdat')).toBeGreaterThan(0);
    const seen = new Map<number, string>();
    let playlist = first;
    while (seen.size === 0 || mediaSec(playlist) < PULLED_SEC) {
      for (const [index, { uri }] of playlist.segments.entries()) {
        const number = playlist.mediaSequence + index;
        expect([number, seen.get(number) ?? uri]).toEqual([number, uri]);
        seen.set(number, uri);
      }
      const durations = playlist.segments.map(({ duration }) => Math.round(duration));
      expect(Math.max(...durations)).toBeLessThanOrEqual(playlist.targetDuration);
      expect([playlist.mediaSequence, playlist.targetDuration]).toEqual([first.mediaSequence, 2]);
      const next = playlist.mediaSequence + playlist.segments.length;
      playlist = await fetchPlaylist(url, `&_HLS_msn=${next}`);
    }
    // The next viewer begins with whole segments.
    expect(await openBareUrl(m3u8Url)).toMatch(/stream\.m3u8$/);
  });
});

function mediaSec({ segments }: { readonly segments: readonly { readonly duration: number }[] }): number {
  return segments.reduce((sum, { duration }) => sum + duration, 0);
}

describe('a camera with a key frame every 10 s', () => {
  it('is played from its bare URL', async () => {
    const { m3u8Url } = await gateway.share('Long one');
    const args = ['-nostdin', '-v', 'error', '-i', m3u8Url, '-frames:v', '25', '-f', 'null', '-'];
    const { stdout, stderr } = await run('ffmpeg', args, { timeout: 60_000 });
    expect(stdout + stderr).toBe('');
  });

  it('answers a blocking reload for its first segment when that is whole', async () => {
    const { m3u8Url } = await gateway.share('Long two');
    const url = (await openShare(m3u8Url)).replace('stream.m3u8', 'file.m3u8');
    const { hint } = readPlaylistText((await fetchOk(url)).toString());
    const { segments } = readPlaylistText((await fetchOk(`${url}?_HLS_msn=${hint.msn}`)).toString());
    expect(segments.map(({ msn, extinf }) => [msn, Number(extinf)])).toEqual([[hint.msn, LONG_GOP_SEC]]);
  });

  it('keeps nobody waiting whose share is withdrawn', async () => {
    const share = await gateway.share('Long three');
    const media = await openShare(share.m3u8Url);
    let hasResponse = false;
    const waiting = fetch(media).finally(() => {
      hasResponse = true;
    });
    const { openParts } = await until('some parts', async () => {
      const playlist = readPlaylistText(
        (await fetchOk(media.replace('stream.m3u8', 'file.m3u8'))).toString(),
      );
      return playlist.openParts.length >= 3 ? playlist : null;
    });
    expect([hasResponse, openParts.length]).toEqual([false, expect.any(Number)]);
    await gateway.revoke(share);
    const response = await waiting;
    // Not with the segment that it waited for.
    expect([response.status, await refusalReason(response)]).toEqual([403, 'revoked']);
  });
});

describe('a camera with a key frame a second', () => {
  it('has a whole segment one group of pictures after its first picture', async () => {
    for (const name of ['Short one', 'Short two', 'Short three']) {
      const { m3u8Url } = await gateway.share(name);
      const media = await openShare(m3u8Url);
      const { segments } = readPlaylistText((await fetchOk(media)).toString());
      expect(segments.map(({ extinf }) => Number(extinf))).toEqual([1]);
    }
  });
});

describe('a camera with a sub stream', () => {
  it('has a report on the other stream in every Media Playlist, which is true', async () => {
    const { m3u8Url } = await gateway.share('Two streams');
    const main = await openShare(m3u8Url);
    const folder = new URL('.', main);
    const pairs = [
      ['file.m3u8', 'sub/file.m3u8'],
      ['stream.m3u8', 'sub/stream.m3u8'],
      ['sub/file.m3u8', '../file.m3u8'],
      ['sub/stream.m3u8', '../stream.m3u8'],
    ] as const;
    for (const [name, other] of pairs) {
      const url = new URL(name, folder).href;
      const reported = new URL(other, url).href;
      const [before, report] = await until(`the report in ${name}`, async () => {
        const own = await hintOf(url);
        const earlier = await hintOf(reported);
        // Written after what the other playlist showed.
        const text = (await fetchOk(`${url}?_HLS_msn=${own.msn}&_HLS_part=${own.part}`)).toString();
        const found = REPORT.exec(text);
        return found === null ? null : ([earlier, found] as const);
      });
      expect([name, report[1]]).toEqual([name, other]);
      const [msn, part] = [Number(report[2]), Number(report[3])];
      await fetchOk(new URL(`seg_${msn}.${part}.m4v`, reported).href);
      const after = await hintOf(reported);
      const isKnownBefore = msn === before.msn ? part >= before.part - 1 : msn >= before.msn - 1;
      expect([name, report[0], before, isKnownBefore]).toEqual([name, report[0], before, true]);
      const isThereAfter = msn === after.msn ? part < after.part : msn < after.msn;
      expect([name, report[0], after, isThereAfter]).toEqual([name, report[0], after, true]);
    }
  });

  it('is not held up by a sub stream that does not answer', async () => {
    const { m3u8Url } = await gateway.share('No sub');
    const text = (await fetchOk(m3u8Url)).toString();
    expect(text.match(/STREAM-INF/g)).toHaveLength(1);
  });
});
