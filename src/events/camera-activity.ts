/**
 * A camera's activity, as spans with a beginning and an end: one span per kind at a time, whatever number of rules and lenses notice it. A
 * camera reports states, repeats them, and flaps.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import type { ActivityChange, ActivityKind } from '../onvif/activity.ts';

/** Activity ends when nothing was noticed for this long. */
const QUIET_MS = 10_000;
/** How often `onOngoing` is called. */
export const ONGOING_EVERY_MS = 5_000;
/** A silent camera is stuck (home-assistant/core#90916), or lost its rule. */
const LONGEST_SILENCE_MS = 300_000;
/** The most rules and lenses that are distinguished. */
const MAX_SOURCES = 64;

/** Epoch milliseconds of this machine: cameras' clocks are wrong too often. */
export interface ActivitySpan {
  readonly kind: ActivityKind;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface CameraActivityOptions {
  readonly clock: Clock;
  /** `toMs` is `fromMs`. */
  readonly onBegin: (span: ActivitySpan) => void;
  /** The activity continues. */
  readonly onOngoing: (span: ActivitySpan) => void;
  readonly onEnd: (span: ActivitySpan) => void;
}

interface OpenActivity {
  readonly fromMs: number;
  /** The sources that notice it now. */
  readonly sources: Set<string>;
  lastMs: number;
  lastMonoMs: number;
  timer: TimerHandle;
}

export class CameraActivity {
  readonly #options: CameraActivityOptions;
  readonly #open = new Map<ActivityKind, OpenActivity>();
  /** Sources that were seen without activity, so that their next one is a beginning. */
  readonly #seenIdle = new Set<string>();

  constructor(options: CameraActivityOptions) {
    this.#options = options;
  }

  /**
   * A state at the time of a subscription begins nothing unless its source was idle before: the activity may be hours
   * old, and a camera that is stuck reports it at each subscription.
   */
  changed({ kind, source, isActive, isInitial }: ActivityChange): void {
    const open = this.#open.get(kind);
    const key = `${kind} ${source}`;
    if (!isActive) {
      if (this.#seenIdle.size >= MAX_SOURCES) this.#seenIdle.clear();
      this.#seenIdle.add(key);
      if (open?.sources.delete(source) === true && open.sources.size === 0) this.#touch(open);
      return;
    }
    if (open !== undefined) {
      if (open.sources.size < MAX_SOURCES) open.sources.add(source);
      this.#touch(open);
    } else if (!isInitial || this.#seenIdle.has(key)) {
      this.#begin(kind, source);
    }
  }

  /** The state is unknown until the next subscription reports it. */
  lost(): void {
    for (const open of this.#open.values()) {
      if (open.sources.size > 0) this.#touch(open);
      open.sources.clear();
    }
  }

  /** Ends all activity. */
  close(): void {
    for (const [kind, open] of this.#open) this.#end(kind, open);
  }

  #begin(kind: ActivityKind, source: string): void {
    const { clock, onBegin } = this.#options;
    const fromMs = clock.epochMs();
    this.#open.set(kind, {
      fromMs,
      lastMs: fromMs,
      lastMonoMs: clock.monoMs(),
      sources: new Set([source]),
      timer: clock.after(ONGOING_EVERY_MS, () => this.#tick(kind)),
    });
    onBegin({ kind, fromMs, toMs: fromMs });
  }

  #touch(open: OpenActivity): void {
    open.lastMs = this.#options.clock.epochMs();
    open.lastMonoMs = this.#options.clock.monoMs();
  }

  #tick(kind: ActivityKind): void {
    const open = this.#open.get(kind);
    if (open === undefined) return;
    const { clock, onOngoing } = this.#options;
    const silentMs = clock.monoMs() - open.lastMonoMs;
    const isNoticed = open.sources.size > 0;
    if (silentMs >= (isNoticed ? LONGEST_SILENCE_MS : QUIET_MS)) {
      this.#end(kind, open);
      return;
    }
    if (isNoticed) onOngoing({ kind, fromMs: open.fromMs, toMs: clock.epochMs() });
    open.timer = clock.after(ONGOING_EVERY_MS, () => this.#tick(kind));
  }

  #end(kind: ActivityKind, open: OpenActivity): void {
    open.timer.cancel();
    this.#open.delete(kind);
    // If the wall clock was set back in the meantime, the length is still not negative.
    this.#options.onEnd({ kind, fromMs: open.fromMs, toMs: Math.max(open.fromMs, open.lastMs) });
  }
}
