/** RTSP over HTTP and HTTPS, by servers that are right, odd, and wrong. */

import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { Secret } from '../../core/secret.ts';
import { buildDigestChallenge, verifyBasic, verifyDigest } from '../../rtsp/auth.ts';
import { MAX_HTTP_HEAD_BYTES } from '../../rtsp/http-response-head.ts';
import { TUNNEL_POST_BYTES } from '../../rtsp/tunnel-request.ts';
import type { TlsTrust } from '../network/tls-trust.ts';
import { closeAll, eventually, listen, open } from './direct-fixture.ts';
import { decentScript, type FakeCamera, type FakeCameraConnection, fakeKeyFrame } from './fake-camera.ts';
import { FakeTunnel, type FakeTunnelHabits, TUNNEL_GET_HEAD, type TunnelHandler } from './fake-tunnel.ts';

const PEM = readFileSync(join(import.meta.dirname, 'fixtures/self-signed.pem'));
const FINGERPRINT = new X509Certificate(PEM).fingerprint256.replaceAll(':', '').toLowerCase();

const tunnels: FakeTunnel[] = [];

async function listenTunnel(
  camera: FakeCamera,
  habits: FakeTunnelHabits = {},
  pem: Buffer | null = null,
): Promise<FakeTunnel> {
  const port = Number(new URL(camera.url()).port);
  const tunnel = await FakeTunnel.listen(port, habits, pem);
  tunnels.push(tunnel);
  return tunnel;
}

afterEach(async () => {
  await closeAll();
  await Promise.all(tunnels.splice(0).map((tunnel) => tunnel.close()));
});

describe('a tunnel', () => {
  it.each<[string, FakeTunnelHabits]>([
    ['plays', {}],
    ['plays if its response is cut at every byte', { isCutEverywhere: true }],
    ['plays if its head is terse', { getHead: 'HTTP/1.1 200 OK\n\n' }],
    ['plays if each POST is closed after its first bytes', { postBytes: 1 }],
  ])('%s, and closes everything', async (_, habits) => {
    const camera = await listen(decentScript(5));
    const tunnel = await listenTunnel(camera, habits);
    const { recorder, instance } = open(tunnel.url());
    await eventually(() => expect(recorder.unitCount).toBeGreaterThanOrEqual(3));
    await instance.close();
    await eventually(() => expect(tunnel.openConnections + camera.openConnections).toBe(0));
    expect(recorder.errors).toEqual([]);
    expect(tunnel.faults).toEqual([]);
    expect(camera.methods).toEqual(['OPTIONS', 'DESCRIBE', 'SETUP', 'PLAY', 'TEARDOWN']);
    expect(camera.requests[0]!.uri).toBe(`rtsp://127.0.0.1:${tunnel.port}/live`);
    expect(camera.requests[2]!.headers.get('Transport')).toContain('interleaved');
    expect(tunnel.requested.slice(0, 2)).toEqual(['GET /live', 'POST /live']);
  });

  it('is what the transport says for an rtsp URL', async () => {
    const tunnel = await listenTunnel(await listen(decentScript(5)));
    const { recorder } = open(tunnel.url().replace('rtsp+http', 'rtsp'), { transport: 'http' });
    await eventually(() => expect(recorder.unitCount).toBeGreaterThanOrEqual(3));
    const [get, post] = tunnel.requests;
    expect(get!.headers.get('accept')).toBe('application/x-rtsp-tunnelled');
    expect(get!.headers.get('host')).toBe(`127.0.0.1:${tunnel.port}`);
    expect(get!.headers.get('x-sessioncookie')).toMatch(/^[0-9a-f]{22}$/);
    expect(post!.headers.get('x-sessioncookie')).toBe(get!.headers.get('x-sessioncookie'));
    expect(post!.headers.get('content-length')).toBe('32767');
  });

  it.each<[string, TlsTrust, string | null]>([
    ['any certificate', 'any', null],
    ['its fingerprint', `sha256:${FINGERPRINT}`, null],
    ['a valid certificate', 'verify', 'DIRECT_CERTIFICATE_REFUSED'],
    ['another fingerprint', `sha256:${'0'.repeat(64)}`, 'DIRECT_CERTIFICATE_REFUSED'],
  ])('over HTTPS requires %s on both connections', async (_, tls, code) => {
    const tunnel = await listenTunnel(await listen(decentScript(5)), {}, PEM);
    const { recorder } = open(tunnel.url(), { tls });
    if (code === null) await eventually(() => expect(recorder.unitCount).toBeGreaterThanOrEqual(3));
    else expect((await recorder.ended).code).toBe(code);
    expect(tunnel.requests.length).toBe(code === null ? 2 : 0);
  });

  it('continues with another POST before the announced length is reached', async () => {
    const clock = new FakeClock();
    const camera = await listen(decentScript(5));
    const tunnel = await listenTunnel(camera);
    const timeouts = { silenceMs: 1e9 };
    const { recorder, instance } = open(tunnel.url(), { clock, timeouts });
    await eventually(() => expect(recorder.unitCount).toBeGreaterThanOrEqual(3));
    // Reports every 5 s, keep-alives every 30 s: some hours' worth.
    await eventually(() => {
      for (let turn = 0; turn < 20; turn++) clock.advance(5_000);
      camera.connections.at(-1)!.sendFrame(0, fakeKeyFrame(10 + recorder.unitCount));
      expect(tunnel.requested.filter((line) => line.startsWith('POST')).length).toBeGreaterThanOrEqual(3);
    });
    expect(tunnel.longestPostBytes).toBeGreaterThan(TUNNEL_POST_BYTES - 1_000);
    expect(tunnel.faults).toEqual([]);
    expect(recorder.errors).toEqual([]);
    await instance.close();
  });

  it('keeps the limits on a flood', async () => {
    const camera = await listen((request, connection) => {
      decentScript(0)(request, connection);
      if (request.method !== 'PLAY') return;
      const tiny = Buffer.concat(new Array(2_000).fill(Buffer.of(0x24, 9, 0, 1, 0)));
      const pump = (): void => {
        if (!connection.socket.destroyed && connection.socket.write(tiny)) setImmediate(pump);
      };
      connection.socket.on('drain', pump);
      pump();
    });
    const { recorder } = open((await listenTunnel(camera)).url());
    expect((await recorder.ended).code).toBe('DIRECT_FLOOD');
  });

  it('ends with the camera', async () => {
    let playing: FakeCameraConnection | null = null;
    const camera = await listen((request, connection) => {
      decentScript(5)(request, connection);
      playing = connection;
    });
    const tunnel = await listenTunnel(camera);
    const { recorder } = open(tunnel.url());
    await eventually(() => expect(recorder.unitCount).toBeGreaterThanOrEqual(3));
    playing!.socket.destroy();
    expect((await recorder.ended).code).toBe('DIRECT_DISCONNECTED');
    await eventually(() => expect(tunnel.openConnections).toBe(0));
  });
});

describe('a tunnel with a login', () => {
  const LOGIN = { username: 'admin', password: new Secret('p@ss:w/rd') };
  const USER_INFO = 'admin:p%40ss%3Aw%2Frd@';
  const DIGEST = { realm: 'cam', nonce: 'n0nce', algorithm: 'MD5', qop: 'auth' } as const;

  const refuse = (socket: net.Socket, challenge: string): true => {
    socket.end(`HTTP/1.0 401 Unauthorized\r\nWWW-Authenticate: ${challenge}\r\nContent-Length: 0\r\n\r\n`);
    return true;
  };
  const basic: TunnelHandler = ({ headers }, socket) =>
    !verifyBasic(headers.get('authorization') ?? '', LOGIN) && refuse(socket, 'Basic realm="cam"');
  const digest: TunnelHandler = ({ method, path, headers }, socket) =>
    !verifyDigest(headers.get('authorization') ?? '', { ...DIGEST, method, uri: path, credentials: LOGIN }) &&
    refuse(socket, buildDigestChallenge(DIGEST.realm, DIGEST.nonce, DIGEST.algorithm, DIGEST.qop));

  it.each<[string, TunnelHandler, string[]]>([
    ['Basic', basic, ['GET /live', 'GET /live', 'POST /live']],
    ['Digest', digest, ['GET /live', 'GET /live', 'POST /live']],
    [
      'Digest on the POST only',
      (request, socket) => request.method === 'POST' && digest(request, socket) === true,
      ['GET /live', 'POST /live', 'POST /live'],
    ],
  ])('plays by %s', async (_, handle, requested) => {
    const camera = await listen(decentScript(5));
    const tunnel = await listenTunnel(camera, { handle });
    const { recorder } = open(tunnel.url(USER_INFO));
    await eventually(() => expect(recorder.unitCount).toBeGreaterThanOrEqual(3));
    expect(tunnel.requested).toEqual(requested);
    expect(camera.methods).toEqual(['OPTIONS', 'DESCRIBE', 'SETUP', 'PLAY']);
    const said = JSON.stringify([...camera.requests, ...tunnel.requests.map(({ path }) => path)]);
    expect(said).not.toContain('p@ss');
  });

  it.each<[string, string, TunnelHandler, string, number]>([
    ['the wrong password', 'admin:wrong@', digest, 'RTSP_AUTH_FAILED', 2],
    ['no password', '', digest, 'RTSP_AUTH_FAILED', 1],
    [
      'a scheme that no one knows',
      USER_INFO,
      (_, socket) => refuse(socket, 'Bearer'),
      'RTSP_AUTH_UNSUPPORTED',
      1,
    ],
  ])('ends with %s, after as few requests as possible', async (_, userInfo, handle, code, requests) => {
    const tunnel = await listenTunnel(await listen(decentScript()), { handle });
    const { recorder } = open(tunnel.url(userInfo));
    expect((await recorder.ended).code).toBe(code);
    expect(tunnel.requests).toHaveLength(requests);
    await eventually(() => expect(tunnel.openConnections).toBe(0));
  });
});

describe('a server that is no tunnel ends in one error:', () => {
  const says =
    (text: string): TunnelHandler =>
    (_, socket) =>
      socket.end(text, 'latin1') !== undefined;

  it.each<[string, FakeTunnelHabits, string, string | undefined]>([
    [
      'a web page',
      { handle: says('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>') },
      'RTSP_TUNNEL_REFUSED',
      'content-type',
    ],
    ['not found', { handle: says('HTTP/1.1 404 Not Found\r\n\r\n') }, 'RTSP_TUNNEL_REFUSED', undefined],
    [
      'an RTSP server',
      { handle: says('RTSP/1.0 400 Bad Request\r\n\r\n') },
      'RTSP_TUNNEL_REFUSED',
      'not-http',
    ],
    [
      'an endless head',
      {
        handle: (_, socket) =>
          socket.write(`HTTP/1.0 200 OK\r\nX: ${'x'.repeat(MAX_HTTP_HEAD_BYTES)}`) !== undefined,
      },
      'RTSP_TUNNEL_REFUSED',
      'head-too-large',
    ],
    ['no answer at all', { handle: says('') }, 'DIRECT_DISCONNECTED', 'closed'],
    [
      'a POST that is refused',
      {
        handle: (request, socket) =>
          request.method === 'POST' && says('HTTP/1.0 405 No\r\n\r\n')(request, socket),
      },
      'RTSP_TUNNEL_REFUSED',
      undefined,
    ],
    [
      'a POST that is reset each time',
      {
        handle: (request, socket) => request.method === 'POST' && socket.resetAndDestroy() !== undefined,
      },
      'DIRECT_DISCONNECTED',
      'ECONNRESET',
    ],
    [
      'a POST with an endless answer',
      {
        handle: (request, socket) =>
          request.method === 'POST' &&
          socket.write(`HTTP/1.0 200 OK\r\n\r\n${'x'.repeat(100_000)}`) !== undefined,
      },
      'RTSP_TUNNEL_REFUSED',
      'post-response',
    ],
    ['media that is not RTSP', { getHead: `${TUNNEL_GET_HEAD}garbage \x01` }, 'RTSP_FRAMING', 'control-byte'],
  ])('%s', async (_, habits, code, reason) => {
    const tunnel = await listenTunnel(await listen(decentScript()), habits);
    const { recorder, instance } = open(tunnel.url());
    const error = await recorder.ended;
    expect([error.code, error.context.reason]).toEqual([code, reason]);
    expect(error.context).toMatchObject({ host: '127.0.0.1', port: tunnel.port });
    await instance.close();
    await eventually(() => expect(tunnel.openConnections).toBe(0));
    expect(recorder.errors).toHaveLength(1);
  });

  it.each<[string, FakeTunnelHabits, string]>([
    ['the GET', { handle: () => true }, 'GET'],
    ['a byte of its head now and then', { handle: (_, socket) => socket.write('H') !== undefined }, 'GET'],
    [
      'the end of each POST',
      { handle: ({ method }, socket) => method === 'POST' && socket.end() !== undefined },
      'OPTIONS',
    ],
    ['the RTSP request in a POST', { handle: ({ method }) => method === 'POST' }, 'OPTIONS'],
  ])('silence after %s', async (_, habits, method) => {
    const clock = new FakeClock();
    const tunnel = await listenTunnel(await listen(decentScript()), habits);
    const { recorder } = open(tunnel.url(), { clock });
    await eventually(() => expect(tunnel.requests.at(-1)?.method).toBe(method === 'GET' ? 'GET' : 'POST'));
    await eventually(() => {
      clock.advance(1_000);
      expect(recorder.errors).toHaveLength(1);
    });
    expect(recorder.errors[0]).toMatchObject({ code: 'RTSP_TIMEOUT', context: { method } });
    await eventually(() => expect(tunnel.openConnections).toBe(0));
  });

  it('nothing at the address', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const { recorder } = open(`rtsp+http://127.0.0.1:${port}/live`);
    expect((await recorder.ended).code).toBe('DIRECT_UNREACHABLE');
  });
});
