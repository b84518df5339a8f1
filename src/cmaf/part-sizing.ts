/**
 * When a part is full. The Part Target Duration must not change, and every part but the last of a segment must be
 * between 85% and 100% of it (RFC 8216bis §4.4.4.9). So the first part fixes it, in the middle of what the camera's
 * frame rate allows: the aim is 92.5% of it, which leaves 7.5% each way for jitter.
 */

import { msToTicks, ticksToMs } from './ticks.ts';

/** Parts aim at this fraction of the Part Target Duration. */
const AIM = 0.925;
/** RFC 8216bis §4.4.4.9 */
const LEAST_SHARE = 0.85;
/**
 * This many consecutive parts, each a single frame longer than the target, mean that the camera has become slower
 * (night mode), and raise the target. A single one is an encoder's hiccup and is ignored: the latency of all players
 * depends on the target.
 */
const LONG_PARTS_BEFORE_GROWTH = 3;

export class PartSizing {
  #wantedMs: number;
  #targetMs = 0;
  #timescaleHz = 1;
  /** The stream says that single frames take longer than a part should. */
  #isSlowCamera = false;
  #aimTicks = 0;
  #leastTicks = 0;
  #mostTicks = 0;
  #longPartsInRow = 0;

  /** `wantedMs`: approximate duration of parts, if the frame rate allows it. */
  constructor(wantedMs: number) {
    this.#wantedMs = wantedMs;
  }

  /**
   * Whole milliseconds; 0 before the first part. Grows, contrary to the RFC, only when frames have become longer than
   * it.
   */
  get targetMs(): number {
    return this.#targetMs;
  }

  /**
   * The timescale of the durations below, and the frame rate according to the stream. `isExact`: every frame lasts exactly
   * that long, as audio does, so parts are the whole number of frames that comes closest.
   */
  setTrack(timescaleHz: number, nominalFrameRateHz: number | null, isExact = false): void {
    this.#timescaleHz = timescaleHz;
    if (isExact && nominalFrameRateHz !== null) {
      const frames = Math.max(1, Math.round((this.#wantedMs * nominalFrameRateHz) / 1_000));
      this.#wantedMs = (frames * 1_000) / nominalFrameRateHz;
    }
    this.#isSlowCamera = nominalFrameRateHz !== null && nominalFrameRateHz * this.#wantedMs < 1_000;
    this.#update();
  }

  /** Takes over the target of parts before the first one here. */
  goOn(targetMs: number): void {
    this.#targetMs = targetMs;
    this.#update();
  }

  /** True if a part of `durationTicks`, whose last sample takes `lastTicks`, cannot come closer to the aim. */
  isFull(durationTicks: number, lastTicks: number): boolean {
    return durationTicks + lastTicks / 2 >= this.#aimTicks && durationTicks >= this.#leastTicks;
  }

  /** True if a part must not become this long. */
  isTooLong(durationTicks: number): boolean {
    return durationTicks > this.#mostTicks;
  }

  /** Records a finished part: the first one fixes the target. */
  accept(durationTicks: number): void {
    this.#longPartsInRow = this.isTooLong(durationTicks) ? this.#longPartsInRow + 1 : 0;
    const durationMs = ticksToMs(durationTicks, this.#timescaleHz);
    if (this.#longPartsInRow >= LONG_PARTS_BEFORE_GROWTH) this.#fix(durationMs);
    else if (this.#targetMs === 0) this.#fix(this.#firstAimMs(durationMs));
  }

  /** A first part that was cut short, or lengthened by a hiccup, does not make all others like it. */
  #firstAimMs(durationMs: number): number {
    const isHiccup = this.#longPartsInRow > 0 && !this.#isSlowCamera;
    const isCutShort = durationMs < this.#wantedMs / 2;
    return isHiccup || isCutShort ? this.#wantedMs : durationMs;
  }

  #fix(aimMs: number): void {
    this.#targetMs = Math.ceil(aimMs / AIM);
    this.#longPartsInRow = 0;
    this.#update();
  }

  #update(): void {
    const aimMs = this.#targetMs > 0 ? this.#targetMs * AIM : this.#wantedMs;
    this.#aimTicks = msToTicks(aimMs, this.#timescaleHz);
    this.#leastTicks = Math.ceil(msToTicks((aimMs / AIM) * LEAST_SHARE, this.#timescaleHz));
    this.#mostTicks = Math.floor((aimMs / AIM / 1_000) * this.#timescaleHz);
  }
}
