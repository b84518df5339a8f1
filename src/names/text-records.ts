/** TXT records of names that organizations chose: with a deadline, remembered for a moment, and shared out between organizations. */

import type { Clock } from '../core/clock.ts';
import { Pool } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { FAILURE_KEPT_MS, NAME_DEADLINE_MS, NameError } from './name-resolver.ts';

/** Asks name servers; each record's strings. Fails with the codes of `node:dns`. */
export type QueryTexts = (name: string) => Promise<readonly (readonly string[])[]>;

export interface TextRecordsOptions {
  readonly clock: Clock;
  readonly query: QueryTexts;
}

/** Short: someone who has just added a record looks for it. */
const KEPT_MS = FAILURE_KEPT_MS;
const MAX_KEPT_NAMES = 1_024;
/** Names have dozens of records of other services. */
const MAX_RECORDS = 200;

interface Known {
  readonly texts: Promise<readonly string[]>;
  /** Infinity while they are being found. */
  untilMonoMs: number;
}

export class TextRecords {
  readonly #clock: Clock;
  readonly #query: QueryTexts;
  readonly #lookups = new Pool(LIMITS.nameLookups);
  /** Least recently looked up first. */
  readonly #known = new Map<string, Known>();

  constructor({ clock, query }: TextRecordsOptions) {
    this.#clock = clock;
    this.#query = query;
  }

  /**
   * Empty if the name has none, or does not exist. `organization`: on whose behalf. Fails with the code ETIMEOUT after NAME_DEADLINE_MS,
   * TOO_MANY_LOOKUPS, or what a name server said.
   */
  textsOf(name: string, organization: string): Promise<readonly string[]> {
    const key = name.toLowerCase();
    const known = this.#known.get(key);
    this.#known.delete(key);
    if (known !== undefined && this.#clock.monoMs() < known.untilMonoMs) {
      this.#known.set(key, known);
      return known.texts;
    }
    const place = this.#lookups.take({ organization });
    if (!place.isTaken) return Promise.reject(new NameError('TOO_MANY_LOOKUPS'));
    const texts = this.#inTime(this.#find(key));
    const entry: Known = { texts, untilMonoMs: Number.POSITIVE_INFINITY };
    const found = () => {
      place.giveBack();
      entry.untilMonoMs = this.#clock.monoMs() + KEPT_MS;
    };
    // Callers get the failure.
    texts.then(found, found);
    this.#known.set(key, entry);
    if (this.#known.size > MAX_KEPT_NAMES) this.#known.delete(this.#known.keys().next().value!);
    return texts;
  }

  async #find(name: string): Promise<readonly string[]> {
    try {
      // Without a dot at the end, search rules of the machine would apply.
      const records = await this.#query(`${name}.`);
      // RFC 7208 §3.3: the strings of a record are one text.
      return records.slice(0, MAX_RECORDS).map((strings) => strings.join(''));
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (code === 'ENOTFOUND' || code === 'ENODATA') return [];
      throw error;
    }
  }

  #inTime<T>(finding: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const timer = this.#clock.after(NAME_DEADLINE_MS, () => reject(new NameError('ETIMEOUT')));
    finding.then(resolve, reject);
    return promise.finally(() => timer.cancel());
  }
}
