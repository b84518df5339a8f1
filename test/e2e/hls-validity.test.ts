/** What the gateway serves is HLS as RFC 8216bis describes it, according to ffprobe, ffmpeg and the text itself. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { fetchOk, openShare, refusalReason } from '../support/hls.ts';
import { decodeErrors } from '../support/media-check.ts';
import {
  type ListedSegment,
  mergeDelta,
  type PlaylistText,
  readPlaylistText,
} from '../support/playlist-text.ts';
import { type ProbedTrack, probeSegment } from '../support/segment-probe.ts';
import { FRAMES_PER_SEC, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
/** EXTINF is written in decimals: half of the last digit for each number in a sum. */
const ROUNDING_SEC = 2e-5;
const NAL_IDR = 5;

let camera: SyntheticCamera;
let gateway: TestGateway;
let share: TestShare;
/** The Media Playlist with the names that hls.js players fetch. */
let playlistUrl: string;

const at = (name: string): string => new URL(name, playlistUrl).href;
const load = async (query = ''): Promise<PlaylistText> =>
  readPlaylistText((await fetchOk(playlistUrl + query)).toString());
const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

function config(cameraUrl: string) {
  return {
    hls: { segmentTarget: '1s', partTarget: '200ms', window: '8s', idleStop: '5m' },
    sources: { backoffMin: '200ms', backoffMax: '1s' },
    cameras: [{ name: 'Lobby', rtsp: cameraUrl }],
  };
}

/** A playlist with at least `count` complete segments. */
function loadWith(count: number): Promise<PlaylistText> {
  return until(`${count} segments`, async () => {
    const playlist = await load();
    return playlist.segments.length >= count ? playlist : null;
  });
}

async function bytesOf(segments: readonly ListedSegment[]): Promise<Buffer[]> {
  const bytes: Buffer[] = [];
  for (const segment of segments) bytes.push(await fetchOk(at(segment.uri)));
  return bytes;
}

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start(config(camera.url));
  share = await gateway.share('Lobby');
  playlistUrl = (await openShare(share.m3u8Url)).replace('stream.m3u8', 'file.m3u8');
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

describe('segments', () => {
  it('start with an IDR picture, last as long as EXTINF says and follow each other without a gap', async () => {
    const { segments } = await loadWith(5);
    const init = await fetchOk(at(segments[0]!.map!));
    const bytes = await bytesOf(segments);
    let [videoEnd, audioEnd] = [null, null] as [number | null, number | null];
    const endOf = (track: ProbedTrack) => track.firstTicks + track.durationTicks;
    for (const [index, segment] of segments.entries()) {
      const { video, audio, firstSliceType } = await probeSegment(init, bytes[index]!);
      expect(firstSliceType, segment.uri).toBe(NAL_IDR);
      const seconds = video.durationTicks / video.timescaleHz;
      expect(Math.abs(Number(segment.extinf) - seconds), `${segment.uri} ${segment.extinf}`).toBeLessThan(
        ROUNDING_SEC,
      );
      expect([video.isGapless, audio!.isGapless], segment.uri).toEqual([true, true]);
      if (videoEnd !== null) expect(video.firstTicks, segment.uri).toBe(videoEnd);
      if (audioEnd !== null) expect(audio!.firstTicks, segment.uri).toBe(audioEnd);
      [videoEnd, audioEnd] = [endOf(video), endOf(audio!)];
      expect(Math.abs(video.samples - seconds * FRAMES_PER_SEC), segment.uri).toBeLessThan(1.5);
    }
    expect(await decodeErrors([init, ...bytes])).toBe('');
  });

  it('are the concatenation of their parts, byte for byte and second for second', async () => {
    const { segments } = await loadWith(5);
    const withParts = segments.filter((segment) => segment.parts.length > 0);
    expect(withParts.length).toBeGreaterThanOrEqual(3);
    for (const segment of withParts) {
      expect(segment.parts.length, segment.uri).toBeGreaterThan(1);
      const parts = [];
      for (const part of segment.parts) parts.push(await fetchOk(at(part.uri)));
      expect(Buffer.concat(parts).equals(await fetchOk(at(segment.uri))), segment.uri).toBe(true);
      const seconds = segment.parts.reduce((sum, part) => sum + part.duration, 0);
      expect(Math.abs(seconds - Number(segment.extinf))).toBeLessThan(ROUNDING_SEC * segment.parts.length);
    }
  });

  it('are the same under both endings', async () => {
    const newest = (await loadWith(3)).segments.at(-1)!;
    const text = (await fetchOk(at('stream.m3u8'))).toString();
    expect(text).toContain(newest.uri.replace('.m4v', '.mp4'));
    expect(text).not.toContain('.m4v');
    const other = await fetchOk(at(newest.uri.replace('.m4v', '.mp4')));
    expect(other.equals(await fetchOk(at(newest.uri)))).toBe(true);
  });

  it('stay available after they left the playlist', async () => {
    const oldest = (await loadWith(3)).segments[0]!;
    const bytes = await fetchOk(at(oldest.uri));
    await until('the segment to leave the playlist', async () => (await load()).mediaSequence > oldest.msn);
    expect((await fetchOk(at(oldest.uri))).equals(bytes)).toBe(true);
  });
});

describe('delivery directives', () => {
  it('a blocking reload is answered with the part it asked for, as soon as that is there', async () => {
    for (let round = 0; round < 5; round++) {
      const { hint } = await load();
      const next = await load(`?_HLS_msn=${hint.msn}&_HLS_part=${hint.part}`);
      const listed = [...next.segments.flatMap((segment) => segment.parts), ...next.openParts];
      expect(listed.map(({ uri }) => uri)).toContain(hint.uri);
      expect(next.hint).not.toEqual(hint);
      expect(await statusOf(at(hint.uri))).toBe(200);
    }
  });

  it('a blocking reload without a part waits for the whole segment', async () => {
    const { hint } = await load();
    const next = await load(`?_HLS_msn=${hint.msn}`);
    expect(next.segments.at(-1)!.msn).toBeGreaterThanOrEqual(hint.msn);
  });

  it('a request for the hinted part waits for its bytes', async () => {
    const { hint } = await load();
    const bytes = await fetchOk(at(hint.uri));
    expect(bytes.toString('latin1', 4, 8)).toMatch(/moof|styp|prft/);
    expect((await fetchOk(at(hint.uri))).equals(bytes)).toBe(true);
  });

  it('a delta update merges to the full playlist', async () => {
    const known = await loadWith(8);
    const query = `?_HLS_msn=${known.hint.msn}&_HLS_part=${known.hint.part}`;
    const [full, delta] = await Promise.all([load(query), load(`${query}&_HLS_skip=YES`)]);
    expect(delta.hint).toEqual(full.hint);
    expect(delta.skipped).toBeGreaterThan(0);
    expect(full.skipped).toBe(0);
    const plain = ({ parts: _parts, ...rest }: ListedSegment) => rest;
    expect(mergeDelta(known, delta).map(plain)).toEqual(full.segments.map(plain));
    expect(delta.openParts).toEqual(full.openParts);
  });

  it('what lies too far ahead, or is no number, is 400', async () => {
    const { hint } = await load();
    const wrong = [
      `_HLS_msn=${hint.msn + 3}`,
      `_HLS_msn=${hint.msn}&_HLS_part=${hint.part + 100}`,
      '_HLS_msn=99999999999999999999',
      '_HLS_msn=-1',
      '_HLS_msn=x',
      '_HLS_part=1',
      `_HLS_msn=${hint.msn}&_HLS_part=1.5`,
      '_HLS_skip=NO',
    ];
    for (const query of wrong) expect(await statusOf(`${playlistUrl}?${query}`), query).toBe(400);
    expect(await statusOf(`${playlistUrl}?unknown=1&_HLS=2`)).toBe(200);
  });
});

describe('HTTP', () => {
  it('everything may be read by any page, and the sizes are true to HEAD', async () => {
    const { map, uri, parts } = (await loadWith(3)).segments.at(-1)!;
    for (const name of ['file.m3u8', 'stream.m3u8', 'index.m3u8', map!, uri, parts[0]!.uri]) {
      const head = await fetch(at(name), { method: 'HEAD' });
      expect([name, head.status, head.headers.get('access-control-allow-origin')]).toEqual([name, 200, '*']);
      expect(Number(head.headers.get('content-length')), name).toBeGreaterThan(0);
      expect((await head.arrayBuffer()).byteLength).toBe(0);
      const got = await fetch(at(name));
      expect(got.headers.get('content-type')).toBe(head.headers.get('content-type'));
      const isMedia = !name.endsWith('.m3u8');
      expect(got.headers.get('content-type')).toBe(isMedia ? 'video/mp4' : 'application/vnd.apple.mpegurl');
      const { byteLength } = await got.arrayBuffer();
      if (isMedia) expect(byteLength, name).toBe(Number(head.headers.get('content-length')));
    }
    const preflight = await fetch(playlistUrl, { method: 'OPTIONS' });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Range');
  });

  it('ranges of a segment are its bytes', async () => {
    const { uri } = (await loadWith(3)).segments.at(-1)!;
    const whole = await fetchOk(at(uri));
    const ask = async (range: string) => {
      const response = await fetch(at(uri), { headers: { range } });
      const { status, headers } = response;
      return { status, range: headers.get('content-range'), body: Buffer.from(await response.arrayBuffer()) };
    };
    const size = whole.length;
    const cases: [string, number, number][] = [
      ['bytes=0-99', 0, 100],
      ['bytes=100-1999', 100, 2_000],
      [`bytes=${size - 10}-`, size - 10, size],
      ['bytes=-25', size - 25, size],
      [`bytes=5-${size * 2}`, 5, size],
    ];
    for (const [range, start, end] of cases) {
      const result = await ask(range);
      expect([range, result.status, result.range]).toEqual([range, 206, `bytes ${start}-${end - 1}/${size}`]);
      expect(result.body.equals(whole.subarray(start, end)), range).toBe(true);
    }
    expect(await ask(`bytes=${size}-`)).toMatchObject({ status: 416, range: `bytes */${size}` });
    expect((await ask('lines=1-2')).status).toBe(200);
  });
});

describe('a puller with nothing but the URL', () => {
  it('ffmpeg plays it without a complaint', async () => {
    const args = ['-nostdin', '-v', 'error', '-i', share.m3u8Url, '-t', '6', '-f', 'null', '-'];
    const { stdout, stderr } = await run('ffmpeg', args, { timeout: 60_000 });
    expect(stdout + stderr).toBe('');
  });

  it('shows a password as HTTP Basic or in the query', async () => {
    const guarded = await gateway.share('Lobby', { password: 'p:ss wörd' });
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    const ask = async (query: string, headers: Record<string, string> = {}) => {
      const response = await fetch(guarded.m3u8Url + query, { headers });
      const { status } = response;
      return { status, challenge: response.headers.get('www-authenticate'), text: await response.text() };
    };
    const bare = await ask('');
    expect([bare.status, bare.challenge]).toEqual([401, expect.stringContaining('Basic')]);
    expect(JSON.parse(bare.text)).toMatchObject({ error: true, reason: 'password-needed' });
    const wrong = await ask('?password=guess');
    expect([wrong.status, JSON.parse(wrong.text).reason]).toEqual([401, 'password-wrong']);
    expect((await ask('', basic('anyone:guess'))).status).toBe(401);
    for (const result of [
      await ask(`?password=${encodeURIComponent('p:ss wörd')}`),
      await ask('?x=1&password=p%3Ass+w%C3%B6rd'),
      await ask('', basic('anyone:p:ss wörd')),
      await ask('', basic(':p:ss wörd')),
    ]) {
      expect(result.status).toBe(200);
      const media = result.text.split('\n').find((line) => line !== '' && !line.startsWith('#'))!;
      expect(await statusOf(new URL(media, guarded.m3u8Url).href)).toBe(200);
    }
    expect(responseNamesPassword(await ask(`?password=${encodeURIComponent('p:ss wörd')}`))).toBe(false);
    await gateway.revoke(guarded);
  });

  it('401 and 403 say why, and mean nothing but "not allowed"', async () => {
    const gone = await gateway.share('Lobby');
    const goneMedia = await openShare(gone.m3u8Url);
    expect(await statusOf(goneMedia)).toBe(200);
    await gateway.revoke(gone);
    for (const url of [gone.m3u8Url, goneMedia]) {
      const response = await fetch(url);
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ error: true, reason: 'revoked' });
    }
    const brief = await gateway.share('Lobby', { expirationTimeSecs: 2 });
    const briefMedia = await openShare(brief.m3u8Url);
    await until('the share to expire', async () => (await statusOf(briefMedia)) === 403);
    const response = await fetch(brief.m3u8Url);
    expect([response.status, await refusalReason(response)]).toEqual([403, 'expired']);
  });
});

function responseNamesPassword({ text }: { text: string }): boolean {
  return /password|w%C3/i.test(text);
}

describe('numbering', () => {
  it('never goes back while the camera restarts, which is a discontinuity', async () => {
    const before = await loadWith(3);
    const { port } = camera;
    const seen: PlaylistText[] = [before];
    await camera.close();
    camera = await startCamera(port);
    const after = await until('pictures of the new connection', async () => {
      const playlist = await load();
      seen.push(playlist);
      const first = playlist.segments.findIndex((segment) => segment.hasDiscontinuity);
      return first >= 0 && playlist.segments.length >= first + 3 ? playlist : null;
    });
    expectNeverBack(seen);
    const known = new Map(seen.flatMap(({ segments }) => segments).map((segment) => [segment.msn, segment]));
    const numbers = [...known.keys()].sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from(numbers, (_number, index) => numbers[0]! + index));
    expect(after.segments.filter((segment) => segment.hasDiscontinuity)).toHaveLength(1);
    const bytes = await bytesOf(after.segments);
    const init = await fetchOk(at(after.segments[0]!.map!));
    const first = after.segments.findIndex((segment) => segment.hasDiscontinuity);
    expect(await decodeErrors([init, ...bytes.slice(0, first)])).toBe('');
    expect(await decodeErrors([init, ...bytes.slice(first)])).toBe('');
    const leaving = after.segments[first]!.msn;
    const later = await until('the discontinuity to leave', async () => {
      const playlist = await load();
      return playlist.mediaSequence > leaving ? playlist : null;
    });
    expect(later.discontinuitySequence).toBe(after.discontinuitySequence + 1);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('never goes back over %s of the gateway', async (signal) => {
    const before = await loadWith(3);
    await gateway.restart(signal);
    // The same URLs, including the grant: a viewer that kept trying sees only the gap.
    const after = await until('the stream to come back', async () => {
      const playlist = await load();
      return playlist.segments.length >= 2 ? playlist : null;
    });
    expect(after.mediaSequence).toBeGreaterThan(before.segments.at(-1)!.msn);
    expect(after.mediaSequence).toBeGreaterThanOrEqual(
      before.hint.part > 0 ? before.hint.msn + 1 : before.hint.msn,
    );
    expect(after.segments[0]!.hasDiscontinuity).toBe(true);
    expect(after.discontinuitySequence).toBeGreaterThanOrEqual(before.discontinuitySequence);
    const init = await fetchOk(at(after.segments[0]!.map!));
    expect(await decodeErrors([init, ...(await bytesOf(after.segments))])).toBe('');
    expect(await statusOf(share.m3u8Url)).toBe(200);
  });
});

function expectNeverBack(playlists: readonly PlaylistText[]): void {
  for (const [index, { mediaSequence, discontinuitySequence, hint }] of playlists.entries()) {
    const previous = playlists[index - 1];
    if (previous === undefined) continue;
    expect(mediaSequence).toBeGreaterThanOrEqual(previous.mediaSequence);
    expect(discontinuitySequence).toBeGreaterThanOrEqual(previous.discontinuitySequence);
    expect(hint.msn).toBeGreaterThanOrEqual(previous.hint.msn);
  }
}
