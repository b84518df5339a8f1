/** The first seconds of a camera that no one watched: what pullers get, and when. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/sources/synthetic-camera/synthetic-camera.ts';
import { SUB_WAIT_MS } from '../../src/stream/camera-stream.ts';
import { TestGateway } from '../support/gateway.ts';
import { fetchOk, openShare, refusalReason } from '../support/hls.ts';
import { readPlaylistText } from '../support/playlist-text.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const LONG_GOP_SEC = 10;
/** The published limit for cutting off a viewer. */
const CUT_OFF_MS = 1_000;
/** The gateway's share and a busy machine's. */
const MARGIN_MS = 700;

let everySecond: SyntheticCamera;
let smartCodec: SyntheticCamera;
let gateway: TestGateway;

beforeAll(async () => {
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
      { name: 'Two streams', rtsp: everySecond.url, substream: smartCodec.url },
      { name: 'No sub', rtsp: everySecond.url, substream: 'rtsp://127.0.0.1:9/gone' },
    ],
  });
});

afterAll(async () => {
  await gateway?.dispose();
  await everySecond?.close();
  await smartCodec?.close();
});

describe('a camera with a key frame every 10 s', () => {
  it('is played from its bare URL: the first picture costs two groups of pictures at most', async () => {
    const { m3u8Url } = await gateway.share('Long one');
    const args = ['-nostdin', '-v', 'error', '-i', m3u8Url, '-frames:v', '25', '-f', 'null', '-'];
    const startMs = performance.now();
    const { stdout, stderr } = await run('ffmpeg', args, { timeout: 60_000 });
    const tookMs = performance.now() - startMs;
    process.stdout.write(
      `ffmpeg, key frame every 10 s: ${Math.round(tookMs)} ms to one second of pictures\n`,
    );
    expect(stdout + stderr).toBe('');
    expect(tookMs).toBeLessThan(2 * LONG_GOP_SEC * 1_000 + 3_000);
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
    let isAnswered = false;
    const waiting = fetch(media).finally(() => {
      isAnswered = true;
    });
    const { openParts } = await until('some parts', async () => {
      const playlist = readPlaylistText(
        (await fetchOk(media.replace('stream.m3u8', 'file.m3u8'))).toString(),
      );
      return playlist.openParts.length >= 3 ? playlist : null;
    });
    expect([isAnswered, openParts.length]).toEqual([false, expect.any(Number)]);
    const withdrawnMs = performance.now();
    await gateway.revoke(share);
    const answer = await waiting;
    expect(performance.now() - withdrawnMs).toBeLessThan(CUT_OFF_MS);
    expect([answer.status, await refusalReason(answer)]).toEqual([403, 'revoked']);
  });
});

describe('a camera with a key frame a second', () => {
  it('has a whole segment one group of pictures after its first picture', async () => {
    const tookMs: number[] = [];
    for (const name of ['Short one', 'Short two', 'Short three']) {
      const { m3u8Url } = await gateway.share(name);
      const media = await openShare(m3u8Url);
      const startMs = performance.now();
      const { segments } = readPlaylistText((await fetchOk(media)).toString());
      tookMs.push(performance.now() - startMs);
      expect(segments.map(({ extinf }) => Number(extinf))).toEqual([1]);
    }
    process.stdout.write(`first part to first whole segment: ${tookMs.map(Math.round).join(', ')} ms\n`);
    expect(tookMs.toSorted((a, b) => a - b)[1]).toBeLessThan(1_000 + MARGIN_MS - 320);
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
      const url = new URL(name, folder);
      const report = await until(
        `the report in ${name}`,
        async () => {
          const text = (await fetchOk(url.href)).toString();
          return /^#EXT-X-RENDITION-REPORT:URI="([^"]+)",LAST-MSN=(\d+),LAST-PART=(\d+)\n$/m.exec(text);
        },
        40_000,
      );
      expect([name, report[1]]).toEqual([name, other]);
      const [msn, part] = [Number(report[2]), Number(report[3])];
      const reported = new URL(report[1]!, url);
      await fetchOk(new URL(`seg_${msn}.${part}.m4v`, reported).href);
      const { hint } = readPlaylistText((await fetchOk(reported.href)).toString());
      expect(hint.msn - msn, `${name}: ${report[0]}, hint ${hint.uri}`).toBeLessThanOrEqual(1);
      if (hint.msn === msn) expect(hint.part - part).toBeLessThanOrEqual(3);
    }
  });

  it('is not held up for long by a sub stream that does not answer', async () => {
    const { m3u8Url } = await gateway.share('No sub');
    const startMs = performance.now();
    const text = (await fetchOk(m3u8Url)).toString();
    expect(text.match(/STREAM-INF/g)).toHaveLength(1);
    expect(performance.now() - startMs).toBeLessThan(1_000 + 320 + SUB_WAIT_MS + MARGIN_MS);
  });
});
