import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { type Log, silentLog } from '../../core/log.ts';
import { CredentialUrl, Secret } from '../../core/secret.ts';
import { buildDigestChallenge, type DigestAlgorithm, verifyBasic, verifyDigest } from '../../rtsp/auth.ts';
import { SourceSink } from '../../stream/source/source-sink.ts';
import {
  closeAll,
  eventually,
  except,
  listen,
  noSocketLeft,
  open,
  openPlaying,
  Recorder,
} from './direct-fixture.ts';
import { DirectRtspSource } from './direct-rtsp-source.ts';
import { type CameraScript, decentScript, FAKE_CAMERA_SDP } from './fake-camera.ts';

afterEach(closeAll);

describe('a camera over TCP', () => {
  it('delivers its track and key frames, and gets a goodbye', async () => {
    const camera = await listen(decentScript(5));
    const { recorder, instance } = open(camera.url());
    await eventually(() => expect(recorder.keyCount).toBeGreaterThanOrEqual(4));
    expect(recorder.tracks).toHaveLength(1);
    expect(recorder.tracks[0]).toMatchObject([{ kind: 'video', codec: 'h264', widthPx: 16, heightPx: 16 }]);
    await instance.close();
    expect(camera.methods).toEqual(['OPTIONS', 'DESCRIBE', 'SETUP', 'PLAY', 'TEARDOWN']);
    await eventually(() => expect(camera.openConnections).toBe(0));
    expect(recorder.errors).toEqual([]);
  });

  it('needs no Content-Base', async () => {
    const camera = await listen(
      except('DESCRIBE', (request, connection) => connection.reply(request, 200, [], FAKE_CAMERA_SDP)),
    );
    const { recorder } = open(camera.url());
    await eventually(() => expect(recorder.unitCount).toBeGreaterThan(0));
    expect(camera.requests.find(({ method }) => method === 'SETUP')!.uri).toBe(`${camera.url()}/trackID=1`);
  });

  it('gets receiver reports, and is kept alive', async () => {
    const clock = new FakeClock();
    const camera = await listen(decentScript());
    const { recorder } = open(camera.url(), { clock, timeouts: { silenceMs: 60_000 } });
    await eventually(() => expect(recorder.unitCount).toBeGreaterThan(0));
    clock.advance(5_000);
    await eventually(() => expect(camera.connections[0]!.frames).toHaveLength(1));
    const { channel, payload } = camera.connections[0]!.frames[0]!;
    expect([channel, payload[1]]).toEqual([1, 201]);
    expect(camera.methods.at(-1)).toBe('PLAY');
    clock.advance(25_000);
    await eventually(() => expect(camera.methods.at(-1)).toBe('GET_PARAMETER'));
    await eventually(() => expect(camera.connections[0]!.frames).toHaveLength(6));
  });

  it('logs what it leaves out once, however often it is opened', async () => {
    const sdp = `${FAKE_CAMERA_SDP}m=audio 0 RTP/AVP 0\r\nm=application 0 RTP/AVP 107\r\na=rtpmap:107 vnd.onvif.metadata/90000\r\n`;
    const camera = await listen(decentScript(2, sdp));
    const info = vi.fn();
    const log: Log = { ...silentLog, info };
    const onSkipped = vi.fn();
    const source = new DirectRtspSource({
      url: new CredentialUrl(camera.url()),
      transport: 'tcp',
      clock: systemClock,
      log,
      observer: { onSkipped },
    });
    for (let round = 1; round <= 2; round++) {
      const recorder = new Recorder();
      const instance = source.open(new SourceSink(recorder));
      await eventually(() => expect(recorder.unitCount).toBeGreaterThan(0));
      await instance.close();
      expect(onSkipped).toHaveBeenCalledTimes(round);
    }
    const skipped = [
      { kind: 'audio', encodings: ['pcmu'], reason: 'unsupported' },
      { kind: 'application', encodings: ['vnd.onvif.metadata'], reason: 'unsupported' },
    ];
    const opened = { engine: 'direct', transport: 'tcp', codecs: ['avc1.42c00a'] };
    expect(info.mock.calls).toEqual([
      [{ skipped }, 'camera tracks skipped'],
      [opened, 'stream opened'],
      [opened, 'stream opened'],
    ]);
    expect(onSkipped).toHaveBeenLastCalledWith(skipped);
  });
});

describe('authentication', () => {
  const credentials = { username: 'admin', password: new Secret('p@ss/ö') };
  const USER_INFO = 'admin:p%40ss%2F%C3%B6@';

  function guarded(
    check: (authorization: string, method: string, uri: string) => boolean,
    challenge: string,
  ): CameraScript {
    const script = decentScript();
    return (request, connection) => {
      const authorization = request.headers.get('Authorization') ?? '';
      if (check(authorization, request.method, request.uri)) script(request, connection);
      else connection.reply(request, 401, [['WWW-Authenticate', challenge]]);
    };
  }

  it.each(['MD5', 'SHA-256'] as const)('by Digest with %s', async (algorithm: DigestAlgorithm) => {
    const expected = { realm: 'cam', nonce: 'n1', algorithm, qop: 'auth', credentials } as const;
    const check = (authorization: string, method: string, uri: string) =>
      verifyDigest(authorization, { ...expected, method, uri });
    const camera = await listen(guarded(check, buildDigestChallenge('cam', 'n1', algorithm, 'auth')));
    const { recorder } = open(camera.url(USER_INFO));
    await eventually(() => expect(recorder.unitCount).toBeGreaterThan(0));
  });

  it('by Basic', async () => {
    const camera = await listen(
      guarded((authorization) => verifyBasic(authorization, credentials), 'Basic realm="cam"'),
    );
    const { recorder } = open(camera.url(USER_INFO));
    await eventually(() => expect(recorder.unitCount).toBeGreaterThan(0));
  });

  it('fails with the wrong password, after one try', async () => {
    const camera = await listen(guarded(() => false, 'Basic realm="cam"'));
    const { recorder } = open(camera.url('admin:wrong@'));
    expect(await recorder.ended).toMatchObject({ code: 'RTSP_AUTH_FAILED', kind: 'peer-refused' });
    expect(camera.requests).toHaveLength(2);
    await eventually(() => expect(camera.openConnections).toBe(0));
  });
});

describe('a redirect', () => {
  it('is followed, with the credentials on the same host', async () => {
    const credentials = { username: 'u', password: new Secret('p') };
    const target = await listen((request, connection) => {
      if (verifyBasic(request.headers.get('Authorization') ?? '', credentials))
        decentScript()(request, connection);
      else connection.reply(request, 401, [['WWW-Authenticate', 'Basic realm="x"']]);
    });
    const camera = await listen(
      except('DESCRIBE', (request, connection) =>
        connection.reply(request, 302, [['Location', target.url()]]),
      ),
    );
    const { recorder } = open(camera.url('u:p@'));
    await eventually(() => expect(recorder.unitCount).toBeGreaterThan(0));
    await eventually(() => expect(camera.openConnections).toBe(0));
  });

  it('in a circle ends', async () => {
    const camera = await listen((request, connection) =>
      connection.reply(request, 302, [['Location', request.uri]]),
    );
    const { recorder } = open(camera.url());
    expect(await recorder.ended).toMatchObject({
      code: 'RTSP_REDIRECT_REFUSED',
      context: { reason: 'too-many' },
    });
    expect(camera.connections).toHaveLength(4);
    await eventually(() => expect(camera.openConnections).toBe(0));
  });
});

describe('rtsps', () => {
  const pem = readFileSync(join(import.meta.dirname, 'fixtures/self-signed.pem'));

  it('accepts a self-signed certificate by default', async () => {
    const camera = await listen(decentScript(), pem);
    const { recorder } = open(camera.url());
    await eventually(() => expect(recorder.unitCount).toBeGreaterThan(0));
  });

  it('rejects it when told to verify', async () => {
    const camera = await listen(decentScript(), pem);
    const { recorder } = open(camera.url(), { tls: 'verify' });
    expect(await recorder.ended).toMatchObject({
      code: 'DIRECT_CERTIFICATE_REFUSED',
      context: { reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    });
  });

  it('fails on a camera that accepts the connection but does not speak TLS', async () => {
    const clock = new FakeClock();
    const camera = await listen(() => undefined);
    const { recorder } = open(camera.url().replace('rtsp:', 'rtsps:'), { clock });
    await eventually(() => expect(camera.connections).toHaveLength(1));
    clock.advance(4_999);
    expect(recorder.errors).toEqual([]);
    clock.advance(1);
    expect(recorder.errors).toMatchObject([
      { code: 'DIRECT_CONNECT_TIMEOUT', context: { timeoutMs: 5_000 } },
    ]);
  });
});

describe('close', () => {
  it('right after open leaves nothing and reports nothing', async () => {
    const camera = await listen(decentScript());
    const { recorder, instance } = open(camera.url());
    await instance.close();
    expect([camera.connections.length, recorder.eventCount]).toEqual([0, 0]);
  });

  it.each(['OPTIONS', 'DESCRIBE', 'SETUP', 'PLAY'])('at %s frees the connection', async (method) => {
    const camera = await listen(except(method, () => undefined));
    const { recorder, instance } = open(camera.url());
    await eventually(() => expect(camera.methods.at(-1)).toBe(method));
    await instance.close();
    await eventually(() => expect(camera.openConnections).toBe(0));
    expect(recorder.errors).toEqual([]);
    expect(camera.methods.at(-1)).toBe(method === 'PLAY' ? 'TEARDOWN' : method);
  });

  it('waits half a second for the response to TEARDOWN, no longer', async () => {
    const clock = new FakeClock();
    const camera = await listen(except('TEARDOWN', () => undefined));
    const { instance } = await openPlaying(camera, clock);
    const closed = instance.close();
    await eventually(() => expect(camera.methods.at(-1)).toBe('TEARDOWN'));
    expect(camera.openConnections).toBe(1);
    clock.advance(500);
    await closed;
    await eventually(() => expect(camera.openConnections).toBe(0));
    expect(clock.pendingTimers).toBe(0);
  });

  it('from within an event stops the events', async () => {
    const camera = await listen(decentScript(50));
    const { recorder, instance } = open(camera.url());
    recorder.onAccessUnit = () => {
      recorder.unitCount += 1;
      void instance.close();
    };
    await eventually(() => expect(camera.methods).toContain('TEARDOWN'));
    await instance.close();
    expect(recorder.unitCount).toBe(1);
  });

  it('over and over leaves no socket and no timer', async () => {
    await noSocketLeft();
    const camera = await listen(decentScript());
    const clock = new FakeClock();
    for (let round = 0; round < 20; round++) {
      const { instance } = await openPlaying(camera, clock);
      await Promise.all([instance.close(), instance.close()]);
    }
    await eventually(() => expect(camera.openConnections).toBe(0));
    await noSocketLeft();
    expect(clock.pendingTimers).toBe(0);
  });
});
