import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../../../test/support/ports.ts';
import { selfSignedFor } from '../../connections/certificate-fixture.ts';
import { systemClock } from '../../core/clock.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import { tunnelRequest } from '../../rtsp/tunnel-request.ts';
import { DatagramPorts } from './datagram-ports.ts';
import { RtspDesk } from './rtsp-desk.ts';
import { RtspListener } from './rtsp-listener.ts';

const TARGET = { path: '/live/token', host: 'gateway' };
const OPTIONS = 'OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n';

let listener: RtspListener;
let port: number;
const sockets: Socket[] = [];

beforeEach(async () => {
  const none = () => {
    throw new Error('no link is opened');
  };
  const desk = new RtspDesk({
    gate: { open: none },
    sessions: { access: none, isWatched: none, nameOf: none },
    cameras: { get: none },
    traffic: { count: none },
    onShareOpened: none,
    openingLog: { refused: none },
    clock: systemClock,
  });
  listener = new RtspListener({ desk, clock: systemClock });
  port = await listener.listen({ host: '127.0.0.1', port: 0 });
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await listener.close();
});

async function newSocket(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

/** However it ends. */
function closeOf(socket: Socket): Promise<unknown> {
  return new Promise((resolve) => socket.once('close', resolve));
}

async function responseOf(socket: Socket): Promise<string> {
  socket.write(OPTIONS);
  const [bytes] = await once(socket, 'data');
  return String(bytes).split('\r\n')[0]!;
}

describe('the RTSP listener', () => {
  it('answers, and lets go of what has ended', async () => {
    const socket = await newSocket();
    expect(await responseOf(socket)).toBe('RTSP/1.0 200 OK');
    socket.end();
    await expect.poll(() => listener.connections).toBe(0);
  });

  it('makes room for a newcomer by ending the oldest client that has opened nothing', async () => {
    const { max } = LIMITS.rtspArrivals.levels.address;
    const silent: Socket[] = [];
    for (let count = 0; count < max; count++) silent.push(await newSocket());
    await expect.poll(() => listener.connections).toBe(max);
    const ended = closeOf(silent[0]!);
    expect(await responseOf(await newSocket())).toBe('RTSP/1.0 200 OK');
    await ended;
    expect(silent[1]!.destroyed).toBe(false);
  });

  it('carries RTSP over HTTP: responses to a GET, requests in a POST, and in the POST after it', async () => {
    const get = await newSocket();
    get.write(Buffer.from(tunnelRequest('GET', TARGET, 'cookie', null)));
    expect(String((await once(get, 'data'))[0])).toMatch(/^HTTP\/1\.0 200 OK\r\n.*\r\n\r\n$/s);
    const posts = [await newSocket(), await newSocket()];
    for (const post of posts) {
      const replaced = post === posts[1] ? closeOf(posts[0]!) : null;
      post.write(Buffer.from(tunnelRequest('POST', TARGET, 'cookie', null)));
      post.write(Buffer.from(OPTIONS).toString('base64'));
      expect(String((await once(get, 'data'))[0])).toMatch(/^RTSP\/1\.0 200 OK/);
      await replaced;
    }
    const ended = Promise.all([closeOf(get), closeOf(posts[1]!)]);
    posts[1]!.write('not Base64!');
    await ended;
    await expect.poll(() => listener.connections).toBe(0);
  });

  it.each([
    ['a POST without a GET', () => Buffer.from(tunnelRequest('POST', TARGET, 'cookie', null))],
    ['a page', () => Buffer.from('GET / HTTP/1.1\r\nHost: gateway\r\n\r\n')],
  ])('refuses %s, and ends it', async (_what, bytes) => {
    const socket = await newSocket();
    const ended = closeOf(socket);
    socket.write(bytes());
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.0 400 /);
    await ended;
  });

  it('sends datagrams from an even port and the next one, and frees both', async () => {
    const free = await freePort();
    const datagrams = await DatagramPorts.bind({ host: '127.0.0.1', port: free & ~1 });
    const receiver = createSocket('udp4').bind(0, '127.0.0.1');
    await once(receiver, 'listening');
    const to = { host: '127.0.0.1', port: receiver.address().port };
    const received = once(receiver, 'message');
    await new Promise<void>((resolve) => datagrams.send('rtcp', Buffer.from('report'), to, resolve));
    const [bytes, from] = await received;
    expect([String(bytes), from.port]).toEqual(['report', (free & ~1) + 1]);
    receiver.close();
    await datagrams.close();
    await (await DatagramPorts.bind({ host: '127.0.0.1', port: free & ~1 })).close();
  });

  it('speaks TLS, and ends what does not', async () => {
    const secure = await listener.listenSecurely({ host: '127.0.0.1', port: 0 }, selfSignedFor('gateway'));
    const socket = connectSecurely({ port: secure, host: '127.0.0.1', rejectUnauthorized: false });
    sockets.push(socket);
    await once(socket, 'secureConnect');
    expect(await responseOf(socket)).toBe('RTSP/1.0 200 OK');
    const plain = connect(secure, '127.0.0.1');
    sockets.push(plain);
    plain.on('error', () => undefined);
    const ended = closeOf(plain);
    plain.write(OPTIONS.repeat(10));
    await ended;
  });
});
