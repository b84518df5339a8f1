import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CertificateFolder } from '../../test/support/certificates.ts';
import { ARRIVAL_MS } from './arrivals.ts';
import { type ListenerCertificate, readCertificate } from './certificate.ts';
import { HANDSHAKES } from './http-listener.ts';
import {
  frame,
  get,
  headerBlock,
  ListenerFixture,
  PREFACE,
  type RawClient,
  until,
} from './listener-fixture.ts';

const HTTP1 = 'GET /one HTTP/1.1\r\nHost: a\r\n\r\n';
const LOOPBACK = ['127.0.0.1'];
const SWEEP_MS = 1_000;

let folder: CertificateFolder;
let certificate: ListenerCertificate;
let other: ListenerCertificate;
let bench: ListenerFixture;
beforeAll(async () => {
  folder = new CertificateFolder();
  certificate = await readCertificate(folder.make('one'));
  other = await readCertificate(folder.make('other'));
});
afterAll(() => folder.remove());
afterEach(() => bench.close());

/** The server's view of a request over HTTP/2. */
async function ask(origin: string, path = '/two', method = 'GET'): Promise<{ status: number; body: string }> {
  const session = connectHttp2(origin, { rejectUnauthorized: false });
  try {
    const stream = session.request({ ':path': path, ':method': method });
    const [headers] = (await once(stream, 'response')) as [Record<string, number>];
    let body = '';
    for await (const chunk of stream.setEncoding('utf8')) body += chunk;
    return { status: headers[':status']!, body };
  } finally {
    session.destroy();
  }
}

const httpsOrigin = () => `https://127.0.0.1:${bench.port}`;
const httpOrigin = () => `http://127.0.0.1:${bench.port}`;

describe('a listener with a certificate', () => {
  it('speaks HTTP/2 and HTTP/1.1 on one port, as the client says', async () => {
    bench = await ListenerFixture.open({ certificate });
    const { body } = await ask(httpsOrigin());
    expect(JSON.parse(body)).toMatchObject({ url: '/two', httpVersion: '2.0', address: '127.0.0.1' });
    const client = bench.tls('http/1.1', HTTP1);
    await until(() => client.text.includes('"httpVersion":"1.1"'));
    expect(bench.table.counts()).toMatchObject({ madeRoom: 0, refused: 0 });
  });

  it('speaks nothing below TLS 1.2', async () => {
    bench = await ListenerFixture.open({ certificate });
    const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    const socket = connectTls(bench.port, '127.0.0.1', { rejectUnauthorized: false, ...old });
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toMatch(/PROTOCOL_VERSION|TLSV1_ALERT/);
  });

  it('shows a new certificate to new connections, and keeps those that are open', async () => {
    bench = await ListenerFixture.open({ certificate });
    const before = bench.tls('http/1.1', HTTP1);
    await until(() => before.text.includes('}'));
    bench.listener.setCertificate(other);
    const after = bench.tls('http/1.1', HTTP1);
    await until(() => after.text.includes('}'));
    const fingerprints = [before, after].map(
      ({ socket }) => (socket as TLSSocket).getPeerCertificate().subject.CN,
    );
    expect(fingerprints).toEqual(['one', 'other']);
    before.socket.write(HTTP1.replace('/one', '/again'));
    await until(() => before.text.includes('/again'));
  });

  it('closes those that never end their handshake, or never begin it', async () => {
    bench = await ListenerFixture.open({ certificate });
    const silent = bench.tcp();
    // The first bytes of a hello of 512.
    const slow = bench.tcp(Buffer.from('1603010200010001fc0303', 'hex'));
    const quick = bench.tls('http/1.1', HTTP1);
    await until(() => quick.text.includes('}') && bench.table.counts().open === 3);
    bench.clock.advance(ARRIVAL_MS);
    await Promise.all([silent.ended(), slow.ended()]);
    expect([quick.isOpen, bench.table.counts().open]).toEqual([true, 1]);
  });

  it('begins no more handshakes from one address than it can carry', async () => {
    bench = await ListenerFixture.open({ certificate });
    for (let begun = 0; begun < HANDSHAKES.burst; begun += 100) {
      const some = Array.from({ length: 100 }, () => bench.tcp());
      await until(() => bench.table.counts().open === some.length);
      for (const { socket } of some) socket.destroy();
      await until(() => bench.table.counts().open === 0);
    }
    await bench.tcp().ended();
    const elsewhere = connectTcp({ port: bench.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    await until(() => bench.table.counts().open === 1);
    elsewhere.destroy();
    bench.clock.advance(1_000);
    const client = bench.tls('http/1.1', HTTP1);
    await until(() => client.text.includes('}'));
  });

  it('closes those that speak something else', async () => {
    bench = await ListenerFixture.open({ certificate });
    await bench.tcp(HTTP1).ended();
    expect(bench.table.counts().open).toBe(0);
  });

  it('closes those that agree on HTTP/2 and never begin', async () => {
    bench = await ListenerFixture.open({ certificate });
    const silent = bench.tls('h2');
    const settingsOnly = bench.tls('h2', PREFACE);
    // The server's own settings.
    await until(() => silent.bytes.length > 0 && settingsOnly.bytes.length > 0);
    for (let sec = 0; sec < 16; sec++) bench.clock.advance(SWEEP_MS);
    await Promise.all([silent.ended(), settingsOnly.ended()]);
  });
});

describe('a listener that takes HTTP/2 without TLS', () => {
  it('tells it from HTTP/1.1 by its first bytes, however they come', async () => {
    bench = await ListenerFixture.open({ isHttp2Plain: true });
    expect(JSON.parse((await ask(httpOrigin())).body)).toMatchObject({ url: '/two', httpVersion: '2.0' });
    for (const method of ['GET', 'POST', 'PUT', 'PROPFIND']) {
      const client = bench.tcp();
      for (const byte of HTTP1.replace('GET', method)) {
        client.socket.write(byte);
        await new Promise(setImmediate);
      }
      await until(() => client.text.includes(`"method":"${method}"`));
    }
    const slow = bench.tcp();
    for (const byte of PREFACE) {
      slow.socket.write(Buffer.from([byte]));
      await new Promise(setImmediate);
    }
    slow.socket.write(get(1, '/slow'));
    await until(() => slow.text.includes('/slow'));
  });

  it('answers HEAD without a body, as HTTP/1.1 does', async () => {
    const answer = (_: unknown, response: ServerResponse) => {
      response.writeHead(200, ['content-length', '4']);
      response.end('body');
    };
    bench = await ListenerFixture.open({ isHttp2Plain: true, answer });
    expect(await ask(httpOrigin(), '/', 'HEAD')).toEqual({ status: 200, body: '' });
    expect(await ask(httpOrigin(), '/', 'GET')).toEqual({ status: 200, body: 'body' });
  });

  it('breaks off a response so that no client takes it for complete', async () => {
    bench = await ListenerFixture.open({
      isHttp2Plain: true,
      answer: (_request, response) => {
        response.writeHead(200);
        response.write('half', () => response.destroy());
      },
    });
    const session = connectHttp2(httpOrigin());
    const stream = session.request({ ':path': '/' });
    let hasEnded = false;
    stream
      .on('data', () => undefined)
      .on('end', () => {
        hasEnded = stream.rstCode === constants.NGHTTP2_NO_ERROR;
      });
    await once(stream, 'close').catch(() => undefined);
    expect([stream.rstCode, hasEnded]).toEqual([constants.NGHTTP2_CANCEL, false]);
    // The connection continues.
    const next = session.request({ ':path': '/' });
    next.on('error', () => undefined).resume();
    const [headers] = (await once(next, 'response')) as [Record<string, number>];
    expect(headers[':status']).toBe(200);
    session.destroy();
  });

  it('closes those that do not take its settings', async () => {
    bench = await ListenerFixture.open({ isHttp2Plain: true });
    const [silent, polite] = [1, 2].map(() => bench.tcp(Buffer.concat([PREFACE, get(1)]))) as [
      RawClient,
      RawClient,
    ];
    await until(() => silent.text.includes('}') && polite.text.includes('}'));
    polite.socket.write(Buffer.concat([frame(4, 1, 0), get(3, '/three')]));
    await until(() => polite.text.includes('/three'));
    for (let sec = 0; sec < 16; sec++) bench.clock.advance(SWEEP_MS);
    await silent.ended();
    polite.socket.write(get(5, '/five'));
    await until(() => polite.text.includes('/five'));
  });

  it('closes those whose first bytes never come', async () => {
    bench = await ListenerFixture.open({ isHttp2Plain: true });
    const [silent, half] = [bench.tcp(), bench.tcp('PR')];
    await until(() => bench.table.counts().open === 2);
    await new Promise(setImmediate);
    bench.clock.advance(ARRIVAL_MS);
    await Promise.all([silent.ended(), half.ended()]);
  });

  it('tells clients that it will close in a moment, and answers what they have asked by then', async () => {
    const waiting: ServerResponse[] = [];
    const answer = (_: unknown, response: ServerResponse) => waiting.push(response);
    bench = await ListenerFixture.open({ isHttp2Plain: true, answer });
    const session = connectHttp2(httpOrigin());
    const requested = session.request({ ':path': '/' }).setEncoding('utf8');
    await until(() => waiting.length === 1);
    const told = once(session, 'goaway');
    bench.table.leave();
    expect((await told).slice(0, 2)).toEqual([constants.NGHTTP2_NO_ERROR, requested.id]);
    waiting[0]!.end('done');
    const body = await requested.toArray();
    expect(body.join('')).toBe('done');
    await once(session, 'close');
    const another = ask(httpOrigin());
    await until(() => waiting.length === 2);
    waiting[1]!.end('done');
    expect(await another).toEqual({ status: 200, body: 'done' });
  });

  it('ends with its connections', async () => {
    const requested: unknown[] = [];
    bench = await ListenerFixture.open({ isHttp2Plain: true, answer: (request) => requested.push(request) });
    const waiting = bench.tcp(Buffer.concat([PREFACE, get(1)]));
    const arriving = bench.tcp();
    await until(() => requested.length === 1 && bench.table.counts().open === 2);
    const closed = once(bench.server, 'close');
    bench.server.close();
    await arriving.ended();
    expect(waiting.isOpen).toBe(true);
    bench.server.closeAllConnections();
    await closed;
    await waiting.ended();
    bench = await ListenerFixture.open({ isHttp2Plain: true });
  });
});

describe('a listener behind proxies that say whose connection it is', () => {
  const TEXT = 'PROXY TCP4 192.0.2.1 203.0.113.7 54321 443\r\n';

  it('has the client’s address, over HTTP/1.1 and HTTP/2, with TLS and without', async () => {
    const plain = { hasProxyHeader: true, isHttp2Plain: true, trustProxy: LOOPBACK };
    bench = await ListenerFixture.open(plain);
    const http1 = bench.tcp(TEXT + HTTP1);
    await until(() => http1.text.includes('"address":"192.0.2.1","port":54321'));
    const http2 = bench.tcp(Buffer.concat([Buffer.from(TEXT), PREFACE, get(1)]));
    await until(() => http2.text.includes('"address":"192.0.2.1","port":54321'));
    await bench.close();

    bench = await ListenerFixture.open({ certificate, hasProxyHeader: true, trustProxy: LOOPBACK });
    const tcp = connectTcp(bench.port, '127.0.0.1');
    tcp.write(TEXT);
    const tls = connectTls({ socket: tcp, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
    tls.write(HTTP1);
    const [chunk] = (await once(tls, 'data')) as [Buffer];
    expect(chunk.toString()).toContain('"address":"192.0.2.1","port":54321');
    tls.destroy();
  });

  it('takes the header however it comes, before the request', async () => {
    bench = await ListenerFixture.open({ hasProxyHeader: true, trustProxy: LOOPBACK });
    const client = bench.tcp();
    for (const byte of TEXT + HTTP1) {
      client.socket.write(byte);
      await new Promise(setImmediate);
    }
    await until(() => client.text.includes('"address":"192.0.2.1"'));
  });

  it('counts its connections for that address', async () => {
    const limits = { maxPerAddress: 2 };
    bench = await ListenerFixture.open({ hasProxyHeader: true, trustProxy: LOOPBACK, limits });
    const clients = [1, 2, 3].map(() => bench.tcp(TEXT + HTTP1));
    await until(() => clients.filter(({ isOpen }) => isOpen).length === 2);
    const other = bench.tcp(TEXT.replace('192.0.2.1', '192.0.2.2') + HTTP1);
    await until(() => other.text.includes('192.0.2.2'));
    expect(bench.table.counts()).toMatchObject({ open: 3, refused: 1 });
  });

  it('closes a proxy’s connection without the header, or with one that never ends', async () => {
    bench = await ListenerFixture.open({ hasProxyHeader: true, trustProxy: LOOPBACK });
    await bench.tcp(HTTP1).ended();
    await bench.tcp(Buffer.from('1603010200010001fc0303', 'hex')).ended();
    const half = bench.tcp('PROXY TCP4 192.0.2.1');
    await until(() => bench.table.counts().open === 1);
    await new Promise(setImmediate);
    bench.clock.advance(ARRIVAL_MS);
    await half.ended();
  });

  it('takes no header from others', async () => {
    bench = await ListenerFixture.open({ hasProxyHeader: true, trustProxy: ['192.0.2.7'] });
    const direct = bench.tcp(HTTP1);
    await until(() => direct.text.includes('"address":"127.0.0.1"'));
    const liar = bench.tcp(TEXT + HTTP1);
    await liar.ended();
    expect(liar.text).toContain('400 Bad Request');
  });
});

describe('attacks over HTTP/2 end with the attacker’s connection', () => {
  let requested = 0;

  async function openBench(): Promise<void> {
    requested = 0;
    const answer = (_: unknown, response: ServerResponse) => {
      requested += 1;
      response.end('x'.repeat(100));
    };
    bench = await ListenerFixture.open({ isHttp2Plain: true, answer });
  }

  /** Another client's request, while and after the attack. */
  async function othersAreServed(): Promise<void> {
    expect((await ask(httpOrigin())).status).toBe(200);
  }

  /** Sends again and again until the connection is closed. */
  async function flood(bytes: Buffer): Promise<number> {
    const client = bench.tcp(PREFACE);
    let rounds = 0;
    while (client.isOpen && rounds < 100_000) {
      rounds += 1;
      client.socket.write(bytes);
      await until(() => !client.isOpen || client.socket.writableLength < bytes.length);
      if (rounds % 50 === 0) bench.clock.advance(SWEEP_MS);
      await new Promise(setImmediate);
    }
    expect(client.isOpen).toBe(false);
    return rounds;
  }

  /** A client that has begun, and knows the settings of the server. */
  async function greeted(): Promise<RawClient> {
    const client = bench.tcp(PREFACE);
    await until(() => client.bytes.length > 0);
    client.socket.write(frame(4, 1, 0));
    return client;
  }

  it('requests that are reset at once (CVE-2023-44487)', async () => {
    await openBench();
    const client = bench.tcp(PREFACE);
    const cancel = Buffer.from([0, 0, 0, 8]);
    let id = 1;
    while (client.isOpen && id < 200_000) {
      const burst: Buffer[] = [];
      for (let i = 0; i < 100; i++, id += 2) burst.push(get(id), frame(3, 0, id, cancel));
      client.socket.write(Buffer.concat(burst));
      await new Promise(setImmediate);
    }
    await client.ended();
    expect(requested).toBeLessThan(1_000);
    await othersAreServed();
  });

  it('headers that go on and on (CVE-2024-27316)', async () => {
    await openBench();
    const client = bench.tcp(Buffer.concat([PREFACE, frame(1, 1, 1, headerBlock({ ':method': 'GET' }))]));
    const more = frame(9, 0, 1, headerBlock({ a: 'b'.repeat(100) }));
    for (let i = 0; client.isOpen && i < 10_000; i++) {
      client.socket.write(more);
      await new Promise(setImmediate);
    }
    await client.ended();
    expect(requested).toBe(0);
    await othersAreServed();
  });

  it('headers that are too large, again and again', async () => {
    await openBench();
    const client = await greeted();
    let id = 1;
    for (; client.isOpen && id < 100_000; id += 2) {
      client.socket.write(get(id, '/', { large: 'x'.repeat(15_000), larger: 'y'.repeat(1_200) }));
      if (id % 100 === 1) bench.clock.advance(SWEEP_MS);
      await new Promise(setImmediate);
    }
    await client.ended();
    expect(requested).toBe(0);
    await othersAreServed();
  });

  it.each([
    ['pings', frame(6, 0, 0, Buffer.alloc(8))],
    ['settings', frame(4, 0, 0)],
    ['settings with all that fits', frame(4, 0, 0, Buffer.alloc(6 * 32))],
    ['window updates of nothing', frame(8, 0, 0, Buffer.from([0, 0, 0, 0]))],
    ['priorities', frame(2, 0, 1, Buffer.from([0, 0, 0, 3, 1]))],
    ['frames of no known type', frame(0xee, 0, 0, Buffer.alloc(64))],
  ])('%s', async (_what, bytes) => {
    await openBench();
    await flood(Buffer.concat(Array.from({ length: 2_000 }, () => bytes)));
    await othersAreServed();
  });

  it('requests whose answers are never taken', async () => {
    bench = await ListenerFixture.open({
      isHttp2Plain: true,
      answer: (_request, response) => void response.end('x'.repeat(100)),
    });
    // SETTINGS_INITIAL_WINDOW_SIZE 0.
    const settings = frame(4, 0, 0, Buffer.from([0, 4, 0, 0, 0, 0]));
    const requests = Array.from({ length: 20 }, (_, i) => get(1 + 2 * i));
    const client = bench.tcp(Buffer.concat([PREFACE, settings, ...requests]));
    const resets = () => client.bytes.toString('hex').split('00000403000000').length - 1;
    await until(() => client.bytes.length > 200);
    client.socket.write(frame(4, 1, 0));
    for (let sec = 0; sec < 33; sec++) {
      bench.clock.advance(SWEEP_MS);
      await new Promise(setImmediate);
    }
    await until(() => resets() === 20);
    expect(client.isOpen).toBe(true);
    const before = client.bytes.length;
    client.socket.write(get(101));
    await until(() => client.bytes.length > before);
  });

  it('more requests at once than a connection can have', async () => {
    const waiting: unknown[] = [];
    bench = await ListenerFixture.open({
      isHttp2Plain: true,
      answer: ({ url }, response) => {
        if (url === '/two') response.end();
        else waiting.push(response);
      },
    });
    const requests = Array.from({ length: 400 }, (_, i) => get(1 + 2 * i));
    const client = await greeted();
    client.socket.write(Buffer.concat(requests));
    await client.ended();
    expect(waiting).toHaveLength(250);
    await othersAreServed();
  });
});
