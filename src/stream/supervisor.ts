/**
 * Keeps a source running. An instance is never repaired: when it ends, or goes silent, it is replaced after a
 * jittered back-off. What counts is output: an instance that delivers nothing is as dead as one that ended.
 */

import type { AccessUnit, Track } from '../codec/track.ts';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { STREAM_ERRORS } from './errors.ts';
import type { SoundOffer, Source, SourceEvents, SourceInstance } from './source.ts';

export interface SupervisorLimits {
  /** First and longest pause between attempts. */
  readonly backoffMinMs: number;
  readonly backoffMaxMs: number;
  /** Longest time from opening an instance to its first access unit: connecting, waiting for a worker, a key frame. */
  readonly startMs: number;
  /** Longest time without an access unit after that. */
  readonly silenceMs: number;
}

/** An instance that delivered for this long proves the camera well: the next pause is the shortest again. */
const HEALTHY_AFTER_MS = 10_000;
const WATCH_INTERVAL_MS = 1_000;

export interface SupervisorEvents {
  /** A new instance delivers: everything since is a new timeline. Called before its first `onTracks`. */
  onInstance(): void;
  onTracks(tracks: readonly Track[]): void;
  onAccessUnit(unit: AccessUnit): void;
  /** See SourceEvents. */
  onSound?(offer: SoundOffer): void;
  onDropped(frames: number, code: string): void;
  /** The camera is gone for now; the next attempt starts at `retryAtEpochMs`. */
  onDown(error: GatewayError, retryAtEpochMs: number): void;
}

type SupervisorState =
  | { readonly name: 'stopped' }
  | { readonly name: 'running'; readonly attempt: Attempt }
  | { readonly name: 'waiting'; readonly timer: TimerHandle };

/** One opened instance and what it has shown so far. Its events count only while it is the current attempt. */
class Attempt implements SourceEvents {
  readonly openedMonoMs: number;
  lastUnitMonoMs: number;
  hasDelivered = false;
  instance: SourceInstance | null = null;
  readonly #owner: SourceSupervisor;

  constructor(owner: SourceSupervisor, nowMonoMs: number) {
    this.#owner = owner;
    this.openedMonoMs = nowMonoMs;
    this.lastUnitMonoMs = nowMonoMs;
  }

  onTracks(tracks: readonly Track[]): void {
    this.#owner.attemptTracks(this, tracks);
  }

  onAccessUnit(unit: AccessUnit): void {
    this.#owner.attemptUnit(this, unit);
  }

  onSound(offer: SoundOffer): void {
    this.#owner.attemptSound(this, offer);
  }

  onDropped(frames: number, code: string): void {
    this.#owner.attemptDropped(this, frames, code);
  }

  onEnded(error: GatewayError): void {
    this.#owner.attemptEnded(this, error);
  }
}

export class SourceSupervisor {
  readonly #source: Source;
  readonly #events: SupervisorEvents;
  readonly #clock: Clock;
  readonly #limits: SupervisorLimits;
  readonly #random: () => number;
  #state: SupervisorState = { name: 'stopped' };
  #watch: TimerHandle | null = null;
  #failuresInRow = 0;
  readonly #closing = new Set<Promise<void>>();

  /** `random` in [0, 1): the jitter. */
  constructor(options: {
    source: Source;
    events: SupervisorEvents;
    clock: Clock;
    limits: SupervisorLimits;
    random?: () => number;
  }) {
    this.#source = options.source;
    this.#events = options.events;
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#random = options.random ?? Math.random;
  }

  /** Opens the source unless it runs or waits for its next attempt already. */
  start(): void {
    if (this.#state.name === 'stopped') this.#open();
  }

  /** Closes the instance; resolves when every instance ever opened has released what it held. */
  async stop(): Promise<void> {
    this.#failuresInRow = 0;
    this.#leaveState();
    this.#state = { name: 'stopped' };
    await Promise.all(this.#closing);
  }

  /** @internal from Attempt */
  attemptTracks(attempt: Attempt, tracks: readonly Track[]): void {
    if (!this.#isCurrent(attempt)) return;
    if (!attempt.hasDelivered) {
      attempt.hasDelivered = true;
      this.#events.onInstance();
    }
    this.#events.onTracks(tracks);
  }

  /** @internal from Attempt: once per frame of every camera. */
  attemptUnit(attempt: Attempt, unit: AccessUnit): void {
    if (!this.#isCurrent(attempt)) return;
    attempt.lastUnitMonoMs = unit.arrivalMonoMs;
    this.#events.onAccessUnit(unit);
  }

  /** @internal from Attempt */
  attemptSound(attempt: Attempt, offer: SoundOffer): void {
    if (this.#isCurrent(attempt)) this.#events.onSound?.(offer);
  }

  /** @internal from Attempt */
  attemptDropped(attempt: Attempt, frames: number, code: string): void {
    if (this.#isCurrent(attempt)) this.#events.onDropped(frames, code);
  }

  /** @internal from Attempt */
  attemptEnded(attempt: Attempt, error: GatewayError): void {
    if (this.#isCurrent(attempt)) this.#replace(attempt, error);
  }

  #isCurrent(attempt: Attempt): boolean {
    return this.#state.name === 'running' && this.#state.attempt === attempt;
  }

  #open(): void {
    const attempt = new Attempt(this, this.#clock.monoMs());
    this.#state = { name: 'running', attempt };
    attempt.instance = this.#source.open(attempt);
    this.#watchOutput(attempt);
  }

  #watchOutput(attempt: Attempt): void {
    this.#watch = this.#clock.after(WATCH_INTERVAL_MS, () => {
      if (!this.#isCurrent(attempt)) return;
      const silentMs = this.#clock.monoMs() - attempt.lastUnitMonoMs;
      const limitMs = attempt.hasDelivered ? this.#limits.silenceMs : this.#limits.startMs;
      if (silentMs < limitMs) this.#watchOutput(attempt);
      else {
        const context = { silentMs: Math.round(silentMs), engine: this.#source.engine };
        this.#replace(attempt, new GatewayError(STREAM_ERRORS.STREAM_SILENT, context));
      }
    });
  }

  #replace(attempt: Attempt, error: GatewayError): void {
    const deliveredMs = attempt.hasDelivered ? attempt.lastUnitMonoMs - attempt.openedMonoMs : 0;
    this.#failuresInRow = deliveredMs >= HEALTHY_AFTER_MS ? 1 : this.#failuresInRow + 1;
    this.#leaveState();
    const pauseMs = this.#pauseMs(error);
    const timer = this.#clock.after(pauseMs, () => this.#open());
    this.#state = { name: 'waiting', timer };
    this.#events.onDown(error, this.#clock.epochMs() + Math.round(pauseMs));
  }

  /** Doubles from the shortest to the longest pause; half of it is jitter, so that an NVR's cameras come back one by one. */
  #pauseMs(error: GatewayError): number {
    const { backoffMinMs, backoffMaxMs } = this.#limits;
    const ceilingMs = Math.min(backoffMaxMs, backoffMinMs * 2 ** Math.min(this.#failuresInRow - 1, 30));
    const jitteredMs = Math.max(backoffMinMs, ceilingMs * (0.5 + this.#random() / 2));
    const askedSec = error.context.retryAfterSec;
    const askedMs = typeof askedSec === 'number' ? Math.min(askedSec * 1_000, backoffMaxMs) : 0;
    return Math.max(jitteredMs, askedMs);
  }

  #leaveState(): void {
    this.#watch?.cancel();
    this.#watch = null;
    if (this.#state.name === 'waiting') this.#state.timer.cancel();
    if (this.#state.name !== 'running') return;
    const closing = this.#state.attempt.instance?.close();
    if (closing === undefined) return;
    this.#closing.add(closing);
    void closing.finally(() => this.#closing.delete(closing));
  }
}
