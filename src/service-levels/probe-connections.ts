/**
 * The connections of one run. Each https origin gets one connection, which offers HTTP/2 and HTTP/1.1 by ALPN as players do, and speaks the
 * protocol that the server selects (RFC 9113 §3.2). If that is HTTP/1.1, the connection goes to an agent, which opens more of them.
 */

import { Agent as HttpAgent } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { Agent as HttpsAgent } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { hostOf, portOf } from '../network/http-call.ts';
import type { HttpProtocol } from './probe-protocol.ts';

/** Playlists may name any. Beyond this, the origin that was connected first is given up. */
const MAX_ORIGINS = 8;
const AGENT_LIMITS = { keepAlive: true, maxSockets: 4 };
/** Bytes that a server may send before they are read: enough for 160 Mbit/s at 100 ms. */
const STREAM_WINDOW_BYTES = 2_097_152;
const CONNECTION_WINDOW_BYTES = 4_194_304;

interface Line {
  readonly socket: TLSSocket;
  /** null: HTTP/1.1. Rejects with the error of the socket. */
  readonly session: Promise<ClientHttp2Session | null>;
  isOpen: boolean;
}

/** Begins with the connections that turned out to speak HTTP/1.1. */
class SparingAgent extends HttpsAgent {
  /** By host and port. */
  readonly #spare = new Map<string, TLSSocket>();

  keep(url: URL, socket: TLSSocket): void {
    this.#spare.set(`${hostOf(url)}:${portOf(url)}`, socket);
  }

  override createConnection(
    ...[options, callback]: Parameters<HttpsAgent['createConnection']>
  ): Duplex | null | undefined {
    const key = `${options.host}:${options.port}`;
    const spare = this.#spare.get(key);
    this.#spare.delete(key);
    return spare === undefined || spare.destroyed ? super.createConnection(options, callback) : spare;
  }
}

export class ProbeConnections {
  readonly #checksCertificates: boolean;
  readonly #plain = new HttpAgent(AGENT_LIMITS);
  readonly #secure: SparingAgent;
  readonly #lines = new Map<string, Line>();
  /** Origins that want HTTP/1.1 although they select HTTP/2. */
  readonly #downgraded = new Set<string>();
  /** Everything that has to end with the run. */
  readonly #open = new Set<TLSSocket>();
  /** The protocol of the last response; null: there was none. */
  protocol: HttpProtocol | null = null;

  constructor({ checksCertificates }: { readonly checksCertificates: boolean }) {
    this.#checksCertificates = checksCertificates;
    this.#secure = new SparingAgent({ ...AGENT_LIMITS, rejectUnauthorized: checksCertificates });
  }

  agentFor({ protocol }: URL): HttpAgent {
    return protocol === 'https:' ? this.#secure : this.#plain;
  }

  /** Connects if it must. null: the origin speaks HTTP/1.1. Rejects with the error of the connection. */
  async sessionFor(url: URL): Promise<ClientHttp2Session | null> {
    if (url.protocol !== 'https:' || this.#downgraded.has(url.origin)) return null;
    const known = this.#lines.get(url.origin);
    if (known !== undefined) return known.session;
    if (this.#lines.size >= MAX_ORIGINS) {
      const [origin, eldest] = this.#lines.entries().next().value!;
      this.#retire(origin, eldest);
      this.#forget(origin, eldest);
    }
    const line = this.#connect(url);
    this.#lines.set(url.origin, line);
    return line.session;
  }

  /** A request got no response: others are not sent on the same connection, and a connection that is not open yet is closed. */
  giveUp({ origin }: URL): void {
    const line = this.#lines.get(origin);
    if (line === undefined) return;
    if (!line.isOpen) line.socket.destroy(TIMED_OUT);
    this.#retire(origin, line);
  }

  /** The server wants HTTP/1.1 (HTTP_1_1_REQUIRED, RFC 9113 §7). */
  downgrade({ origin }: URL): void {
    this.giveUp({ origin } as URL);
    if (this.#downgraded.size < MAX_ORIGINS) this.#downgraded.add(origin);
  }

  close(): void {
    this.#lines.clear();
    for (const socket of this.#open) socket.destroy();
    this.#plain.destroy();
    this.#secure.destroy();
  }

  #connect(url: URL): Line {
    const host = hostOf(url);
    const socket = connectTls({
      host,
      port: portOf(url),
      ALPNProtocols: ['h2', 'http/1.1'],
      rejectUnauthorized: this.#checksCertificates,
      // SNI has no addresses (RFC 6066 §3).
      ...(isIP(host) === 0 ? { servername: host } : {}),
    });
    this.#open.add(socket);
    const secured = new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve);
      // Stays, also for errors while no request is running.
      socket.on('error', reject);
      socket.once('close', () => {
        this.#open.delete(socket);
        reject(CLOSED);
      });
    });
    const line: Line = {
      socket,
      isOpen: false,
      session: secured.then(() => {
        line.isOpen = true;
        if (socket.alpnProtocol === 'h2') return this.#begin(url, line);
        this.#secure.keep(url, socket);
        return null;
      }),
    };
    line.session.catch(() => this.#forget(url.origin, line));
    return line;
  }

  #begin({ origin }: URL, line: Line): ClientHttp2Session {
    const session = connectHttp2(origin, {
      createConnection: () => line.socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
    });
    session.once('connect', () => session.setLocalWindowSize(CONNECTION_WINDOW_BYTES));
    // Its streams have the error as well.
    session.on('error', () => undefined);
    // Responses that the server began may end; other requests need a new connection (RFC 9113 §6.8).
    session.once('goaway', () => this.#forget(origin, line));
    session.once('close', () => this.#forget(origin, line));
    return session;
  }

  /** Running requests may end. */
  #retire(origin: string, line: Line): void {
    line.session.then(
      (session) => {
        if (session === null) return;
        this.#forget(origin, line);
        session.close();
      },
      () => undefined,
    );
    if (!line.isOpen) this.#forget(origin, line);
  }

  #forget(origin: string, line: Line): void {
    if (this.#lines.get(origin) === line) this.#lines.delete(origin);
  }
}

const TIMED_OUT = Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' });
const CLOSED = Object.assign(new Error('connection closed'), { code: 'ECONNRESET' });
