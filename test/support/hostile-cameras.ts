/** Cameras that mean harm, or behave as if they did, with the codes their attempts may end with. */

import { randomBytes } from 'node:crypto';
import type net from 'node:net';
import {
  type CameraScript,
  decentScript,
  FAKE_CAMERA_SDP,
  FakeCamera,
} from '../../src/sources/direct/fake-camera.ts';
import { type ConnectionScript, flood, ScriptedCamera } from './scripted-camera.ts';

export interface HostileCamera {
  readonly name: string;
  /** Codes with which attempts may end. */
  readonly codes: readonly string[];
  /** Plays the socket, or the RTSP of a fake camera. */
  readonly socket?: ConnectionScript;
  readonly rtsp?: CameraScript;
}

const FRAME_BYTES = 65_535;
/** Pause of the cameras that send as much as they can. */
const PACE_MS = 10;

const OK = 'RTSP/1.0 200 OK\r\nCSeq: 1\r\n';

export function interleaved(payload: Buffer): Buffer {
  const head = Buffer.from([0x24, 0, payload.length >> 8, payload.length & 0xff]);
  return Buffer.concat([head, payload]);
}

/** A frame of the largest size with an RTP header that fits, or without. */
function hugeFrame(sequence: number, payloadStart: readonly number[]): Buffer {
  const payload = randomBytes(FRAME_BYTES);
  payload[0] = 0x80;
  payload[1] = 96;
  payload.writeUInt16BE(sequence & 0xffff, 2);
  payload.writeUInt32BE(1, 4);
  payload.writeUInt32BE(0x11223344, 8);
  payload.set(payloadStart, 12);
  return interleaved(payload);
}

/** A decent camera up to PLAY; then `send` every few milliseconds. */
export function afterPlay(send: (count: number) => Buffer): CameraScript {
  return (request, connection) => {
    decentScript(0)(request, connection);
    if (request.method !== 'PLAY') return;
    let count = 0;
    const timer = setInterval(() => {
      if (connection.socket.destroyed) clearInterval(timer);
      else if (!connection.socket.writableNeedDrain) connection.socket.write(send(count++));
    }, PACE_MS);
  };
}

/** More of them every ten milliseconds than a camera has reason to send in a second. */
const TINY_FRAMES = Buffer.concat(new Array(30_000).fill(interleaved(Buffer.of(0x80))));

export function describing(headers: string, body: string): ConnectionScript {
  return responding((method, cseq) =>
    method === 'DESCRIBE' ? `RTSP/1.0 200 OK\r\nCSeq: ${cseq}\r\n${headers}\r\n${body}` : null,
  );
}

/** `null`: an ordinary 200. */
export function responding(respond: (method: string, cseq: string) => string | null): ConnectionScript {
  return (socket: net.Socket) => {
    socket.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      const method = text.slice(0, text.indexOf(' '));
      const cseq = /CSeq: *(\d+)/i.exec(text)?.[1] ?? '1';
      socket.write(respond(method, cseq) ?? `RTSP/1.0 200 OK\r\nCSeq: ${cseq}\r\nPublic: DESCRIBE\r\n\r\n`);
    });
  };
}

export const sdpHeaders = (length: number | string) =>
  `Content-Type: application/sdp\r\nContent-Length: ${length}\r\n`;

export const HOSTILE_CAMERAS: readonly HostileCamera[] = [
  {
    name: 'random bytes',
    codes: ['RTSP_FRAMING', 'RTSP_MESSAGE_TOO_LARGE'],
    socket: (socket) =>
      flood(socket, Buffer.concat([Buffer.from('\xff\xfe', 'latin1'), randomBytes(65_536)])),
  },
  {
    name: 'endless header line',
    codes: ['RTSP_MESSAGE_TOO_LARGE'],
    socket: (socket) => {
      socket.write(`${OK}X-Long: `);
      flood(socket, Buffer.alloc(65_536, 'a'));
    },
  },
  {
    name: 'endless headers',
    codes: ['RTSP_MESSAGE_TOO_LARGE'],
    socket: (socket) => {
      socket.write(OK);
      flood(socket, Buffer.from('X-More: 1\r\n'.repeat(4_096)));
    },
  },
  {
    name: 'huge Content-Length',
    codes: ['RTSP_MESSAGE_TOO_LARGE'],
    socket: describing(sdpHeaders(9_999_999_999), FAKE_CAMERA_SDP),
  },
  {
    name: 'Content-Length beyond the body',
    codes: ['RTSP_TIMEOUT'],
    socket: describing(sdpHeaders(FAKE_CAMERA_SDP.length + 1_000), FAKE_CAMERA_SDP),
  },
  {
    name: 'Content-Length within the body',
    codes: ['RTSP_FRAMING', 'SDP_INVALID', 'RTSP_NO_SUPPORTED_VIDEO', 'RTSP_MESSAGE_TOO_LARGE'],
    socket: describing(sdpHeaders(3), FAKE_CAMERA_SDP),
  },
  {
    name: 'Content-Length that is no number',
    codes: ['RTSP_FRAMING', 'RTSP_BAD_RESPONSE'],
    socket: describing(sdpHeaders('-5'), FAKE_CAMERA_SDP),
  },
  {
    name: 'slow-loris',
    codes: ['RTSP_TIMEOUT'],
    socket: (socket, every) => {
      let at = 0;
      const text = `${OK}X-Slow: ${'z'.repeat(10_000)}`;
      every(100, () => socket.write(text.charAt(at++)));
    },
  },
  {
    name: 'closes at once',
    codes: ['DIRECT_DISCONNECTED', 'DIRECT_UNREACHABLE'],
    socket: (socket) => socket.end(),
  },
  {
    name: 'resets at once',
    codes: ['DIRECT_DISCONNECTED', 'DIRECT_UNREACHABLE'],
    socket: (socket) => socket.resetAndDestroy(),
  },
  { name: 'says nothing', codes: ['RTSP_TIMEOUT'], socket: () => undefined },
  {
    name: 'SDP cut off',
    codes: ['SDP_INVALID', 'RTSP_NO_SUPPORTED_VIDEO'],
    socket: describing(sdpHeaders(10), FAKE_CAMERA_SDP.slice(0, 10)),
  },
  {
    name: 'huge frames of garbage',
    codes: ['STREAM_SILENT', 'DIRECT_SILENT'],
    rtsp: afterPlay(() => interleaved(randomBytes(FRAME_BYTES))),
  },
  {
    name: 'a picture that never ends',
    codes: ['STREAM_SILENT', 'DIRECT_SILENT'],
    // FU-A: first piece of an IDR picture, then only middle pieces.
    rtsp: afterPlay((count) => hugeFrame(count, [0x7c, count === 0 ? 0x85 : 0x05])),
  },
  {
    name: 'a flood of tiny packets',
    codes: ['DIRECT_FLOOD'],
    rtsp: afterPlay(() => TINY_FRAMES),
  },
];

/** `url` and `close` of the camera that plays it. */
export async function startHostileCamera({
  socket,
  rtsp,
}: HostileCamera): Promise<{ readonly url: string; close(): Promise<void> }> {
  if (rtsp === undefined) return ScriptedCamera.listen(socket ?? (() => undefined));
  const fake = await FakeCamera.listen(rtsp);
  return { url: fake.url(), close: () => fake.close() };
}
