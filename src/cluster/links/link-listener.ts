/**
 * Accepts connections of other nodes. Until one has proved that it has the key and said who it is, it counts against its
 * address and against a deadline.
 */

import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type Server as TlsServer } from 'node:tls';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { subscriberOf } from '../../core/subscriber.ts';
import { CountedLog } from './counted-log.ts';
import { LINK_ERRORS } from './errors.ts';
import { FrameChannel } from './frame-channel.ts';
import { type ExpectedNode, GREETING_LIMITS, type Greeting } from './frame-header.ts';
import { greet, OPEN_MS } from './greeting.ts';
import { acceptingTls } from './link-tls.ts';
import type { LinkAddress } from './node-link.ts';

/** Not yet authenticated. */
export const MAX_ARRIVALS_PER_ADDRESS = 32;
export const MAX_ARRIVALS = 256;

export interface LinkListenerOptions {
  readonly own: Greeting;
  readonly key: Buffer;
  readonly clock: Clock;
  readonly log: Log;
  onAccepted(channel: FrameChannel, peer: ExpectedNode, remoteAddress: string): void;
}

interface Arrival {
  readonly socket: Socket;
  readonly origin: string;
  readonly remoteAddress: string;
  readonly deadline: TimerHandle;
}

export class LinkListener {
  readonly #options: LinkListenerOptions;
  readonly #server: Server;
  readonly #tls: TlsServer;
  readonly #strangers: CountedLog;
  /** By where they come from, until they are authenticated. */
  readonly #arrivals = new Map<string, Arrival>();
  readonly #perOrigin = new Map<string, number>();

  constructor(options: LinkListenerOptions) {
    this.#options = options;
    this.#strangers = new CountedLog(options.clock, options.log);
    this.#tls = createTlsServer(acceptingTls(options.key), (socket) => this.#secured(socket));
    this.#tls.on('tlsClientError', (error, socket) => this.#refused(error, socket));
    this.#server = createServer({ noDelay: true }, (socket) => this.#arrived(socket));
  }

  /** The port, chosen by the system for 0. Fails LINK_LISTEN_FAILED. */
  async listen({ host, port }: LinkAddress): Promise<number> {
    try {
      this.#server.listen(port, host);
      await once(this.#server, 'listening');
    } catch (error) {
      throw new GatewayError(LINK_ERRORS.LINK_LISTEN_FAILED, { host, port }, error);
    }
    // Out of descriptors, for example: the next connection may be accepted.
    this.#server.on('error', (error) =>
      this.#strangers.warn({ err: error }, 'cluster connection not accepted'),
    );
    return (this.#server.address() as AddressInfo).port;
  }

  /** Accepts no more; resolves once all connections, of open links as well, have ended. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const { socket } of this.#arrivals.values()) socket.destroy();
    await closed;
  }

  #arrived(socket: Socket): void {
    // TLS reports it, if there is someone to tell.
    socket.on('error', () => undefined);
    const { remoteAddress } = socket;
    // It is gone already.
    if (remoteAddress === undefined) {
      socket.destroy();
      return;
    }
    const origin = subscriberOf(remoteAddress);
    const count = this.#perOrigin.get(origin) ?? 0;
    if (count >= MAX_ARRIVALS_PER_ADDRESS || this.#arrivals.size >= MAX_ARRIVALS) {
      socket.destroy();
      this.#strangers.warn(
        { remoteAddress, code: LINK_ERRORS.LINK_TOO_MANY_ARRIVALS.code },
        'cluster connection refused',
      );
      return;
    }
    const key = keyOf(socket);
    const deadline = this.#options.clock.after(OPEN_MS, () => this.#late(key));
    this.#arrivals.set(key, { socket, origin, remoteAddress, deadline });
    this.#perOrigin.set(origin, count + 1);
    socket.once('close', () => this.#forget(key));
    this.#tls.emit('connection', socket);
  }

  #late(key: string): void {
    const arrival = this.#forget(key);
    if (arrival === null) return;
    arrival.socket.destroy();
    const { remoteAddress } = arrival;
    this.#strangers.warn(
      { remoteAddress, code: LINK_ERRORS.LINK_OPEN_TIMEOUT.code },
      'cluster connection refused',
    );
  }

  /** The TLS handshake failed. */
  #refused(error: NodeJS.ErrnoException, socket: TLSSocket): void {
    socket.destroy();
    const { remoteAddress } = socket;
    const { code } = LINK_ERRORS.LINK_NOT_AUTHENTICATED;
    this.#strangers.warn({ remoteAddress, code, reason: error.code }, 'cluster connection refused');
  }

  #secured(socket: TLSSocket): void {
    const { own, clock, onAccepted } = this.#options;
    const key = keyOf(socket);
    const remoteAddress = this.#arrivals.get(key)?.remoteAddress ?? '';
    const channel = new FrameChannel(socket, clock, GREETING_LIMITS);
    socket.on('data', (chunk: Buffer) => channel.read(chunk));
    greet(channel, own, null, {
      opened: (peer) => {
        this.#forget(key);
        onAccepted(channel, peer, remoteAddress);
      },
      failed: ({ code, context }) => {
        this.#strangers.warn({ remoteAddress, code, ...context }, 'cluster connection refused');
      },
    });
  }

  /** null: it was forgotten before. */
  #forget(key: string): Arrival | null {
    const arrival = this.#arrivals.get(key);
    if (arrival === undefined) return null;
    this.#arrivals.delete(key);
    arrival.deadline.cancel();
    const left = this.#perOrigin.get(arrival.origin)! - 1;
    if (left === 0) this.#perOrigin.delete(arrival.origin);
    else this.#perOrigin.set(arrival.origin, left);
    return arrival;
  }
}

/** The same for a socket and the TLS socket over it. */
function keyOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
