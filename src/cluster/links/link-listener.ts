/**
 * Accepts connections of other nodes. Until one has proved that it has the key and said who it is, it counts against its
 * address and against a deadline.
 */

import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type Server as TlsServer } from 'node:tls';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { type ErrorDefinition, GatewayError } from '../../core/errors.ts';
import { type Arrival, Arrivals } from '../../core/limits/arrivals.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import type { Log } from '../../core/log.ts';
import { MergedLines } from '../../core/merged-lines.ts';
import { LINK_ERRORS } from './errors.ts';
import { FrameChannel } from './frame-channel.ts';
import { type ExpectedNode, GREETING_LIMITS, type Greeting } from './frame-header.ts';
import { greet, OPEN_MS } from './greeting.ts';
import { acceptingTls } from './link-tls.ts';
import type { LinkAddress } from './node-link.ts';

export interface LinkListenerOptions {
  readonly own: Greeting;
  readonly key: Buffer;
  readonly clock: Clock;
  readonly log: Log;
  onAccepted(channel: FrameChannel, peer: ExpectedNode, remoteAddress: string): void;
}

interface Arriving {
  readonly socket: Socket;
  readonly place: Arrival;
  readonly remoteAddress: string;
  readonly deadline: TimerHandle;
}

export class LinkListener {
  readonly #options: LinkListenerOptions;
  readonly #server: Server;
  readonly #tls: TlsServer;
  readonly #strangers: MergedLines;
  /** By where they come from, until they are authenticated. */
  readonly #arriving = new Map<string, Arriving>();
  readonly #arrivals = new Arrivals(LIMITS.linkArrivals);

  constructor(options: LinkListenerOptions) {
    this.#options = options;
    this.#strangers = new MergedLines(options.clock, options.log);
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
      this.#strangers.warn('not accepted', { err: error }, 'cluster connection not accepted'),
    );
    return (this.#server.address() as AddressInfo).port;
  }

  /** Accepts no more; resolves once all connections, of open links as well, have ended. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const { socket } of this.#arriving.values()) socket.destroy();
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
    const key = keyOf(socket);
    const place = this.#arrivals.add(remoteAddress, () => this.#end(key, LINK_ERRORS.LINK_TOO_MANY_ARRIVALS));
    const deadline = this.#options.clock.after(OPEN_MS, () => this.#end(key, LINK_ERRORS.LINK_OPEN_TIMEOUT));
    this.#arriving.set(key, { socket, place, remoteAddress, deadline });
    socket.once('close', () => this.#forget(key));
    this.#tls.emit('connection', socket);
  }

  #end(key: string, { code }: ErrorDefinition): void {
    const arriving = this.#forget(key);
    if (arriving === null) return;
    arriving.socket.destroy();
    this.#strangers.warn(
      'refused',
      { remoteAddress: arriving.remoteAddress, code },
      'cluster connection refused',
    );
  }

  /** The TLS handshake failed. */
  #refused(error: NodeJS.ErrnoException, socket: TLSSocket): void {
    socket.destroy();
    const { remoteAddress } = socket;
    const { code } = LINK_ERRORS.LINK_NOT_AUTHENTICATED;
    this.#strangers.warn(
      'refused',
      { remoteAddress, code, reason: error.code },
      'cluster connection refused',
    );
  }

  #secured(socket: TLSSocket): void {
    const { own, clock, onAccepted } = this.#options;
    const key = keyOf(socket);
    const remoteAddress = this.#arriving.get(key)?.remoteAddress ?? '';
    const channel = new FrameChannel(socket, clock, GREETING_LIMITS);
    socket.on('data', (chunk: Buffer) => channel.read(chunk));
    greet(channel, own, null, {
      opened: (peer) => {
        this.#forget(key);
        onAccepted(channel, peer, remoteAddress);
      },
      failed: ({ code, context }) => {
        this.#strangers.warn('refused', { remoteAddress, code, ...context }, 'cluster connection refused');
      },
    });
  }

  /** null: it was forgotten before. */
  #forget(key: string): Arriving | null {
    const arriving = this.#arriving.get(key);
    if (arriving === undefined) return null;
    this.#arriving.delete(key);
    arriving.deadline.cancel();
    arriving.place.leave();
    return arriving;
  }
}

/** The same for a socket and the TLS socket over it. */
function keyOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
