/**
 * When Redis has lost its data, leases from before may still be in use: for as long as one lasts, nothing can be claimed.
 * Holders write their leases again meanwhile. Then the node that has waited opens Redis.
 */

import type { Clock, TimerHandle } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { newRuuid } from '../../core/ruuid.ts';
import type { RedisLink } from '../../counters/redis-link.ts';
import { beginOpening, finishOpening } from './lease-scripts.ts';
import type { ClusterKeys } from './redis-keys.ts';

/** The mark that a node waits outlives its wait. If the node ends, another node begins after that. */
const LIFE_IN_WAITS = 2;
/** How often nodes look whether the one that waits has opened Redis. */
const LOOK_MS = 1_000;

export interface RedisOpeningOptions {
  readonly link: Pick<RedisLink, 'run'>;
  readonly keys: ClusterKeys;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a lease lasts. */
  readonly waitMs: number;
}

export class RedisOpening {
  readonly #options: RedisOpeningOptions;
  #isBusy = false;
  #isClosed = false;
  #wait: TimerHandle | null = null;

  constructor(options: RedisOpeningOptions) {
    this.#options = options;
  }

  /** Waits, then opens it, unless it is open, or someone else has. Call it again whenever it is found closed. */
  async begin(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    await this.#attempt();
  }

  close(): void {
    this.#isBusy = true;
    this.#isClosed = true;
    this.#wait?.cancel();
  }

  async #attempt(): Promise<void> {
    const { link, keys, clock, waitMs } = this.#options;
    const token = newRuuid();
    const began = await link.run((client) => beginOpening(client, keys, token, LIFE_IN_WAITS * waitMs));
    if (this.#isClosed) return;
    if (began === 'begun') this.#wait = clock.after(waitMs, () => void this.#finish(token));
    // The node that waits may end meanwhile.
    else if (began === 'waiting') this.#wait = clock.after(LOOK_MS, () => void this.#attempt());
    else this.#isBusy = false;
  }

  async #finish(token: string): Promise<void> {
    const { link, keys, log } = this.#options;
    const opened = await link.run((client) => finishOpening(client, keys, token));
    if (opened === true) log.info({}, 'leases can be claimed');
    if (!this.#isClosed) this.#isBusy = false;
  }
}
