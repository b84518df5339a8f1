/**
 * Which files are uploaded next, and when: several at a time, shared out between organizations. One failure does not show whether S3 is down or only this file is refused, so other
 * files are tried before anything waits: if one of them succeeds, those that failed before it are refused, and wait alone
 * (docs/design/recording.md#s3).
 */

import { Backoff, type BackoffLimits, doubledMs } from '../core/backoff.ts';
import type { GatewayError } from '../core/errors.ts';
import { Pool } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';

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
  readonly organization: string;
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

/** An upload in progress. */
interface Attempt {
  readonly organization: string;
  readonly isOfRefused: boolean;
  readonly giveBack: () => void;
}

export class UploadQueue {
  /** By name, in the order in which they were sealed. */
  readonly #files = new Map<string, WaitingFile>();
  readonly #attempts = new Map<string, Attempt>();
  readonly #pool = new Pool(LIMITS.recordingUploads);
  /** By organization: the turn of its newest attempt. */
  readonly #served = new Map<string, number>();
  /** Files that have failed since the last success, with the reason. */
  readonly #failed = new Map<string, GatewayError>();
  /** S3 has taken a file since the last pause. */
  #hasTaken = false;
  #turns = 0;
  readonly #backoff = new Backoff({ firstMs: RETRY_MIN_MS, lastMs: RETRY_MAX_MS });
  #pausedUntilMonoMs = Number.NEGATIVE_INFINITY;

  /** `epochMs`: since when it waits. `organization`: that of its camera, or any name for all whose organization is not known. */
  add(name: string, epochMs: number, organization = ''): void {
    this.#files.set(name, {
      sinceEpochMs: epochMs,
      organization,
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

  /** All files. */
  names(): Iterable<string> {
    return this.#files.keys();
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

  /** Begins an attempt with a file, until it succeeded, failed, or `ended`; null: none can be tried now. */
  next(nowMonoMs: number): string | null {
    if (nowMonoMs < this.#pausedUntilMonoMs) return null;
    // As long as S3 may be down, a few files show it.
    if (!this.#hasTaken && this.#attempts.size >= FAILURES_IN_ROW) return null;
    for (const [name, { organization, refusals }] of this.#candidates(nowMonoMs)) {
      const taken = this.#pool.take({ organization });
      if (!taken.isTaken) continue;
      this.#attempts.set(name, { organization, isOfRefused: refusals > 0, giveBack: taken.giveBack });
      this.#served.set(organization, this.#turns++);
      return name;
    }
    // The file that was to show whether S3 is down has been deleted meanwhile.
    if (this.#attempts.size === 0 && this.#failed.size > 0) this.#pause(nowMonoMs);
    return null;
  }

  /** The attempt is over, and the file no longer waited. Idempotent. */
  ended(name: string): void {
    this.#attempts.get(name)?.giveBack();
    this.#attempts.delete(name);
  }

  /** When `next` has a file again, if no attempt ends before; null: never, as it is. */
  nextMonoMs(): number | null {
    let earliestMonoMs = Number.POSITIVE_INFINITY;
    for (const [name, { notBeforeMonoMs }] of this.#files) {
      if (!this.#attempts.has(name)) earliestMonoMs = Math.min(earliestMonoMs, notBeforeMonoMs);
    }
    if (earliestMonoMs === Number.POSITIVE_INFINITY) return null;
    return Math.max(earliestMonoMs, this.#pausedUntilMonoMs);
  }

  /** It is in S3. Returns what failed before it, although S3 was not down: those files are refused from now on. */
  succeeded(name: string, nowMonoMs: number): { readonly name: string; readonly error: GatewayError }[] {
    this.ended(name);
    this.delete(name);
    this.#hasTaken = true;
    this.#backoff.reset();
    this.#pausedUntilMonoMs = Number.NEGATIVE_INFINITY;
    const refused = [...this.#failed].map(([each, error]) => ({ name: each, error }));
    for (const each of refused) this.#refuse(this.#files.get(each.name), nowMonoMs);
    this.#failed.clear();
    return refused;
  }

  failed(name: string, error: GatewayError, nowMonoMs: number): UploadFailure {
    this.ended(name);
    const file = this.#files.get(name);
    if (file === undefined) return 'open';
    file.turn = this.#turns++;
    const isRetry = file.hasFailed;
    file.hasFailed = true;
    // Began before the pause: what it shows is known.
    if (nowMonoMs < this.#pausedUntilMonoMs) return 'open';
    if (file.refusals > 0 || (isRetry && this.#hasTaken)) {
      this.#refuse(file, nowMonoMs);
      return file.refusals === 1 ? 'refused' : 'refused-again';
    }
    this.#failed.set(name, error);
    const isOtherLeft = [...this.#files].some(
      ([each, { refusals }]) => refusals === 0 && !this.#failed.has(each),
    );
    if (this.#failed.size < FAILURES_IN_ROW && isOtherLeft) return 'open';
    this.#pause(nowMonoMs);
    return 'storage';
  }

  #pause(nowMonoMs: number): void {
    this.#failed.clear();
    this.#hasTaken = false;
    this.#pausedUntilMonoMs = nowMonoMs + this.#backoff.failed();
  }

  /**
   * The best file of each organization, that of the one with the fewest attempts first; among equals, of the one that has waited for its turn
   * the longest.
   */
  #candidates(nowMonoMs: number): [string, WaitingFile][] {
    const best = new Map<string, [string, WaitingFile]>();
    const attempts = Map.groupBy(this.#attempts.values(), ({ organization }) => organization);
    for (const [name, file] of this.#files) {
      if (this.#failed.has(name) || this.#attempts.has(name) || file.notBeforeMonoMs > nowMonoMs) continue;
      const { organization, refusals } = file;
      // Refused files may take long to fail: one of an organization at a time.
      if (refusals > 0 && attempts.get(organization)?.some(({ isOfRefused }) => isOfRefused)) continue;
      const known = best.get(organization);
      if (known === undefined || isBefore(file, known[1])) best.set(organization, [name, file]);
    }
    for (const organization of this.#served.keys()) {
      if (!best.has(organization) && !attempts.has(organization)) this.#served.delete(organization);
    }
    const countOf = (organization: string) => attempts.get(organization)?.length ?? 0;
    const servedOf = (organization: string) => this.#served.get(organization) ?? -1;
    return [...best.values()].sort(
      ([, { organization: one }], [, { organization: other }]) =>
        countOf(one) - countOf(other) || servedOf(one) - servedOf(other),
    );
  }

  #refuse(file: WaitingFile | undefined, nowMonoMs: number): void {
    if (file === undefined) return;
    file.notBeforeMonoMs = nowMonoMs + doubledMs(REFUSED_RETRY, ++file.refusals);
  }
}

/** New files come first, refused ones last: S3 may take the others. */
function isBefore(a: WaitingFile, b: WaitingFile): boolean {
  return rankOf(a) === rankOf(b) ? a.turn < b.turn : rankOf(a) < rankOf(b);
}

function rankOf({ hasFailed, refusals }: WaitingFile): number {
  if (refusals > 0) return 2;
  return hasFailed ? 1 : 0;
}
