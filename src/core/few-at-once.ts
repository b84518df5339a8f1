/** Runs only a few pieces of work at the same time. The others wait in a line of bounded length. */

export class FewAtOnce {
  readonly #atOnce: number;
  readonly #mostWaiting: number;
  readonly #full: () => Error;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** `full`: the error of a piece that finds no place in the line. */
  constructor(atOnce: number, mostWaiting: number, full: () => Error) {
    this.#atOnce = atOnce;
    this.#mostWaiting = mostWaiting;
    this.#full = full;
  }

  /** Resolves and fails as `work` does. First come, first served. `signal`: leaves the line, and fails with its reason. */
  async run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#running === this.#atOnce) await this.#place(signal);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // The place goes to the next in line, or is free.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  #place(signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.length >= this.#mostWaiting) throw this.#full();
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(signal!.reason);
      };
      this.#waiting.push(enter);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }
}
