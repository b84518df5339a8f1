/**
 * Log lines whose number callers determine. Lines of one key are merged: one is written per interval, with the number of
 * those that were not.
 */

import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

/** A line of the same key is written once in this time. */
export const MERGE_LINES_MS = 10_000;
/** Keys that are remembered; beyond it the oldest are written again. */
export const MAX_MERGED_KEYS = 1_000;

interface Merged {
  readonly writtenMonoMs: number;
  /** Since it was written. */
  count: number;
}

export class MergedLines {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #byKey = new Map<string, Merged>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Field `merged`: how many of the key were not written since the previous line. */
  info(key: string, fields: object, message: string): void {
    this.#write('info', key, fields, message);
  }

  /** The same, as a warning. */
  warn(key: string, fields: object, message: string): void {
    this.#write('warn', key, fields, message);
  }

  #write(level: 'info' | 'warn', key: string, fields: object, message: string): void {
    const known = this.#byKey.get(key);
    const nowMonoMs = this.#clock.monoMs();
    if (known !== undefined && nowMonoMs - known.writtenMonoMs < MERGE_LINES_MS) {
      known.count++;
      return;
    }
    this.#byKey.delete(key);
    this.#byKey.set(key, { writtenMonoMs: nowMonoMs, count: 0 });
    if (this.#byKey.size > MAX_MERGED_KEYS) this.#byKey.delete(this.#byKey.keys().next().value!);
    const merged = known === undefined || known.count === 0 ? {} : { merged: known.count };
    this.#log[level]({ ...fields, ...merged }, message);
  }
}
