/** Cameras and clients that are malicious, or behave as if they were: no one else notices. */

import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type net from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSecrets } from '../../src/app/config/secrets.ts';
import type { Ruuid } from '../../src/core/ruuid.ts';
import { Grants } from '../../src/sharing/grant.ts';
import {
  type CameraScript,
  decentScript,
  FAKE_CAMERA_SDP,
  FakeCamera,
} from '../../src/sources/direct/fake-camera.ts';
import type { SyntheticCamera } from '../../src/sources/synthetic-camera/synthetic-camera.ts';
import { API_KEY, type Json, TestGateway, type TestShare } from '../support/gateway.ts';
import { fetchOk, openShare, refusalReason } from '../support/hls.ts';
import { decodeErrors } from '../support/media-check.ts';
import { readPlaylistText } from '../support/playlist-text.ts';
import { rawBytes, rawRequest } from '../support/raw-http.ts';
import { type ConnectionScript, flood, ScriptedCamera } from '../support/scripted-camera.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { TestViewer } from '../support/viewer.ts';

interface HostileCamera {
  readonly name: string;
  /** Codes that attempts can end with. */
  readonly codes: readonly string[];
  /** Plays the socket, or a fake camera's RTSP. */
  readonly socket?: ConnectionScript;
  readonly rtsp?: CameraScript;
}

/** How many attempts of each hostile camera are checked. */
const ATTEMPTS = 3;
/**
 * More than all buffers, windows and code of twelve cameras need; less than one unbounded buffer takes in that
 * time.
 */
const MAX_GROWTH_BYTES = 200 * 1_048_576;
const FRAME_BYTES = 65_535;
/** Of the cameras that send as much as they can. */
const PACE_MS = 10;

const OK = 'RTSP/1.0 200 OK\r\nCSeq: 1\r\n';

function interleaved(payload: Buffer): Buffer {
  const head = Buffer.from([0x24, 0, payload.length >> 8, payload.length & 0xff]);
  return Buffer.concat([head, payload]);
}

/** A frame of the maximum size, with or without a matching RTP header. */
function hugeFrame(sequence: number, payloadStart: readonly number[]): Buffer {
  const payload = randomBytes(FRAME_BYTES);
  payload[0] = 0x80;
  payload[1] = 96;
  payload.writeUInt16BE(sequence & 0xffff, 2);
  payload.writeUInt32BE(1, 4);
  payload.writeUInt32BE(0x11223344, 8);
  payload.set(payloadStart, 12);
  return interleaved(payload);
}

/** A well-behaved camera up to PLAY; then `send` every few milliseconds. */
function afterPlay(send: (count: number) => Buffer): CameraScript {
  return (request, connection) => {
    decentScript(0)(request, connection);
    if (request.method !== 'PLAY') return;
    let count = 0;
    const timer = setInterval(() => {
      if (connection.socket.destroyed) clearInterval(timer);
      else if (!connection.socket.writableNeedDrain) connection.socket.write(send(count++));
    }, PACE_MS);
  };
}

/** More of them every ten milliseconds than a camera has any reason to send in a second. */
const TINY_FRAMES = Buffer.concat(new Array(30_000).fill(interleaved(Buffer.of(0x80))));

function describing(headers: string, body: string): ConnectionScript {
  return answering((method, cseq) =>
    method === 'DESCRIBE' ? `RTSP/1.0 200 OK\r\nCSeq: ${cseq}\r\n${headers}\r\n${body}` : null,
  );
}

/** `null`: a normal 200. */
function answering(answer: (method: string, cseq: string) => string | null): ConnectionScript {
  return (socket: net.Socket) => {
    socket.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      const method = text.slice(0, text.indexOf(' '));
      const cseq = /CSeq: *(\d+)/i.exec(text)?.[1] ?? '1';
      socket.write(answer(method, cseq) ?? `RTSP/1.0 200 OK\r\nCSeq: ${cseq}\r\nPublic: DESCRIBE\r\n\r\n`);
    });
  };
}

const sdpHeaders = (length: number | string) =>
  `Content-Type: application/sdp\r\nContent-Length: ${length}\r\n`;

const HOSTILE: readonly HostileCamera[] = [
  {
    name: 'random bytes',
    codes: ['RTSP_FRAMING', 'RTSP_MESSAGE_TOO_LARGE'],
    socket: (socket) =>
      flood(socket, Buffer.concat([Buffer.from('\xff\xfe', 'latin1'), randomBytes(65_536)])),
  },
  {
    name: 'endless header line',
    codes: ['RTSP_MESSAGE_TOO_LARGE'],
    socket: (socket) => {
      socket.write(`${OK}X-Long: `);
      flood(socket, Buffer.alloc(65_536, 'a'));
    },
  },
  {
    name: 'endless headers',
    codes: ['RTSP_MESSAGE_TOO_LARGE'],
    socket: (socket) => {
      socket.write(OK);
      flood(socket, Buffer.from('X-More: 1\r\n'.repeat(4_096)));
    },
  },
  {
    name: 'huge Content-Length',
    codes: ['RTSP_MESSAGE_TOO_LARGE'],
    socket: describing(sdpHeaders(9_999_999_999), FAKE_CAMERA_SDP),
  },
  {
    name: 'Content-Length beyond the body',
    codes: ['RTSP_TIMEOUT'],
    socket: describing(sdpHeaders(FAKE_CAMERA_SDP.length + 1_000), FAKE_CAMERA_SDP),
  },
  {
    name: 'Content-Length within the body',
    codes: ['RTSP_FRAMING', 'SDP_INVALID', 'RTSP_NO_SUPPORTED_VIDEO', 'RTSP_MESSAGE_TOO_LARGE'],
    socket: describing(sdpHeaders(3), FAKE_CAMERA_SDP),
  },
  {
    name: 'Content-Length that is no number',
    codes: ['RTSP_FRAMING', 'RTSP_BAD_RESPONSE'],
    socket: describing(sdpHeaders('-5'), FAKE_CAMERA_SDP),
  },
  {
    name: 'slow-loris',
    codes: ['RTSP_TIMEOUT'],
    socket: (socket, every) => {
      let at = 0;
      const text = `${OK}X-Slow: ${'z'.repeat(10_000)}`;
      every(100, () => socket.write(text.charAt(at++)));
    },
  },
  {
    name: 'closes at once',
    codes: ['DIRECT_DISCONNECTED', 'DIRECT_UNREACHABLE'],
    socket: (socket) => socket.end(),
  },
  {
    name: 'resets at once',
    codes: ['DIRECT_DISCONNECTED', 'DIRECT_UNREACHABLE'],
    socket: (socket) => socket.resetAndDestroy(),
  },
  { name: 'says nothing', codes: ['RTSP_TIMEOUT'], socket: () => undefined },
  {
    name: 'SDP cut off',
    codes: ['SDP_INVALID', 'RTSP_NO_SUPPORTED_VIDEO'],
    socket: describing(sdpHeaders(10), FAKE_CAMERA_SDP.slice(0, 10)),
  },
  {
    name: 'huge frames of garbage',
    codes: ['STREAM_SILENT', 'DIRECT_SILENT'],
    rtsp: afterPlay(() => interleaved(randomBytes(FRAME_BYTES))),
  },
  {
    name: 'a picture that never ends',
    codes: ['STREAM_SILENT', 'DIRECT_SILENT'],
    // FU-A: the first piece of an IDR frame, then only middle pieces.
    rtsp: afterPlay((count) => hugeFrame(count, [0x7c, count === 0 ? 0x85 : 0x05])),
  },
  {
    name: 'a flood of tiny packets',
    codes: ['DIRECT_FLOOD'],
    rtsp: afterPlay(() => TINY_FRAMES),
  },
];

let good: SyntheticCamera;
const cameras: { url: string; close: () => Promise<void> }[] = [];
let gateway: TestGateway;
let share: TestShare;
let other: TestShare;
let playlistUrl: string;

beforeAll(async () => {
  good = await startCamera();
  for (const { socket, rtsp } of HOSTILE) {
    if (socket !== undefined) cameras.push(await ScriptedCamera.listen(socket));
    else if (rtsp !== undefined) {
      const fake = await FakeCamera.listen(rtsp);
      cameras.push({ url: fake.url(), close: () => fake.close() });
    }
  }
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', window: '10s', idleStop: '5m' },
    sources: { connectTimeout: '2s', silenceTimeout: '2s', backoffMin: '200ms', backoffMax: '1s' },
    api: { rateLimit: 1_000_000 },
    cameras: [
      { name: 'Good', rtsp: good.url },
      { name: 'Other', rtsp: good.url },
      ...HOSTILE.map(({ name }, index) => ({ name, rtsp: cameras[index]!.url })),
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
    for (const camera of HOSTILE) {
      const shared = await gateway.share(camera.name);
      hostile.push({ uuid: shared.cameraUuid, share: shared, camera });
    }
    const asked = await Promise.all(hostile.map((each) => fetch(each.share.m3u8Url)));
    for (const [index, response] of asked.entries()) {
      expect([HOSTILE[index]!.name, response.status]).toEqual([HOSTILE[index]!.name, 503]);
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

/** A refusal is a small JSON response, never media and never a failure of ours. */
function expectRefused(path: string, answer: { status: number; body: Buffer }): void {
  expect([path, answer.status >= 400 && answer.status < 500, answer.status]).toEqual([
    path,
    true,
    answer.status,
  ]);
  const text = answer.body.toString('latin1');
  expect([path, /ftyp|moof|#EXTM3U/.test(text)]).toEqual([path, false]);
}

describe('hostile media requests', () => {
  const grantOf = (url: string): string => new URL(url).pathname.split('/')[2]!;
  const folderOf = (grant: string): string => `/live/${grant}`;

  it('forged, foreign, cut off and expired grants are refused', async () => {
    const grant = grantOf(playlistUrl);
    const otherGrant = grantOf(await openShare(other.m3u8Url));
    const { grantSigningKey } = loadSecrets(join(gateway.folder, 'data'), {});
    const nowSec = Math.floor(Date.now() / 1_000);
    const uuid = share.uuid as Ruuid;
    const flipped = (at: number): string =>
      grant.slice(0, at) + (grant[at] === 'A' ? 'B' : 'A') + grant.slice(at + 1);
    const wrong: Record<string, string> = {
      'made with another key': new Grants(randomBytes(32)).issue(uuid, 0, nowSec + 3_600),
      expired: new Grants(grantSigningKey).issue(uuid, 0, nowSec - 1),
      'of an older password': new Grants(grantSigningKey).issue(uuid, 77, nowSec + 3_600),
      'of no share': new Grants(grantSigningKey).issue('AAAAAAAAAAAAAAAAAAAAAA' as Ruuid, 0, nowSec + 3_600),
      "with the other's share": otherGrant.slice(0, 21) + grant.slice(21),
      "with the other's signature": grant.slice(0, 43) + otherGrant.slice(43),
      'too long': `${grant}A`,
      doubled: grant + grant,
      'other alphabet': `+/${grant.slice(2)}`,
      'a share token': new URL(share.pageUrl).pathname.split('/').at(-1)!,
      'the uuid of the share': share.uuid,
      'the uuid of the camera': share.cameraUuid,
      empty: '',
      nul: `%00${grant.slice(3)}`,
    };
    for (let length = 1; length < grant.length; length += 7) wrong[`${length} long`] = grant.slice(0, length);
    for (let at = 0; at < grant.length; at += 5) wrong[`bit ${at}`] = flipped(at);
    for (const [title, text] of Object.entries(wrong)) {
      const isToken = title === 'a share token';
      for (const name of ['file.m3u8', 'stream.m3u8', 'index.m3u8', 'seg_init.mp4', 'poster.jpg', 'status']) {
        if (isToken && name === 'file.m3u8') continue;
        expectRefused(`${title}: ${name}`, await rawRequest(gateway.mediaUrl, `${folderOf(text)}/${name}`));
      }
    }
    expect((await rawRequest(gateway.mediaUrl, `${folderOf(grant)}/file.m3u8`)).status).toBe(200);
  });

  it('a grant opens its own camera and nothing beside it', async () => {
    const grant = grantOf(playlistUrl);
    const folder = folderOf(grant);
    const newest = readPlaylistText((await fetchOk(playlistUrl)).toString()).segments.at(-1)!.msn;
    const names = [
      'seg_999999999.m4v',
      'seg_-1.m4v',
      `seg_0${newest}.m4v`,
      `seg_${newest}.m4s`,
      `seg_${newest}.m4v.bak`,
      `seg_${newest}.999.m4v`,
      `seg_${newest}..m4v`,
      'seg_1e3.m4v',
      'seg_9999999999999999999999.m4v',
      'seg_init_00000000.mp4',
      'seg_init_.mp4',
      'SEG_INIT.MP4',
      'seg_init.mp4%00.html',
      'file.mpd.m3u8',
      'FILE.M3U8',
      'constructor',
      '__proto__',
      'sub/file.m3u8',
      'sub/seg_init.mp4',
      '../../file.m3u8',
      `../${grantOf(await openShare(other.m3u8Url)).slice(0, -1)}x/file.m3u8`,
      '..%2f..%2f..%2fetc%2fpasswd',
      '%2e%2e/%2e%2e/etc/passwd',
      '..\\..\\file.m3u8',
      '%5c..%5cfile.m3u8',
      'file.m3u8%2f..%2fseg_init.mp4',
      'x%2ffile.m3u8',
      './././etc',
      '%',
      '%zz',
      '%c0%ae%c0%ae/',
      '%ff%fe',
      'a'.repeat(300),
      'a/'.repeat(2_000),
      `${'%41'.repeat(2_000)}`,
    ];
    for (const name of names) {
      expectRefused(name, await rawRequest(gateway.mediaUrl, `${folder}/${name}`));
    }
    for (const path of [
      '/../data/secret.key',
      '/assets/../../package.json',
      '/assets/..%2f..%2fpackage.json',
      '/assets/%2e%2e%2f%2e%2e%2fpackage.json',
      '/live',
      '/live/',
      '/live//file.m3u8',
      '//live//',
      '/share',
      '/metrics',
      '/api/camera/getMinimalCameraStateList',
      `/${'x'.repeat(12_000)}`,
    ]) {
      expectRefused(path, await rawRequest(gateway.mediaUrl, path));
    }
  });

  it('wrong methods, headers and bytes are refused', async () => {
    const path = new URL(playlistUrl).pathname;
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND']) {
      const body = method === 'TRACE' ? {} : { body: '{}' };
      expectRefused(method, await rawRequest(gateway.mediaUrl, path, { method, ...body }));
    }
    const page = new URL(share.pageUrl).pathname;
    const json = { 'content-type': 'application/json' };
    for (const body of ['{', '[]', '"x"', 'null0', '{"password":5}', `{"password":"${'p'.repeat(2_000)}"}`]) {
      const options = { method: 'POST', headers: json, body };
      expectRefused(body.slice(0, 40), await rawRequest(gateway.mediaUrl, `${page}/open`, options));
    }
    const large = { method: 'POST', headers: json, body: `{"password":"${'p'.repeat(6_000)}"}` };
    expectRefused('large body', await rawRequest(gateway.mediaUrl, `${page}/open`, large));
    const odd = [
      'bytes=9-1',
      'bytes=-',
      'bytes=0-1,2-3',
      'bytes=99999999999999999999-',
      `bytes=${'1'.repeat(5_000)}-`,
    ];
    for (const range of odd) {
      const answer = await rawRequest(gateway.mediaUrl, path.replace('file.m3u8', 'seg_init.mp4'), {
        headers: { range },
      });
      expect([range, answer.status === 200 || answer.status === 416]).toEqual([range, true]);
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
    const answers = await Promise.all(guesses);
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 401).length).toBeGreaterThanOrEqual(5);
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
      const answer = await rawRequest(gateway.apiUrl, create, options);
      const envelope = JSON.parse(answer.body.toString());
      expect([body, answer.status < 500, envelope.error]).toEqual([body, true, true]);
      expect(envelope.errorMsg, JSON.stringify(body).slice(0, 80)).toMatch(sentence);
    }
    const after = (await gateway.call('camera/findAllSharedLiveVideoStreams')).sharedLiveVideoStreams.length;
    expect(after).toBe(before);
  });

  it('garbage is refused and never a failure of ours', async () => {
    const bodies = [
      '{',
      '[]',
      '"text"',
      '5',
      '\u0000',
      '{"__proto__":{"admin":true}}',
      '{"constructor":{"prototype":{}}}',
      `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
      `{"name":"${'\\u0000'.repeat(100)}"}`,
      `{"pad":"${'x'.repeat(2_000_000)}"}`,
    ];
    for (const body of bodies) {
      const { status, body: text } = await rawRequest(gateway.apiUrl, create, {
        method: 'POST',
        headers,
        body,
      });
      expect([body.slice(0, 40), status < 500]).toEqual([body.slice(0, 40), true]);
      expect(JSON.parse(text.toString()).error, body.slice(0, 40)).toBe(true);
    }
    for (const [method, path] of [
      ['GET', create],
      ['DELETE', create],
      ['POST', '/api/camera/noSuchCall'],
      ['POST', '/api/../../etc/passwd'],
      ['POST', `/api/${'y'.repeat(10_000)}`],
      ['POST', '/api/camera/%zz'],
    ] as const) {
      const { status } = await rawRequest(gateway.apiUrl, path, { method, headers });
      expect([path.slice(0, 60), status >= 400 && status < 500]).toEqual([path.slice(0, 60), true]);
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
      const answer = await rawRequest(gateway.apiUrl, create, {
        method: 'POST',
        headers: { 'x-auth-scheme': 'api-token', ...credentials },
      });
      expect([credentials, answer.status]).toEqual([credentials, 401]);
      expect(JSON.parse(answer.body.toString())).toMatchObject({ error: true, authenticationFailed: true });
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
