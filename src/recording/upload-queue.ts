/**
 * Which file is uploaded next, and when. One failure does not show whether S3 is down or only this file is refused, so other
 * files are tried before anything waits: if one of them succeeds, those that failed before it are refused, and wait alone
 * (docs/design/recording.md#s3).
 */

import { Backoff, type BackoffLimits, doubledMs } from '../core/backoff.ts';
import type { GatewayError } from '../core/errors.ts';

/** The conclusion from a failure. */
export type UploadFailure =
  /** Not yet whether S3 is down: the next file is tried. */
  | 'open'
  /** S3 is down: all files wait. */
  | 'storage'
  /** S3 takes others, and not this file. */
  | 'refused'
  /** The same once more. */
  | 'refused-again';

interface WaitingFile {
  readonly sinceEpochMs: number;
  /** Files are tried in this order; one that failed moves to the end. */
  turn: number;
  hasFailed: boolean;
  /** Failures while others succeeded. */
  refusals: number;
  /** A refused file is not tried before. */
  notBeforeMonoMs: number;
}

/** Failures of different files, one after the other, after which S3 counts as down. */
export const FAILURES_IN_ROW = 3;
const RETRY_MIN_MS = 2_000;
/** While S3 is down. */
const RETRY_MAX_MS = 60_000;
/** Retry pauses of a file that S3 refuses. */
const REFUSED_RETRY: BackoffLimits = { firstMs: RETRY_MIN_MS, lastMs: 900_000 };

export class UploadQueue {
  /** By name, in the order in which they were sealed. */
  readonly #files = new Map<string, WaitingFile>();
  /** Files that have failed since the last success, with the reason. */
  readonly #failed = new Map<string, GatewayError>();
  /** S3 has taken a file since the last pause. */
  #hasTaken = false;
  #turns = 0;
  readonly #backoff = new Backoff({ firstMs: RETRY_MIN_MS, lastMs: RETRY_MAX_MS });
  #pausedUntilMonoMs = Number.NEGATIVE_INFINITY;

  /** `epochMs`: since when it waits. */
  add(name: string, epochMs: number): void {
    this.#files.set(name, {
      sinceEpochMs: epochMs,
      turn: this.#turns++,
      hasFailed: false,
      refusals: 0,
      notBeforeMonoMs: Number.NEGATIVE_INFINITY,
    });
  }

  /** It no longer waits. */
  delete(name: string): void {
    this.#files.delete(name);
    this.#failed.delete(name);
  }

  has(name: string): boolean {
    return this.#files.has(name);
  }

  /** Since when the oldest file waits; null: none waits. */
  get oldestEpochMs(): number | null {
    const [oldest] = this.#files.values();
    return oldest?.sinceEpochMs ?? null;
  }

  /** Files that S3 refuses while it takes others. */
  *refused(): Iterable<string> {
    for (const [name, { refusals }] of this.#files) if (refusals > 0) yield name;
  }

  /** The file to try now; null: none. */
  next(nowMonoMs: number): string | null {
    if (nowMonoMs < this.#pausedUntilMonoMs) return null;
    const name = this.#best((file) => file.notBeforeMonoMs <= nowMonoMs);
    // The file that was to show whether S3 is down has been deleted meanwhile.
    if (name === null && this.#failed.size > 0) this.#pause(nowMonoMs);
    return name;
  }

  /** When `next` has a file again; null: never, as it is. */
  nextMonoMs(): number | null {
    if (this.#files.size === 0) return null;
    let earliestMonoMs = Number.POSITIVE_INFINITY;
    for (const { notBeforeMonoMs } of this.#files.values()) {
      earliestMonoMs = Math.min(earliestMonoMs, notBeforeMonoMs);
    }
    return Math.max(earliestMonoMs, this.#pausedUntilMonoMs);
  }

  /** It is in S3. Returns what failed before it, although S3 was not down: those files are refused from now on. */
  succeeded(name: string, nowMonoMs: number): { readonly name: string; readonly error: GatewayError }[] {
    this.delete(name);
    this.#hasTaken = true;
    this.#backoff.reset();
    const refused = [...this.#failed].map(([each, error]) => ({ name: each, error }));
    for (const each of refused) this.#refuse(this.#files.get(each.name), nowMonoMs);
    this.#failed.clear();
    return refused;
  }

  failed(name: string, error: GatewayError, nowMonoMs: number): UploadFailure {
    const file = this.#files.get(name);
    if (file === undefined) return 'open';
    file.turn = this.#turns++;
    const isRetry = file.hasFailed;
    file.hasFailed = true;
    if (file.refusals > 0 || (isRetry && this.#hasTaken)) {
      this.#refuse(file, nowMonoMs);
      return file.refusals === 1 ? 'refused' : 'refused-again';
    }
    this.#failed.set(name, error);
    const isOtherLeft = this.#best((each) => each.refusals === 0) !== null;
    if (this.#failed.size < FAILURES_IN_ROW && isOtherLeft) return 'open';
    this.#pause(nowMonoMs);
    return 'storage';
  }

  #pause(nowMonoMs: number): void {
    this.#failed.clear();
    this.#hasTaken = false;
    this.#pausedUntilMonoMs = nowMonoMs + this.#backoff.failed();
  }

  /** New files come first, refused ones last: S3 may take the others. */
  #best(isEligible: (file: WaitingFile) => boolean): string | null {
    let best: { readonly name: string; readonly file: WaitingFile } | null = null;
    for (const [name, file] of this.#files) {
      if (this.#failed.has(name) || !isEligible(file)) continue;
      if (best === null || isBefore(file, best.file)) best = { name, file };
    }
    return best?.name ?? null;
  }

  #refuse(file: WaitingFile | undefined, nowMonoMs: number): void {
    if (file === undefined) return;
    file.notBeforeMonoMs = nowMonoMs + doubledMs(REFUSED_RETRY, ++file.refusals);
  }
}

function isBefore(a: WaitingFile, b: WaitingFile): boolean {
  return rankOf(a) === rankOf(b) ? a.turn < b.turn : rankOf(a) < rankOf(b);
}

function rankOf({ hasFailed, refusals }: WaitingFile): number {
  if (refusals > 0) return 2;
  return hasFailed ? 1 : 0;
}
