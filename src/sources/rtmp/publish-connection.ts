/**
 * One device's connection: deadlines, limits and the end. Before its key is accepted, it may send little; afterwards, its
 * media is bounded like a camera's.
 */

import type { Socket } from 'node:net';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import { FloodGuard } from '../../stream/source/flood-guard.ts';
import { RTMP_ERRORS } from './errors.ts';
import { GuardedRtmp, type GuardedRtmpEvents } from './guarded-rtmp.ts';
import type { Publisher } from './publish-desk.ts';
import type { PushedMedia } from './pushed-media.ts';

/** Limits the time from the connection to an accepted key: a handshake and about seven commands. */
export const PUBLISH_DEADLINE_MS = 10_000;
/** A refusal is sent after this time, so that keys cannot be tried quickly. */
export const REFUSAL_DELAY_MS = 1_000;
/** Time for the last bytes to a peer that is being closed. */
const LINGER_MS = 1_000;
/** Limit on what one connection may read in a turn of the event loop, as for cameras. */
const MAX_TURN_BYTES = 64 * 1_024;
/** Limit on unread bytes to the peer: responses are a few kilobytes altogether. */
const MAX_UNSENT_BYTES = 64 * 1_024;
const WATCH_INTERVAL_MS = 1_000;

export interface PublishConnectionEvents {
  /** Seats the publisher, unless it ends meanwhile; fails with the reason for a refusal. */
  onPublish(connection: PublishConnection, path: string): Promise<void>;
  /** It is over, for this reason; once. */
  onEnded(connection: PublishConnection, error: GatewayError): void;
}

export interface PublishConnectionOptions {
  readonly clock: Clock;
  /** Longest time without a byte from a publisher. */
  readonly silenceMs: number;
}

/** NetStream codes by the reason of a refusal. */
const REFUSALS: Readonly<Record<string, string>> = {
  RTMP_KEY_IN_USE: 'NetStream.Publish.BadName',
  RTMP_KEY_REFUSED: 'NetStream.Publish.BadName',
  RTMP_TOO_MANY_TRIES: 'NetStream.Publish.Denied',
  RTMP_UNSUPPORTED_VIDEO: 'NetStream.Publish.Rejected',
  RTMP_NO_PARAMETER_SETS: 'NetStream.Publish.Rejected',
};

export class PublishConnection implements Publisher, GuardedRtmpEvents {
  readonly address: string;
  readonly #socket: Socket;
  readonly #events: PublishConnectionEvents;
  readonly #options: PublishConnectionOptions;
  readonly #rtmp: GuardedRtmp;
  readonly #flood = new FloodGuard();
  #media: PushedMedia | null = null;
  #lastBytesMonoMs: number;
  #timer: TimerHandle;
  #isOver = false;
  /** Nothing is read: its key is being checked, or it is about to be refused. */
  #isWaiting = false;
  #turnBytes = 0;

  constructor(socket: Socket, options: PublishConnectionOptions, events: PublishConnectionEvents) {
    this.address = socket.remoteAddress ?? '';
    this.#socket = socket;
    this.#options = options;
    this.#events = events;
    this.#lastBytesMonoMs = options.clock.monoMs();
    this.#rtmp = new GuardedRtmp(this);
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#received(chunk as Buffer));
    socket.on('error', (error: NodeJS.ErrnoException) => this.#lost(error.code ?? error.name));
    socket.on('close', () => {
      this.#lost('closed');
      this.#timer.cancel();
    });
    this.#timer = options.clock.after(PUBLISH_DEADLINE_MS, () => {
      const timeoutMs = PUBLISH_DEADLINE_MS;
      this.#end(new GatewayError(RTMP_ERRORS.RTMP_TOO_SLOW, { timeoutMs }));
    });
  }

  /** Only for accepted publishers. */
  get media(): PushedMedia {
    return this.#media!;
  }

  get lastBytesMonoMs(): number {
    return this.#lastBytesMonoMs;
  }

  get isPublishing(): boolean {
    return this.#media !== null;
  }

  /** Called while its key is being accepted. */
  seat(media: PushedMedia): Publisher {
    this.#media = media;
    return this;
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer.cancel();
    this.#socket.destroy();
  }

  onOutput(bytes: Buffer): void {
    if (this.#socket.destroyed) return;
    if (this.#socket.writableLength + bytes.length > MAX_UNSENT_BYTES) {
      throw new GatewayError(RTMP_ERRORS.RTMP_LIMIT, { limit: 'unsent-bytes', maximum: MAX_UNSENT_BYTES });
    }
    this.#socket.write(bytes);
  }

  onPublish(path: string): void {
    this.#isWaiting = true;
    this.#socket.pause();
    this.#events.onPublish(this, path).then(
      () => this.#accepted(),
      (thrown: unknown) => this.#refuseLater(toGatewayError(thrown)),
    );
  }

  onVideo(timestamp: number, message: Uint8Array): void {
    this.#media?.video(timestamp, message, this.#lastBytesMonoMs);
  }

  onAudio(timestamp: number, message: Uint8Array): void {
    this.#media?.audio(timestamp, message, this.#lastBytesMonoMs);
  }

  onUnpublish(): void {
    this.#end(new GatewayError(RTMP_ERRORS.RTMP_PUBLISHER_LEFT, { reason: 'unpublished' }));
  }

  /** `chunk` is the socket's own, and equally good to borrow. */
  #received(chunk: Buffer): void {
    if (this.#isOver) return;
    const nowMonoMs = this.#options.clock.monoMs();
    this.#lastBytesMonoMs = nowMonoMs;
    const before = this.#rtmp.load;
    try {
      this.#rtmp.push(chunk);
    } catch (thrown) {
      this.#fail(toGatewayError(thrown));
      return;
    }
    if (!this.#flood.admits(this.#rtmp.load - before, chunk.length, nowMonoMs)) {
      this.#end(new GatewayError(RTMP_ERRORS.RTMP_FLOOD, { ...this.#flood.figures(nowMonoMs) }));
      return;
    }
    this.#turnBytes += chunk.length;
    if (this.#turnBytes >= MAX_TURN_BYTES) this.#yield();
  }

  /** As long as reads are full, libuv reads on before it looks at any other socket. */
  #yield(): void {
    this.#turnBytes = 0;
    this.#socket.pause();
    setImmediate(() => {
      if (!this.#socket.destroyed && !this.#isWaiting) this.#socket.resume();
    });
  }

  #watch(): void {
    this.#timer = this.#options.clock.after(WATCH_INTERVAL_MS, () => {
      const silentMs = this.#options.clock.monoMs() - this.#lastBytesMonoMs;
      if (silentMs < this.#options.silenceMs) this.#watch();
      else this.#end(new GatewayError(RTMP_ERRORS.RTMP_SILENT, { silentMs: Math.round(silentMs) }));
    });
  }

  /** The peer learns why if its own settings are the reason. */
  #fail(error: GatewayError): void {
    if (this.#isOver) return;
    const code = REFUSALS[error.code];
    try {
      if (code !== undefined) this.#rtmp.refuse(code, error.message);
    } catch {
      // The device does not read.
    }
    this.#end(error);
  }

  #accepted(): void {
    if (this.#isOver) return;
    this.#isWaiting = false;
    this.#socket.resume();
    this.#timer.cancel();
    this.#watch();
    try {
      this.#rtmp.accept();
    } catch (thrown) {
      this.#fail(toGatewayError(thrown));
    }
  }

  #refuseLater(error: GatewayError): void {
    if (this.#isOver) return;
    this.#timer.cancel();
    this.#timer = this.#options.clock.after(REFUSAL_DELAY_MS, () => this.#fail(error));
  }

  #lost(reason: string): void {
    this.#end(new GatewayError(RTMP_ERRORS.RTMP_PUBLISHER_LEFT, { reason }));
  }

  #end(error: GatewayError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer.cancel();
    // Pending output is still sent; further input is discarded.
    this.#socket.resume();
    this.#socket.end();
    this.#timer = this.#options.clock.after(LINGER_MS, () => this.#socket.destroy());
    this.#events.onEnded(this, error);
  }
}
