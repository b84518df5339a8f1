import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { selfSignedFor } from '../../connections/certificate-fixture.ts';
import { systemClock } from '../../core/clock.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import { RtspDesk } from './rtsp-desk.ts';
import { RtspListener } from './rtsp-listener.ts';

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
