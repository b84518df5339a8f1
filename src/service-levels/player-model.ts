/**
 * A player's playback, computed from when its media arrived: nothing is decoded. The model plays loaded chunks at the speed of the clock,
 * stalls when none is left, and continues with the next chunk (docs/design/service-levels.md#the-players-model).
 */

/** A part or a segment that has fully arrived. */
export interface LoadedChunk {
  /** Wall clock of its first frame, by the playlist. */
  readonly epochMs: number;
  readonly durationMs: number;
}

export interface PlayedTotals {
  readonly playedMs: number;
  readonly stalledMs: number;
  readonly stalls: number;
  /** How far the position was behind the wall clock, once per second since playback began. */
  readonly delaysMs: readonly number[];
}

/** Shorter interruptions are within one frame of slow cameras, and players hide them. */
export const MIN_STALL_MS = 100;
const DELAY_INTERVAL_MS = 1_000;
/** A run is shorter than this many seconds. */
const MAX_DELAYS = 1_200;

/** Times `atMs` are of one monotonic clock, and none is before an earlier one. */
export class PlayerModel {
  readonly #epochAt: (monoMs: number) => number;
  /** Chunks that are loaded and not played yet, in order. */
  #loaded: LoadedChunk[] = [];
  /** How much of the first chunk was played. */
  #headMs = 0;
  #hasBegun = false;
  #nowMs = 0;
  #nextDelayMs = Number.POSITIVE_INFINITY;
  /** Where the position is while nothing is left to play. */
  #positionEpochMs = 0;
  #playedMs = 0;
  #stalledMs = 0;
  #stalls = 0;
  /** When the stall began; null: it plays. */
  #stalledSinceMs: number | null = null;
  #delaysMs: number[] = [];

  /** `epochAt`: the wall clock at an instant of the monotonic clock. */
  constructor(epochAt: (monoMs: number) => number) {
    this.#epochAt = epochAt;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** How much is loaded ahead of the position. */
  get bufferedMs(): number {
    return this.#loaded.reduce((sum, { durationMs }) => sum + durationMs, -this.#headMs);
  }

  load(chunk: LoadedChunk, atMs: number): void {
    this.#advance(atMs);
    if (chunk.durationMs <= 0) return;
    this.#loaded.push(chunk);
    if (this.#stalledSinceMs !== null) this.#endStall(this.#stalledSinceMs, atMs);
    this.#stalledSinceMs = null;
  }

  /** Playback begins at this instant of the loaded chunks, or at the beginning of them. */
  begin(positionEpochMs: number, atMs: number): void {
    this.#advance(atMs);
    this.#hasBegun = true;
    this.#nextDelayMs = this.#nowMs + DELAY_INTERVAL_MS;
    this.#positionEpochMs = positionEpochMs;
    while (this.#loaded.length > 1 && endOf(this.#loaded[0]!) <= positionEpochMs) this.#loaded.shift();
    const first = this.#loaded[0];
    if (first === undefined) this.#stalledSinceMs = this.#nowMs;
    else this.#headMs = Math.min(first.durationMs, Math.max(0, positionEpochMs - first.epochMs));
  }

  /**
   * Discards the loaded chunks, because their successors no longer exist. Playback continues with the chunks that are loaded from now on.
   */
  drop(atMs: number): void {
    this.#advance(atMs);
    this.#positionEpochMs = this.#position();
    this.#loaded = [];
    this.#headMs = 0;
    if (this.#hasBegun) this.#stalledSinceMs ??= this.#nowMs;
  }

  /** The totals up to `atMs`. A running stall counts. */
  totals(atMs: number): PlayedTotals {
    this.#advance(atMs);
    if (this.#stalledSinceMs !== null) {
      this.#endStall(this.#stalledSinceMs, this.#nowMs);
      this.#stalledSinceMs = this.#nowMs;
    }
    const [playedMs, stalledMs, stalls] = [this.#playedMs, this.#stalledMs, this.#stalls];
    return { playedMs, stalledMs, stalls, delaysMs: this.#delaysMs };
  }

  #advance(toMs: number): void {
    if (!this.#hasBegun) {
      this.#nowMs = Math.max(this.#nowMs, toMs);
      return;
    }
    while (this.#nowMs < toMs) {
      const first = this.#loaded[0];
      const endMs =
        first === undefined ? Number.POSITIVE_INFINITY : this.#nowMs + first.durationMs - this.#headMs;
      // Steps lead to instants, and are not added up: sums of fractions could stop growing.
      const untilMs = Math.max(this.#nowMs, Math.min(toMs, this.#nextDelayMs, endMs));
      const stepMs = untilMs - this.#nowMs;
      this.#nowMs = untilMs;
      if (first !== undefined) {
        this.#playedMs += stepMs;
        this.#headMs += stepMs;
        if (untilMs >= endMs) this.#finish(first);
      }
      if (untilMs >= this.#nextDelayMs) this.#noteDelay();
    }
  }

  #finish(first: LoadedChunk): void {
    this.#positionEpochMs = endOf(first);
    this.#loaded.shift();
    this.#headMs = 0;
    if (this.#loaded.length === 0) this.#stalledSinceMs = this.#nowMs;
  }

  #position(): number {
    const first = this.#loaded[0];
    return first === undefined ? this.#positionEpochMs : first.epochMs + this.#headMs;
  }

  #noteDelay(): void {
    this.#nextDelayMs += DELAY_INTERVAL_MS;
    if (this.#delaysMs.length >= MAX_DELAYS) return;
    this.#delaysMs.push(this.#epochAt(this.#nowMs) - this.#position());
  }

  #endStall(sinceMs: number, atMs: number): void {
    const durationMs = atMs - sinceMs;
    if (durationMs < MIN_STALL_MS) return;
    this.#stalls++;
    this.#stalledMs += durationMs;
  }
}

function endOf({ epochMs, durationMs }: LoadedChunk): number {
  return epochMs + durationMs;
}
