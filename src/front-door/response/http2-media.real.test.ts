/** Rules for viewers over HTTP/1.1 also hold over HTTP/2. These tests cover the parts that differ. */

import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CertificateFolder } from '../../../test/support/certificates.ts';
import { type ListenerCertificate, readCertificate } from '../../connections/certificate.ts';
import {
  type Frame,
  frame,
  framesIn,
  get,
  PREFACE,
  RawClient,
  until,
} from '../../connections/listener-fixture.ts';
import type { Share } from '../../store/entities.ts';
import type { FakeRendition } from '../fake-live-camera.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';
import { RawViewer } from '../raw-viewer-fixture.ts';
import { GRACE_MS, MAX_RESPONSES_PER_VIEWER, MIN_BYTES_PER_SEC } from './media-responses.ts';

const MIB = 1_048_576;
/** The size of four parts together. The sockets on loopback take less. */
const LARGE_BYTES = 24 * MIB;
const SEGMENTS = 3;
const NEXT = `seg_${SEGMENTS + 1}.0.m4v`;
const { NGHTTP2_CANCEL, NGHTTP2_NO_ERROR } = constants;

let folderOfCertificates: CertificateFolder;
let certificate: ListenerCertificate;
beforeAll(async () => {
  folderOfCertificates = new CertificateFolder();
  certificate = await readCertificate(folderOfCertificates.make('media'));
});
afterAll(() => folderOfCertificates.remove());

let door: FrontDoorFixture;
let live: FakeRendition;
let share: Share;
let folder: string;
let session: ClientHttp2Session;
let raws: RawClient[];

/** `segmentBytes`: of the segments from number 1 on. */
async function open(isTls: boolean, segmentBytes = 4_000): Promise<void> {
  raws = [];
  door = await openFrontDoorFixture({ listener: isTls ? { certificate } : { isHttp2Plain: true } });
  live = door.camera.start();
  live.publishSegments(SEGMENTS + 1, segmentBytes / 4);
  share = await door.share();
  folder = await door.openShare(share);
  await door.listen();
  session = connect(`${isTls ? 'https' : 'http'}://127.0.0.1:${port()}`, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  // Then both know each other's settings: the clock of the door is not that of the kernel.
  await once(session, 'remoteSettings');
  const { promise, resolve } = Promise.withResolvers<unknown>();
  session.ping(resolve);
  await promise;
}
const port = () => (door.app.server.address() as AddressInfo).port;

afterEach(async () => {
  session.destroy();
  for (const { socket } of raws) socket.destroy();
  await door.close();
});

class Exchange {
  readonly stream: ClientHttp2Stream;
  status = 0;
  headers: Readonly<Record<string, unknown>> = {};
  bodyBytes = 0;
  readonly #chunks: Buffer[] = [];
  /** The body is complete. */
  hasEnded = false;
  isOver = false;

  constructor(path: string, { method = 'GET', ...headers }: Readonly<Record<string, string>> = {}) {
    this.stream = session.request({ ':path': path, ':method': method, ...headers });
    this.stream.on('response', (response) => {
      this.headers = response as Record<string, unknown>;
      this.status = response[':status'] ?? 0;
    });
    this.stream.on('data', (chunk: Buffer) => {
      this.bodyBytes += chunk.length;
      this.#chunks.push(chunk);
    });
    this.stream.on('end', () => {
      this.hasEnded = this.stream.rstCode === NGHTTP2_NO_ERROR;
    });
    this.stream.on('error', () => undefined);
    this.stream.on('close', () => {
      this.isOver = true;
    });
  }

  get body(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  async over(): Promise<this> {
    await until(() => this.isOver);
    return this;
  }
}

const ask = (path: string, headers?: Readonly<Record<string, string>>) => new Exchange(path, headers);
const revoke = () => door.sharing.directory.applied({ kind: 'share', uuid: share.uuid, record: null });

describe.each([
  ['with TLS', true],
  ['without TLS', false],
])('over HTTP/2 %s', (_how, isTls) => {
  beforeEach(() => open(isTls));

  it('playlists, deltas and parts are waited for, next to each other', async () => {
    const msn = SEGMENTS + 1;
    const waited = [
      ask(`${folder}file.m3u8?_HLS_msn=${msn}&_HLS_part=1`, { 'accept-encoding': 'gzip' }),
      ask(`${folder}file.m3u8?_HLS_msn=${msn}&_HLS_part=1&_HLS_skip=YES`),
      ask(`${folder}seg_${msn}.1.m4v`),
    ];
    const now = await ask(`${folder}file.m3u8`).over();
    expect([now.status, now.body.toString()]).toEqual([200, expect.stringContaining('main full')]);
    await until(() => live.waitingCount === 3);
    live.publish();
    const [playlist, delta, part] = await Promise.all(waited.map((one) => one.over()));
    expect(playlist!.headers).toMatchObject({ 'content-encoding': 'gzip', 'cache-control': 'no-store' });
    expect(gunzipSync(playlist!.body).toString()).toContain('main full');
    expect(delta!.body.toString()).toContain('main delta');
    expect([part!.status, part!.body.toString()]).toEqual([200, expect.stringContaining(`part ${msn}.1;`)]);
    await until(() => live.loans === 0 && door.app.mediaResponses.size === 0);
  });

  it('HEAD and ranges are answered as over HTTP/1.1', async () => {
    const head = await ask(`${folder}seg_1.m4v`, { method: 'HEAD' }).over();
    expect([head.status, head.headers['content-length'], head.bodyBytes]).toEqual([200, '4000', 0]);
    const range = await ask(`${folder}seg_1.m4v`, { range: 'bytes=10-19' }).over();
    expect([range.status, range.headers['content-range'], range.bodyBytes]).toEqual([
      206,
      'bytes 10-19/4000',
      10,
    ]);
    const beyond = await ask(`${folder}seg_1.m4v`, { range: 'bytes=5000-' }).over();
    expect([beyond.status, beyond.headers['content-range']]).toEqual([416, 'bytes */4000']);
    const headOfPlaylist = await ask(`${folder}file.m3u8`, { method: 'HEAD' }).over();
    expect([headOfPlaylist.status, headOfPlaylist.bodyBytes]).toEqual([200, 0]);
    await until(() => live.loans === 0);
  });

  it('a share is opened, with its status and its page', async () => {
    const opening = session.request({
      ':path': `/share/${door.shareToken(share)}/open`,
      ':method': 'POST',
      'content-type': 'application/json',
    });
    opening.end('{}');
    let text = '';
    for await (const chunk of opening.setEncoding('utf8')) text += chunk;
    expect(JSON.parse(text)).toMatchObject({ playlistUrl: expect.stringContaining('/live/') });
    const page = await ask(`/share/${door.shareToken(share)}`).over();
    expect([page.status, page.body.toString()]).toEqual([200, expect.stringContaining('<html')]);
    const status = await ask(`${folder}status`).over();
    expect(JSON.parse(status.body.toString())).toMatchObject({ camera: { state: 'live' } });
  });

  it('a body that does not come ends its request alone', async () => {
    const slow = session.request({ ':path': `/share/${door.shareToken(share)}/open`, ':method': 'POST' });
    slow.on('error', () => undefined);
    slow.write('{');
    const other = ask(folder + NEXT.replace('.0.', '.1.'));
    await until(() => live.waitingCount === 1);
    door.sharing.clock.advance(15_000);
    await once(slow, 'close');
    expect([slow.rstCode, other.isOver, session.destroyed]).toEqual([NGHTTP2_CANCEL, false, false]);
  });
});

describe.each([
  ['with TLS', true],
  ['without TLS', false],
])('access that ends over HTTP/2 %s', (_how, isTls) => {
  beforeEach(() => open(isTls, LARGE_BYTES));

  it('answers who waits, resets what is sent, and leaves others on the connection alone', async () => {
    const other = await door.openShare(await door.share());
    const loading = ask(`${folder}seg_1.m4v`);
    const growing = ask(`${folder}video/seg_0.m4v`);
    const waiting = ask(`${folder}seg_${SEGMENTS + 1}.1.m4v`);
    const othersPart = ask(`${other}seg_2.m4v`);
    const othersWait = ask(`${other}seg_${SEGMENTS + 1}.1.m4v`);
    loading.stream.pause();
    othersPart.stream.pause();
    await until(() => live.waitingCount >= 2 && loading.status === 200 && othersPart.status === 200);
    revoke();
    await Promise.all([waiting.over(), loading.over()]);
    expect([waiting.status, waiting.body.toString()]).toEqual([403, expect.stringContaining('revoked')]);
    expect([loading.stream.rstCode, loading.hasEnded]).toEqual([NGHTTP2_CANCEL, false]);
    expect(loading.bodyBytes).toBeLessThan(LARGE_BYTES);
    await growing.over();
    expect([growing.stream.rstCode, growing.hasEnded]).toEqual([NGHTTP2_CANCEL, false]);
    live.publish();
    othersPart.stream.resume();
    await Promise.all([othersPart.over(), othersWait.over()]);
    expect([othersPart.hasEnded, othersPart.bodyBytes]).toEqual([true, LARGE_BYTES]);
    expect(othersWait.status).toBe(200);
    expect(door.app.mediaResponses.cuts().access).toBeGreaterThan(0);
    await until(() => live.loans === 0 && door.app.mediaResponses.size === 0);
    expect((await ask(`${folder}file.m3u8`).over()).status).toBe(403);
  });
});

describe('a segment that is read over HTTP/2 while it is being made', () => {
  let growing: Exchange;
  beforeEach(async () => {
    await open(true);
    growing = ask(`${folder}video/seg_0.m4v`);
    await until(() => growing.bodyBytes > 0);
  });

  const silent = () => door.camera.fake('main-silent');

  it('arrives part by part, and is complete', async () => {
    for (let part = 1; part < 4; part++) {
      expect(growing.body.toString()).not.toContain(`part 0.${part};`);
      silent().publish();
      await until(() => growing.body.toString().includes(`part 0.${part};`));
    }
    await growing.over();
    expect([growing.status, growing.hasEnded]).toEqual([200, true]);
    await until(() => silent().loans === 0);
  });

  it('breaks off when the camera goes offline, so that no one takes it for complete', async () => {
    door.camera.goOffline(door.sharing.clock.epochMs() + 5_000);
    await growing.over();
    expect([growing.stream.rstCode, growing.hasEnded]).toEqual([NGHTTP2_CANCEL, false]);
    await until(() => silent().loans === 0);
  });
});

describe('loans of streams', () => {
  const OPEN_WINDOWS = Buffer.concat([
    // SETTINGS_INITIAL_WINDOW_SIZE, and the window of the connection: as much as there can be.
    frame(4, 0, 0, Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff])),
    frame(8, 0, 0, Buffer.from([0x7f, 0x00, 0x00, 0x00])),
  ]);
  const CANCEL = Buffer.from([0, 0, 0, 8]);
  beforeEach(() => open(false, LARGE_BYTES));

  /** A client that does not read, and has requested a segment. */
  async function stopped(...paths: readonly string[]): Promise<RawClient> {
    const requests = paths.map((path, i) => get(1 + 2 * i, path));
    const client = new RawClient(connectTcp(port(), '127.0.0.1'), Buffer.concat([PREFACE, OPEN_WINDOWS]));
    raws.push(client);
    await until(() => client.bytesRead > 0);
    client.socket.write(frame(4, 1, 0));
    client.socket.pause();
    client.socket.write(Buffer.concat(requests));
    await until(() => live.loans === paths.length);
    return client;
  }

  const settled = async () => {
    for (let i = 0; i < 50; i++) await new Promise(setImmediate);
  };
  const pings = (client: RawClient): Frame[] =>
    framesIn(client.bytes).filter(({ type, flags }) => type === 6 && flags === 0);

  it('end when a response is complete', async () => {
    const whole = await ask(`${folder}seg_1.m4v`).over();
    expect([whole.hasEnded, whole.bodyBytes]).toEqual([true, LARGE_BYTES]);
    await until(() => live.loans === 0 && door.app.mediaResponses.size === 0);
  });

  it('that their clients reset end when these have taken what was sent before, not earlier', async () => {
    const client = await stopped(`${folder}seg_1.m4v`);
    await settled();
    client.socket.write(frame(3, 0, 1, CANCEL));
    await settled();
    expect(live.loans).toBe(1);
    client.socket.resume();
    await until(() => pings(client).length === 1);
    expect(live.loans).toBe(1);
    client.socket.write(frame(6, 1, 0, pings(client)[0]!.payload));
    await until(() => live.loans === 0);
    expect(client.bytesRead).toBeLessThan(LARGE_BYTES);
    expect(client.isOpen).toBe(true);
  });

  it('end with the connection', async () => {
    const client = await stopped(`${folder}seg_1.m4v`, `${folder}seg_2.m4v`);
    client.socket.write(frame(3, 0, 1, CANCEL));
    await settled();
    expect(live.loans).toBe(2);
    client.socket.destroy();
    await until(() => live.loans === 0 && door.app.mediaResponses.size === 0);
  });

  it('that are recalled end with the connection if their client takes nothing', async () => {
    const client = await stopped(`${folder}seg_1.m4v`);
    live.isRecalled = true;
    door.sharing.clock.advance(1_000);
    await settled();
    expect([door.app.mediaResponses.cuts().recalled, live.loans]).toEqual([1, 1]);
    door.sharing.clock.advance(9_000);
    await settled();
    expect(live.loans).toBe(1);
    door.sharing.clock.advance(2_000);
    await until(() => live.loans === 0);
    client.socket.resume();
    await client.ended();
  });

  it('that are read too slowly end, and the connection goes on', async () => {
    const slow = ask(`${folder}seg_1.m4v`);
    slow.stream.pause();
    await until(() => slow.status === 200);
    door.sharing.clock.advance(GRACE_MS + (LARGE_BYTES * 1_000) / MIN_BYTES_PER_SEC + 2_000);
    await until(() => live.loans === 0);
    expect(door.app.mediaResponses.cuts()['too-slow']).toBe(1);
    expect(session.destroyed).toBe(false);
  });

  it('are no more than a viewer needs, on however many streams', async () => {
    const hoards = [1, 2, 3].map((number) => ask(`${folder}seg_${number}.m4v`));
    for (const { stream } of hoards) stream.pause();
    await until(() => hoards.every(({ status }) => status !== 0));
    expect(hoards.map(({ status }) => status).sort()).toEqual([200, 200, 503]);
    const small = Array.from({ length: MAX_RESPONSES_PER_VIEWER + 10 }, () =>
      ask(`${folder}seg_1.m4v`, { range: 'bytes=0-999999' }),
    );
    for (const { stream } of small) stream.pause();
    await until(() => small.every(({ status }) => status !== 0));
    expect(live.loans).toBeLessThanOrEqual(MAX_RESPONSES_PER_VIEWER);
    for (const one of [...hoards, ...small]) one.stream.close(NGHTTP2_CANCEL);
    await until(() => live.loans === 0);
  });
});

describe('over HTTP/1.1 with TLS', () => {
  beforeEach(() => open(true, LARGE_BYTES));

  /** Its requests and responses are plain; TLS is in between. */
  async function viewer(): Promise<RawClient> {
    const options = { rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] };
    const client = new RawClient(connectTls(port(), '127.0.0.1', options), '');
    raws.push(client);
    await once(client.socket, 'secureConnect');
    return client;
  }
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

  it('media on its way is reset, with what the kernel has, and a slow viewer holds no copy', async () => {
    const client = await viewer();
    client.socket.pause();
    client.socket.write(request(`${folder}seg_1.m4v`));
    await until(() => live.loans === 1);
    const before = process.memoryUsage().external;
    for (let i = 0; i < 50; i++) await new Promise(setImmediate);
    expect(process.memoryUsage().external - before).toBeLessThan(LARGE_BYTES / 4);
    revoke();
    await until(() => live.loans === 0);
    client.socket.resume();
    await client.ended();
    expect(client.bytesRead).toBeLessThan(LARGE_BYTES);
    expect(door.app.mediaResponses.cuts().access).toBe(1);
  });

  it('a whole segment arrives', async () => {
    const client = await viewer();
    client.socket.write(request(`${folder}seg_1.m4v`));
    await until(() => client.bytesRead > LARGE_BYTES && live.loans === 0);
    const body = client.bytes.subarray(client.bytes.indexOf('\r\n\r\n') + 4);
    expect(body.toString('latin1', 0, 20)).toContain('part 1.0;');
    expect(body.length).toBe(LARGE_BYTES);
  });
});

it('a viewer without TLS does not reach a listener with it', async () => {
  await open(true);
  const plain = await RawViewer.connect(port());
  plain.ask(`${folder}file.m3u8`);
  await until(() => plain.end !== null);
  expect(plain.text).toBe('');
});
