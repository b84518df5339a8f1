import dgram from 'node:dgram';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { parseTransports } from '../../rtsp/transport.ts';
import { closeAll, eventually, except, listen, noSocketLeft, open, PausableClock } from './direct-fixture.ts';
import { type CameraScript, fakeKeyFrame } from './fake-camera.ts';

afterEach(closeAll);

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

  it('is what auto falls back to, on an even port with the odd one next to it', async () => {
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

  it('accepts nothing from other addresses', async () => {
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
    'loses no packet when the process was paused for 150 ms and handles its %s first',
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
        // On loopback, sent data has arrived: two turns of the loop read it.
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

  it('releases its ports when it is closed while opening', async () => {
    await noSocketLeft();
    const camera = await listen(except('SETUP', () => undefined));
    const { instance } = open(camera.url(), { transport: 'udp' });
    await eventually(() => expect(camera.methods).toContain('SETUP'));
    await instance.close();
    await noSocketLeft();
  });
});
