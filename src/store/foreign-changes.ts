/** Changes that other processes commit to the same database (docs/design/store.md#changes-of-other-processes). */

import type { ChangeLogFollowerOptions, FollowedChanges } from './postgres/change-log-follower.ts';
import type { ChangeEvent } from './store.ts';

/** A store that other processes may change, too. */
export interface ChangedElsewhere {
  /** Follows what other processes commit; absent: none can. */
  follow?(listeners: Pick<ChangeLogFollowerOptions, 'onChange' | 'onMissed'>): Promise<FollowedChanges>;
}

export class ForeignChanges {
  #follower: FollowedChanges | null = null;
  #reload: (() => Promise<void>) | null = null;
  /** Changes were missed before anything could be loaded again. */
  #isReloadDue = false;

  /** Publishes changes that are committed elsewhere from now on. A database in a file has no other gateway. Fails like the store. */
  static async follow(
    { follow }: ChangedElsewhere,
    publish: (change: ChangeEvent) => void,
  ): Promise<ForeignChanges> {
    const changes = new ForeignChanges();
    changes.#follower = (await follow?.({ onChange: publish, onMissed: () => changes.#onMissed() })) ?? null;
    return changes;
  }

  /** Whether they arrive; null: there are none. While they do not, the known state stays in force. */
  get isUp(): boolean | null {
    return this.#follower?.isUp ?? null;
  }

  /** `reload` loads whatever follows changes: called if some were missed, and again if it rejects. */
  async reloadWith(reload: () => Promise<void>): Promise<void> {
    this.#reload = reload;
    if (!this.#isReloadDue) return;
    this.#isReloadDue = false;
    await reload();
  }

  /** Resolves when changes committed elsewhere before this call are known, as far as it can be read. */
  async caughtUp(): Promise<void> {
    await this.#follower?.caughtUp();
  }

  async close(): Promise<void> {
    await this.#follower?.close();
  }

  async #onMissed(): Promise<void> {
    if (this.#reload === null) this.#isReloadDue = true;
    else await this.#reload();
  }
}
