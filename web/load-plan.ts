/**
 * Decides how live video is loaded: in parts, about a second behind the camera, or in whole segments, several seconds
 * behind. Each part costs a round trip, so a network that carries the stream may not carry its parts. The decision goes
 * by what loads took and when the video stood still. Pure: times are those that the caller passes.
 */

/**
 * `close`: parts, at the playlist's PART-HOLD-BACK. `steady`: segments, at its HOLD-BACK. `trial`: parts at the distance
 * of segments, so that a mistake does not show.
 */
export type LoadMode = 'close' | 'steady' | 'trial';

/** One load that succeeded. Its bytes began to arrive after `waitMs`, and arrived for `transferMs`. */
export interface MediaLoad {
  readonly isPart: boolean;
  /** Duration of the media in it. */
  readonly durationMs: number;
  readonly waitMs: number;
  readonly transferMs: number;
}

/** So many loads are remembered, and needed for a decision. The slowest one does not count: a hiccup says nothing. */
const PARTS = 8;
const MIN_PARTS = 6;
const SEGMENTS = 3;
/** Parts that take longer than this share of what they play do not keep up: between them, there is work to do. */
const TOO_SLOW_SHARE = 0.95;
/** Short of that, stops decide: so many within this time, with this much time without motion. */
const STALLS = 2;
const STALLED_MS = 500;
const STALL_MEMORY_MS = 15_000;
/** Loads and stalls right after a change of the mode, or of the variant, are caused by the change. */
const SETTLE_MS = 2_000;
/** Parts are tried after this long without a stop, if they would take less than this share of what they play. */
const FIRST_TRIAL_AFTER_MS = 15_000;
const LAST_TRIAL_AFTER_MS = 480_000;
const TRIAL_SHARE = 0.88;
/** A trial takes so many parts, and this long. */
const TRIAL_PARTS = 16;
const TRIAL_MS = 6_000;
/** Parts that did not last this long were a mistake, and are tried half as often. */
const LASTS_MS = 60_000;

export class LoadPlan {
  #mode: LoadMode = 'close';
  #sinceMs = Number.NEGATIVE_INFINITY;
  #settledAtMs = Number.NEGATIVE_INFINITY;
  #loads: MediaLoad[] = [];
  #trialParts = 0;
  #trialAfterMs = FIRST_TRIAL_AFTER_MS;
  /** When stops began, and how long they were. */
  #stalls: { readonly atMs: number; stalledMs: number }[] = [];
  #stalledAtMs = Number.NEGATIVE_INFINITY;

  get mode(): LoadMode {
    return this.#mode;
  }

  noteLoad(load: MediaLoad, nowMs: number): void {
    const usesParts = this.#mode !== 'steady';
    if (load.isPart !== usesParts || nowMs < this.#settledAtMs) return;
    this.#loads.push(load);
    if (this.#loads.length > (usesParts ? PARTS : SEGMENTS)) this.#loads.shift();
    if (this.#mode === 'trial') this.#trialParts++;
  }

  /** The video freezes, or has been frozen for another `stalledMs`, although the gateway has more of it. */
  noteStall(stalledMs: number, isNew: boolean, nowMs: number): void {
    if (nowMs < this.#settledAtMs) return;
    this.#stalledAtMs = nowMs;
    const last = this.#stalls.at(-1);
    if (isNew || last === undefined) this.#stalls.push({ atMs: nowMs, stalledMs });
    else last.stalledMs += stalledMs;
  }

  /** Another variant, or another place in the stream: earlier measurements no longer hold. */
  forget(nowMs: number): void {
    this.#loads = [];
    this.#stalls = [];
    this.#trialParts = 0;
    this.#settledAtMs = nowMs + SETTLE_MS;
  }

  /** Decides. `partMs`: how long a part of the stream is. Returns whether the mode has changed. */
  step(partMs: number, nowMs: number): boolean {
    this.#stalls = this.#stalls.filter(({ atMs }) => nowMs - atMs < STALL_MEMORY_MS);
    const next = this.#next(partMs, nowMs);
    if (next === this.#mode) return false;
    if (next === 'steady') this.#raiseDelay(nowMs);
    this.#mode = next;
    this.#sinceMs = nowMs;
    // Between a trial and what follows it, loading does not change.
    this.forget(nowMs);
    return true;
  }

  #next(partMs: number, nowMs: number): LoadMode {
    if (this.#mode === 'close') return this.#isTooSlow() || this.#isStalling() ? 'steady' : 'close';
    if (this.#mode === 'steady') return this.#isTrialDue(partMs, nowMs) ? 'trial' : 'steady';
    if (this.#isTooSlow() || this.#stalls.length > 0) return 'steady';
    const isOver = this.#trialParts >= TRIAL_PARTS && nowMs - this.#sinceMs >= TRIAL_MS;
    return isOver ? 'close' : 'trial';
  }

  #isTooSlow(): boolean {
    return this.#loads.length >= MIN_PARTS && shareOf(this.#loads) > TOO_SLOW_SHARE;
  }

  #isStalling(): boolean {
    const stalledMs = this.#stalls.reduce((sumMs, stall) => sumMs + stall.stalledMs, 0);
    return this.#stalls.length >= STALLS && stalledMs > STALLED_MS;
  }

  #isTrialDue(partMs: number, nowMs: number): boolean {
    const calmSinceMs = Math.max(this.#sinceMs, this.#stalledAtMs);
    if (nowMs - calmSinceMs < this.#trialAfterMs || this.#loads.length < SEGMENTS) return false;
    return this.#loads.every((segment) => {
      const partTransferMs = (segment.transferMs * partMs) / segment.durationMs;
      return (segment.waitMs + partTransferMs) / partMs < TRIAL_SHARE;
    });
  }

  #raiseDelay(nowMs: number): void {
    const hasLasted = this.#mode === 'close' && nowMs - this.#sinceMs > LASTS_MS;
    this.#trialAfterMs = hasLasted
      ? FIRST_TRIAL_AFTER_MS
      : Math.min(LAST_TRIAL_AFTER_MS, this.#trialAfterMs * 2);
  }
}

/** The time that loads took, as a share of what they play, without the slowest one. */
function shareOf(loads: readonly MediaLoad[]): number {
  const slowest = loads.reduce((one, other) => (slownessOf(other) > slownessOf(one) ? other : one));
  let [tookMs, durationMs] = [0, 0];
  for (const load of loads) {
    if (load === slowest) continue;
    tookMs += load.waitMs + load.transferMs;
    durationMs += load.durationMs;
  }
  return durationMs === 0 ? 0 : tookMs / durationMs;
}

function slownessOf({ waitMs, transferMs, durationMs }: MediaLoad): number {
  return (waitMs + transferMs) / durationMs;
}
