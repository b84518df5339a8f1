/** The largest value in the current span and the one before: forgets within two spans, in constant memory. */

export class RecentMaximum {
  readonly #spanTicks: number;
  #spanStartTicks = Number.NEGATIVE_INFINITY;
  #current = 0;
  #previous = 0;

  /** `spanTicks`: the minimum time for which a value counts. */
  constructor(spanTicks: number) {
    this.#spanTicks = spanTicks;
  }

  /** At least 0. */
  get value(): number {
    return Math.max(this.#current, this.#previous);
  }

  /** `atTicks` must not go back. */
  add(atTicks: number, value: number): void {
    if (atTicks - this.#spanStartTicks >= this.#spanTicks) {
      this.#spanStartTicks = atTicks;
      this.#previous = this.#current;
      this.#current = 0;
    }
    if (value > this.#current) this.#current = value;
  }

  reset(): void {
    this.#spanStartTicks = Number.NEGATIVE_INFINITY;
    this.#current = 0;
    this.#previous = 0;
  }
}
