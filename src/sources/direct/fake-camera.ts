/** An RTSP server on loopback that does what a test says, well-behaved or not. */

import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';
import type { RtspHeaderField } from '../../rtsp/headers.ts';
import type { RtspRequest } from '../../rtsp/message.ts';
import { RtspMessageReader } from '../../rtsp/message-reader.ts';
import { writeResponse } from '../../rtsp/message-writer.ts';

/** Handles one request; requests that it does not answer stay unanswered. */
export type CameraScript = (request: RtspRequest, connection: FakeCameraConnection) => void;

/** H.264 of 16 × 16 pixels: parameter sets as in SDP, and its only frame. */
const SPROP = 'Z0LACt3sBEAAAAMAQAAADIPEieA=,aM4PLIA=';
const IDR_NALU = Buffer.from('ZYiEBLyYoAA4o4A=', 'base64');

const NTP_TO_EPOCH_MS = 2_208_988_800_000;

export const FAKE_CAMERA_SDP = [
  'v=0',
  'm=video 0 RTP/AVP 96',
  'a=rtpmap:96 H264/90000',
  `a=fmtp:96 packetization-mode=1;sprop-parameter-sets=${SPROP}`,
  'a=control:trackID=1',
  '',
].join('\r\n');

/** One RTP packet with a whole key frame, `index` frames after the first at 25 fps. */
export function fakeKeyFrame(index: number): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt8(0x80, 0);
  header.writeUInt8(0x80 | 96, 1);
  header.writeUInt16BE(index & 0xffff, 2);
  header.writeUInt32BE((index * 3_600) >>> 0, 4);
  header.writeUInt32BE(0x11223344, 8);
  return Buffer.concat([header, IDR_NALU]);
}

/** One accepted connection. */
export class FakeCameraConnection {
  readonly socket: net.Socket;
  /** Interleaved frames the client sent: channel and payload. */
  readonly frames: { readonly channel: number; readonly payload: Buffer }[] = [];

  constructor(socket: net.Socket) {
    this.socket = socket;
  }

  reply(request: RtspRequest, statusCode: number, fields: readonly RtspHeaderField[] = [], body = ''): void {
    const cseq: RtspHeaderField = ['CSeq', request.headers.get('CSeq') ?? ''];
    this.socket.write(writeResponse(statusCode, 'Scripted', [cseq, ...fields], body));
  }

  sendFrame(channel: number, payload: Uint8Array): void {
    this.socket.write(
      Buffer.concat([Buffer.from([0x24, channel, payload.length >> 8, payload.length & 0xff]), payload]),
    );
  }
}

/** A normal camera's responses, with one video track; `frameCount` key frames follow PLAY. */
export function decentScript(frameCount = 2, sdp = FAKE_CAMERA_SDP): CameraScript {
  return (request, connection) => {
    switch (request.method) {
      case 'OPTIONS':
        connection.reply(request, 200, [
          ['Public', 'OPTIONS, DESCRIBE, SETUP, PLAY, GET_PARAMETER, TEARDOWN'],
        ]);
        break;
      case 'DESCRIBE':
        connection.reply(request, 200, [['Content-Base', `${request.uri}/`]], sdp);
        break;
      case 'SETUP':
        connection.reply(request, 200, [
          ['Session', '1;timeout=60'],
          ['Transport', request.headers.get('Transport') ?? ''],
        ]);
        break;
      case 'PLAY':
        connection.reply(request, 200, [['Session', '1']]);
        for (let index = 0; index < frameCount; index++) connection.sendFrame(0, fakeKeyFrame(index));
        break;
      default:
        connection.reply(request, 200);
    }
  };
}

/**
 * A normal camera that also says that its clock shows `epochMs`: a probe has measured all there is as soon as it plays,
 * and waits for nothing more.
 */
export function measurableScript(epochMs: number, sdp = FAKE_CAMERA_SDP): CameraScript {
  const play = decentScript(30, sdp);
  return (request, connection) => {
    play(request, connection);
    if (request.method === 'PLAY') connection.sendFrame(1, senderReport(epochMs));
  };
}

/** RFC 3550 §6.4.1. */
function senderReport(epochMs: number): Buffer {
  const report = Buffer.alloc(28);
  report.writeUInt32BE(0x80c80006, 0);
  report.writeUInt32BE(0x11223344, 4);
  report.writeUInt32BE(Math.floor((epochMs + NTP_TO_EPOCH_MS) / 1_000), 8);
  return report;
}

export class FakeCamera {
  readonly requests: RtspRequest[] = [];
  /** Every connection that was accepted, including closed ones. */
  readonly connections: FakeCameraConnection[] = [];
  readonly #server: net.Server;
  readonly #scheme: 'rtsp' | 'rtsps';

  private constructor(script: CameraScript, tlsPem: Buffer | null) {
    const accept = (socket: net.Socket): void => this.#accept(socket, script);
    this.#scheme = tlsPem === null ? 'rtsp' : 'rtsps';
    this.#server =
      tlsPem === null ? net.createServer(accept) : tls.createServer({ cert: tlsPem, key: tlsPem }, accept);
  }

  /** `tlsPem`: certificate and key, for rtsps. Port 0: any free one. */
  static async listen(script: CameraScript, tlsPem: Buffer | null = null, port = 0): Promise<FakeCamera> {
    const camera = new FakeCamera(script, tlsPem);
    camera.#server.listen(port, '127.0.0.1');
    await once(camera.#server, 'listening');
    return camera;
  }

  get methods(): string[] {
    return this.requests.map((request) => request.method);
  }

  get openConnections(): number {
    return this.connections.filter(({ socket }) => !socket.destroyed).length;
  }

  url(userInfo = ''): string {
    const { port } = this.#server.address() as AddressInfo;
    return `${this.#scheme}://${userInfo}127.0.0.1:${port}/live`;
  }

  async close(): Promise<void> {
    for (const { socket } of this.connections) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(socket: net.Socket, script: CameraScript): void {
    const connection = new FakeCameraConnection(socket);
    this.connections.push(connection);
    const reader = new RtspMessageReader({
      onRequest: (request) => {
        this.requests.push(request);
        script(request, connection);
      },
      onResponse: () => undefined,
      onInterleaved: (channel, chunk, start, end) => {
        connection.frames.push({ channel, payload: Buffer.from(chunk.subarray(start, end)) });
      },
    });
    socket.on('data', (chunk: Buffer) => this.#read(reader, chunk));
    // Tests include clients that reset; the socket's 'close' is enough.
    socket.on('error', () => undefined);
  }
  /** A client that does not speak RTSP, such as one that begins TLS, gets no response. */
  #read(reader: RtspMessageReader, chunk: Buffer): void {
    try {
      reader.push(chunk);
    } catch {
      reader.stop();
    }
  }
}
