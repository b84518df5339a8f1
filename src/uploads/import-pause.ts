/** How long an import that failed, for a reason that may pass, waits until it is tried again. */

const FIRST_MS = 60_000;
const MAX_MS = 600_000;

export class ImportPause {
  readonly #pauseMs: number;
  readonly #endMonoMs: number;

  /** `before`: after the failure before this one; null: it is the first. Each pause is twice as long as the one before. */
  constructor(before: ImportPause | null, nowMonoMs: number) {
    this.#pauseMs = before === null ? FIRST_MS : Math.min(MAX_MS, 2 * before.#pauseMs);
    this.#endMonoMs = nowMonoMs + this.#pauseMs;
  }

  isOver(nowMonoMs: number): boolean {
    return this.#endMonoMs <= nowMonoMs;
  }
}
