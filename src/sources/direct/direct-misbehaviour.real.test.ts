import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { rtpPacket } from '../../rtp/sample-stream-fixture.ts';
import { DEFAULT_RTSP_READER_LIMITS } from '../../rtsp/message-reader.ts';
import { writeRequest } from '../../rtsp/message-writer.ts';
import { closeAll, eventually, except, listen, open, openPlaying } from './direct-fixture.ts';
import { type CameraScript, decentScript, type FakeCamera } from './fake-camera.ts';

afterEach(closeAll);

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

  /** Two packets of a picture that is not IDR, with a recovery point of a gradual refresh; one picture per call. */
  function refreshing(camera: FakeCamera, clock: FakeClock): () => void {
    let sequence = 0;
    return () => {
      if (!camera.methods.includes('PLAY')) return;
      clock.advance(500);
      for (const [hex, isMarked] of [
        ['0606020cc480', false],
        ['419a0b4120', true],
      ] as const) {
        const timestamp = (sequence >> 1) * 45_000;
        const nalu = Buffer.from(hex, 'hex');
        const packet = rtpPacket(96, sequence++, timestamp, nalu, isMarked, 0x11223344);
        camera.connections[0]!.sendFrame(0, packet);
      }
    };
  }

  it('a gradual refresh without key frames', async () => {
    const clock = new FakeClock();
    const camera = await listen(decentScript(0));
    const { recorder } = open(camera.url(), { clock });
    const send = refreshing(camera, clock);
    await eventually(() => {
      send();
      expect(recorder.errors).toMatchObject([{ code: 'DIRECT_NO_KEY_FRAMES' }]);
    });
  });

  it('not the same, if another engine takes over', async () => {
    const clock = new FakeClock();
    const camera = await listen(decentScript(0));
    let told = 0;
    const { recorder } = open(camera.url(), { clock, observer: { onUnfit: () => ++told > 0 } });
    const send = refreshing(camera, clock);
    await eventually(() => {
      send();
      expect(told).toBe(1);
    });
    for (let more = 0; more < 5; more++) send();
    await eventually(() => expect(recorder.errors).toEqual([]));
    expect(told).toBe(1);
  });

  it('no response', async () => {
    const clock = new FakeClock();
    const camera = await listen(() => undefined);
    const { recorder } = open(camera.url(), { clock });
    await eventually(() => expect(camera.methods).toEqual(['OPTIONS']));
    clock.advance(8_000);
    expect(recorder.errors).toMatchObject([{ code: 'RTSP_TIMEOUT', context: { method: 'OPTIONS' } }]);
  });

  it('a response that trickles in byte by byte', async () => {
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

  it('a connection that is never established', async () => {
    const clock = new FakeClock();
    const camera = await listen(decentScript());
    const { recorder } = open(camera.url(), { clock });
    await Promise.resolve();
    clock.advance(3_499);
    expect(recorder.errors).toEqual([]);
    clock.advance(1);
    expect(recorder.errors).toMatchObject([
      { code: 'DIRECT_CONNECT_TIMEOUT', context: { timeoutMs: 3_500 } },
    ]);
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

  it('endless requests without reading the responses', async () => {
    // The response repeats the request: more bytes than the kernel takes, with fewer requests than a flood.
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
