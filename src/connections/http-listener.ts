/**
 * The server of a listener that does more than plain HTTP/1.1: TLS, HTTP/2 next to HTTP/1.1 on one port, and the header of a proxy
 * (docs/design/tls.md). Node's own servers do the work: one of `node:http` or `node:https` accepts, and answers HTTP/1.1 and WebSockets.
 * Connections that speak HTTP/2 go to `Http2Sessions`, and their requests return to the same listeners.
 */

import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket, Server as TlsServer } from 'node:tls';
import type { Clock } from '../core/clock.ts';
import { NetworkList } from '../core/ip-address.ts';
import { subscriberOf } from '../core/subscriber.ts';
import { TokenBuckets } from '../core/token-buckets.ts';
import { ARRIVAL_MS, Arrivals, readProxyHeaderOf, seeProtocol } from './arrivals.ts';
import type { ListenerCertificate } from './certificate.ts';
import { connectionOf } from './connection.ts';
import { ADDRESSED } from './connection-table.ts';
import { Http2Sessions } from './http2-sessions.ts';
import type { ProxySource } from './proxy-header.ts';

export interface HttpListenerOptions {
  /** null: no TLS. */
  readonly certificate: ListenerCertificate | null;
  /** HTTP/2 without TLS, by clients that know about it (RFC 9113 §3.3). */
  readonly isHttp2Plain: boolean;
  /** Trusted proxies begin each connection with the header of the PROXY protocol. */
  readonly hasProxyHeader: boolean;
  readonly trustProxy: readonly string[];
  readonly clock: Clock;
}

/** Fastify's options for the server that it creates. */
export interface WantedServer {
  readonly http?: ServerOptions | null;
  readonly requestTimeout?: number;
  readonly keepAliveTimeout?: number;
  readonly connectionTimeout?: number;
}

/** Per address: a handshake costs the thread a signature. An office opens its viewers at the same time, but not again and again. */
export const HANDSHAKES = { burst: 2_000, refill: { tokens: 200, perMs: 1_000 } };
const PROTOCOLS = ['h2', 'http/1.1'];
/** Node's own, for connections that are idle. */
const DEFAULT_KEEP_ALIVE_MS = 72_000;

type ConnectionListener = (this: Server, socket: Socket) => void;

export class HttpListener {
  readonly #options: HttpListenerOptions;
  readonly #trusted: NetworkList;
  /** Those that it made. */
  readonly #tlsServers = new Set<TlsServer>();
  readonly #handshakes: TokenBuckets;
  #certificate: ListenerCertificate | null;

  constructor(options: HttpListenerOptions) {
    this.#options = options;
    this.#trusted = new NetworkList(options.trustProxy);
    this.#handshakes = new TokenBuckets({ ...HANDSHAKES, clock: options.clock });
    this.#certificate = options.certificate;
  }

  /** Options for Fastify; empty if its own server suffices. */
  get serverOptions(): { serverFactory?: (handler: RequestListener, wanted: WantedServer) => Server } {
    const { certificate, isHttp2Plain, hasProxyHeader } = this.#options;
    if (certificate === null && !isHttp2Plain && !hasProxyHeader) return {};
    return { serverFactory: (handler, wanted) => this.#createServer(handler, wanted) };
  }

  /** Sets the certificate of new connections. */
  setCertificate(certificate: ListenerCertificate): void {
    this.#certificate = certificate;
    for (const server of this.#tlsServers) server.setSecureContext(contextOf(certificate));
  }

  #createServer(handler: RequestListener, wanted: WantedServer): Server {
    const {
      http,
      requestTimeout = 0,
      keepAliveTimeout = DEFAULT_KEEP_ALIVE_MS,
      connectionTimeout = 0,
    } = wanted;
    const server = this.#plainOrTls(http ?? {}, handler);
    server.keepAliveTimeout = keepAliveTimeout;
    server.requestTimeout = requestTimeout;
    server.setTimeout(connectionTimeout);
    const arrivals = new Arrivals(this.#options.clock);
    const sessions = new Http2Sessions({
      clock: this.#options.clock,
      timeouts: { idleMs: keepAliveTimeout, quietMs: connectionTimeout, requestMs: requestTimeout },
      isTrusted: (address) => this.#trusted.has(address),
      onRequest: (request, response) => server.emit('request', request, response),
    });
    if (this.#certificate === null) this.#receivePlain(server, arrivals, sessions);
    else this.#receiveTls(server, arrivals, sessions);
    closeWith(server, arrivals, sessions);
    return server;
  }

  #plainOrTls(http: ServerOptions, handler: RequestListener): Server {
    const certificate = this.#certificate;
    if (certificate === null) return createServer(http, handler);
    const server = createTlsServer(
      { ...http, ...contextOf(certificate), ALPNProtocols: PROTOCOLS, handshakeTimeout: ARRIVAL_MS },
      handler,
    );
    this.#tlsServers.add(server);
    server.once('close', () => this.#tlsServers.delete(server));
    return server as unknown as Server;
  }

  #receivePlain(server: Server, arrivals: Arrivals, sessions: Http2Sessions): void {
    servers.set(server, takeOver(server, 'connection'));
    const { isHttp2Plain } = this.#options;
    const serve = (socket: Socket, isHttp2: boolean): void => {
      arrivals.arrived(socket);
      if (isHttp2) sessions.accept(socket);
      else servers.get(server)!.call(server, socket);
    };
    this.#receive(server, arrivals, (socket) => {
      if (isHttp2Plain) seeProtocol(socket, (isHttp2) => serve(socket, isHttp2));
      else serve(socket, false);
    });
  }

  #receiveTls(server: Server, arrivals: Arrivals, sessions: Http2Sessions): void {
    const beginTls = takeOver(server, 'connection');
    servers.set(server, takeOver(server, 'secureConnection'));
    this.#receive(server, arrivals, (socket) => {
      if (this.#mayBegin(socket.remoteAddress ?? '')) beginTls.call(server, socket);
      else socket.destroy();
    });
    server.on('secureConnection', (socket: TLSSocket) => {
      const tcp = tcpSocketOf(socket);
      arrivals.arrived(tcp);
      connectionOf(tcp)?.continueOn(socket);
      if (Object.hasOwn(tcp, 'remoteAddress')) setPeer(socket, tcp.remoteAddress!, tcp.remotePort!);
      if (socket.alpnProtocol === 'h2') sessions.accept(socket);
      else servers.get(server)!.call(server, socket);
    });
    // After a failed handshake, the client cannot read a response.
    server.removeAllListeners('tlsClientError');
    server.on('tlsClientError', (_error: Error, socket: TLSSocket) => socket.destroy());
  }

  #mayBegin(address: string): boolean {
    return this.#trusted.has(address) || this.#handshakes.take(subscriberOf(address)).isTaken;
  }

  /** `next`: with the address of the client. */
  #receive(server: Server, arrivals: Arrivals, next: (socket: Socket) => void): void {
    const { hasProxyHeader } = this.#options;
    server.on('connection', (socket: Socket) => {
      // The table of connections hears of it after us, and may refuse it.
      process.nextTick(() => {
        if (socket.destroyed) return;
        arrivals.add(socket);
        if (!hasProxyHeader || !this.#trusted.has(socket.remoteAddress ?? '')) {
          next(socket);
          return;
        }
        readProxyHeaderOf(socket, ({ source }) => {
          if (source !== null) this.#readdress(server, socket, source);
          if (!socket.destroyed) next(socket);
        });
      });
    });
  }

  #readdress(server: Server, socket: Socket, { address, port }: ProxySource): void {
    setPeer(socket, address, port);
    server.emit(ADDRESSED, socket);
  }
}

/** Listeners that serve connections of HTTP/1.1 in place of Node's own. */
const servers = new WeakMap<Server, ConnectionListener>();

/**
 * Connections of HTTP/1.1 go to `intercept`, after the table of connections has them, and after TLS. `serve` is what served them
 * before.
 */
export function interceptHttp1(
  server: Server,
  intercept: (socket: Socket, serve: (stream: Socket) => void) => void,
): void {
  const before = servers.get(server);
  const serve = before ?? takeOver(server, 'connection');
  const through: ConnectionListener = (socket) => intercept(socket, (stream) => serve.call(server, stream));
  if (before === undefined) server.on('connection', through);
  else servers.set(server, through);
}

/** Node's own listener for `event`, the first one, which it no longer calls. */
function takeOver(server: Server, event: string): ConnectionListener {
  const [listener] = server.listeners(event) as ConnectionListener[];
  server.off(event, listener!);
  return listener!;
}

/** Extends Node's own closing, which covers only HTTP/1.1, to the other connections. */
function closeWith(server: Server, arrivals: Arrivals, sessions: Http2Sessions): void {
  const closeAll = server.closeAllConnections.bind(server);
  const close = server.close.bind(server);
  server.closeAllConnections = () => {
    closeAll();
    sessions.destroy();
    arrivals.destroy();
  };
  server.close = (callback) => {
    sessions.close();
    arrivals.destroy();
    return close(callback);
  };
}

function contextOf({ certPem, keyPem }: ListenerCertificate) {
  return { cert: certPem, key: keyPem, minVersion: 'TLSv1.2' } as const;
}

/** Node keeps the socket under TLS here. */
function tcpSocketOf(socket: TLSSocket): Socket {
  return (socket as TLSSocket & { readonly _parent: Socket })._parent;
}

function setPeer(socket: Socket, remoteAddress: string, remotePort: number): void {
  const remoteFamily = remoteAddress.includes(':') ? 'IPv6' : 'IPv4';
  for (const [name, value] of Object.entries({ remoteAddress, remotePort, remoteFamily })) {
    Object.defineProperty(socket, name, { value, configurable: true });
  }
}
