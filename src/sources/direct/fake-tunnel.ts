/**
 * An HTTP server on loopback that makes RTSP over HTTP of an RTSP server: what the HTTP port of a camera does. Its habits
 * are what real ones have, good and bad.
 */

import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';

export interface TunnelHttpRequest {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
}

export type TunnelHandler = (request: TunnelHttpRequest, socket: net.Socket) => boolean;

export interface FakeTunnelHabits {
  /** Handles a request instead of the tunnel; returns false to leave it to the tunnel. */
  readonly handle?: TunnelHandler;
  /** The head of the response to the GET. */
  readonly getHead?: string;
  /** Sends the GET's response one byte at a time. */
  readonly isCutEverywhere?: boolean;
  /** Closes a POST after it has carried this many bytes of its body. */
  readonly postBytes?: number;
}

export const TUNNEL_GET_HEAD = [
  'HTTP/1.0 200 OK',
  'Server: GStreamer RTSP server',
  'Connection: close',
  'Cache-Control: no-store',
  'Pragma: no-cache',
  'Content-Type: application/x-rtsp-tunnelled',
  '',
  '',
].join('\r\n');

interface OpenTunnel {
  readonly camera: net.Socket;
  post: net.Socket | null;
}

export class FakeTunnel {
  readonly requests: TunnelHttpRequest[] = [];
  /** Client actions that servers do not allow. */
  readonly faults: string[] = [];
  /** Bytes of the longest body. */
  longestPostBytes = 0;
  readonly #server: net.Server;
  readonly #isTls: boolean;
  readonly #cameraPort: number;
  readonly #habits: FakeTunnelHabits;
  readonly #tunnels = new Map<string, OpenTunnel>();
  readonly #sockets = new Set<net.Socket>();

  private constructor(cameraPort: number, habits: FakeTunnelHabits, tlsPem: Buffer | null) {
    const accept = (socket: net.Socket): void => this.#accept(socket);
    this.#cameraPort = cameraPort;
    this.#habits = habits;
    this.#isTls = tlsPem !== null;
    this.#server =
      tlsPem === null ? net.createServer(accept) : tls.createServer({ cert: tlsPem, key: tlsPem }, accept);
  }

  /** `tlsPem`: certificate and key, for HTTPS. */
  static async listen(
    cameraPort: number,
    habits: FakeTunnelHabits = {},
    tlsPem: Buffer | null = null,
  ): Promise<FakeTunnel> {
    const tunnel = new FakeTunnel(cameraPort, habits, tlsPem);
    tunnel.#server.listen(0, '127.0.0.1');
    await once(tunnel.#server, 'listening');
    return tunnel;
  }

  get openConnections(): number {
    return this.#sockets.size;
  }

  /** `METHOD path` of all requests so far. */
  get requested(): string[] {
    return this.requests.map(({ method, path }) => `${method} ${path}`);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** `rest`: user info, for example; path, as of the camera. */
  url(userInfo = '', path = '/live'): string {
    return `rtsp+${this.#isTls ? 'https' : 'http'}://${userInfo}127.0.0.1:${this.port}${path}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    for (const { camera } of this.#tunnels.values()) camera.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(socket: net.Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.once('close', () => this.#sockets.delete(socket));
    // Tests include clients that reset; the socket's 'close' is enough.
    socket.on('error', () => undefined);
    let text = '';
    const onData = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      socket.off('data', onData);
      const request = parseRequest(text.slice(0, end));
      this.requests.push(request);
      if (this.#habits.handle?.(request, socket) === true) {
        socket.resume();
        return;
      }
      if (request.method === 'GET') this.#get(request, socket);
      else this.#post(request, socket, text.slice(end + 4));
    };
    socket.on('data', onData);
  }

  #get({ headers }: TunnelHttpRequest, socket: net.Socket): void {
    const camera = net.connect({ port: this.#cameraPort, host: '127.0.0.1', noDelay: true });
    camera.on('error', () => undefined);
    camera.once('close', () => socket.destroy());
    socket.once('close', () => camera.destroy());
    this.#tunnels.set(headers.get('x-sessioncookie') ?? '', { camera, post: null });
    this.#send(socket, Buffer.from(this.#habits.getHead ?? TUNNEL_GET_HEAD, 'latin1'));
    camera.on('data', (chunk: Buffer) => this.#send(socket, chunk));
    socket.resume();
  }

  #send(socket: net.Socket, bytes: Buffer): void {
    if (this.#habits.isCutEverywhere !== true) {
      if (!socket.destroyed) socket.write(bytes);
      return;
    }
    for (const byte of bytes) socket.write(Buffer.of(byte));
  }

  #post({ headers }: TunnelHttpRequest, socket: net.Socket, rest: string): void {
    const tunnel = this.#tunnels.get(headers.get('x-sessioncookie') ?? '');
    if (tunnel === undefined || tunnel.post !== null) {
      this.faults.push(tunnel === undefined ? 'unknown cookie' : 'a second POST');
      socket.destroy();
      return;
    }
    tunnel.post = socket;
    const maxBytes = Number(headers.get('content-length'));
    let bodyBytes = 0;
    let waiting = '';
    const read = (text: string): void => {
      bodyBytes += text.length;
      this.longestPostBytes = Math.max(this.longestPostBytes, bodyBytes);
      if (bodyBytes > maxBytes) this.faults.push('a body longer than announced');
      waiting += text;
      // Each message is padded on its own: a group ends a message, or is one of many.
      const whole = waiting.length - (waiting.length % 4);
      for (let at = 0; at < whole; at += 4)
        tunnel.camera.write(Buffer.from(waiting.slice(at, at + 4), 'base64'));
      waiting = waiting.slice(whole);
      if (bodyBytes >= (this.#habits.postBytes ?? Number.POSITIVE_INFINITY)) socket.end();
    };
    const left = (): void => {
      if (tunnel.post === socket) tunnel.post = null;
    };
    socket.on('data', (chunk: Buffer) => read(chunk.toString('latin1')));
    socket.once('end', left);
    socket.once('close', left);
    if (rest !== '') read(rest);
  }
}

function parseRequest(head: string): TunnelHttpRequest {
  const [requestLine = '', ...lines] = head.split('\r\n');
  const [method = '', path = ''] = requestLine.split(' ');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { method, path, headers };
}
