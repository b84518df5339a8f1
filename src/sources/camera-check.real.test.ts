import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { CredentialUrl } from '../core/secret.ts';
import { SourceSink } from '../stream/source/source-sink.ts';
import { cameraCheck } from './camera-check.ts';
import { type CameraScript, decentScript, FakeCamera } from './direct/fake-camera.ts';
import { FakeOrigin } from './http/fake-origin.ts';
import { ANYWHERE } from './network/camera-address.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function camera(script: CameraScript): Promise<FakeCamera> {
  const listening = await FakeCamera.listen(script);
  ends.push(() => listening.close());
  return listening;
}

async function origin(): Promise<FakeOrigin> {
  const started = await FakeOrigin.start();
  ends.push(() => started.close());
  return started;
}

/** `good`, or the code of the error. */
async function check(url: string, timeoutMs = 5_000): Promise<string> {
  const options = { transport: 'auto', tls: 'any', addressRule: ANYWHERE, clock: systemClock } as const;
  const source = cameraCheck({ url: new CredentialUrl(url), timeoutMs, ...options })!;
  const { promise, resolve } = Promise.withResolvers<string>();
  const instance = source.open(
    new SourceSink({
      onTracks: () => resolve('good'),
      onAccessUnit: () => resolve('a frame'),
      onDropped: () => undefined,
      onEnded: ({ code }) => resolve(code),
    }),
  );
  const outcome = await promise;
  await instance.close();
  return outcome;
}

/** Requires `admin:right`. */
const locked: CameraScript = (request, connection) => {
  const isRight = request.headers.get('Authorization') === `Basic ${btoa('admin:right')}`;
  if (isRight || request.method === 'OPTIONS') decentScript()(request, connection);
  else connection.reply(request, 401, [['WWW-Authenticate', 'Basic realm="x"']]);
};

describe('cameraCheck over RTSP', () => {
  it('ends with the description, over one connection', async () => {
    const open = await camera(decentScript());
    expect(await check(open.url())).toBe('good');
    await expect.poll(() => open.openConnections).toBe(0);
    expect([open.methods, open.connections.length]).toEqual([['OPTIONS', 'DESCRIBE'], 1]);
  });

  it('logs in, and tries a wrong password once', async () => {
    const right = await camera(locked);
    expect(await check(right.url('admin:right@'))).toBe('good');
    expect(right.methods).toEqual(['OPTIONS', 'DESCRIBE', 'DESCRIBE']);
    const wrong = await camera(locked);
    expect(await check(wrong.url('admin:wrong@'))).toBe('RTSP_AUTH_FAILED');
    const logins = wrong.requests.filter(({ headers }) => headers.get('Authorization') !== null);
    expect([logins.length, wrong.connections.length]).toEqual([1, 1]);
  });

  it('accepts a camera whose video only a worker can carry', async () => {
    const open = await camera(decentScript(0, 'v=0\r\nm=video 0 RTP/AVP 26\r\n'));
    expect(await check(open.url())).toBe('good');
  });

  it('gives up on a camera that accepts the connection and stays silent', async () => {
    const silent = await camera(() => undefined);
    expect(await check(silent.url(), 200)).toBe('RTSP_TIMEOUT');
    await expect.poll(() => silent.openConnections).toBe(0);
  });

  it('names a camera that is not there', async () => {
    const gone = await FakeCamera.listen(decentScript());
    const url = gone.url();
    await gone.close();
    expect(await check(url)).toBe('DIRECT_UNREACHABLE');
  });
});

describe('cameraCheck over HTTP', () => {
  it('reads the playlist and no segment', async () => {
    const server = await origin();
    server.answers.set('/x.m3u8', '#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n0.ts\n');
    expect(await check(server.url('/x.m3u8'))).toBe('good');
    expect(server.requests.map(({ path }) => path)).toEqual(['/x.m3u8']);
    await expect.poll(() => server.connections).toBe(0);
  });

  it('reads the header of an endless response and nothing of its body', async () => {
    const server = await origin();
    server.answers.set('/x.mjpg', (_request, response) => {
      response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=x' });
      response.flushHeaders();
    });
    expect(await check(server.url('/x.mjpg'))).toBe('good');
    await expect.poll(() => server.connections).toBe(0);
  });

  it.each([
    ['/page', 'PULL_CONTENT_UNSUPPORTED'],
    ['/missing', 'PULL_NOT_FOUND'],
    ['/login', 'PULL_AUTH_FAILED'],
    ['/silent', 'PULL_TIMEOUT'],
  ])('%s fails with %s', async (path, code) => {
    const server = await origin();
    server.answers.set('/page', '<html>');
    server.answers.set('/login', (_request, response) => void response.writeHead(401).end());
    server.answers.set('/silent', () => undefined);
    expect(await check(server.url(path), path === '/silent' ? 200 : 5_000)).toBe(code);
  });
});

it('has no way to ask what only a worker can open', () => {
  const options = { transport: 'auto', tls: 'any', addressRule: ANYWHERE, clock: systemClock } as const;
  const url = new CredentialUrl('srt://192.0.2.1:9000');
  expect(cameraCheck({ url, timeoutMs: 1, ...options })).toBeNull();
});
