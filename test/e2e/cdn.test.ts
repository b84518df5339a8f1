/** A whole gateway behind real caches, set up as the guide says: what they keep, for whom, and for how long. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFfmpeg } from '../../src/ffmpeg/find-ffmpeg.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { fetchPlaylist, openShare, refusalReason } from '../support/hls.ts';
import { CACHES, CountedOrigin, type MediaCache, startNginxBehindAnother } from '../support/media-cache.ts';
import { readPlaylistText } from '../support/playlist-text.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { TestViewer } from '../support/viewer.ts';

const ROTATION_MS = 12_000;
const VIEWERS = 8;
const PARTS = 12;

let camera: SyntheticCamera;
let gateway: TestGateway;

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    cdn: true,
    cdnRotation: `${ROTATION_MS}ms`,
    hls: { segmentTarget: '1s', window: '4s' },
    cameras: [
      { name: 'Dock', rtsp: camera.url },
      { name: 'Gate', rtsp: camera.url },
    ],
  });
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

describe.each(CACHES)('behind %s', (_name, startCache) => {
  let origin: CountedOrigin;
  let cache: MediaCache;

  beforeAll(async () => {
    origin = await CountedOrigin.start(gateway.mediaUrl);
    cache = await startCache(origin.url);
  });

  afterAll(async () => {
    await cache?.stop();
    await origin?.close();
  });

  /** A new viewer's playlist, through the cache. */
  async function watch(share: TestShare): Promise<string> {
    return openShare(share.m3u8Url.replace(gateway.mediaUrl, cache.url));
  }

  /** The paths of all segments and parts in the playlist, and of the hinted part. */
  async function pathsOf(playlistUrl: string): Promise<{ listed: string[]; hinted: string }> {
    const { text } = await fetchPlaylist(playlistUrl);
    const { hint } = readPlaylistText(text);
    const uris = [...text.matchAll(/[^"\n]*\/seg_[\d.]+\.mp4/g)].map(([uri]) => uri);
    const paths = uris.map((uri) => new URL(uri, playlistUrl).pathname);
    const hinted = new URL(hint.uri, playlistUrl).pathname;
    return { listed: paths.filter((path) => path !== hinted), hinted };
  }

  const statusOf = async (path: string) => {
    const response = await fetch(cache.url + path);
    await response.arrayBuffer();
    return response.status;
  };

  test('the gateway sends each part once, however many viewers wait for it', async () => {
    const share = await gateway.share('Dock');
    const playlists = await Promise.all(Array.from({ length: VIEWERS }, () => watch(share)));
    const viewers = playlists.map((url) => new TestViewer(url));
    await until('parts for all', () => viewers.every(({ parts }) => parts >= PARTS));
    await Promise.all(viewers.map((viewer) => viewer.stop()));
    expect(viewers.flatMap(({ failures }) => failures)).toEqual([]);
    const requested = origin.shared();
    expect(requested.size).toBeGreaterThanOrEqual(PARTS);
    expect([...requested].filter(([, times]) => times > 1)).toEqual([]);
  });

  test('a player that knows no parts decodes what the cache has', async () => {
    const share = await gateway.share('Dock');
    const before = origin.shared();
    const { path: ffmpeg } = await findFfmpeg({});
    const input = ['-i', share.m3u8Url.replace(gateway.mediaUrl, cache.url), '-t', '3'];
    const output = ['-map', '0:v', '-f', 'framemd5', '-'];
    const { stdout, stderr } = await promisify(execFile)(ffmpeg, ['-v', 'error', ...input, ...output]);
    expect(stderr).toBe('');
    expect(stdout.split('\n').filter((line) => /^0,/.test(line)).length).toBeGreaterThanOrEqual(70);
    const requested = [...origin.shared()].filter(([path]) => !before.has(path));
    expect(requested.length).toBeGreaterThan(1);
    expect(requested.filter(([, times]) => times > 1)).toEqual([]);
  });

  test('a viewer whose access ended gets nothing after one rotation, and no further path ever', async () => {
    const share = await gateway.share('Dock');
    const other = await watch(await gateway.share('Dock'));
    const playlist = await watch(share);
    const { listed, hinted } = await pathsOf(playlist);
    // The cache has them, and everything that can be fetched is fetched until it no longer can.
    expect(await Promise.all(listed.map(statusOf))).toEqual(listed.map(() => 200));
    const kept = new Set([...listed, hinted]);
    for (const path of [...listed, hinted]) {
      // Later parts of the newest segment, and of the hinted one, can be guessed.
      for (let part = 0; part < 12; part++) kept.add(path.replace(/\.\d+\.mp4$/, `.${part}.mp4`));
    }
    await gateway.revoke(share);
    const revokedEpochMs = Date.now();
    const refused = await fetch(playlist);
    expect([refused.status, await refusalReason(refused)]).toEqual([403, 'revoked']);
    const init = await fetch(new URL('seg_init.mp4', playlist));
    expect(init.status).toBe(403);
    // Each response says until when caches can serve it.
    const expirations: number[] = [];
    await until('the end of all paths', async () => {
      await Promise.all(
        [...kept].map(async (path) => {
          const response = await fetch(cache.url + path);
          await response.arrayBuffer();
          if (response.status !== 200) kept.delete(path);
          else if (response.headers.has('expires')) {
            expirations.push(Date.parse(response.headers.get('expires')!));
          }
        }),
      );
      return kept.size === 0;
    });
    // Others had the video on.
    const { listed: now } = await pathsOf(other);
    expect(expirations.filter((epochMs) => epochMs > revokedEpochMs)).not.toEqual([]);
    expect(expirations.filter((epochMs) => epochMs > revokedEpochMs + ROTATION_MS)).toEqual([]);
    expect(now.filter((path) => listed.includes(path))).toEqual([]);
    // Names go on, but a signature opens its own segment alone.
    const next = Number(/seg_(\d+)/.exec(now.at(-1)!)![1]);
    const guessed = listed.map((path) => path.replace(/seg_\d+/, `seg_${next}`));
    expect(new Set(await Promise.all(guessed.map(statusOf)))).toEqual(new Set([404]));
  });

  test('what was cached for one share answers nothing of another camera or rendition', async () => {
    const silent = await pathsOf(await watch(await gateway.share('Dock', { includeAudio: false })));
    const heard = await pathsOf(await watch(await gateway.share('Dock')));
    const gate = await pathsOf(await watch(await gateway.share('Gate')));
    const all = [silent, heard, gate];
    for (const { listed } of all) expect(await statusOf(listed.at(-1)!)).toBe(200);
    const partsOf = (path: string) => path.split('/').slice(1);
    const crossed = all.flatMap(({ listed: [from] }) =>
      all.flatMap(({ listed: [to] }) => {
        const [, cameraUuid, rendition] = partsOf(to!);
        const [, ownCamera, ownRendition, signature, name] = partsOf(from!);
        if (cameraUuid === ownCamera && rendition === ownRendition) return [];
        return [`/cdn/${cameraUuid}/${rendition}/${signature}/${name}`];
      }),
    );
    expect(crossed).toHaveLength(6);
    expect(await Promise.all(crossed.map(statusOf))).toEqual(crossed.map(() => 404));
    // Without a CDN, the same camera's share has paths of its own, and they stay its viewer's.
    const own = await watch(await gateway.share('Dock', { cdn: false }));
    const { text } = await fetchPlaylist(own);
    expect(text).not.toContain('/cdn/');
    const segment = new URL(/^seg_\d+\.mp4$/m.exec(text)![0], own);
    const [first, second] = [await fetch(segment), await fetch(segment)];
    expect([first.headers.get('cache-control'), first.status]).toEqual([
      'private, max-age=3600, immutable',
      200,
    ]);
    expect(second.headers.get('x-cache')).toBeNull();
    expect(origin.count(segment.pathname)).toBe(2);
  });

  test('errors are not kept: what was asked for too early is there when it is', async () => {
    const playlist = await watch(await gateway.share('Dock'));
    const { listed, hinted } = await pathsOf(playlist);
    const unknown = listed[0]!.replace(/[^/]+\/seg_/, `${'A'.repeat(22)}/seg_`);
    expect([await statusOf(unknown), await statusOf(unknown)]).toEqual([404, 404]);
    expect(origin.count(unknown, 404)).toBe(2);
    // The whole of the segment that is not complete.
    const whole = hinted.replace(/\.\d+\.mp4$/, '.mp4');
    const early = await statusOf(whole);
    expect(await until('the segment', async () => (await statusOf(whole)) === 200)).toBe(true);
    expect(early).toBe(404);
    expect(origin.count(whole)).toBe(1);
  });

  test('a query, a range and another method fill no cache and reach no gateway', async () => {
    const playlist = await watch(await gateway.share('Dock'));
    const { listed } = await pathsOf(playlist);
    const path = listed.at(-1)!;
    const bytes = Buffer.from(await (await fetch(cache.url + path)).arrayBuffer());
    for (let copy = 0; copy < 20; copy++) {
      const response = await fetch(`${cache.url}${path}?x=${copy}&_HLS_msn=${copy}`, {
        headers: { cookie: `x=${copy}`, authorization: `Bearer ${copy}`, 'accept-language': `${copy}` },
      });
      expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    }
    const range = await fetch(cache.url + path, { headers: { range: 'bytes=4-7' } });
    expect([range.status, await range.text()]).toEqual([206, bytes.toString('latin1', 4, 8)]);
    const head = await fetch(cache.url + path, { method: 'HEAD' });
    expect([head.status, head.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect(origin.count(path)).toBe(1);
    expect([...origin.shared().keys()].filter((requested) => requested.includes('?'))).toEqual([]);
  });
});

test('nginx behind another cache tells it a date, which stays, and no age that it would count anew', async () => {
  const cache = await startNginxBehindAnother(gateway.mediaUrl);
  try {
    const { text } = await fetchPlaylist(await openShare((await gateway.share('Dock')).m3u8Url));
    const path = /\/cdn\/\S+\/seg_\d+\.mp4(?=\s*$)/m.exec(text)![0];
    const headersOf = async (from: string) => {
      const response = await fetch(cache.url + from);
      await response.arrayBuffer();
      return response.headers;
    };
    const first = await headersOf(path);
    const late = await until('a later second', async () => {
      const headers = await headersOf(path);
      return headers.get('date') === first.get('date') ? null : headers;
    });
    expect(late.get('x-cache')).toBe('HIT');
    expect(late.get('cache-control')).toBe('public');
    expect(late.get('cdn-cache-control')).toBeNull();
    expect(late.get('expires')).toBe(first.get('expires'));
    expect(Date.parse(late.get('expires')!)).toBeGreaterThan(Date.now());
    const missing = await headersOf(path.replace(/seg_\d+/, 'seg_9999999'));
    expect(missing.get('cache-control')).toBe('no-store');
  } finally {
    await cache.stop();
  }
});
