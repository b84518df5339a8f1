import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect as connectHttp2,
  constants,
} from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { ConnectionTable } from '../../connections/connection-table.ts';
import { HttpListener } from '../../connections/http-listener.ts';
import { CLIENT_LIMITS, PROXY_LIMITS } from '../../connections/http2-sessions.ts';
import { systemClock as clock } from '../../core/clock.ts';
import { silentLog as log } from '../../core/log.ts';
import { acceptForwarded, newForwardingSecret } from './forwarded-connections.ts';
import { Forwarder } from './forwarder.ts';

const LOOPBACK = '127.0.0.1';
const AT_ONCE = 200;
const LIMITS = { maxConnections: 5_000, maxPerAddress: 5_000, maxDescriptor: Number.POSITIVE_INFINITY };

let gateway: Server;
/** Requests that the gateway's thread has, and does not answer. */
let waiting: Set<ServerResponse>;
let door: FastifyInstance;
let session: ClientHttp2Session | null = null;

async function start(trustProxy: readonly string[]): Promise<void> {
  const held = new Set<ServerResponse>();
  waiting = held;
  const secret = newForwardingSecret();
  gateway = createServer((request, response) => {
    if (request.url !== '/wait') response.end('page');
    else {
      held.add(response);
      response.on('close', () => held.delete(response));
    }
  });
  acceptForwarded(gateway, secret, clock);
  gateway.listen(0, LOOPBACK);
  await once(gateway, 'listening');
  const forwarder = new Forwarder({ host: LOOPBACK, port: portOf(gateway), secret });
  const listener = new HttpListener({
    certificate: null,
    isHttp2Plain: true,
    hasProxyHeader: false,
    trustProxy,
    clock,
  });
  door = Fastify({ ...listener.serverOptions });
  new ConnectionTable({ listener: 'media', limits: LIMITS, trustProxy, clock, log }).guard(door.server);
  door.setNotFoundHandler((request, reply) => forwarder.forward(request, reply));
  await door.listen({ port: 0, host: LOOPBACK });
}

afterEach(async () => {
  session?.destroy();
  gateway.closeAllConnections();
  gateway.close();
  door.server.closeAllConnections();
  await door.close();
});

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function open(): Promise<ClientHttp2Session> {
  session = connectHttp2(`http://${LOOPBACK}:${portOf(door.server)}`);
  await once(session, 'remoteSettings');
  return session;
}

/** A busy machine takes seconds for hundreds of connections: only the test's own limit ends the wait. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Requests that all wait in the gateway's thread. */
async function wait(opened: ClientHttp2Session, count: number): Promise<ClientHttp2Stream[]> {
  const streams: ClientHttp2Stream[] = [];
  while (streams.length < count) {
    // All connections of one batch fit the kernel's queue.
    for (let i = 0; i < AT_ONCE && streams.length < count; i++) {
      const stream = opened.request({ ':path': '/wait' });
      stream.on('error', () => undefined);
      streams.push(stream);
    }
    await until(() => waiting.size === streams.length);
  }
  return streams;
}

async function page(opened: ClientHttp2Session): Promise<string> {
  return text(opened.request({ ':path': '/page' }));
}

it.each([
  ['a trusted proxy', [LOOPBACK], PROXY_LIMITS.streams],
  ['a client', [], CLIENT_LIMITS.streams],
])(
  'forwards as many requests at once as a connection of %s can have',
  async (_whose, trustProxy, streams) => {
    await start(trustProxy);
    const opened = await open();
    const waits = await wait(opened, streams - 1);
    expect(await page(opened)).toBe('page');
    // Those that end make room.
    for (const one of waits) one.close(constants.NGHTTP2_CANCEL);
    await until(() => waiting.size === 0);
    await wait(opened, streams - 1);
    expect(await page(opened)).toBe('page');
  },
);

it('answers 503 to pipelined requests beyond that', async () => {
  await start([]);
  const { streams } = CLIENT_LIMITS;
  const client = connect(portOf(door.server), LOOPBACK);
  let read = '';
  client.on('data', (chunk) => {
    read += chunk;
  });
  client.write('GET /hold HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(streams + 1));
  await until(() => read.split('HTTP/1.1 ').length - 1 === streams + 1);
  client.destroy();
  const responses = read.split('HTTP/1.1 ').slice(1);
  expect(responses.filter((response) => response.startsWith('200'))).toHaveLength(streams);
  expect(responses.at(-1)).toMatch(/^503 .*retry-after: 2.*"reason":"busy"/s);
});
