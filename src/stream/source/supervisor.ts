/**
 * Keeps a source running. An instance is never repaired: when it ends, goes silent or freezes, it is replaced after a
 * jittered backoff. What counts is what viewers get: an instance whose published frames do not advance is as dead as
 * one that ended, whatever it sends.
 */

import type { SigningNews } from '../../codec/media-signing/signing-watch.ts';
import type { AccessUnit, Track } from '../../codec/track.ts';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import type { ClockReading } from '../../rtp/camera-clock.ts';
import { STREAM_ERRORS } from '../media/errors.ts';
import type { Urgency, WorkerWait } from '../media/urgency.ts';
import type { PackagingHost, SourcePulse } from '../packaging/packaging-host.ts';
import { ProgressWatch } from './progress-watch.ts';
import { type RetryLimits, RetryPause } from './retry-pause.ts';
import type { Source, SourceInstance } from './source.ts';
import type { SoundOffer, SourceEvents, StillPicture } from './source-events.ts';
import { SourceSink } from './source-sink.ts';

/** Between two looks at what an instance shows. */
const WATCH_INTERVAL_MS = 1_000;

export interface SupervisorLimits extends RetryLimits {
  /** Longest time from opening an instance to its first access unit: connecting, waiting for a worker, a key frame. */
  readonly startMs: number;
  /** Longest time without an access unit after that, and longest time in which published frames hardly advance. */
  readonly silenceMs: number;
}

export interface SupervisorEvents {
  /** A new instance is streaming: everything from now on is a new timeline. Called before its first `onTracks`. */
  onInstance(): void;
  onTracks(tracks: readonly Track[], host?: PackagingHost | null): void;
  onAccessUnit(unit: AccessUnit): void;
  /** See SourceEvents. Ends with onDown, with `stop`, or with tracks without it. */
  onHost?(host: PackagingHost | null): void;
  /** See SourceEvents. */
  onPulse?(pulse: SourcePulse): void;
  /** See SourceEvents. */
  onStill?(still: StillPicture): void;
  /** See SourceEvents. */
  onSound?(offer: SoundOffer): void;
  /** See SourceEvents. */
  onClock?(reading: ClockReading): void;
  onSigning?(news: SigningNews): void;
  onWaiting?(wait: WorkerWait | null): void;
  urgency?(): Urgency;
  onDropped(frames: number, code: string): void;
  /**
   * Media time of all frames published so far, from any instance; null while none can be expected. Called once per
   * second.
   */
  publishedMs(): number | null;
  /** The camera is offline for now; the next attempt starts at `retryAtEpochMs`. */
  onDown(error: GatewayError, retryAtEpochMs: number): void;
}

type SupervisorState =
  | { readonly name: 'stopped' }
  | { readonly name: 'running'; readonly attempt: Attempt }
  | { readonly name: 'waiting'; readonly timer: TimerHandle };

/** One opened instance and what it has shown so far: takes its events until its sink is closed. */
class Attempt implements SourceEvents {
  readonly sink = new SourceSink(this);
  lastUnitMonoMs: number;
  /** When its first tracks arrived. */
  deliversSinceMonoMs = 0;
  /** When its first still arrived; null before. */
  stillsSinceMonoMs: number | null = null;
  /** Time since its first tracks; null before, and while there are only stills. */
  progress: ProgressWatch | null = null;
  /** Frames that arrived since the last check. */
  pictures = 0;
  instance: SourceInstance | null = null;
  host: PackagingHost | null = null;
  #videoIndex = -1;
  readonly #owner: SourceSupervisor;
  readonly #events: SupervisorEvents;

  constructor(owner: SourceSupervisor, events: SupervisorEvents, nowMonoMs: number) {
    this.#owner = owner;
    this.#events = events;
    this.lastUnitMonoMs = nowMonoMs;
  }

  get hasDelivered(): boolean {
    return this.progress !== null;
  }

  onTracks(tracks: readonly Track[], host: PackagingHost | null = null): void {
    this.host = host;
    if (this.progress === null) this.#owner.attemptDelivers(this);
    // The next owner of the camera is heard for the first time: its pulses come later.
    if (host?.isMirror === true) this.lastUnitMonoMs = this.#owner.nowMonoMs;
    this.#videoIndex = tracks.findIndex((track) => track.kind === 'video');
    this.#events.onTracks(tracks, host);
  }

  onHost(host: PackagingHost | null): void {
    this.host = host;
    this.#events.onHost?.(host);
  }

  onPulse(pulse: SourcePulse): void {
    this.lastUnitMonoMs = pulse.lastUnitMonoMs;
    this.pictures += pulse.pictures;
    this.#events.onPulse?.(pulse);
  }

  /** Hot: once per frame of every camera. */
  onAccessUnit(unit: AccessUnit): void {
    // A group of pictures that arrives in one batch may have begun long ago.
    if (unit.arrivalMonoMs > this.lastUnitMonoMs) this.lastUnitMonoMs = unit.arrivalMonoMs;
    if (unit.trackIndex === this.#videoIndex) this.pictures += 1;
    this.#events.onAccessUnit(unit);
  }

  /** While nothing wants video, stills show that the camera is there. */
  onStill(still: StillPicture): void {
    this.stillsSinceMonoMs ??= still.arrivalMonoMs;
    if (this.progress === null && this.urgency() === 'picture') this.lastUnitMonoMs = still.arrivalMonoMs;
    this.#events.onStill?.(still);
  }

  onStillsOnly(): void {
    this.progress = null;
  }

  onSound(offer: SoundOffer): void {
    this.#events.onSound?.(offer);
  }

  onClock(reading: ClockReading): void {
    this.#events.onClock?.(reading);
  }

  onSigning(news: SigningNews): void {
    this.#events.onSigning?.(news);
  }

  onWaiting(wait: WorkerWait | null): void {
    this.#events.onWaiting?.(wait);
  }

  urgency(): Urgency {
    return this.#events.urgency?.() ?? 'viewer';
  }

  onDropped(frames: number, code: string): void {
    this.#events.onDropped(frames, code);
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

  /** Opens the source unless it already runs or waits for its next attempt. */
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

  /** @internal for Attempt */
  get nowMonoMs(): number {
    return this.#clock.monoMs();
  }

  /** @internal for Attempt, before its first tracks are passed on. */
  attemptDelivers(attempt: Attempt): void {
    attempt.deliversSinceMonoMs = this.#clock.monoMs();
    attempt.progress = new ProgressWatch(attempt.deliversSinceMonoMs);
    this.#events.onInstance();
    // Afterwards, because what the previous instance left unpublished comes out now.
    this.#look(attempt);
  }

  /** @internal for Attempt */
  attemptEnded(attempt: Attempt, error: GatewayError): void {
    this.#replace(attempt, error);
  }

  #open(): void {
    const attempt = new Attempt(this, this.#events, this.#clock.monoMs());
    this.#state = { name: 'running', attempt };
    attempt.instance = this.#source.open(attempt.sink);
    this.#watchLater(attempt);
  }

  #watchLater(attempt: Attempt): void {
    this.#watch = this.#clock.after(WATCH_INTERVAL_MS, () => this.#watchOutput(attempt));
  }

  #watchOutput(attempt: Attempt): void {
    if (this.#failure(attempt) === null) this.#watchLater(attempt);
    // A thread that was busy runs its timers before it reads what arrived in the meantime.
    else this.#watch = this.#clock.after(0, () => this.#judge(attempt));
  }

  #judge(attempt: Attempt): void {
    const failure = this.#failure(attempt);
    if (failure === null) this.#watchLater(attempt);
    else this.#replace(attempt, failure);
  }

  #failure(attempt: Attempt): GatewayError | null {
    return this.#silence(attempt) ?? this.#standstill(attempt);
  }

  #silence(attempt: Attempt): GatewayError | null {
    const silentMs = this.#clock.monoMs() - attempt.lastUnitMonoMs;
    const limitMs = attempt.hasDelivered ? this.#limits.silenceMs : this.#limits.startMs;
    if (silentMs < limitMs) return null;
    const context = { silentMs: Math.round(silentMs), engine: this.#source.engine };
    return new GatewayError(STREAM_ERRORS.STREAM_SILENT, context);
  }

  /** `pictures` in the context: 0 for a camera that sends only audio. */
  #standstill(attempt: Attempt): GatewayError | null {
    const stillMs = this.#look(attempt);
    if (stillMs === 0) attempt.pictures = 0;
    if (stillMs < this.#limits.silenceMs) return null;
    const { pictures } = attempt;
    const context = { stillMs: Math.round(stillMs), pictures, engine: this.#source.engine };
    return new GatewayError(STREAM_ERRORS.STREAM_FROZEN, context);
  }

  /** 0 before the first tracks. */
  #look(attempt: Attempt): number {
    if (attempt.progress === null) return 0;
    const { silenceMs } = this.#limits;
    return attempt.progress.stillMs(this.#clock.monoMs(), this.#events.publishedMs(), silenceMs);
  }

  #replace(attempt: Attempt, error: GatewayError): void {
    // An instance that exceeded a limit proves nothing, however long it behaved: otherwise it would be reopened
    // immediately, forever.
    const deliveredMs = error.kind === 'limit' ? 0 : this.#deliveredMs(attempt);
    this.#leaveState();
    const pauseMs = this.#pause.afterFailure(error, deliveredMs);
    const timer = this.#clock.after(pauseMs, () => this.#open());
    this.#state = { name: 'waiting', timer };
    this.#events.onDown(error, this.#clock.epochMs() + Math.round(pauseMs));
  }

  /** Time with units, as far as their frames were published. */
  #deliveredMs(attempt: Attempt): number {
    const { stillsSinceMonoMs } = attempt;
    if (attempt.progress === null) {
      return stillsSinceMonoMs === null ? 0 : attempt.lastUnitMonoMs - stillsSinceMonoMs;
    }
    this.#look(attempt);
    const unitsMs = attempt.lastUnitMonoMs - attempt.deliversSinceMonoMs;
    return Math.min(unitsMs, attempt.progress.totalMs ?? unitsMs);
  }

  #leaveState(): void {
    this.#watch?.cancel();
    this.#watch = null;
    if (this.#state.name === 'waiting') this.#state.timer.cancel();
    if (this.#state.name !== 'running') return;
    const { sink, instance } = this.#state.attempt;
    sink.close();
    const closing = instance?.close();
    if (closing === undefined) return;
    this.#closing.add(closing);
    void closing.finally(() => this.#closing.delete(closing));
  }
}
