/** Cameras and clients that are malicious, or behave as if they were: no one else notices. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSecrets } from '../../src/app/config/secrets.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { API_KEY, type Json, TestGateway, type TestShare } from '../support/gateway.ts';
import { fetchOk, openShare, refusalReason } from '../support/hls.ts';
import { HOSTILE_CAMERAS, type HostileCamera, startHostileCamera } from '../support/hostile-cameras.ts';
import { HOSTILE_PATHS, hostileGrants, hostileNames } from '../support/hostile-requests.ts';
import { decodeErrors } from '../support/media-check.ts';
import { readPlaylistText } from '../support/playlist-text.ts';
import { rawBytes, rawRequest } from '../support/raw-http.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { TestViewer } from '../support/viewer.ts';

/** How many attempts of each hostile camera are checked. */
const ATTEMPTS = 3;
/**
 * More than all buffers, windows and code of twelve cameras need; less than one unbounded buffer takes in that
 * time.
 */
const MAX_GROWTH_BYTES = 200 * 1_048_576;
let good: SyntheticCamera;
const cameras: { url: string; close: () => Promise<void> }[] = [];
let gateway: TestGateway;
let share: TestShare;
let other: TestShare;
let playlistUrl: string;

beforeAll(async () => {
  good = await startCamera();
  for (const hostile of HOSTILE_CAMERAS) cameras.push(await startHostileCamera(hostile));
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', window: '10s', idleStop: '5m' },
    sources: { connectTimeout: '2s', silenceTimeout: '2s', backoffMin: '200ms', backoffMax: '1s' },
    cameras: [
      { name: 'Good', rtsp: good.url },
      { name: 'Other', rtsp: good.url },
      ...HOSTILE_CAMERAS.map(({ name }, index) => ({ name, rtsp: cameras[index]!.url })),
    ],
  });
  share = await gateway.share('Good');
  other = await gateway.share('Other');
  playlistUrl = (await openShare(share.m3u8Url)).replace('stream.m3u8', 'file.m3u8');
});

afterAll(async () => {
  await gateway?.dispose();
  await good?.close();
  await Promise.all(cameras.map((camera) => camera.close()));
});

async function residentBytes(): Promise<number> {
  const status = await readFile(`/proc/${gateway.child.process.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) * 1_024;
}

/** Log lines of a camera that went offline. */
function offlineLines(cameraUuid: string): Json[] {
  return gateway.child.lines
    .filter((line) => line.includes(cameraUuid) && line.includes('"msg":"camera offline"'))
    .map((line) => JSON.parse(line) as Json);
}

describe('hostile cameras', () => {
  it('end in one clear line for each attempt, while the others play on', async () => {
    await until('the good camera', async () => {
      const { segments } = readPlaylistText((await fetchOk(playlistUrl)).toString());
      return segments.length >= 2;
    });
    const viewer = new TestViewer(playlistUrl);
    await until('parts', () => viewer.parts >= 3);
    const beforeBytes = await residentBytes();
    const hostile: { uuid: string; share: TestShare; camera: HostileCamera }[] = [];
    for (const camera of HOSTILE_CAMERAS) {
      const shared = await gateway.share(camera.name);
      hostile.push({ uuid: shared.cameraUuid, share: shared, camera });
    }
    const requested = await Promise.all(hostile.map((each) => fetch(each.share.m3u8Url)));
    for (const [index, response] of requested.entries()) {
      expect([HOSTILE_CAMERAS[index]!.name, response.status]).toEqual([HOSTILE_CAMERAS[index]!.name, 503]);
      expect(await refusalReason(response)).toBe('camera-offline');
    }
    await until(
      'attempts of every camera',
      () => hostile.every(({ uuid }) => offlineLines(uuid).length >= ATTEMPTS),
      40_000,
    ).catch((error: Error) => {
      const counts = hostile.map(({ uuid, camera }) => `${camera.name}: ${offlineLines(uuid).length}`);
      throw new Error(`${error.message}: ${counts.join(', ')}`);
    });
    for (const { uuid, camera } of hostile) {
      for (const { level, err } of offlineLines(uuid)) {
        expect(level, camera.name).toBe(40);
        expect(camera.codes, `${camera.name}: ${JSON.stringify(err)}`).toContain(err.code);
        expect(err.message, camera.name).toMatch(/\.$/);
        expect(JSON.stringify(err), camera.name).not.toContain('"stack"');
      }
    }
    expect((await residentBytes()) - beforeBytes).toBeLessThan(MAX_GROWTH_BYTES);
    await viewer.stop();
    expect(viewer).toMatchObject({ failures: [], discontinuities: 0 });
    const { segments } = readPlaylistText((await fetchOk(playlistUrl)).toString());
    const bytes = [await fetchOk(new URL(segments[0]!.map!, playlistUrl).href)];
    for (const segment of segments) bytes.push(await fetchOk(new URL(segment.uri, playlistUrl).href));
    expect(await decodeErrors(bytes)).toBe('');
    expect(gateway.child.lines.filter((line) => line.includes('"level":50'))).toEqual([]);
    for (const each of hostile) await gateway.revoke(each.share);
  });
});

/** Of a name in a path, as src/front-door/build-front-door.ts takes it. */
const MAX_NAME_CHARS = 256;

/** A refusal is a small JSON response, never media and never a failure of ours. */
function expectRefused(path: string, status: number, response: { status: number; body: Buffer }): void {
  expect([path, response.status]).toEqual([path, status]);
  const text = response.body.toString('latin1');
  expect([path, /ftyp|moof|#EXTM3U/.test(text)]).toEqual([path, false]);
}

describe('hostile media requests', () => {
  const grantOf = (url: string): string => new URL(url).pathname.split('/')[2]!;
  const folderOf = (grant: string): string => `/live/${grant}`;
  /** Signed by this gateway, and over; the others are nothing it has ever made. */
  const signed = ['expired', 'of an older password', 'of no share'];
  /** No UTF-8 in percent encoding, or a name longer than any: refused before it is looked for. */
  const isMalformed = (name: string): boolean => {
    try {
      decodeURIComponent(name);
      return name.split('/').some((part) => part.length > MAX_NAME_CHARS);
    } catch {
      return true;
    }
  };

  it('forged, foreign, cut off and expired grants are refused', async () => {
    const grant = grantOf(playlistUrl);
    const otherGrant = grantOf(await openShare(other.m3u8Url));
    const { grantSigningKey } = loadSecrets(join(gateway.folder, 'data'), {});
    const wrong = hostileGrants({ grant, otherGrant, share, signingKey: grantSigningKey });
    for (const [title, text] of Object.entries(wrong)) {
      const isToken = title === 'a share token';
      for (const name of ['file.m3u8', 'stream.m3u8', 'index.m3u8', 'seg_init.mp4', 'poster.jpg', 'status']) {
        if (isToken && (name === 'file.m3u8' || name === 'poster.jpg')) continue;
        const response = await rawRequest(gateway.mediaUrl, `${folderOf(text)}/${name}`);
        expectRefused(`${title}: ${name}`, signed.includes(title) ? 403 : 404, response);
      }
    }
    expect((await rawRequest(gateway.mediaUrl, `${folderOf(grant)}/file.m3u8`)).status).toBe(200);
  });

  it('a grant opens its own camera and nothing beside it', async () => {
    const grant = grantOf(playlistUrl);
    const folder = folderOf(grant);
    const newest = readPlaylistText((await fetchOk(playlistUrl)).toString()).segments.at(-1)!.msn;
    const names = hostileNames(newest, grantOf(await openShare(other.m3u8Url)));
    for (const name of names) {
      const response = await rawRequest(gateway.mediaUrl, `${folder}/${name}`);
      expectRefused(name, isMalformed(name) ? 400 : 404, response);
    }
    for (const path of HOSTILE_PATHS) {
      expectRefused(path, 404, await rawRequest(gateway.mediaUrl, path));
    }
  });

  it('wrong methods, headers and bytes are refused', async () => {
    const path = new URL(playlistUrl).pathname;
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND']) {
      const body = method === 'TRACE' ? {} : { body: '{}' };
      expectRefused(method, 404, await rawRequest(gateway.mediaUrl, path, { method, ...body }));
    }
    const page = new URL(share.pageUrl).pathname;
    const json = { 'content-type': 'application/json' };
    for (const body of ['{', '[]', '"x"', 'null0', '{"password":5}', `{"password":"${'p'.repeat(2_000)}"}`]) {
      const options = { method: 'POST', headers: json, body };
      expectRefused(body.slice(0, 40), 400, await rawRequest(gateway.mediaUrl, `${page}/open`, options));
    }
    const large = { method: 'POST', headers: json, body: `{"password":"${'p'.repeat(6_000)}"}` };
    expectRefused('large body', 400, await rawRequest(gateway.mediaUrl, `${page}/open`, large));
    const odd = [
      'bytes=9-1',
      'bytes=-',
      'bytes=0-1,2-3',
      'bytes=99999999999999999999-',
      `bytes=${'1'.repeat(5_000)}-`,
    ];
    for (const range of odd) {
      const response = await rawRequest(gateway.mediaUrl, path.replace('file.m3u8', 'seg_init.mp4'), {
        headers: { range },
      });
      // RFC 9110 §14.2: a range that is not understood is ignored.
      expect([range, response.status]).toEqual([range, 200]);
    }
    for (const bytes of [
      'nonsense\r\n\r\n',
      Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]),
      'GET / HTTP/9.9\r\n\r\n',
      `GET ${path} HTTP/1.1\r\n\r\n`,
      `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Big: ${'b'.repeat(100_000)}\r\n\r\n`,
      `POST ${page}/open HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `POST ${page}/open HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n`,
    ]) {
      expect(await rawBytes(gateway.mediaUrl, bytes), String(bytes).slice(0, 60)).toMatch(
        /^HTTP\/1\.1 4\d\d /,
      );
    }
  });

  it('guessing a password is slowed down for the guesser', async () => {
    const guarded = await gateway.share('Good', { password: 'right' });
    const guesses = Array.from({ length: 20 }, (_, guess) =>
      fetch(`${guarded.m3u8Url}?password=guess${guess}`),
    );
    const responses = await Promise.all(guesses);
    const refused = responses.filter(({ status }) => status === 429);
    expect(responses.filter(({ status }) => status === 401).length).toBeGreaterThanOrEqual(5);
    expect(refused.length).toBeGreaterThanOrEqual(5);
    for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await fetch(share.m3u8Url)).status).toBe(200);
    await gateway.revoke(guarded);
  });
});

describe('hostile API requests', () => {
  const create = '/api/camera/createSharedLiveVideoStream';
  const headers = {
    'x-auth-apikey': API_KEY,
    'x-auth-scheme': 'api-token',
    'content-type': 'application/json',
  };

  it('wrong input is answered with a sentence that names the field', async () => {
    const { cameraUuid } = share;
    const fields = { cameraUuid, streamType: 'USER', vodEnabled: false };
    const cases: [Json, RegExp][] = [
      [{}, /cameraUuid/],
      [{ ...fields, cameraUuid: 5 }, /cameraUuid/],
      [{ ...fields, cameraUuid: 'x' }, /cameraUuid/],
      [{ ...fields, streamType: 'NONSENSE' }, /streamType/],
      [{ ...fields, expirationTimeSecs: 'soon' }, /expirationTimeSecs/],
      [{ ...fields, expirationTimeSecs: -5 }, /expirationTimeSecs/],
      [{ ...fields, name: 'n'.repeat(10_000) }, /name/],
      [{ ...fields, password: {} }, /password/],
      [{ ...fields, scheduleUuid: 'AAAAAAAAAAAAAAAAAAAAAA' }, /schedule/],
    ];
    const before = (await gateway.call('camera/findAllSharedLiveVideoStreams')).sharedLiveVideoStreams.length;
    for (const [body, sentence] of cases) {
      const options = { method: 'POST', headers, body: JSON.stringify(body) };
      const response = await rawRequest(gateway.apiUrl, create, options);
      const envelope = JSON.parse(response.body.toString());
      expect([body, response.status, envelope.error]).toEqual([body, 200, true]);
      expect(envelope.errorMsg, JSON.stringify(body).slice(0, 80)).toMatch(sentence);
    }
    const after = (await gateway.call('camera/findAllSharedLiveVideoStreams')).sharedLiveVideoStreams.length;
    expect(after).toBe(before);
  });

  it('garbage is refused and never a failure of ours', async () => {
    const bodies: [body: string, status: number][] = [
      // No JSON, or nested deeper than any request.
      ['{', 400],
      ['\u0000', 400],
      [`${'['.repeat(50_000)}${']'.repeat(50_000)}`, 400],
      [`{"pad":"${'x'.repeat(2_000_000)}"}`, 413],
      // JSON, but no request: the envelope says so.
      ['[]', 200],
      ['"text"', 200],
      ['5', 200],
      ['{"__proto__":{"admin":true}}', 200],
      ['{"constructor":{"prototype":{}}}', 200],
      [`{"name":"${'\\u0000'.repeat(100)}"}`, 200],
    ];
    for (const [body, expected] of bodies) {
      const { status, body: text } = await rawRequest(gateway.apiUrl, create, {
        method: 'POST',
        headers,
        body,
      });
      expect([body.slice(0, 40), status]).toEqual([body.slice(0, 40), expected]);
      expect(JSON.parse(text.toString()).error, body.slice(0, 40)).toBe(true);
    }
    for (const [method, path, expected] of [
      ['GET', create, 405],
      ['DELETE', create, 405],
      ['POST', '/api/camera/noSuchCall', 404],
      ['POST', '/api/../../etc/passwd', 404],
      ['POST', `/api/${'y'.repeat(10_000)}`, 404],
      ['POST', '/api/camera/%zz', 400],
    ] as const) {
      const body = method === 'GET' ? {} : { body: '{}' };
      const { status } = await rawRequest(gateway.apiUrl, path, { method, headers, ...body });
      expect([method, path.slice(0, 60), status]).toEqual([method, path.slice(0, 60), expected]);
    }
    const key = API_KEY.slice(0, -1);
    for (const credentials of [
      {},
      { 'x-auth-apikey': '' },
      { 'x-auth-apikey': key },
      { 'x-auth-apikey': `${API_KEY}x` },
      { 'x-auth-apikey': API_KEY, 'x-auth-scheme': 'nonsense' },
      { 'x-auth-apikey': 'k'.repeat(8_000), 'x-auth-scheme': 'api-token' },
    ]) {
      const response = await rawRequest(gateway.apiUrl, create, {
        method: 'POST',
        headers: { 'x-auth-scheme': 'api-token', ...credentials },
      });
      expect([credentials, response.status]).toEqual([credentials, 401]);
      expect(JSON.parse(response.body.toString())).toMatchObject({ error: true, authenticationFailed: true });
    }
    expect((await gateway.call('camera/getMinimalCameraStateList')).error).toBe(false);
  });

  it('left no trace in the log but refusals', () => {
    expect(gateway.child.lines.filter((line) => line.includes('"level":50'))).toEqual([]);
    expect(gateway.child.lines.filter((line) => /^\s+at |Unhandled|DeprecationWarning/.test(line))).toEqual(
      [],
    );
    expect(gateway.child.lines.filter((line) => line.includes(API_KEY))).toEqual([]);
  });
});
