/**
 * The grants of clients that come back with their credentials instead of the URIs that they were given: players that
 * request a manifest again where they found it first, and scripts that put a segment's name in its place. They remain
 * the same viewer, with one session.
 */

import { createHash } from 'node:crypto';
import type { Clock } from '../core/clock.ts';

/** From one request of a client to its next. */
export const RECENT_MS = 60_000;
export const MAX_RECENT_GRANTS = 10_000;

interface RecentGrant<Given> {
  readonly given: Given;
  usedMonoMs: number;
}

/** `Given`: a grant, with whatever belongs to it. */
export class RecentGrants<Given> {
  readonly #clock: Clock;
  /** In the order of their last use. */
  readonly #grants = new Map<string, RecentGrant<Given>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The grant that was last used under `key`; it may have ended since. null: none, or too long ago. */
  find(key: string): Given | null {
    const hash = hashOf(key);
    const recent = this.#grants.get(hash);
    if (recent === undefined) return null;
    this.#grants.delete(hash);
    const nowMonoMs = this.#clock.monoMs();
    if (nowMonoMs - recent.usedMonoMs > RECENT_MS) return null;
    recent.usedMonoMs = nowMonoMs;
    this.#grants.set(hash, recent);
    return recent.given;
  }

  /** `key`: everything that must be the same for it to be the same viewer. It may hold secrets: only its hash is kept. */
  put(key: string, given: Given): void {
    const hash = hashOf(key);
    this.#grants.delete(hash);
    this.#grants.set(hash, { given, usedMonoMs: this.#clock.monoMs() });
    if (this.#grants.size > MAX_RECENT_GRANTS) this.#grants.delete(this.#grants.keys().next().value!);
  }
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
