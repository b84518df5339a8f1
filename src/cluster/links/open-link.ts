/**
 * A link after the greeting: messages, requests and their answers, heartbeats. Time is counted in ticks: a process that was
 * paused wakes to one late tick, not to a peer that it takes for dead.
 */

import type { PackedBytes } from '../../cmaf/part-bytes.ts';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import { errorOfWire, wireErrorOf } from '../../core/wire-error.ts';
import { LINK_ERRORS } from './errors.ts';
import type { FrameChannel } from './frame-channel.ts';
import { type ExpectedNode, type Frame, malformed } from './frame-header.ts';
import type { LinkHandlers } from './link-handlers.ts';
import type { LinkMessage, LinkResponse, NodeLink, RequestOptions } from './node-link.ts';

export const TICK_MS = 500;
/** Without anything received. */
const SILENT_TICKS = 4;
/** 30 s without a message, a request or an answer. */
export const IDLE_TICKS = 60;
/** In progress, in each direction: all reads of recordings that their pool shares out, and what nodes ask each other besides. */
export const MAX_REQUESTS = LIMITS.recordingReads.total + 1_024;
const REQUEST_TIMEOUT_MS = 5_000;

export interface OpenLinkOptions {
  readonly channel: FrameChannel;
  readonly clock: Clock;
  readonly peer: ExpectedNode;
  readonly handlers: LinkHandlers;
  /** Whether this node opened it: then it closes it when it is idle. */
  readonly isOpener: boolean;
  onClosed(link: OpenLink, reason: GatewayError): void;
}

interface OwnRequest {
  readonly deadline: TimerHandle;
  resolve(response: Required<LinkResponse>): void;
  reject(error: GatewayError): void;
}

export class OpenLink implements NodeLink {
  readonly peer: ExpectedNode;
  readonly #options: OpenLinkOptions;
  readonly #channel: FrameChannel;
  readonly #requests = new Map<number, OwnRequest>();
  #nextRequestId = 0;
  /** Requests of the peer that are being served. */
  #served = 0;
  #holds = 0;
  #silentTicks = 0;
  #quietTicks = 0;
  #tick: TimerHandle;

  constructor(options: OpenLinkOptions) {
    this.#options = options;
    this.peer = options.peer;
    this.#channel = options.channel;
    this.#channel.sink = {
      onFrame: (frame) => this.#received(frame),
      onRecord: (record, media) => {
        this.#quietTicks = 0;
        options.handlers.record(this, record, media);
      },
      onEnd: (reason) => this.#over(reason),
    };
    this.#tick = options.clock.after(TICK_MS, () => this.#ticked());
  }

  get ended(): GatewayError | null {
    return this.#channel.ended;
  }

  get waitingBytes(): number {
    return this.#channel.waitingBytes;
  }

  send({ kind, body, bytes }: LinkMessage, released?: () => void): boolean {
    this.#quietTicks = 0;
    return this.#channel.write({ type: 'message', kind, body }, bytes, released);
  }

  sendRecord(record: Uint8Array, media: PackedBytes): boolean {
    this.#quietTicks = 0;
    return this.#channel.writeRecord(record, media);
  }

  request(kind: string, body: unknown, options: RequestOptions = {}): Promise<Required<LinkResponse>> {
    return new Promise((resolve, reject) => {
      if (this.#requests.size >= MAX_REQUESTS) throw tooManyRequests();
      this.#quietTicks = 0;
      const id = this.#nextRequestId++;
      const timeoutMs = options.timeoutMs ?? REQUEST_TIMEOUT_MS;
      const deadline = this.#options.clock.after(timeoutMs, () => {
        this.#requests.delete(id);
        reject(new GatewayError(LINK_ERRORS.LINK_REQUEST_TIMEOUT, { kind, timeoutMs }));
      });
      this.#requests.set(id, { deadline, resolve, reject });
      this.#writeRequest(id, kind, body, options.bytes);
    });
  }

  /** Counts as use. */
  touch(): void {
    this.#quietTicks = 0;
  }

  hold(): () => void {
    let isHeld = true;
    this.#holds++;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds--;
      this.#quietTicks = 0;
    };
  }

  close(): void {
    this.endWith(new GatewayError(LINK_ERRORS.LINK_CLOSED));
  }

  /** Tells the peer. */
  endWith(reason: GatewayError): void {
    this.#channel.endTelling(reason);
  }

  #writeRequest(id: number, kind: string, body: unknown, bytes?: readonly Uint8Array[]): void {
    try {
      if (this.#channel.write({ type: 'request', id, kind, body }, bytes)) return;
      this.#settled(id)?.reject(this.#channel.ended!);
    } catch (error) {
      this.#settled(id);
      throw error;
    }
  }

  #received({ header, bytes }: Frame): void {
    this.#quietTicks = 0;
    switch (header.type) {
      case 'message':
        this.#options.handlers.message({ link: this, kind: header.kind, body: header.body, bytes });
        break;
      case 'request':
        this.#serve(header.id, header.kind, header.body, bytes);
        break;
      case 'response':
        this.#responded(header.id)?.resolve({ body: header.body, bytes });
        break;
      case 'failure':
        this.#responded(header.id)?.reject(errorOfWire(header.error));
        break;
      default:
        throw malformed(`a frame of type ${header.type} on an open link`);
    }
  }

  #serve(id: number, kind: string, body: unknown, bytes: readonly Uint8Array[]): void {
    if (this.#served >= MAX_REQUESTS) {
      this.#respondFailure(id, tooManyRequests());
      return;
    }
    this.#served++;
    this.#options.handlers
      .request({ link: this, kind, body, bytes })
      .then((response) => this.#channel.write({ type: 'response', id, body: response.body }, response.bytes))
      .catch((error: unknown) => this.#respondFailure(id, error))
      .finally(() => this.#served--);
  }

  #respondFailure(id: number, error: unknown): void {
    this.#channel.write({ type: 'failure', id, error: wireErrorOf(error) });
  }

  /** null: its time was over. */
  #responded(id: number): OwnRequest | null {
    if (id >= this.#nextRequestId) throw malformed('an answer to a request that was never sent');
    return this.#settled(id);
  }

  #settled(id: number): OwnRequest | null {
    const request = this.#requests.get(id) ?? null;
    this.#requests.delete(id);
    request?.deadline.cancel();
    return request;
  }

  #ticked(): void {
    this.#tick = this.#options.clock.after(TICK_MS, () => this.#ticked());
    this.#silentTicks = this.#channel.takeHeard() ? 0 : this.#silentTicks + 1;
    if (this.#silentTicks >= SILENT_TICKS) {
      const silentMs = SILENT_TICKS * TICK_MS;
      this.#channel.end(new GatewayError(LINK_ERRORS.LINK_SILENT, { silentMs }));
      return;
    }
    this.#quietTicks = this.#isInUse() ? 0 : this.#quietTicks + 1;
    if (this.#options.isOpener && this.#quietTicks >= IDLE_TICKS) {
      this.endWith(new GatewayError(LINK_ERRORS.LINK_IDLE));
      return;
    }
    this.#channel.heartbeat();
  }

  #isInUse(): boolean {
    return this.#holds > 0 || this.#served > 0 || this.#requests.size > 0;
  }

  #over(reason: GatewayError): void {
    this.#tick.cancel();
    for (const id of this.#requests.keys()) this.#settled(id)?.reject(reason);
    this.#options.onClosed(this, reason);
  }
}

function tooManyRequests(): GatewayError {
  return new GatewayError(LINK_ERRORS.LINK_TOO_MANY_REQUESTS, { limit: MAX_REQUESTS });
}
