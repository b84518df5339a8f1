/**
 * Which of a camera's streams to watch in real time: the main stream as long as the network carries it. Frames that
 * arrive later and later mean that it does not. The main stream is tried again after a while, and less and less often
 * if that was a mistake.
 */

/** The path's last part: of the main stream, of the substream. */
export type StreamName = 'ws' | 'wsl';

/** Jitter makes frames late by less than this, against the earliest one. */
const LATE_MS = 800;
const MAX_LATE_FOR_MS = 700;
/** A main stream that did not last this long was a mistake. */
const TRIAL_MS = 10_000;
const FIRST_TRIAL_AFTER_MS = 15_000;
const LAST_TRIAL_AFTER_MS = 120_000;

/** Time with late frames, less the time without, after which a network is too slow for the smallest stream. */
const TOO_SLOW_MS = 8_000;
/** Frames of a camera that pauses are not late. */
const MAX_STEP_MS = 1_000;

/**
 * Whether the network carries the smallest stream in real time. Late frames count until as many have come in time. Goes
 * on over reconnections, which a slow network causes.
 */
export class SlowNetwork {
  #lastAtMs = Number.NaN;
  #lateMs = 0;

  /** A frame arrived at `nowMs`, `lagMs` after it was taken by the gateway's clock. Returns whether it is too slow. */
  note(lagMs: number, nowMs: number): boolean {
    const stepMs = Math.min(MAX_STEP_MS, nowMs - this.#lastAtMs) || 0;
    this.#lastAtMs = nowMs;
    this.#lateMs = Math.max(0, this.#lateMs + (lagMs > LATE_MS ? stepMs : -stepMs));
    return this.#isOver();
  }

  /** No frame came that could have been late: the video stood still, or no connection opened in time. As `note`. */
  noteStall(): boolean {
    this.#lateMs += TOO_SLOW_MS / 2;
    return this.#isOver();
  }

  /** The next attempt starts from zero. */
  #isOver(): boolean {
    if (this.#lateMs < TOO_SLOW_MS) return false;
    this.#lateMs = 0;
    return true;
  }
}

/** Which stream a player watches. */
export interface StreamPick {
  readonly name: StreamName;
  restart(): void;
  giveUpSub(): void;
  note(takenMs: number, nowMs: number): boolean;
}

/** Always the same one: the code that started the player knows which. */
export class FixedStream implements StreamPick {
  readonly name: StreamName;

  constructor(name: StreamName) {
    this.name = name;
  }

  restart(): void {}

  giveUpSub(): void {}

  note(): boolean {
    return false;
  }
}

export class StreamChoice implements StreamPick {
  #name: StreamName = 'ws';
  #leastLagMs = Number.POSITIVE_INFINITY;
  #lateSinceMs: number | null = null;
  #raisedAtMs = Number.NEGATIVE_INFINITY;
  #trialAfterMs = FIRST_TRIAL_AFTER_MS;
  #trialAtMs = Number.POSITIVE_INFINITY;

  get name(): StreamName {
    return this.#name;
  }

  /** Another connection: earlier measurements do not apply to it. */
  restart(): void {
    this.#leastLagMs = Number.POSITIVE_INFINITY;
    this.#lateSinceMs = null;
  }

  /** The substream does not play: better a slow main stream than none. */
  giveUpSub(): void {
    this.#name = 'ws';
    this.restart();
  }

  /**
   * A frame that was taken at `takenMs` arrived at `nowMs`, by clocks that need not agree. Returns whether another
   * stream is to be watched now.
   */
  note(takenMs: number, nowMs: number): boolean {
    const lagMs = nowMs - takenMs;
    this.#leastLagMs = Math.min(this.#leastLagMs, lagMs);
    if (lagMs - this.#leastLagMs <= LATE_MS) this.#lateSinceMs = null;
    else this.#lateSinceMs ??= nowMs;
    const isLate = this.#lateSinceMs !== null && nowMs - this.#lateSinceMs >= MAX_LATE_FOR_MS;
    if (this.#name === 'ws') return isLate && this.#lower(nowMs);
    if (isLate || nowMs < this.#trialAtMs) return false;
    this.#name = 'ws';
    this.#raisedAtMs = nowMs;
    this.restart();
    return true;
  }

  #lower(nowMs: number): true {
    const wasTrial = nowMs - this.#raisedAtMs < TRIAL_MS;
    this.#trialAfterMs = wasTrial
      ? Math.min(LAST_TRIAL_AFTER_MS, this.#trialAfterMs * 2)
      : FIRST_TRIAL_AFTER_MS;
    this.#trialAtMs = nowMs + this.#trialAfterMs;
    this.#name = 'wsl';
    this.restart();
    return true;
  }
}
