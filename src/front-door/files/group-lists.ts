/** The lists that shared groups of files show now. Equal requests share a response for a moment. */

import type { Clock } from '../../core/clock.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import {
  type ItemProgress,
  type SharedFileKind,
  type SharedGroup,
  type SharedItem,
  type SharedItems,
  showsUnmasked,
} from '../../sharing/shared-group.ts';
import { RecentReads, storeTurns } from './recent-reads.ts';

export interface ListedItem {
  readonly uuid: Ruuid;
  /** null: it was deleted. */
  readonly item: SharedItem | null;
  /** While it is being made; null: not known. */
  readonly percent: number | null;
}

export interface GroupListsOptions {
  /** Kinds that are absent have no items. */
  readonly items: Readonly<Partial<Record<SharedFileKind, SharedItems>>>;
  readonly progress: ItemProgress;
  readonly clock: Clock;
}

export class GroupLists {
  readonly #options: GroupListsOptions;
  readonly #reads: RecentReads<readonly ListedItem[]>;
  readonly #lookups = storeTurns();

  constructor(options: GroupListsOptions) {
    this.#options = options;
    this.#reads = new RecentReads(options.clock);
  }

  /** In the order of the group. Rejects like the store, or with TOO_MANY_PAST_READS. */
  list(group: SharedGroup): Promise<readonly ListedItem[]> {
    return this.#reads.get(group.uuid, () => this.#make(group));
  }

  /** One of its items, as it is now. Rejects like `list`. */
  find({ orgUuid, body }: SharedGroup, uuid: Ruuid): Promise<SharedItem | null> {
    const items = this.#options.items[body.kind];
    if (items === undefined) return Promise.resolve(null);
    return this.#lookups.run(() => items.find(orgUuid, uuid, showsUnmasked(body)));
  }

  async #make(group: SharedGroup): Promise<readonly ListedItem[]> {
    const { kind, itemUuids } = group.body;
    const items = await Promise.all(itemUuids.map((uuid) => this.find(group, uuid)));
    const making = items.filter((item) => item?.state === 'making').map((item) => item!.uuid);
    const percents = making.length === 0 ? [] : await this.#options.progress(kind, making);
    const byUuid = new Map(making.map((uuid, index) => [uuid, percents[index] ?? null]));
    return itemUuids.map((uuid, index) => ({
      uuid,
      item: items[index]!,
      percent: byUuid.get(uuid) ?? null,
    }));
  }
}
