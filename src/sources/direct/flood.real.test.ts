/** Cameras that send as much as they can: the gateway ends them, and until then all others come first. */

import dgram from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { CredentialUrl } from '../../core/secret.ts';
import { FLOOD_WINDOW_MS, MAX_WINDOW_BYTES, MAX_WINDOW_PACKETS } from '../../stream/source/flood-guard.ts';
import type { SourceInstance } from '../../stream/source/source.ts';
import { SourceSink } from '../../stream/source/source-sink.ts';
import { DirectRtspSource } from './direct-rtsp-source.ts';
import { type CameraScript, decentScript, FakeCamera, fakeKeyFrame } from './fake-camera.ts';

const TLS_PEM = readFileSync(join(import.meta.dirname, 'fixtures/self-signed.pem'));
/** Packets on the connection, as many as one read takes. */
const READ_BYTES = 32_768;

function interleaved(channel: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x24, channel, payload.length >> 8, payload.length & 0xff]), payload]);
}

function repeated(count: number, frame: Buffer): Buffer {
  return Buffer.concat(new Array(count).fill(frame));
}

const TINY = repeated(2_000, interleaved(0, fakeKeyFrame(0)));
const UNKNOWN_CHANNEL = repeated(20_000, interleaved(9, Buffer.of(1)));
const LARGE = repeated(16, interleaved(0, Buffer.alloc(65_000, 0x80)));

/** Normal up to PLAY; from then on `bytes` as fast as possible. */
function flooding(bytes: Buffer): CameraScript {
  return (request, connection) => {
    decentScript(0)(request, connection);
    if (request.method !== 'PLAY') return;
    const { socket } = connection;
    // In steps, since the gateway runs in this process too, and one write may not be enough.
    const pump = (): void => {
      if (!socket.destroyed && socket.write(bytes)) setImmediate(pump);
    };
    socket.on('drain', pump);
    pump();
  };
}

const cameras: FakeCamera[] = [];
const instances: SourceInstance[] = [];

afterEach(async () => {
  await Promise.all(instances.splice(0).map((instance) => instance.close()));
  await Promise.all(cameras.splice(0).map((camera) => camera.close()));
});

interface Opened {
  readonly ended: Promise<GatewayError>;
  isOver: boolean;
}

async function open(
  script: CameraScript,
  pem: Buffer | null = null,
  transport: 'tcp' | 'udp' = 'tcp',
): Promise<Opened> {
  const camera = await FakeCamera.listen(script, pem);
  cameras.push(camera);
  const { promise: ended, resolve } = Promise.withResolvers<GatewayError>();
  const opened: Opened = { ended, isOver: false };
  const url = new CredentialUrl(camera.url());
  // Its time does not move, so what the camera sends falls within the window however busy the machine is.
  const source = new DirectRtspSource({ url, transport, clock: new FakeClock(), log: silentLog });
  const instance = source.open(
    new SourceSink({
      onTracks: () => undefined,
      onAccessUnit: () => undefined,
      onDropped: () => undefined,
      onEnded: (error) => {
        opened.isOver = true;
        resolve(error);
      },
    }),
  );
  instances.push(instance);
  return opened;
}

describe('a flood from a camera', () => {
  it.each([
    ['of tiny packets', TINY, null],
    ['of tiny packets over TLS', TINY, TLS_PEM],
    ['on a channel that was not set up', UNKNOWN_CHANNEL, null],
  ])('%s ends with its figures', async (_, bytes, pem) => {
    const error = await (await open(flooding(bytes), pem)).ended;
    expect(error).toMatchObject({ code: 'DIRECT_FLOOD', kind: 'limit' });
    expect(error.context.packets).toBeGreaterThan(MAX_WINDOW_PACKETS);
    expect(error.context.elapsedMs).toBeLessThan(FLOOD_WINDOW_MS);
  });

  it('of large packets ends with its figures', async () => {
    const error = await (await open(flooding(LARGE))).ended;
    expect(error).toMatchObject({ code: 'DIRECT_FLOOD', kind: 'limit' });
    expect(error.context.bytes).toBeGreaterThan(MAX_WINDOW_BYTES);
  });

  it.each([
    ['TCP', null],
    ['TLS', TLS_PEM],
  ])('over %s yields to all others after each full read', async (_, pem) => {
    let isFlooding = false;
    const opened = await open((request, connection) => {
      flooding(TINY)(request, connection);
      if (request.method === 'PLAY') isFlooding = true;
    }, pem);
    let turns = 0;
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const count = (): void => {
      if (isFlooding) turns += 1;
      if (opened.isOver) resolve();
      else setImmediate(count);
    };
    count();
    await done;
    const { bytes } = (await opened.ended).context;
    expect(turns).toBeGreaterThanOrEqual(Math.floor(Number(bytes) / READ_BYTES) - 1);
  });

  it('of datagrams ends with its figures', async () => {
    const sender = dgram.createSocket('udp4');
    sender.bind(0, '127.0.0.1');
    await once(sender, 'listening');
    const serverPort = sender.address().port;
    let target = 0;
    const opened = await open(
      (request, connection) => {
        if (request.method !== 'SETUP') {
          decentScript(0)(request, connection);
          return;
        }
        const transport = request.headers.get('Transport') ?? '';
        target = Number(/client_port=(\d+)/.exec(transport)?.[1]);
        connection.reply(request, 200, [
          ['Session', '1'],
          ['Transport', `${transport};server_port=${serverPort}-${serverPort + 1}`],
        ]);
        pump();
      },
      null,
      'udp',
    );
    const pump = (): void => {
      if (opened.isOver) return;
      for (let count = 0; count < 100; count++) sender.send(fakeKeyFrame(0), target, '127.0.0.1');
      setImmediate(pump);
    };
    const error = await opened.ended;
    sender.close();
    expect(error).toMatchObject({ code: 'DIRECT_FLOOD', kind: 'limit' });
    expect(error.context.packets).toBeGreaterThan(MAX_WINDOW_PACKETS);
  });
});
