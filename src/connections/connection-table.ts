/**
 * The connections of one listener, within its share of the process's descriptors (docs/design/failure.md#descriptors). If there are too
 * many, or too many from one address, the connection that has been idle longest makes room for the newcomer. The newcomer is refused only
 * if none is idle: existing connections do not suffer from new ones.
 *
 * A new descriptor gets the lowest free number (POSIX open(2), accept(2)). So a listener that keeps none from `maxDescriptor` on leaves the
 * numbers above to the rest of the process, whatever that has open.
 */

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../core/clock.ts';
import { NetworkList } from '../core/ip-address.ts';
import type { Log } from '../core/log.ts';
import { subscriberOf } from '../core/subscriber.ts';
import { Connection, connectionOf, endsConnection, Origin } from './connection.ts';
import { InnerConnection } from './inner-connection.ts';
import { stopAccepting } from './stop-accepting.ts';

export interface ConnectionLimits {
  /** Concurrent connections. */
  readonly maxConnections: number;
  /** Concurrent connections from one address, unless it belongs to a trusted proxy. */
  readonly maxPerAddress: number;
  /** Descriptors with this number or higher are not for this listener. */
  readonly maxDescriptor: number;
}

export interface ConnectionTableOptions {
  /** The name used in logs. */
  readonly listener: string;
  readonly limits: ConnectionLimits;
  /** Addresses and networks (RFC 4632) that represent many clients. */
  readonly trustProxy: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

/** Totals since the start, except for `open`. */
export interface ConnectionCounts {
  readonly open: number;
  /** Idle connections that were closed for newcomers. */
  readonly madeRoom: number;
  /** Newcomers that were refused. */
  readonly refused: number;
}

/** How many of the least recently used connections are considered when looking for one that can make room. */
const MAX_CANDIDATES = 64;
/** When descriptors are short, more than the one that is needed: newcomers then get numbers below the limit again. */
const ROOM_AT_ONCE = 8;
const TICK_MS = 1_000;
/** A server emits this when a proxy has sent the client's address: the socket has that address from then on. */
export const ADDRESSED = Symbol('addressed');
const LOG_INTERVAL_MS = 60_000;
/** How long connections are accepted once the listener is about to close: proxies have used those that they keep. */
export const ACCEPT_MS = 600;

export class ConnectionTable {
  readonly #options: ConnectionTableOptions;
  readonly #trusted: NetworkList;
  /** Ordered by their last request. */
  readonly #connections = new Set<Connection>();
  readonly #origins = new Map<string, Origin>();
  /** The time of the last tick: reading the clock for every request would cost more than everything else here. */
  #tickMonoMs = 0;
  #isTicking = false;
  #madeRoom = 0;
  #refused = 0;
  #server: Server | null = null;
  #isLeaving = false;
  #lastLogMonoMs = Number.NEGATIVE_INFINITY;

  constructor(options: ConnectionTableOptions) {
    this.#options = options;
    this.#trusted = new NetworkList(options.trustProxy);
  }

  /**
   * Tracks every connection of `server` from now on. Call it before the server listens, with the listener that handles
   * requests.
   */
  guard(server: Server): void {
    this.#server = server;
    server.on('connection', (socket: Socket) => this.#onConnection(socket));
    server.on(ADDRESSED, (socket: Socket) => this.#onAddressed(socket));
    // Instead of another listener: with two, an emitter copies its list for every request.
    const listeners = server.listeners('request') as RequestListener[];
    server.removeAllListeners('request');
    for (const [index, answer] of listeners.entries()) {
      server.on('request', (request, response) => {
        if (index === 0) this.#onRequest(request, response);
        answer.call(server, request, response);
      });
    }
  }

  /** Marks upgraded connections of a listener with WebSockets. On other listeners, Node would wait for code that takes the upgrade. */
  guardUpgrades(server: Server): void {
    server.prependListener('upgrade', (request: IncomingMessage) => {
      const connection = connectionOf(request.socket);
      if (connection !== undefined) connection.isUpgraded = true;
    });
  }

  /**
   * The listener will close in a moment: connections end with their next response, and no new ones are accepted after
   * ACCEPT_MS. One that is closed while it is idle may have a request on its way, which no proxy may repeat if it is a POST.
   */
  leave(): void {
    this.#isLeaving = true;
    for (const connection of this.#connections) connection.leave();
    const [server, { clock }] = [this.#server, this.#options];
    if (server !== null) clock.after(ACCEPT_MS, () => stopAccepting(server, clock));
  }

  counts(): ConnectionCounts {
    return { open: this.#connections.size, madeRoom: this.#madeRoom, refused: this.#refused };
  }

  #onConnection(socket: Socket): void {
    const { clock, limits } = this.#options;
    const nowMonoMs = clock.monoMs();
    const origin = this.#originOf(socket.remoteAddress ?? '');
    const connection = new Connection(socket, origin, nowMonoMs);
    this.#connections.add(connection);
    if (!this.#isTicking) this.#tick();
    origin?.connections.add(connection);
    socket.once('close', () => this.#onClose(connection));
    if (connection.descriptor >= limits.maxDescriptor) {
      this.#makeRoom(this.#connections, connection, ROOM_AT_ONCE);
      this.#refuse(connection);
    } else if (origin !== null && origin.connections.size > limits.maxPerAddress) {
      if (this.#makeRoom(origin.connections, connection, 1) === 0) this.#refuse(connection);
    } else if (this.#connections.size > limits.maxConnections) {
      if (this.#makeRoom(this.#connections, connection, 1) === 0) this.#refuse(connection);
    }
  }

  #onAddressed(socket: Socket): void {
    const connection = connectionOf(socket);
    if (connection === undefined || !this.#connections.has(connection)) return;
    this.#leaveOrigin(connection);
    const origin = this.#originOf(socket.remoteAddress ?? '');
    connection.origin = origin;
    origin?.connections.add(connection);
    if (origin === null || origin.connections.size <= this.#options.limits.maxPerAddress) return;
    if (this.#makeRoom(origin.connections, connection, 1) === 0) this.#refuse(connection);
  }

  /** Hot. */
  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isLeaving && request.httpVersionMajor === 1) endsConnection(response);
    if (request.socket instanceof InnerConnection) request.socket.owner.onResponse(response);
    const connection = connectionOf(request.socket);
    if (connection !== undefined) this.note(connection);
  }

  /** A request has come. Hot. */
  note(connection: Connection): void {
    connection.requests++;
    if (connection.seenMonoMs >= this.#tickMonoMs) return;
    connection.seenMonoMs = this.#tickMonoMs;
    this.#moveBack(connection);
  }

  #tick(): void {
    const { clock } = this.#options;
    this.#tickMonoMs = clock.monoMs();
    for (const connection of this.#connections) connection.tick(this.#tickMonoMs);
    this.#isTicking = this.#connections.size > 0;
    if (this.#isTicking) clock.after(TICK_MS, () => this.#tick());
  }

  #onClose(connection: Connection): void {
    connection.isClosed = true;
    this.#forget(connection);
  }

  /** Idempotent. */
  #forget(connection: Connection): void {
    this.#connections.delete(connection);
    this.#leaveOrigin(connection);
  }

  #leaveOrigin(connection: Connection): void {
    const { origin } = connection;
    if (origin === null) return;
    origin.connections.delete(connection);
    if (origin.connections.size === 0) this.#origins.delete(origin.key);
  }

  /** Closes up to `count` of `connections` that can be closed, least recently used first; returns how many. */
  #makeRoom(connections: ReadonlySet<Connection>, newcomer: Connection, count: number): number {
    const nowMonoMs = this.#options.clock.monoMs();
    let closed = 0;
    let candidates = Math.min(MAX_CANDIDATES, connections.size);
    for (const candidate of connections) {
      if (closed === count || candidates-- === 0) break;
      if (candidate === newcomer) continue;
      if (candidate.canBeClosed(nowMonoMs)) {
        this.#end(candidate);
        closed++;
      } else this.#moveBack(candidate);
    }
    this.#madeRoom += closed;
    if (closed > 0) this.#tell();
    return closed;
  }

  #refuse(newcomer: Connection): void {
    this.#refused++;
    this.#end(newcomer);
    this.#tell();
  }

  /** Its descriptor is free when this returns. */
  #end(connection: Connection): void {
    this.#forget(connection);
    connection.socket.destroy();
  }

  #moveBack(connection: Connection): void {
    if (!this.#connections.delete(connection)) return;
    this.#connections.add(connection);
    connection.origin?.connections.delete(connection);
    connection.origin?.connections.add(connection);
  }

  #originOf(address: string): Origin | null {
    if (this.#trusted.has(address)) return null;
    const key = subscriberOf(address);
    let origin = this.#origins.get(key);
    if (origin === undefined) {
      origin = new Origin(key);
      this.#origins.set(key, origin);
    }
    return origin;
  }

  #tell(): void {
    const { clock, log, listener, limits } = this.#options;
    const nowMonoMs = clock.monoMs();
    if (nowMonoMs - this.#lastLogMonoMs < LOG_INTERVAL_MS) return;
    this.#lastLogMonoMs = nowMonoMs;
    log.warn({ listener, ...limits, ...this.counts() }, 'connection limit reached');
  }
}
