/**
 * Keeps a source running. An instance is never repaired: when it ends, or goes silent, it is replaced after a
 * jittered back-off. What counts is output: an instance that delivers nothing is as dead as one that ended.
 */

import type { AccessUnit, Track } from '../codec/track.ts';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { STREAM_ERRORS } from './errors.ts';
import { type RetryLimits, RetryPause } from './retry-pause.ts';
import type { Source, SourceEvents, SourceInstance } from './source.ts';

export interface SupervisorLimits extends RetryLimits {
  /** Longest time from opening an instance to its first access unit: connecting, waiting for a worker, a key frame. */
  readonly startMs: number;
  /** Longest time without an access unit after that. */
  readonly silenceMs: number;
}

const WATCH_INTERVAL_MS = 1_000;

export interface SupervisorEvents {
  /** A new instance delivers: everything since is a new timeline. Called before its first `onTracks`. */
  onInstance(): void;
  onTracks(tracks: readonly Track[]): void;
  onAccessUnit(unit: AccessUnit): void;
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
  lastUnitMonoMs: number;
  /** Of its first tracks. */
  deliversSinceMonoMs = 0;
  hasDelivered = false;
  instance: SourceInstance | null = null;
  readonly #owner: SourceSupervisor;

  constructor(owner: SourceSupervisor, nowMonoMs: number) {
    this.#owner = owner;
    this.lastUnitMonoMs = nowMonoMs;
  }

  onTracks(tracks: readonly Track[]): void {
    this.#owner.attemptTracks(this, tracks);
  }

  onAccessUnit(unit: AccessUnit): void {
    this.#owner.attemptUnit(this, unit);
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
  readonly #pause: RetryPause;
  #state: SupervisorState = { name: 'stopped' };
  #watch: TimerHandle | null = null;
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
    this.#pause = new RetryPause(options.limits, options.random ?? Math.random);
  }

  /** Opens the source unless it runs or waits for its next attempt already. */
  start(): void {
    if (this.#state.name === 'stopped') this.#open();
  }

  /** Ends the pause before the next attempt: there is reason to believe that it will succeed. */
  retryNow(): void {
    if (this.#state.name !== 'waiting') return;
    this.#pause.reset();
    this.#leaveState();
    this.#open();
  }

  /** Closes the instance; resolves when every instance ever opened has released what it held. */
  async stop(): Promise<void> {
    this.#pause.reset();
    this.#leaveState();
    this.#state = { name: 'stopped' };
    await Promise.all(this.#closing);
  }

  /** @internal from Attempt */
  attemptTracks(attempt: Attempt, tracks: readonly Track[]): void {
    if (!this.#isCurrent(attempt)) return;
    if (!attempt.hasDelivered) {
      attempt.hasDelivered = true;
      attempt.deliversSinceMonoMs = this.#clock.monoMs();
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
    const deliveredMs = attempt.hasDelivered ? attempt.lastUnitMonoMs - attempt.deliversSinceMonoMs : 0;
    this.#leaveState();
    const pauseMs = this.#pause.afterFailure(error, deliveredMs);
    const timer = this.#clock.after(pauseMs, () => this.#open());
    this.#state = { name: 'waiting', timer };
    this.#events.onDown(error, this.#clock.epochMs() + Math.round(pauseMs));
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
