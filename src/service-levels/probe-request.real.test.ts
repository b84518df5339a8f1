/** Requests of the synthetic viewer to servers that speak HTTP/2, do not, end connections, stall, or have a bad certificate. */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { CertificateFolder, type MadeCertificate } from '../../test/support/certificates.ts';
import { ProbeConnections } from './probe-connections.ts';
import { type ProbeRequest, probeRequest } from './probe-request.ts';

type OnStream = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

const PATIENCE_MS = 5_000;
const TOO_MUCH_TEXT_BYTES = 2_000_000;

let certificates: CertificateFolder;
let good: MadeCertificate;
beforeAll(() => {
  certificates = new CertificateFolder();
  good = certificates.make('good');
});
afterAll(() => certificates.remove());

const servers: Server[] = [];
const sockets = new Set<Socket>();
let connections: ProbeConnections;
afterEach(() => {
  connections.close();
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** Its origin. */
async function listen(
  server: Server,
  { checksCertificates = false, host = '127.0.0.1' } = {},
): Promise<string> {
  connections = new ProbeConnections({ checksCertificates });
  servers.push(server);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, host);
  await once(server, 'listening');
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

const filesOf = ({ cert, key }: MadeCertificate) => ({ cert: readFileSync(cert), key: readFileSync(key) });

function http2Server(onStream: OnStream, options: SecureServerOptions = {}): Http2SecureServer {
  const server = createSecureServer({ ...filesOf(good), allowHTTP1: true, ...options });
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => undefined);
    onStream(stream, headers);
  });
  return server;
}

/** Counts the sessions of the server. */
function sessionsOf(server: Http2SecureServer): ServerHttp2Session[] {
  const sessions: ServerHttp2Session[] = [];
  server.on('session', (session) => {
    sessions.push(session);
    session.on('error', () => undefined);
  });
  return sessions;
}

const ask = (url: string, more: Partial<ProbeRequest> = {}) =>
  probeRequest({
    url: new URL(url),
    connections,
    isText: true,
    timeoutMs: PATIENCE_MS,
    signal: new AbortController().signal,
    ...more,
  });

const respond: OnStream = (stream, headers) => {
  stream.respond({ ':status': 200 });
  stream.end(`for ${headers[':path']} of ${headers[':authority']}`);
};

describe('the version', () => {
  it('is HTTP/2 if the server selects it, on one connection for all requests', async () => {
    const server = http2Server(respond);
    const sessions = sessionsOf(server);
    const origin = await listen(server);
    const responses = await Promise.all([ask(`${origin}/a?b=c`), ask(`${origin}/d`)]);
    const { host } = new URL(origin);
    expect(responses).toMatchObject([
      { kind: 'ok', text: `for /a?b=c of ${host}` },
      { kind: 'ok', text: `for /d of ${host}` },
    ]);
    expect([connections.protocol, sessions.length]).toEqual(['h2', 1]);
  });

  it('is HTTP/1.1 if the server offers nothing else, on the connection that was opened to find out', async () => {
    const server = createHttpsServer(filesOf(good), ({ httpVersion, url }, response) =>
      response.end(`${httpVersion} ${url}`),
    );
    let opened = 0;
    server.on('connection', () => opened++);
    const origin = await listen(server);
    expect(await ask(`${origin}/a`)).toMatchObject({ kind: 'ok', text: '1.1 /a' });
    expect(await ask(`${origin}/b`)).toMatchObject({ kind: 'ok', text: '1.1 /b' });
    expect([connections.protocol, opened]).toEqual(['http/1.1', 1]);
    await Promise.all([ask(`${origin}/c`), ask(`${origin}/d`)]);
    expect(opened).toBe(2);
  });

  it('is HTTP/1.1 where the server asks for it', async () => {
    const server = http2Server((stream) => stream.close(constants.NGHTTP2_HTTP_1_1_REQUIRED));
    server.on('request', ({ httpVersion }, response) => {
      if (httpVersion === '1.1') response.end('old');
    });
    const origin = await listen(server);
    expect(await ask(origin)).toMatchObject({ kind: 'ok', text: 'old' });
    expect(connections.protocol).toBe('http/1.1');
  });
});

describe('a connection', () => {
  it('that ends with GOAWAY finishes what it has, and others take a new one', async () => {
    let finish = () => {};
    const server = http2Server((stream, headers) => {
      if (headers[':path'] !== '/last') return respond(stream, headers);
      stream.session!.goaway(constants.NGHTTP2_NO_ERROR, stream.id);
      stream.respond({ ':status': 200 });
      stream.write('the ');
      finish = () => {
        stream.end('end');
      };
    });
    const sessions = sessionsOf(server);
    const origin = await listen(server);
    const first = ask(`${origin}/last`);
    await vi.waitFor(() => expect(connections.protocol).toBe('h2'));
    expect(await ask(`${origin}/next`)).toMatchObject({ kind: 'ok' });
    finish();
    expect(await first).toMatchObject({ kind: 'ok', text: 'the end' });
    expect(sessions).toHaveLength(2);
  });

  it('that refuses a request is asked again on another, and not without end', async () => {
    let refused = 0;
    const server = http2Server((stream, headers) => {
      if (headers[':path'] === '/once' && refused++ > 0) respond(stream, headers);
      else stream.close(constants.NGHTTP2_REFUSED_STREAM);
    });
    const origin = await listen(server);
    expect(await ask(`${origin}/once`)).toMatchObject({ kind: 'ok' });
    let requested = 0;
    server.on('stream', () => requested++);
    expect(await ask(`${origin}/never`)).toMatchObject({ kind: 'error', error: 'cut-off' });
    expect(requested).toBe(3);
  });

  it('that allows one request at a time gets one after the other', async () => {
    let running = 0;
    let most = 0;
    const server = http2Server(
      (stream, headers) => {
        most = Math.max(most, ++running);
        stream.on('close', () => running--);
        setImmediate(() => respond(stream, headers));
      },
      { settings: { maxConcurrentStreams: 1 } },
    );
    const origin = await listen(server);
    await ask(origin);
    const responses = await Promise.all(['/a', '/b', '/c'].map((path) => ask(origin + path)));
    expect(responses.map(({ kind }) => kind)).toEqual(['ok', 'ok', 'ok']);
    expect(most).toBe(1);
  });

  it('that is lost fails what was on it, and is made again', async () => {
    const server = http2Server((stream, headers) => {
      if (headers[':path'] !== '/lost') return respond(stream, headers);
      stream.respond({ ':status': 200 });
      stream.write('half');
    });
    const sessions = sessionsOf(server);
    const origin = await listen(server);
    const lost = ask(`${origin}/lost`);
    await vi.waitFor(() => expect(connections.protocol).toBe('h2'));
    for (const socket of sockets) socket.destroy();
    expect(await lost).toMatchObject({ kind: 'error', error: 'cut-off' });
    expect(await ask(origin)).toMatchObject({ kind: 'ok' });
    expect(sessions).toHaveLength(2);
  });

  it('that stalls is left: the next request takes a new one', async () => {
    const server = http2Server((stream, headers) => {
      if (headers[':path'] !== '/stalled') respond(stream, headers);
    });
    const sessions = sessionsOf(server);
    const origin = await listen(server);
    // Opens the connection: a busy machine takes longer than the next request waits.
    expect(await ask(origin)).toMatchObject({ kind: 'ok' });
    expect(await ask(`${origin}/stalled`, { timeoutMs: 100 })).toMatchObject({ error: 'timeout' });
    expect(await ask(origin)).toMatchObject({ kind: 'ok' });
    expect(sessions).toHaveLength(2);
  });

  it('whose handshake stalls is given up in time', async () => {
    const server = createTcpServer((socket) => socket.resume());
    const origin = await listen(server);
    expect(await ask(origin, { timeoutMs: 100 })).toMatchObject({ error: 'timeout' });
    await vi.waitFor(() => expect(sockets.size).toBe(0));
  });

  it('that is refused says so', async () => {
    const server = createTcpServer();
    const origin = await listen(server);
    server.close();
    await once(server, 'close');
    expect(await ask(origin)).toEqual({ kind: 'error', error: 'connect', reason: null });
  });

  it('ends with the run', async () => {
    const server = http2Server(() => undefined);
    const origin = await listen(server);
    const run = new AbortController();
    const waiting = ask(origin, { signal: run.signal });
    await once(server, 'stream');
    run.abort();
    connections.close();
    expect(await waiting).toMatchObject({ kind: 'error' });
    await vi.waitFor(() => expect(sockets.size).toBe(0));
  });
});

describe('a response', () => {
  it('that is too large is not read, and the connection stays', async () => {
    const server = http2Server((stream, headers) => {
      if (headers[':path'] !== '/large') return respond(stream, headers);
      stream.respond({ ':status': 200 });
      stream.end(Buffer.alloc(TOO_MUCH_TEXT_BYTES));
    });
    const sessions = sessionsOf(server);
    const origin = await listen(server);
    expect(await ask(`${origin}/large`)).toMatchObject({ kind: 'error', error: 'too-large' });
    // Media may be that large, and are not kept.
    expect(await ask(`${origin}/large`, { isText: false })).toMatchObject({ kind: 'ok', text: '' });
    expect(await ask(origin)).toMatchObject({ kind: 'ok' });
    expect(sessions).toHaveLength(1);
  });

  it.each([
    ['canceled', (stream: ServerHttp2Stream) => stream.session!.destroy()],
    ['reset', (stream: ServerHttp2Stream) => stream.destroy(new Error('broken'))],
  ])('that is %s is not complete', async (_how, end) => {
    const server = http2Server((stream) => {
      stream.respond({ ':status': 200 });
      stream.write('half', () => end(stream));
    });
    const origin = await listen(server);
    expect(await ask(origin)).toMatchObject({ kind: 'error', error: 'cut-off' });
  });

  it('that changes the protocol is a failure', async () => {
    const server = createHttpsServer(filesOf(good), ({ socket }) => {
      socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
    });
    expect(await ask(await listen(server), { timeoutMs: 2_000 })).toMatchObject({ error: 'other' });
  });

  it('of HTTP/1.1 that is too large or cut off is a failure', async () => {
    const server = createHttpsServer(filesOf(good), ({ url, socket }, response) => {
      if (url === '/large') response.end(Buffer.alloc(TOO_MUCH_TEXT_BYTES));
      else response.writeHead(200, { 'content-length': 9 }).write('half', () => socket.destroy());
    });
    const origin = await listen(server);
    expect(await ask(`${origin}/large`)).toMatchObject({ kind: 'error', error: 'too-large' });
    expect(await ask(`${origin}/cut`)).toMatchObject({ kind: 'error', error: 'cut-off' });
  });

  it('is a failure by its status, with the reason of a refusal', async () => {
    const server = http2Server((stream, headers) => {
      stream.respond({ ':status': Number(headers[':path']!.slice(1)) });
      stream.end(JSON.stringify({ error: true, reason: 'expired' }));
    });
    const origin = await listen(server);
    expect(await ask(`${origin}/403`)).toEqual({ kind: 'error', error: 'status-4xx', reason: 'expired' });
    expect(await ask(`${origin}/502`)).toMatchObject({ error: 'status-5xx' });
    expect(await ask(`${origin}/302`)).toMatchObject({ error: 'status-3xx' });
  });
});

describe('a certificate', () => {
  const authorities = getCACertificates();
  afterAll(() => setDefaultCACertificates(authorities));

  const trust = (...made: readonly MadeCertificate[]) =>
    setDefaultCACertificates(made.map((each) => readFileSync(each.cert, 'utf8')));

  /** With HTTP/2 and without. */
  async function reasonsOf(made: MadeCertificate, host: string): Promise<unknown[]> {
    const seen: unknown[] = [];
    for (const server of [http2Server(respond, filesOf(made)), createHttpsServer(filesOf(made))]) {
      server.on('request', (_request, response) => response.end());
      const origin = await listen(server, { checksCertificates: true, host });
      // It is requested again, and not remembered.
      for (let times = 0; times < 2; times++) {
        const got = await ask(origin.replace('localhost', host));
        seen.push(got.kind === 'ok' ? 'ok' : [got.error, got.reason]);
      }
      connections.close();
    }
    return seen;
  }

  it('is checked, and named by what is wrong with it', async () => {
    const expired = certificates.make('expired', { days: -1 });
    const fourTimes = (reason: unknown) => Array(4).fill(reason);
    trust();
    expect(await reasonsOf(good, '127.0.0.1')).toEqual(fourTimes(['tls', 'certificate-untrusted']));
    trust(good, expired);
    expect(await reasonsOf(good, '127.0.0.1')).toEqual(fourTimes('ok'));
    expect(await reasonsOf(good, '127.0.0.2')).toEqual(fourTimes(['tls', 'certificate-name']));
    expect(await reasonsOf(expired, '127.0.0.1')).toEqual(fourTimes(['tls', 'certificate-expired']));
  });
});
