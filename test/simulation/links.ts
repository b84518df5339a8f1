/** Links between nodes: the product's channels and greetings over sockets of the simulation's network. */

import { Duplex } from 'node:stream';
import { LINK_ERRORS } from '../../src/cluster/links/errors.ts';
import { FrameChannel } from '../../src/cluster/links/frame-channel.ts';
import { GREETING_LIMITS } from '../../src/cluster/links/frame-header.ts';
import { greet, OPEN_MS } from '../../src/cluster/links/greeting.ts';
import type { ConnectOptions } from '../../src/cluster/links/link-connector.ts';
import type { LinkListenerOptions } from '../../src/cluster/links/link-listener.ts';
import type { LinkAcceptor, LinkTransport } from '../../src/cluster/links/link-transport.ts';
import type { Clock } from '../../src/core/clock.ts';
import { GatewayError } from '../../src/core/errors.ts';
import { type Hold, type Moment, NO_HOLD } from './moment.ts';
import { type Network, Pipe } from './network.ts';
import type { Host } from './world.ts';

/** Written and not arrived: more waits in the sender. */
const WINDOW_BYTES = 1_048_576;

/** By the kind that a frame's header names (frame-header.ts). */
const MOMENTS_OF_KINDS: ReadonlyMap<string, Moment> = new Map([
  ['viewers.find', 'looks for a view'],
  ['viewers.end', 'ends a view elsewhere'],
  ['mirror.open', 'opens a mirror'],
  ['handover.prepare', 'hands a camera over'],
  ['handover.begin', 'hands a camera over'],
  ['handover.take', 'hands a camera over'],
]);
const KIND = '"kind":"';
/** The longest of them, and the quote behind it. */
const KIND_BYTES = 20;

/** All listeners, and the connections between them. */
export class SimulatedLinks {
  readonly network: Network;
  readonly #listeners = new Map<string, SimulatedAcceptor>();
  readonly #sockets = new Set<SimulatedSocket>();
  #nextPort = 7_000;

  constructor(network: Network) {
    this.network = network;
  }

  transportOf(host: Host): LinkTransport {
    return {
      openChannel: (options, opened) => this.#open(host, options, opened),
      acceptor: (options) => new SimulatedAcceptor(this, host, options),
    };
  }

  listen(acceptor: SimulatedAcceptor): number {
    const port = this.#nextPort++;
    this.#listeners.set(`${acceptor.host.name}:${port}`, acceptor);
    return port;
  }

  unlisten(acceptor: SimulatedAcceptor): void {
    for (const [place, each] of this.#listeners) if (each === acceptor) this.#listeners.delete(place);
  }

  opened(socket: SimulatedSocket): void {
    this.#sockets.add(socket);
  }

  closed(socket: SimulatedSocket): void {
    this.#sockets.delete(socket);
  }

  /** The process has ended. `isSilent`: its machine too, so its peers are not notified. */
  killed(host: Host, isSilent: boolean): void {
    for (const [place, acceptor] of this.#listeners) {
      if (acceptor.host === host) this.#listeners.delete(place);
    }
    for (const socket of [...this.#sockets]) {
      if (socket.host !== host) continue;
      this.#sockets.delete(socket);
      socket.lost(isSilent);
    }
  }

  /** Resets the connections between two processes. */
  reset(one: string, other: string): void {
    for (const socket of this.#sockets) {
      const { host, peer } = socket;
      if (host.name === one && peer?.host.name === other) socket.resetBoth();
    }
  }

  async #open<T>(
    host: Host,
    { own, clock, expected, address, signal }: ConnectOptions,
    opened: (channel: FrameChannel) => T,
  ): Promise<T> {
    const socket = new SimulatedSocket(this, host);
    const abort = (): void => void socket.destroy(new GatewayError(LINK_ERRORS.LINK_CLOSED));
    signal.addEventListener('abort', abort);
    const deadline = clock.after(OPEN_MS, () => {
      socket.destroy(new GatewayError(LINK_ERRORS.LINK_OPEN_TIMEOUT, { ...address }));
    });
    try {
      return await new Promise<T>((resolve, reject) => {
        socket.on('error', (error) => reject(reasonOf(error)));
        socket.once('close', () => reject(reasonOf(null)));
        this.#connect(socket, `${address.host}:${address.port}`, () => {
          const channel = channelOver(socket, clock);
          greet(channel, own, expected, { opened: () => resolve(opened(channel)), failed: reject });
        });
      });
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      deadline.cancel();
      signal.removeEventListener('abort', abort);
    }
  }

  #connect(socket: SimulatedSocket, place: string, secured: () => void): void {
    const target = this.#hosts.get(place.split(':')[0]!);
    if (target === undefined) return;
    const there = new Pipe(this.network, socket.host, target, () => socket.destroy(new Error('ETIMEDOUT')));
    const back = new Pipe(this.network, target, socket.host, () => undefined);
    there.send(() => {
      const acceptor = this.#listeners.get(place);
      if (acceptor === undefined) {
        back.send(() => void socket.destroy(new Error('ECONNREFUSED')));
        return;
      }
      const accepted = new SimulatedSocket(this, target);
      accepted.join(socket);
      acceptor.arrived(accepted);
      back.send(() => {
        if (!socket.destroyed) secured();
      });
    });
  }

  /** By name: the newest process there. */
  readonly #hosts = new Map<string, Host>();

  place(host: Host): void {
    this.#hosts.set(host.name, host);
  }
}

function reasonOf(error: Error | null): GatewayError {
  if (error instanceof GatewayError) return error;
  return new GatewayError(LINK_ERRORS.LINK_UNREACHABLE, {}, error ?? undefined);
}

function channelOver(socket: SimulatedSocket, clock: Clock): FrameChannel {
  const channel = new FrameChannel(socket, clock, GREETING_LIMITS);
  socket.on('data', (chunk: Buffer) => channel.read(chunk));
  return channel;
}

class SimulatedAcceptor implements LinkAcceptor {
  readonly host: Host;
  readonly #links: SimulatedLinks;
  readonly #options: LinkListenerOptions;

  constructor(links: SimulatedLinks, host: Host, options: LinkListenerOptions) {
    this.#links = links;
    this.host = host;
    this.#options = options;
  }

  async listen(): Promise<number> {
    this.#links.place(this.host);
    return this.#links.listen(this);
  }

  async close(): Promise<void> {
    this.#links.unlisten(this);
  }

  arrived(socket: SimulatedSocket): void {
    const { own, clock, onAccepted } = this.#options;
    const deadline = clock.after(OPEN_MS, () => void socket.destroy());
    const channel = channelOver(socket, clock);
    socket.on('error', () => undefined);
    socket.once('close', () => deadline.cancel());
    greet(channel, own, null, {
      opened: (peer) => {
        deadline.cancel();
        onAccepted(channel, peer, 'simulated');
      },
      failed: () => undefined,
    });
  }
}

class SimulatedSocket extends Duplex {
  readonly host: Host;
  peer: SimulatedSocket | null = null;
  readonly #links: SimulatedLinks;
  #pipe: Pipe | null = null;
  #inFlightBytes = 0;
  #written: (() => void) | null = null;

  constructor(links: SimulatedLinks, host: Host) {
    super({ allowHalfOpen: false });
    this.#links = links;
    this.host = host;
  }

  join(peer: SimulatedSocket): void {
    this.#connect(peer);
    peer.#connect(this);
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const { length } = chunk;
    // The sender reuses its memory.
    const copy = Buffer.from(chunk);
    this.#inFlightBytes += length;
    const { requestMs } = this.#announced(copy);
    this.#pipe?.send(() => {
      this.peer?.push(copy);
      this.#arrived(length);
    }, requestMs);
    if (this.#inFlightBytes < WINDOW_BYTES) done();
    else this.#written = done;
  }

  override _final(done: () => void): void {
    this.#pipe?.send(() => void this.peer?.push(null));
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#links.closed(this);
    this.#pipe?.send(() => void this.peer?.destroy());
    done(error);
  }

  /** The process has ended: nothing of it runs. */
  lost(isSilent: boolean): void {
    if (isSilent) this.#pipe?.end();
    else this.#pipe?.send(() => void this.peer?.destroy(new Error('ECONNRESET')));
  }

  resetBoth(): void {
    this.destroy(new Error('ECONNRESET'));
    this.peer?.destroy(new Error('ECONNRESET'));
  }

  #announced(chunk: Buffer): Hold {
    const { network } = this.#links;
    if (network.moments === null || this.peer === null) return NO_HOLD;
    const at = chunk.indexOf(KIND);
    if (at < 0) return NO_HOLD;
    const from = at + KIND.length;
    const [kind = ''] = chunk.toString('latin1', from, from + KIND_BYTES).split('"');
    return network.about(MOMENTS_OF_KINDS.get(kind) ?? null, this.host, this.peer.host.name);
  }

  #connect(peer: SimulatedSocket): void {
    this.peer = peer;
    this.#links.opened(this);
    this.#pipe = new Pipe(this.#links.network, this.host, peer.host, () => {
      this.destroy(new Error('ETIMEDOUT'));
    });
  }

  #arrived(length: number): void {
    this.#inFlightBytes -= length;
    const written = this.#written;
    if (written === null || this.#inFlightBytes >= WINDOW_BYTES) return;
    this.#written = null;
    written();
  }
}
