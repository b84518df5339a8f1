/**
 * Proves to the ACME server that a domain belongs to this gateway: http-01 (RFC 8555 §8.3). A listener of its own that has only responses
 * for the pending tokens. Anyone can connect to it, so everything about it is bounded.
 */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

const PREFIX = '/.well-known/acme-challenge/';
/** Base64url (RFC 8555 §8.3). */
const TOKEN = /^[A-Za-z0-9_-]{1,256}$/;
/** One for each domain of the certificate. */
const MAX_PENDING = 100;
/** With one more, the oldest makes room: those that only hold a connection must not keep the ACME server out. */
const MAX_CONNECTIONS = 128;
const MAX_HEADER_BYTES = 8_192;
/** The time for a request, and for a connection on which nothing happens. */
const REQUEST_MS = 5_000;
/** Those that are over are looked for this often. */
const LOOK_MS = 1_000;

export class ChallengeResponder {
  readonly #pending = new Map<string, string>();
  /** Oldest first. */
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor() {
    const limits = {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: REQUEST_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: LOOK_MS,
      keepAlive: false,
    };
    this.#server = createServer(limits, (request, response) => this.#respond(request, response));
    this.#server.on('connection', (socket: Socket) => this.#makeRoom(socket));
    this.#server.maxRequestsPerSocket = 1;
    this.#server.setTimeout(REQUEST_MS, (socket) => socket.destroy());
  }

  /** Fails as `Server.listen`. */
  static async open({ host, port }: { readonly host: string; readonly port: number }) {
    const responder = new ChallengeResponder();
    responder.#server.listen({ host, port });
    await once(responder.#server, 'listening');
    // Only a connection that cannot be accepted is lost.
    responder.#server.on('error', () => undefined);
    return responder;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get pending(): number {
    return this.#pending.size;
  }

  /** Responds to requests for `token` from now on. false: it is not a token, or too many are pending. */
  add(token: string, keyAuthorization: string): boolean {
    if (!TOKEN.test(token) || this.#pending.size >= MAX_PENDING) return false;
    this.#pending.set(token, keyAuthorization);
    return true;
  }

  remove(token: string): void {
    this.#pending.delete(token);
  }

  async close(): Promise<void> {
    this.#pending.clear();
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #makeRoom(newest: Socket): void {
    this.#sockets.add(newest);
    newest.once('close', () => this.#sockets.delete(newest));
    if (this.#sockets.size <= MAX_CONNECTIONS) return;
    const [oldest] = this.#sockets;
    oldest?.destroy();
    this.#sockets.delete(oldest!);
  }

  #respond({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
    const token = url.startsWith(PREFIX) ? url.slice(PREFIX.length) : '';
    const keyAuthorization = method === 'GET' || method === 'HEAD' ? this.#pending.get(token) : undefined;
    const isPending = keyAuthorization !== undefined;
    const body = isPending ? keyAuthorization : '';
    response.writeHead(isPending ? 200 : 404, {
      'content-type': 'application/octet-stream',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      connection: 'close',
    });
    response.end(method === 'HEAD' ? '' : body);
  }
}
