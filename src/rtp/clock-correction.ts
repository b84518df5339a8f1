/** How far a track is moved from where its timestamps say: slowly, or as fast as its clock is wrong. In ticks of its clock. */

/** How fast a track is moved toward where it belongs. */
const MAX_SLEW_PPM = 500;
/** The same for one whose rate is wrong, while it is off by more than `NOTICED_MS`. */
const MAX_CATCH_UP_PPM = 20_000;
const NOTICED_MS = 25;

export class ClockCorrection {
  readonly #rateHz: number;
  #ticks = 0;
  #targetTicks = 0;
  /** By how much the track's time is longer than its timestamps say, as a share of it. */
  #rate = 0;
  #stretch = 0;

  /** `rateHz`: of the track's clock. */
  constructor(rateHz: number) {
    this.#rateHz = rateHz;
  }

  get ticks(): number {
    return this.#ticks;
  }

  get ms(): number {
    return (this.#ticks * 1_000) / this.#rateHz;
  }

  get targetMs(): number {
    return (this.#targetTicks * 1_000) / this.#rateHz;
  }

  get rate(): number {
    return this.#rate;
  }

  /** By how much frames are further apart at present than their timestamps say, as a share. */
  get stretch(): number {
    return this.#stretch;
  }

  /** Moves the track slowly to `correctionMs`. */
  correctTo(correctionMs: number): void {
    this.#targetTicks = (correctionMs * this.#rateHz) / 1_000;
  }

  /**
   * The track's rate is wrong: its time is longer by `rate`, a share of it, than its timestamps say. So the track belongs
   * `correctionMs` from its timestamps now, and further from them with each frame.
   */
  follow(correctionMs: number, rate: number): void {
    this.correctTo(correctionMs);
    this.#rate = rate;
  }

  /** It stays where it is: another clock begins. */
  hold(): void {
    this.#targetTicks = this.#ticks;
  }

  /** Hot: once per frame, `deltaTicks` after the one before. */
  advance(deltaTicks: number): void {
    this.#targetTicks += deltaTicks * this.#rate;
    this.#stretch = 0;
    if (this.#ticks !== this.#targetTicks) this.#slew(deltaTicks);
  }

  #slew(deltaTicks: number): void {
    const missing = this.#targetTicks - this.#ticks;
    const isFar = this.#rate !== 0 && Math.abs(missing) * 1_000 > NOTICED_MS * this.#rateHz;
    const maxShare = Math.abs(this.#rate) + (isFar ? MAX_CATCH_UP_PPM : MAX_SLEW_PPM) / 1_000_000;
    const maxStep = Math.abs(deltaTicks) * maxShare;
    const step = Math.max(-maxStep, Math.min(maxStep, missing));
    this.#ticks += step;
    this.#stretch = deltaTicks > 0 ? step / deltaTicks : 0;
  }
}
