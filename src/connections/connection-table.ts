/**
 * The connections of one listener, within its share of the process's descriptors (docs/design/failure.md, Descriptors).
 * When there are too many, or too many from one address, the one that has been idle for longest makes room for the
 * newcomer. Only when nobody is idle the newcomer is turned away: those inside do not suffer from those who would come in.
 *
 * A new descriptor gets the lowest free number (POSIX open(2), accept(2)). So a listener that keeps none from
 * `maxDescriptor` on leaves those above to the rest of the process, whatever that has open.
 */

import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { BlockList, isIP, isIPv6, type Socket } from 'node:net';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { subscriberOf } from '../core/subscriber.ts';
import { Connection, connectionOf, Origin } from './connection.ts';

export interface ConnectionLimits {
  /** Connections at once. */
  readonly maxConnections: number;
  /** From one address, unless it is a trusted proxy's. */
  readonly maxPerAddress: number;
  /** Descriptors with this number and above are not for this listener. */
  readonly maxDescriptor: number;
}

export interface ConnectionTableOptions {
  /** As logs name it. */
  readonly listener: string;
  readonly limits: ConnectionLimits;
  /** Addresses and networks (RFC 4632) that speak for many. */
  readonly trustProxy: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

/** Totals since the start, but for `open`. */
export interface ConnectionCounts {
  readonly open: number;
  /** Idle connections that were closed for newcomers. */
  readonly madeRoom: number;
  /** Newcomers that were turned away. */
  readonly refused: number;
}

/** Of the connections unused for longest, how many are looked at for one that can make room. */
const MAX_CANDIDATES = 64;
/** When descriptors are short, more than the one that is needed: newcomers take the numbers below the limit again. */
const ROOM_AT_ONCE = 8;
const TICK_MS = 1_000;
const LOG_INTERVAL_MS = 60_000;

export class ConnectionTable {
  readonly #options: ConnectionTableOptions;
  readonly #trusted: BlockList | null;
  /** In the order in which they were last asked for something. */
  readonly #connections = new Set<Connection>();
  readonly #origins = new Map<string, Origin>();
  /** Of the last tick: reading the clock for every request would cost more than all else that is done here. */
  #tickMonoMs = 0;
  #isTicking = false;
  #madeRoom = 0;
  #refused = 0;
  #lastLogMonoMs = Number.NEGATIVE_INFINITY;

  constructor(options: ConnectionTableOptions) {
    this.#options = options;
    this.#trusted = options.trustProxy.length === 0 ? null : blockListOf(options.trustProxy);
  }

  /** Knows every connection of `server` from now on. Before it listens, and with the listener that answers requests. */
  guard(server: Server): void {
    server.on('connection', (socket: Socket) => this.#onConnection(socket));
    // Instead of a listener more: with two, an emitter copies its list for every request.
    const listeners = server.listeners('request') as RequestListener[];
    server.removeAllListeners('request');
    for (const [index, answer] of listeners.entries()) {
      server.on('request', (request, response) => {
        if (index === 0) this.#onRequest(request);
        answer.call(server, request, response);
      });
    }
  }

  /** For a listener that has WebSockets. With the others Node would wait for somebody to take the upgrade. */
  guardUpgrades(server: Server): void {
    server.prependListener('upgrade', (request: IncomingMessage) => {
      const connection = connectionOf(request.socket);
      if (connection !== undefined) connection.isUpgraded = true;
    });
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

  /** Hot. */
  #onRequest(request: IncomingMessage): void {
    const connection = connectionOf(request.socket);
    if (connection === undefined) return;
    connection.requests++;
    if (connection.seenMonoMs >= this.#tickMonoMs) return;
    connection.seenMonoMs = this.#tickMonoMs;
    this.#moveBack(connection);
  }

  #tick(): void {
    const { clock } = this.#options;
    this.#tickMonoMs = clock.monoMs();
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
    const { origin } = connection;
    if (origin === null) return;
    origin.connections.delete(connection);
    if (origin.connections.size === 0) this.#origins.delete(origin.key);
  }

  /** Closes up to `count` of `connections` that can be closed, the one unused for longest first; returns how many. */
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
    if (this.#trusted !== null && isIP(address) > 0) {
      if (this.#trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) return null;
    }
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

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}
