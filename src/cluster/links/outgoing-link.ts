/** The link that this node opens to one run of another: on demand, one at a time, with growing pauses after failures. */

import { Backoff } from '../../core/backoff.ts';
import type { Clock } from '../../core/clock.ts';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { LINK_ERRORS } from './errors.ts';
import type { FrameChannel } from './frame-channel.ts';
import type { Greeting } from './frame-header.ts';
import type { LinkTransport } from './link-transport.ts';
import type { LinkTarget } from './node-link.ts';
import type { OpenLink } from './open-link.ts';

export const PAUSE_MIN_MS = 100;
export const PAUSE_MAX_MS = 5_000;

/** Ends that belong to the life of a cluster: no pause follows. */
export const REGULAR_ENDS: ReadonlySet<string> = new Set([
  LINK_ERRORS.LINK_CLOSED.code,
  LINK_ERRORS.LINK_IDLE.code,
]);

export interface OutgoingLinkOptions {
  readonly target: LinkTarget;
  readonly own: Greeting;
  readonly key: Buffer;
  readonly clock: Clock;
  readonly log: Log;
  readonly transport: LinkTransport;
  opened(channel: FrameChannel, closed: (reason: GatewayError) => void): OpenLink;
}

export class OutgoingLink {
  readonly #options: OutgoingLinkOptions;
  readonly #abort = new AbortController();
  #attempt: Promise<OpenLink> | null = null;
  #link: OpenLink | null = null;
  readonly #backoff = new Backoff({ firstMs: PAUSE_MIN_MS, lastMs: PAUSE_MAX_MS });
  #lastFailure: GatewayError | null = null;
  #pausedUntilMonoMs = 0;

  constructor(options: OutgoingLinkOptions) {
    this.#options = options;
  }

  isTo({ runId, address }: LinkTarget): boolean {
    const { target } = this.#options;
    return (
      runId === target.runId && address.host === target.address.host && address.port === target.address.port
    );
  }

  /** No link, no attempt, no pause. */
  isIdle(): boolean {
    const isPaused = this.#options.clock.monoMs() < this.#pausedUntilMonoMs;
    return this.#link === null && this.#attempt === null && !isPaused;
  }

  /** null: there is none now. */
  get open(): OpenLink | null {
    return this.#link;
  }

  async link(): Promise<OpenLink> {
    if (this.#link !== null) {
      this.#link.touch();
      return this.#link;
    }
    if (this.#attempt !== null) return this.#attempt;
    this.#checkPause();
    this.#attempt = this.#open();
    try {
      return await this.#attempt;
    } finally {
      this.#attempt = null;
    }
  }

  /** Another run or another address took its place. */
  replace(): void {
    this.#abort.abort();
    this.#link?.endWith(new GatewayError(LINK_ERRORS.LINK_REPLACED, { nodeId: this.#options.target.nodeId }));
  }

  close(): void {
    this.#abort.abort();
    this.#link?.close();
  }

  #checkPause(): void {
    const retryInMs = Math.ceil(this.#pausedUntilMonoMs - this.#options.clock.monoMs());
    if (this.#lastFailure === null || retryInMs <= 0) return;
    const { code } = this.#lastFailure;
    const { nodeId } = this.#options.target;
    throw new GatewayError(LINK_ERRORS.LINK_PAUSED, { nodeId, retryInMs, failure: code }, this.#lastFailure);
  }

  async #open(): Promise<OpenLink> {
    const { target, own, key, clock, transport } = this.#options;
    try {
      const signal = this.#abort.signal;
      const connect = { own, key, clock, expected: target, address: target.address, signal };
      return await transport.openChannel(connect, (channel) => this.#opened(channel));
    } catch (thrown) {
      const error = toGatewayError(thrown);
      if (!this.#abort.signal.aborted) this.#failed(error);
      throw error;
    }
  }

  #opened(channel: FrameChannel): OpenLink {
    const { clock, opened } = this.#options;
    const openedMonoMs = clock.monoMs();
    const link = opened(channel, (reason) => {
      this.#link = null;
      const isRegular = REGULAR_ENDS.has(reason.code);
      if (isRegular || clock.monoMs() - openedMonoMs >= PAUSE_MAX_MS) this.#backoff.reset();
      if (!isRegular) this.#pause(reason);
    });
    // A listener can have closed it already.
    this.#link = link.ended === null ? link : null;
    return link;
  }

  #failed(error: GatewayError): void {
    const { nodeId, address } = this.#options.target;
    const retryInMs = this.#pause(error);
    this.#options.log.warn(
      { err: error, nodeId, address: `${address.host}:${address.port}`, retryInMs },
      'cluster link failed',
    );
  }

  #pause(failure: GatewayError): number {
    const pauseMs = this.#backoff.failed();
    this.#lastFailure = failure;
    this.#pausedUntilMonoMs = this.#options.clock.monoMs() + pauseMs;
    return pauseMs;
  }
}
