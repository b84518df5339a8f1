/** The attackers' knowledge, and how they send: from all their addresses in turn. */

import { request } from 'node:http';
import { connect, type Socket } from 'node:net';

/** The weakest credentials of an organization, and where the gateway is. Plain values: another process gets it. */
export interface Ground {
  readonly hosts: { readonly v4: string; readonly v6: string };
  readonly ports: { readonly api: number; readonly media: number };
  readonly addresses: readonly string[];
  readonly prefixV6: string;
  readonly viewerKey: string;
  readonly deviceKey: string;
  /** Token of a federated session for one device, 60 s long. */
  readonly sessionToken: string;
  readonly sharePath: string;
  readonly cameraUuids: readonly string[];
  readonly locationUuid: string;
  /** Email of a person of the other organization. */
  readonly victimEmail: string;
}

export interface SentRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The response's body is never read. */
  readonly isUnread?: boolean;
}

export interface Answer {
  /** 0: the connection was refused or ended. */
  readonly status: number;
  readonly body: string;
}

const REQUEST_MS = 20_000;
/** How much an attacker reads. */
const MAX_BODY_CHARS = 200_000;

export class Attacker {
  readonly ground: Ground;
  readonly signal: AbortSignal;
  /** Connections that were made, by family. */
  readonly connected = { v4: 0, v6: 0 };
  #next = 0;
  readonly #held: Socket[] = [];

  constructor(ground: Ground, signal: AbortSignal) {
    this.ground = ground;
    this.signal = signal;
  }

  /** The next address: half of them of the /64. */
  from(): { readonly host: string; readonly localAddress: string; readonly family: 4 | 6 } {
    const { addresses, prefixV6, hosts } = this.ground;
    const index = this.#next++;
    return index % 2 === 0
      ? { host: hosts.v4, localAddress: addresses[(index / 2) % addresses.length]!, family: 4 }
      : { host: hosts.v6, localAddress: `${prefixV6}::${(index % 60_000).toString(16)}`, family: 6 };
  }

  post(path: string, body: object, key: string, scheme = 'api-token'): Promise<Answer> {
    return this.send('api', path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-auth-apikey': key, 'x-auth-scheme': scheme },
      body: JSON.stringify(body),
    });
  }

  /** Never rejects. */
  send(listener: 'api' | 'media', path: string, sent: SentRequest = {}): Promise<Answer> {
    const { method = 'GET', headers = {}, body, isUnread = false } = sent;
    const { ports } = this.ground;
    return new Promise((resolve) => {
      const failed = () => resolve({ status: 0, body: '' });
      const outgoing = request(
        { ...this.from(), port: ports[listener], path, method, headers, signal: this.signal, agent: false },
        (response) => {
          const { statusCode = 0 } = response;
          if (isUnread) {
            this.#held.push(response.socket);
            resolve({ status: statusCode, body: '' });
            return;
          }
          let text = '';
          response.setEncoding('latin1').on('data', (chunk: string) => {
            if (text.length < MAX_BODY_CHARS) text += chunk;
          });
          response.once('end', () => resolve({ status: statusCode, body: text })).once('error', failed);
        },
      );
      outgoing.setTimeout(REQUEST_MS, () => outgoing.destroy());
      outgoing.once('error', failed).once('close', failed);
      outgoing.end(body);
    });
  }

  /** Opens a connection, sends `text`, and holds it. Resolves with the first response; '': the connection ended. */
  hold(
    listener: 'api' | 'media',
    text: string | Buffer,
  ): Promise<{ readonly socket: Socket; readonly heard: string }> {
    return new Promise((resolve) => {
      const socket = connect({ ...this.from(), port: this.ground.ports[listener] });
      const end = (heard: string) => resolve({ socket, heard });
      this.#held.push(socket);
      socket.once('connect', () => this.connected[socket.remoteFamily === 'IPv6' ? 'v6' : 'v4']++);
      socket.once('error', () => end('')).once('close', () => end(''));
      socket.write(text);
      socket.once('data', (chunk) => end(chunk.toString('latin1')));
    });
  }

  /** Those that are open. */
  get open(): number {
    return this.#held.filter(({ destroyed }) => !destroyed).length;
  }
}

/** An opening handshake (RFC 6455 §1.3). */
export function upgradeTo(path: string, host: string): string {
  return (
    `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
    'sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n'
  );
}

/** A text message, masked with zeros. */
export function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  if (payload.length > 65_535) throw new RangeError('too long for one frame here');
  const head = Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 255, 0, 0, 0, 0]);
  return Buffer.concat([head, payload]);
}
