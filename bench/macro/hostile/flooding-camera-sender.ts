/**
 * Child module: cameras that send the smallest possible frames as fast as they are accepted, over TCP, TLS and UDP.
 * Every packet is a whole key frame with its own sequence number and time, so that each goes all the way.
 */

import dgram from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CameraScript,
  decentScript,
  FakeCamera,
  fakeKeyFrame,
} from '../../../src/sources/direct/fake-camera.ts';
import { responseParent } from '../../support/child-module.ts';

export interface FloodSenderCalls {
  /** Addresses of the three cameras. */
  start(nothing: null): Promise<{ readonly tcp: string; readonly tls: string; readonly udp: string }>;
}

const PICTURES = 65_536;
const PICTURES_A_WRITE = 4_096;
const DATAGRAMS_A_TURN = 256;
const TLS_PEM = join(import.meta.dirname, '../../../src/sources/direct/fixtures/self-signed.pem');
const CHANNEL_BYTES = 4;

const pictures = Array.from({ length: PICTURES }, (_, index) => fakeKeyFrame(index));
const stream = Buffer.concat(
  pictures.flatMap((picture) => [
    Buffer.from([0x24, 0, picture.length >> 8, picture.length & 0xff]),
    picture,
  ]),
);
const writeBytes = PICTURES_A_WRITE * (CHANNEL_BYTES + pictures[0]!.length);

const overStream: CameraScript = (request, connection) => {
  decentScript(0)(request, connection);
  if (request.method !== 'PLAY') return;
  const { socket } = connection;
  let at = 0;
  const pump = (): void => {
    while (!socket.destroyed && socket.write(stream.subarray(at, at + writeBytes))) {
      at = (at + writeBytes) % stream.length;
    }
  };
  socket.on('drain', pump);
  pump();
};

function overDatagrams(sender: dgram.Socket): CameraScript {
  const { port } = sender.address();
  let target = 0;
  return (request, connection) => {
    if (request.method === 'SETUP') {
      const transport = request.headers.get('Transport') ?? '';
      target = Number(/client_port=(\d+)/.exec(transport)?.[1]);
      const response = `${transport};server_port=${port}-${port + 1}`;
      connection.reply(request, 200, [
        ['Session', '1'],
        ['Transport', response],
      ]);
      return;
    }
    decentScript(0)(request, connection);
    if (request.method === 'PLAY') sendDatagrams(sender, target, connection.socket);
  };
}

function sendDatagrams(
  sender: dgram.Socket,
  target: number,
  connection: { readonly destroyed: boolean },
): void {
  let at = 0;
  const pump = (): void => {
    if (connection.destroyed) return;
    for (let count = 0; count < DATAGRAMS_A_TURN; count++) {
      // A datagram that the kernel does not accept is lost, as on any network.
      sender.send(pictures[at]!, target, '127.0.0.1', () => undefined);
      at = (at + 1) % PICTURES;
    }
    setImmediate(pump);
  };
  pump();
}

async function start() {
  const sender = dgram.createSocket('udp4');
  sender.bind(0, '127.0.0.1');
  await once(sender, 'listening');
  const tcp = await FakeCamera.listen(overStream);
  const tls = await FakeCamera.listen(overStream, readFileSync(TLS_PEM));
  const udp = await FakeCamera.listen(overDatagrams(sender));
  return { tcp: tcp.url(), tls: tls.url(), udp: udp.url() };
}

const calls: FloodSenderCalls = { start };

responseParent(calls);
