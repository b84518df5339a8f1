/**
 * The grants of clients that return with their credentials instead of the URIs of their playlists: players that request a manifest again
 * where they found it first, and scripts that put a segment's name in its place. They remain the same viewer, with one session.
 */

import { createHash } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import { FairMap, type MemoryHolders } from '../../core/limits/fair-map.ts';
import { LIMITS } from '../../core/limits/registry.ts';

/** The longest pause between two requests of a client. */
export const RECENT_MS = 60_000;

interface RecentGrant<Given> {
  readonly given: Given;
  usedMonoMs: number;
}

/** `Given`: a grant, with whatever belongs to it. */
export class RecentGrants<Given> {
  readonly #clock: Clock;
  /** In the order of their last use. */
  readonly #grants = new FairMap<RecentGrant<Given>, typeof LIMITS.recentGrants>(LIMITS.recentGrants);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The grant that was last used under `key`; it may have ended since. null: none, or too long ago. */
  find(key: string): Given | null {
    const hash = hashOf(key);
    const recent = this.#grants.touch(hash);
    if (recent === undefined) return null;
    const nowMonoMs = this.#clock.monoMs();
    if (nowMonoMs - recent.usedMonoMs > RECENT_MS) {
      this.#grants.delete(hash);
      return null;
    }
    recent.usedMonoMs = nowMonoMs;
    return recent.given;
  }

  /** `key`: everything that must be the same for it to be the same viewer. It may hold secrets: only its hash is kept. */
  put(key: string, given: Given, holders: MemoryHolders<typeof LIMITS.recentGrants>): void {
    this.#grants.set(hashOf(key), holders, { given, usedMonoMs: this.#clock.monoMs() });
  }
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
