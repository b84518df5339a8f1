/**
 * Brings Redis to the state of the local shares. It remembers which shares changed, not how: it always sends the
 * current state, so neither order nor repetition matters, and a thousand changes to one share cost one.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { DeviceShares } from './device-shares.ts';
import { appendSyncArguments, SHARES_KEY, SYNC_SHARES_PREFIX, SYNC_SHARES_SCRIPT } from './redis-keys.ts';
import type { RedisLink } from './redis-link.ts';

/** Shares per script run: keeps Redis from blocking others. */
const SHARES_PER_SCRIPT = 250;

export class SharePublisher {
  readonly #link: RedisLink;
  readonly #shares: DeviceShares;
  /** At most all shares, here and in Redis. */
  readonly #changed = new Set<string>();
  #publishing: Promise<void> | null = null;

  constructor(link: RedisLink, shares: DeviceShares) {
    this.#link = link;
    this.#shares = shares;
  }

  /** Resolves when Redis has the share's current state, or is unavailable. */
  async publish(uuid: Ruuid): Promise<void> {
    this.#changed.add(uuid);
    await this.#drain();
  }

  /** Resolves when Redis has exactly the local shares, or is unavailable. */
  async publishAll(): Promise<void> {
    const known = await this.#link.run((client) => client.hkeys(SHARES_KEY));
    if (known === null) return;
    for (const uuid of known) this.#changed.add(uuid);
    for (const uuid of this.#shares.uuids()) this.#changed.add(uuid);
    await this.#drain();
  }

  /** One run at a time; a change made during a run is part of that run. */
  async #drain(): Promise<void> {
    if (this.#changed.size === 0) return;
    this.#publishing ??= this.#publishChanged();
    await this.#publishing;
  }

  async #publishChanged(): Promise<void> {
    while (this.#changed.size > 0) {
      const args = this.#takeArguments();
      const done = await this.#link.run((client) =>
        client.eval(SYNC_SHARES_SCRIPT, 1, SHARES_KEY, SYNC_SHARES_PREFIX, ...args),
      );
      // Changes that Redis misses while it is unavailable come with the reconciliation when it returns.
      if (done === null) this.#changed.clear();
    }
    // In the same turn as the last look at #changed: a later caller starts its own run.
    this.#publishing = null;
  }

  #takeArguments(): string[] {
    const args: string[] = [];
    let taken = 0;
    for (const uuid of this.#changed) {
      if (taken++ === SHARES_PER_SCRIPT) break;
      this.#changed.delete(uuid);
      appendSyncArguments(args, uuid, this.#shares.get(uuid as Ruuid));
    }
    return args;
  }
}
