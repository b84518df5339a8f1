/**
 * The listener for devices that push video. It exists only while a camera has a publish key. Connections whose key is
 * not accepted yet are few and short; there is one publisher per key.
 */

import { createServer, type Server, type Socket } from 'node:net';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { type Arrival, Arrivals } from '../../core/limits/arrivals.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import type { Log } from '../../core/log.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { subscriberOf } from '../../core/subscriber.ts';
import { type CreateTokenSource, TokenBuckets, type TokenSource } from '../../core/token-buckets.ts';
import { RTMP_ERRORS } from './errors.ts';
import { PublishConnection, type PublishConnectionEvents } from './publish-connection.ts';
import { PublishDesk, type PublishDeskOptions, type PublishSlot } from './publish-desk.ts';
import { digestInPath } from './publish-key.ts';
import type { PushedSound } from './pushed-media.ts';

/** Wrong keys per minute from one address, which can all come in a burst. Nodes that share a Redis count together. */
export const WRONG_KEYS_PER_MINUTE = 30;
const MS_PER_MINUTE = 60_000;
const LISTEN_RETRY_MS = 5_000;
const LOG_INTERVAL_MS = 10_000;

export interface RtmpListenerOptions extends Pick<PublishDeskOptions, 'onSeated' | 'onLeft'> {
  /** Port 0: any free one. */
  readonly listen: { readonly host: string; readonly port: number };
  readonly clock: Clock;
  readonly log: Log;
  readonly silenceMs: number;
  /** A publisher for this camera is there. */
  readonly onPublisher: (cameraUuid: Ruuid) => void;
  /** Absent or null: this process counts wrong keys. */
  readonly shared?: CreateTokenSource | null;
}

/** Totals since the start, except for `publishers` and `pending`. */
export interface RtmpCounts {
  readonly publishers: number;
  readonly pending: number;
  /** Connections that ended before a key was accepted, by error code. */
  readonly refused: ReadonlyMap<string, number>;
}

export class RtmpListener implements PublishConnectionEvents {
  readonly #options: RtmpListenerOptions;
  readonly #desk: PublishDesk;
  /** In the order in which they came. */
  readonly #pending = new Map<PublishConnection, Arrival>();
  readonly #arrivals = new Arrivals(LIMITS.rtmpArrivals);
  readonly #slots = new WeakMap<PublishConnection, PublishSlot>();
  readonly #refused = new Map<string, number>();
  readonly #wrongKeys: TokenSource;
  #server: Server | null = null;
  #fault: GatewayError | null = null;
  #retry: TimerHandle | null = null;
  #lastLogMonoMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(options: RtmpListenerOptions) {
    this.#options = options;
    const { clock, onPublisher, onSeated, onLeft, shared } = options;
    this.#desk = new PublishDesk({ clock, onPublisher, onSeated, onLeft });
    const refill = { tokens: WRONG_KEYS_PER_MINUTE, perMs: MS_PER_MINUTE };
    const size = { burst: WRONG_KEYS_PER_MINUTE, refill };
    this.#wrongKeys = shared?.('publish-key', size) ?? new TokenBuckets({ clock, ...size });
  }

  /** Where it listens; null: it does not. */
  get port(): number | null {
    const address = this.#server?.address() ?? null;
    return typeof address === 'object' && address !== null ? address.port : null;
  }

  /** Why it does not listen although it should; null: it does. */
  get fault(): GatewayError | null {
    return this.#fault;
  }

  counts(): RtmpCounts {
    return { publishers: this.#desk.publishers, pending: this.#pending.size, refused: this.#refused };
  }

  /** The camera's place at the desk. The first camera opens the listener. */
  put(cameraUuid: Ruuid, digest: string, sound: PushedSound): PublishSlot {
    const slot = this.#desk.put(cameraUuid, digest, sound);
    if (this.#server === null && !this.#isClosed) this.#listen();
    return slot;
  }

  /** The camera has no publish key any more. The last one closes the listener. */
  remove(cameraUuid: Ruuid): void {
    this.#desk.remove(cameraUuid);
    if (this.#desk.size === 0) this.#stop();
  }

  /** As PublishDesk. */
  makeRoom(cameraUuid: Ruuid): boolean {
    return this.#desk.makeRoom(cameraUuid);
  }

  /** Ends the camera's publisher, which was seated a moment ago. */
  turnAway(cameraUuid: Ruuid, error: GatewayError): void {
    const slot = this.#desk.find(cameraUuid);
    const from = slot?.publisher?.address;
    if (slot === null || from === undefined) return;
    this.#count(error.code);
    this.#options.log.warn(
      { camera: cameraUuid, from, code: error.code, ...error.context },
      'publisher refused',
    );
    this.#desk.leave(slot, error);
  }

  close(): void {
    this.#isClosed = true;
    this.#desk.close();
    this.#stop();
  }

  /** @internal for PublishConnection */
  async onPublish(connection: PublishConnection, path: string): Promise<void> {
    const { address } = connection;
    // A recorder with one wrong channel must not lock out its others, here or at other nodes.
    if (this.#desk.hasPublisherFrom(address)) {
      this.#seat(connection, path);
      return;
    }
    // Taken before the key is looked up, so that concurrent keys count.
    const draw = await this.#wrongKeys.take(subscriberOf(address));
    if (!draw.isTaken) throw new GatewayError(RTMP_ERRORS.RTMP_TOO_MANY_TRIES);
    let isWrongKey = false;
    try {
      // Otherwise it has ended meanwhile.
      if (this.#pending.has(connection)) this.#seat(connection, path);
    } catch (thrown) {
      isWrongKey = thrown instanceof GatewayError && thrown.code === RTMP_ERRORS.RTMP_KEY_REFUSED.code;
      throw thrown;
    } finally {
      if (!isWrongKey) draw.giveBack();
    }
  }

  /** @internal for PublishConnection */
  onEnded(connection: PublishConnection, error: GatewayError): void {
    const slot = this.#slots.get(connection);
    this.#slots.delete(connection);
    if (this.#noLongerPending(connection)) this.#refusedOne(connection, error);
    if (slot === undefined || slot.publisher !== connection) return;
    this.#options.log.info(
      { camera: slot.cameraUuid, from: connection.address, code: error.code, ...error.context },
      'publisher disconnected',
    );
    this.#desk.leave(slot, error);
  }

  #seat(connection: PublishConnection, path: string): void {
    const slot = this.#desk.admit(digestInPath(path), (media) => connection.seat(media));
    this.#slots.set(connection, slot);
    this.#noLongerPending(connection);
    this.#options.log.info({ camera: slot.cameraUuid, from: connection.address }, 'publisher connected');
  }

  #listen(): void {
    const { host, port } = this.#options.listen;
    const { log, clock } = this.#options;
    const server = createServer((socket) => this.#accept(socket));
    this.#server = server;
    server.on('listening', () => {
      this.#fault = null;
      log.info({ host, port: this.port }, 'listening for RTMP');
    });
    server.on('error', (error: NodeJS.ErrnoException) => {
      const context = { host, port, errno: error.code };
      this.#fault = new GatewayError(RTMP_ERRORS.RTMP_LISTEN_FAILED, context, error);
      log.error({ err: this.#fault }, 'RTMP listener failed');
      this.#server = null;
      server.close();
      this.#retry = clock.after(LISTEN_RETRY_MS, () => {
        if (this.#desk.size > 0 && !this.#isClosed) this.#listen();
      });
    });
    server.listen({ host, port });
  }

  #stop(): void {
    this.#retry?.cancel();
    this.#server?.close();
    this.#server = null;
    this.#fault = null;
    for (const [connection, arrival] of this.#pending) {
      arrival.leave();
      connection.close();
    }
    this.#pending.clear();
  }

  #accept(socket: Socket): void {
    const { clock, silenceMs } = this.#options;
    if (this.#isClosed) {
      socket.on('error', () => undefined);
      socket.destroy();
      return;
    }
    const connection = new PublishConnection(socket, { clock, silenceMs }, this);
    const arrival = this.#arrivals.add(socket.remoteAddress ?? '', () => {
      this.#pending.delete(connection);
      connection.close();
      this.#count(RTMP_ERRORS.RTMP_LIMIT.code);
    });
    this.#pending.set(connection, arrival);
  }

  /** Whether it was pending. */
  #noLongerPending(connection: PublishConnection): boolean {
    this.#pending.get(connection)?.leave();
    return this.#pending.delete(connection);
  }

  /** At most one line in 10 s: strangers can cause any number. */
  #refusedOne(connection: PublishConnection, error: GatewayError): void {
    this.#count(error.code);
    const nowMonoMs = this.#options.clock.monoMs();
    if (nowMonoMs - this.#lastLogMonoMs < LOG_INTERVAL_MS) return;
    this.#lastLogMonoMs = nowMonoMs;
    const fields = { from: connection.address, code: error.code, ...error.context };
    this.#options.log.warn(fields, 'publisher refused');
  }

  #count(code: string): void {
    this.#refused.set(code, (this.#refused.get(code) ?? 0) + 1);
  }
}
