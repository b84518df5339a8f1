/** Viewer threads in a whole gateway: any of them serves any viewer, with the same text, the same limits and the same end. */

import { Agent, get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { API_KEY, type Json, TestGateway, type TestShare } from '../support/gateway.ts';
import { openShare } from '../support/hls.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const THREADS = 3;
/** With so many connections, none of three threads is left out: (2/3)^60 is 3 in 10^11. */
const CONNECTIONS = 60;

let camera: SyntheticCamera;
let gateway: TestGateway;
beforeAll(async () => {
  // Whoever waits for a segment waits for seconds.
  camera = await startCamera(0, { clip: await makeClip(320, 180, { gopSec: 8 }) });
  gateway = await TestGateway.start({
    threads: { viewers: THREADS },
    hls: { idleStop: '5m' },
    cameras: [{ name: 'Lobby', rtsp: camera.url, recording: 'always' }],
  });
});
afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Each on a connection of its own, from `localAddress`. */
function ask(url: string | URL, localAddress = '127.0.0.1', headers: Json = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const agent = new Agent({ keepAlive: false });
    const requested = get(url, { agent, localAddress, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    requested.on('error', reject);
  });
}

const askAll = (url: string | URL) => Promise.all(Array.from({ length: CONNECTIONS }, () => ask(url)));

async function openPlayed(): Promise<{ share: TestShare; playlistUrl: string }> {
  const share = await gateway.share('Lobby');
  const playlistUrl = await openShare(share.m3u8Url);
  const { status } = await ask(playlistUrl);
  expect(status).toBe(200);
  return { share, playlistUrl };
}

/** As many viewers as connections: one viewer may have only a few requests waiting. */
async function openViewers({ m3u8Url }: TestShare): Promise<string[]> {
  return Promise.all(Array.from({ length: CONNECTIONS }, () => openShare(m3u8Url)));
}

/** Of what is not there yet. */
function nextPart(text: string): { uri: string; msn: number; part: number } {
  const [, uri, msn, part] = /PRELOAD-HINT:TYPE=PART,URI="(seg_(\d+)\.(\d+)\.\w+)"/.exec(text)!;
  return { uri: uri!, msn: Number(msn), part: Number(part) };
}

it('gives the same text and the same bytes on every thread, also to those who wait', async () => {
  const { share } = await openPlayed();
  const urls = await openViewers(share);
  const { msn, part, uri } = nextPart((await ask(urls[0]!)).body.toString());
  const waiting = Promise.all(urls.map((url) => ask(`${url}?_HLS_msn=${msn}&_HLS_part=${part}`)));
  const parts = await Promise.all(urls.map((url) => ask(new URL(uri, url))));
  const lists = await waiting;
  expect(lists.map(({ status }) => status)).toEqual(lists.map(() => 200));
  // A thread may be one part ahead by the time that a late connection asks.
  const texts = new Set(lists.map(({ body }) => body.toString()));
  expect(texts.size).toBeLessThanOrEqual(2);
  for (const text of texts) expect(text).toContain(`URI="${uri}"`);
  expect(new Set(parts.map(({ body }) => body.toString('hex'))).size).toBe(1);
  const metrics = await (await fetch(`${gateway.apiUrl}/metrics`)).text();
  expect(metrics).toMatch(new RegExp(`^sluice_viewer_threads_starts_total ${THREADS}$`, 'm'));
});

it('counts a viewer once, whichever threads serve it', async () => {
  const { share, playlistUrl } = await openPlayed();
  const { uri } = nextPart((await ask(playlistUrl)).body.toString());
  await askAll(new URL(uri, playlistUrl));
  const viewers = await until('its traffic', async () => {
    const { viewers: listed } = await gateway.call('camera/getSharedStreamViewers', {
      sharedLiveVideoStreamUuid: share.uuid,
    });
    return listed[0]?.stream === 'MAIN' && listed[0].sentBytes > 0 ? (listed as Json[]) : null;
  });
  expect(viewers).toHaveLength(1);
  expect(viewers[0]).toMatchObject({ address: '127.0.0.1', protocol: 'HLS', stream: 'MAIN' });
});

it('ends a view on all threads while requests wait', async () => {
  const { share, playlistUrl } = await openPlayed();
  const urls = await openViewers(share);
  // Whole after another group of pictures of 8 s: a request that the revocation did not end would get it.
  const { msn } = nextPart((await ask(playlistUrl)).body.toString());
  const waiting = Promise.all(urls.map((url) => ask(`${url}?_HLS_msn=${msn + 1}`)));
  await until('the requests', async () => {
    const { body } = await ask(`${gateway.apiUrl}/metrics`);
    const open = /^sluice_media_connections (\d+)$/m.exec(body.toString())?.[1];
    return Number(open) >= CONNECTIONS;
  });
  await gateway.revoke(share);
  const responses = await waiting;
  const reasons = responses.map(({ status, body }) => [status, JSON.parse(body.toString()).reason]);
  expect(reasons).toEqual(reasons.map(() => [403, 'revoked']));
  const later = await askAll(playlistUrl);
  expect(new Set(later.map(({ status }) => status))).toEqual(new Set([403]));
});

it('forwards what it does not serve, with the address of the client', async () => {
  const { share, playlistUrl } = await openPlayed();
  const page = await ask(share.pageUrl);
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  const opened = await fetch(`${share.pageUrl}/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(opened.status).toBe(200);
  // A body without a length.
  const wrong = await fetch(`${share.pageUrl}/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    duplex: 'half',
    body: new Blob(['{"pass', 'word":']).stream(),
  } as RequestInit);
  expect([wrong.status, ((await wrong.json()) as Json).reason]).toEqual([400, 'bad-request']);
  const status = await ask(new URL('status', playlistUrl));
  expect(JSON.parse(status.body.toString())).toMatchObject({ camera: { state: 'live' } });
  const poster = await ask(share.m3u8Url.replace('file.m3u8', 'poster.jpg'));
  expect([poster.status, poster.body.toString('hex', 0, 2)]).toEqual([200, 'ffd8']);
  expect((await ask(`${gateway.mediaUrl}/nowhere`)).status).toBe(404);
  expect((await ask(`${gateway.mediaUrl}/live/nobody/file.m3u8`)).status).toBe(404);

  const elsewhere = await ask(share.m3u8Url, '127.0.0.7');
  const media = elsewhere.body.toString().trim().split('\n').at(-1)!;
  await ask(new URL(media, share.m3u8Url), '127.0.0.7');
  const listed = await gateway.call('camera/getSharedStreamViewers', {
    sharedLiveVideoStreamUuid: share.uuid,
  });
  expect(listed.viewers.map(({ address }: Json) => address)).toContain('127.0.0.7');
});

it('forwards a WebSocket', async () => {
  const { playlistUrl } = await openPlayed();
  const socket = new WebSocket(new URL('ws', playlistUrl.replace('http:', 'ws:')));
  socket.binaryType = 'arraybuffer';
  const first = await new Promise<ArrayBuffer>((resolve, reject) => {
    socket.addEventListener('message', ({ data }) => resolve(data as ArrayBuffer));
    socket.addEventListener('error', () => reject(new Error('no WebSocket')));
  });
  expect(first.byteLength).toBeGreaterThan(0);
  socket.close();
});

it('forwards what was recorded, whole', async () => {
  const uuid = await gateway.cameraUuid('Lobby');
  const headers = { 'x-auth-scheme': 'api-token', 'x-auth-apikey': API_KEY };
  const startSec = Math.floor(Date.now() / 1_000);
  const movie = await until('the recording', async () => {
    if (Date.now() / 1_000 < startSec + 4) return null;
    const got = await ask(
      `${gateway.mediaUrl}/media/${uuid}/local/vod/${startSec}/2/clip.mp4`,
      undefined,
      headers,
    );
    return got.status === 200 ? got : null;
  });
  expect(movie.body.length).toBe(Number(movie.headers['content-length']));
  expect(movie.body.toString('latin1', 4, 8)).toBe('ftyp');
});

it('ends while viewers wait, and keeps no one waiting', async () => {
  const { share, playlistUrl } = await openPlayed();
  const { msn } = nextPart((await ask(playlistUrl)).body.toString());
  const urls = await openViewers(share);
  const waiting = Promise.allSettled(urls.map((url) => ask(`${url}?_HLS_msn=${msn + 1}`)));
  await gateway.end();
  expect(gateway.child.process.exitCode).toBe(0);
  const statuses = (await waiting).map((one) => (one.status === 'fulfilled' ? one.value.status : null));
  // Those that had not arrived found no one.
  expect(statuses.filter((status) => status !== null && status !== 503 && status !== 200)).toEqual([]);
  await gateway.run();
});
