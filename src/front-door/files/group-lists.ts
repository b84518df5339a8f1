/**
 * The lists that shared groups of files show now. Anyone with the link can request them as often as they like. So equal requests share a
 * response for a moment, which costs one read of the store.
 */

import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { FewAtOnce } from '../../core/few-at-once.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import {
  type ItemProgress,
  type SharedFileKind,
  type SharedGroup,
  type SharedItem,
  type SharedItems,
  showsUnmasked,
} from '../../sharing/shared-group.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';

/** How old a list can be. */
export const SAME_LIST_MS = 500;
/** Lists remembered; beyond it, the oldest are made again. */
export const MAX_KNOWN_LISTS = 256;
/** Concurrent lookups, and those that wait. */
const LOOKUPS_AT_ONCE = 8;
const MAX_WAITING_LOOKUPS = 10_000;

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

interface KnownList {
  readonly madeAtMonoMs: number;
  readonly list: Promise<readonly ListedItem[]>;
}

export class GroupLists {
  readonly #options: GroupListsOptions;
  readonly #known = new Map<Ruuid, KnownList>();
  readonly #lookups = new FewAtOnce(
    LOOKUPS_AT_ONCE,
    MAX_WAITING_LOOKUPS,
    () => new GatewayError(FRONT_DOOR_ERRORS.TOO_MANY_PAST_READS),
  );

  constructor(options: GroupListsOptions) {
    this.#options = options;
  }

  /** In the order of the group. Rejects like the store, or with TOO_MANY_PAST_READS. */
  list(group: SharedGroup): Promise<readonly ListedItem[]> {
    const nowMonoMs = this.#options.clock.monoMs();
    const known = this.#known.get(group.uuid);
    if (known !== undefined && nowMonoMs - known.madeAtMonoMs < SAME_LIST_MS) return known.list;
    const list = this.#make(group);
    this.#known.delete(group.uuid);
    this.#known.set(group.uuid, { madeAtMonoMs: nowMonoMs, list });
    if (this.#known.size > MAX_KNOWN_LISTS) this.#known.delete(this.#known.keys().next().value!);
    list.catch(() => {
      if (this.#known.get(group.uuid)?.list === list) this.#known.delete(group.uuid);
    });
    return list;
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
