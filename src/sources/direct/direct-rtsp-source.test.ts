import dgram from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AccessUnit, Track } from '../../codec/track.ts';
import type { Clock } from '../../core/clock.ts';
import { systemClock } from '../../core/clock.ts';
import type { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { type Log, silentLog } from '../../core/log.ts';
import { CredentialUrl, Secret } from '../../core/secret.ts';
import { buildDigestChallenge, type DigestAlgorithm, verifyBasic, verifyDigest } from '../../rtsp/auth.ts';
import { DEFAULT_RTSP_READER_LIMITS } from '../../rtsp/message-reader.ts';
import { writeRequest } from '../../rtsp/message-writer.ts';
import { parseTransports } from '../../rtsp/transport.ts';
import type { SourceEvents, SourceInstance } from '../../stream/source.ts';
import { type DirectRtspOptions, DirectRtspSource } from './direct-rtsp-source.ts';
import { type CameraScript, decentScript, FAKE_CAMERA_SDP, FakeCamera, fakeKeyFrame } from './fake-camera.ts';

/** What came out of an instance. */
class Recorder implements SourceEvents {
  readonly tracks: (readonly Track[])[] = [];
  unitCount = 0;
  keyCount = 0;
  readonly errors: GatewayError[] = [];
  readonly #ended = Promise.withResolvers<GatewayError>();

  onTracks(tracks: readonly Track[]): void {
    this.tracks.push(tracks);
  }
  onAccessUnit(unit: AccessUnit): void {
    this.unitCount += 1;
    if (unit.isKey) this.keyCount += 1;
  }
  onDropped(): void {}
  onEnded(error: GatewayError): void {
    this.errors.push(error);
    this.#ended.resolve(error);
  }
  get ended(): Promise<GatewayError> {
    return this.#ended.promise;
  }
  get eventCount(): number {
    return this.tracks.length + this.unitCount + this.errors.length;
  }
}

/** A clock of a process that stands still now and then: time goes on, its timers are late. */
class PausableClock extends FakeClock {
  #stoodStillMs = 0;

  override monoMs(): number {
    return super.monoMs() + this.#stoodStillMs;
  }

  standStill(forMs: number): void {
    this.#stoodStillMs += forMs;
  }
}

/** Waits for a condition; the time-out only bounds a test that fails. */
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 5 });
const cameras: FakeCamera[] = [];
const instances: SourceInstance[] = [];

async function listen(script: CameraScript, tlsPem: Buffer | null = null): Promise<FakeCamera> {
  const camera = await FakeCamera.listen(script, tlsPem);
  cameras.push(camera);
  return camera;
}

function open(
  url: string,
  options: Partial<DirectRtspOptions> = {},
): { recorder: Recorder; instance: SourceInstance } {
  const recorder = new Recorder();
  const defaults = {
    url: new CredentialUrl(url),
    transport: 'auto',
    clock: systemClock,
    log: silentLog,
  } as const;
  const instance = new DirectRtspSource({ ...defaults, ...options }).open(recorder);
  instances.push(instance);
  return { recorder, instance };
}

/** An instance of a playing camera whose time the test moves. */
async function openPlaying(
  camera: FakeCamera,
  clock: Clock,
): Promise<{ recorder: Recorder; instance: SourceInstance }> {
  const opened = open(camera.url(), { clock });
  await eventually(() => expect(opened.recorder.unitCount).toBeGreaterThan(0));
  return opened;
}

/** `script`, but `method` is handled by `handler`. */
function except(method: string, handler: CameraScript, script: CameraScript = decentScript()): CameraScript {
  return (request, connection) => (request.method === method ? handler : script)(request, connection);
}

afterEach(async () => {
  await Promise.all(cameras.splice(0).map((camera) => camera.close()));
  await Promise.all(instances.splice(0).map((instance) => instance.close()));
});

describe('a camera over TCP', () => {
  it('delivers its track and key frames, and is told goodbye', async () => {
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

  it('is told what was received, and kept alive', async () => {
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

  it('has what it leaves out logged once, however often it is opened', async () => {
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
      const instance = source.open(recorder);
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
      [{ skipped }, 'the camera offers media that is left out'],
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

  it('fails with the wrong password, after one guess', async () => {
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

describe('UDP', () => {
  /** Refuses to interleave; over UDP sends key frames from `from` to the client's ports. */
  function udpScript(from: dgram.Socket): CameraScript {
    let clientPort = 0;
    const setup: CameraScript = (request, connection) => {
      const [wanted] = parseTransports(request.headers.get('Transport') ?? '');
      if (wanted?.lower === 'tcp') connection.reply(request, 461);
      else {
        clientPort = wanted?.clientPort?.rtp ?? 0;
        const { port } = from.address();
        const transport = `RTP/AVP;unicast;client_port=${clientPort}-${clientPort + 1};server_port=${port}-${port + 1}`;
        connection.reply(request, 200, [
          ['Session', '1'],
          ['Transport', transport],
        ]);
      }
    };
    const play: CameraScript = (request, connection) => {
      connection.reply(request, 200, [['Session', '1']]);
      for (let index = 0; index < 5; index++) from.send(fakeKeyFrame(index), clientPort, '127.0.0.1');
    };
    return except('SETUP', setup, except('PLAY', play));
  }

  async function socketAt(address: string): Promise<dgram.Socket> {
    const socket = dgram.createSocket('udp4');
    socket.bind(0, address);
    await once(socket, 'listening');
    return socket;
  }

  it('is what auto falls back to, on an even port with the odd one beside it', async () => {
    const sender = await socketAt('127.0.0.1');
    const punched = once(sender, 'message');
    const camera = await listen(udpScript(sender));
    const { recorder, instance } = open(camera.url());
    await eventually(() => expect(recorder.unitCount).toBeGreaterThanOrEqual(3));
    await punched;
    const [tcp, udp] = camera.requests.filter(({ method }) => method === 'SETUP');
    expect(tcp!.headers.get('Transport')).toContain('interleaved');
    const [transport] = parseTransports(udp!.headers.get('Transport')!);
    expect([
      transport!.clientPort!.rtp % 2,
      transport!.clientPort!.rtcp - transport!.clientPort!.rtp,
    ]).toEqual([0, 1]);
    await instance.close();
    sender.close();
    await eventually(() => expect(camera.openConnections).toBe(0));
    expect(camera.methods.at(-1)).toBe('TEARDOWN');
  });

  it('takes nothing from other addresses', async () => {
    const stranger = await socketAt('127.0.0.2');
    const camera = await listen(udpScript(stranger));
    const clock = new FakeClock();
    const { recorder } = open(camera.url(), { transport: 'udp', clock });
    await eventually(() => expect(camera.methods).toContain('PLAY'));
    await eventually(() => {
      clock.advance(1_000);
      expect(recorder.errors).toHaveLength(1);
    });
    expect(recorder.errors[0]!.code).toBe('DIRECT_SILENT');
    expect(recorder.unitCount).toBe(0);
    stranger.close();
  });

  it.each(['timers', 'datagrams'] as const)(
    'loses no packet to a process that stood still for 150 ms, when it comes to its %s first',
    async (first) => {
      const sender = await socketAt('127.0.0.1');
      const clock = new PausableClock();
      let clientPort = 0;
      const script = except(
        'PLAY',
        (request, connection) => {
          const setup = camera.requests.find(({ method }) => method === 'SETUP')!;
          clientPort = parseTransports(setup.headers.get('Transport')!)[0]!.clientPort!.rtp;
          connection.reply(request, 200, [['Session', '1']]);
        },
        udpScript(sender),
      );
      const camera = await listen(script);
      const { recorder } = open(camera.url(), { transport: 'udp', clock });
      const send = async (index: number): Promise<void> => {
        const sent = Promise.withResolvers<void>();
        sender.send(fakeKeyFrame(index), clientPort, '127.0.0.1', () => sent.resolve());
        await sent.promise;
        // On the loopback what was sent has arrived: two turns of the loop read it.
        await nextTurn();
        await nextTurn();
      };
      await eventually(() => expect(clientPort).toBeGreaterThan(0));
      let next = 0;
      await eventually(async () => {
        await send(next++);
        expect(recorder.unitCount).toBeGreaterThan(1);
      });
      const before = recorder.unitCount;
      await send(next + 1);
      clock.standStill(150);
      if (first === 'timers') clock.advance(60);
      await send(next + 2);
      expect(recorder.unitCount).toBe(before);
      await send(next);
      expect(recorder.unitCount).toBe(before + 3);
      sender.close();
    },
  );

  it('is not tried when the transport is fixed', async () => {
    const camera = await listen(except('SETUP', (request, connection) => connection.reply(request, 461)));
    const { recorder } = open(camera.url(), { transport: 'tcp' });
    expect((await recorder.ended).code).toBe('RTSP_TRANSPORT_REFUSED');
    expect(camera.connections).toHaveLength(1);
  });

  it('gives its ports back when it is closed while opening', async () => {
    await noSocketLeft();
    const camera = await listen(except('SETUP', () => undefined));
    const { instance } = open(camera.url(), { transport: 'udp' });
    await eventually(() => expect(camera.methods).toContain('SETUP'));
    await instance.close();
    await noSocketLeft();
  });
});

describe('rtsps', () => {
  const pem = readFileSync(join(import.meta.dirname, 'fixtures/self-signed.pem'));

  it('takes a self-signed certificate by default', async () => {
    const camera = await listen(decentScript(), pem);
    const { recorder } = open(camera.url());
    await eventually(() => expect(recorder.unitCount).toBeGreaterThan(0));
  });

  it('refuses it when asked to verify', async () => {
    const camera = await listen(decentScript(), pem);
    const { recorder } = open(camera.url(), { tls: 'verify' });
    expect(await recorder.ended).toMatchObject({
      code: 'DIRECT_TLS_FAILED',
      context: { reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    });
  });

  it('fails on a camera that takes the connection and does not speak TLS', async () => {
    const clock = new FakeClock();
    const camera = await listen(() => undefined);
    const { recorder } = open(camera.url().replace('rtsp:', 'rtsps:'), { clock });
    await eventually(() => expect(camera.connections).toHaveLength(1));
    clock.advance(5_000);
    expect(recorder.errors).toMatchObject([{ code: 'DIRECT_CONNECT_TIMEOUT' }]);
  });
});

describe('a camera that misbehaves ends in one error:', () => {
  const raw =
    (text: string): CameraScript =>
    (_, connection) =>
      connection.socket.write(text, 'latin1');

  it.each<[string, CameraScript, string]>([
    ['garbage', raw('\x16\x03\x01 garbage'), 'RTSP_FRAMING'],
    ['a web server', raw('HTTP/1.1 400 Bad Request\r\n\r\n'), 'RTSP_FRAMING'],
    [
      'an endless header',
      raw(`RTSP/1.0 200 OK\r\nX: ${'x'.repeat(DEFAULT_RTSP_READER_LIMITS.headBytes)}`),
      'RTSP_MESSAGE_TOO_LARGE',
    ],
    [
      'an endless body',
      raw('RTSP/1.0 200 OK\r\nContent-Length: 1000000000\r\n\r\n'),
      'RTSP_MESSAGE_TOO_LARGE',
    ],
    [
      'a body longer than announced',
      raw('RTSP/1.0 200 OK\r\nCSeq: 1\r\nContent-Length: 1\r\n\r\nbody\r\n\r\n'),
      'RTSP_FRAMING',
    ],
    [
      'hanging up during the handshake',
      (_, connection) => void connection.socket.end(),
      'DIRECT_DISCONNECTED',
    ],
    [
      'resetting the connection',
      (_, connection) => void connection.socket.resetAndDestroy(),
      'DIRECT_DISCONNECTED',
    ],
    [
      'too many sessions',
      (request, connection) => connection.reply(request, 453, [['Retry-After', '9']]),
      'RTSP_BUSY',
    ],
  ])('%s', async (_, script, code) => {
    const camera = await listen(script);
    const { recorder, instance } = open(camera.url());
    expect((await recorder.ended).code).toBe(code);
    await instance.close();
    await eventually(() => expect(camera.openConnections).toBe(0));
    expect(recorder.errors).toHaveLength(1);
  });

  it('garbage between frames', async () => {
    const camera = await listen(decentScript());
    const { recorder } = await openPlaying(camera, systemClock);
    camera.connections[0]!.socket.write(Buffer.from([0xff, 0xff, 0xff]));
    expect(await recorder.ended).toMatchObject({
      code: 'RTSP_FRAMING',
      context: { reason: 'no-message-start' },
    });
  });

  it('TEARDOWN by the camera', async () => {
    const camera = await listen(decentScript());
    const { recorder } = await openPlaying(camera, systemClock);
    camera.connections[0]!.socket.write(writeRequest('TEARDOWN', '*', [['CSeq', '1']]));
    expect((await recorder.ended).code).toBe('RTSP_ENDED_BY_CAMERA');
    expect(camera.methods).not.toContain('TEARDOWN');
  });

  it('silence', async () => {
    const clock = new FakeClock();
    const camera = await listen(decentScript());
    const { recorder } = await openPlaying(camera, clock);
    clock.advance(9_999);
    expect(recorder.errors).toEqual([]);
    clock.advance(1);
    expect(recorder.errors).toMatchObject([{ code: 'DIRECT_SILENT' }]);
  });

  it('no answer', async () => {
    const clock = new FakeClock();
    const camera = await listen(() => undefined);
    const { recorder } = open(camera.url(), { clock });
    await eventually(() => expect(camera.methods).toEqual(['OPTIONS']));
    clock.advance(8_000);
    expect(recorder.errors).toMatchObject([{ code: 'RTSP_TIMEOUT', context: { method: 'OPTIONS' } }]);
  });

  it('an answer that trickles in byte by byte', async () => {
    const clock = new FakeClock();
    const camera = await listen((_, connection) => connection.socket.write('RTSP/1.0 200 OK\r\nX: '));
    const { recorder } = open(camera.url(), { clock });
    await eventually(() => {
      camera.connections[0]?.socket.write('x');
      if (camera.connections.length > 0) clock.advance(1_000);
      expect(recorder.errors).toMatchObject([{ code: 'RTSP_TIMEOUT' }]);
    });
    expect(clock.monoMs()).toBeLessThanOrEqual(16_000);
  });

  it('a connection that does not come about', async () => {
    const clock = new FakeClock();
    const camera = await listen(decentScript());
    const { recorder } = open(camera.url(), { clock });
    await Promise.resolve();
    clock.advance(5_000);
    expect(recorder.errors).toMatchObject([{ code: 'DIRECT_CONNECT_TIMEOUT' }]);
  });

  it('a closed port', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const { recorder } = open(`rtsp://127.0.0.1:${port}/live`);
    expect(await recorder.ended).toMatchObject({
      code: 'DIRECT_UNREACHABLE',
      context: { reason: 'ECONNREFUSED' },
    });
  });

  it.each(['http://127.0.0.1/live', 'rtsp:///live'])('the URL %s', async (url) => {
    const { recorder } = open(url);
    expect(recorder.errors).toEqual([]);
    expect((await recorder.ended).code).toBe('DIRECT_BAD_URL');
  });

  it('endless questions without reading the answers', async () => {
    // The answer repeats it: more than the kernel takes, in fewer questions than a flood has.
    const question = writeRequest('OPTIONS', '*', [['CSeq', '1'.repeat(400)]]);
    const camera = await listen(
      except('PLAY', (request, connection) => {
        connection.reply(request, 200);
        connection.socket.pause();
        connection.socket.write(Buffer.concat(new Array(30_000).fill(question)));
      }),
    );
    const { recorder } = open(camera.url());
    expect((await recorder.ended).code).toBe('DIRECT_BACKLOG');
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

  it('waits half a second for the answer to TEARDOWN, no longer', async () => {
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

/** Waits until no socket is open here. At the start of a test: until those of the test before are closed. */
function noSocketLeft(): Promise<void> {
  const sockets = () =>
    process.getActiveResourcesInfo().filter((kind) => /^(?:TCPSocket|UDP|TLS)/.test(kind));
  return eventually(() => expect(sockets()).toEqual([]));
}
