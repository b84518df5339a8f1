import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { SharedGroup, SharedItem } from '../../sharing/shared-group.ts';
import { GroupLists } from './group-lists.ts';
import { MAX_KNOWN_READS, SAME_READ_MS } from './recent-reads.ts';

let clock: FakeClock;
let lists: GroupLists;
let items: Map<Ruuid, SharedItem>;
let lookups: number;
/** The files whose progress was requested. */
let requested: (readonly Ruuid[])[];
let failure: Error | null;

beforeEach(() => {
  clock = new FakeClock();
  [items, lookups, requested, failure] = [new Map(), 0, [], null];
  const find = async (_orgUuid: Ruuid, uuid: Ruuid) => {
    lookups++;
    if (failure !== null) throw failure;
    return items.get(uuid) ?? null;
  };
  const progress = async (_kind: string, uuids: readonly Ruuid[]) => {
    requested.push(uuids);
    return uuids.map((_, index) => 10 * (index + 1));
  };
  lists = new GroupLists({ items: { clip: { find } }, progress, clock });
});

function newItem(state: SharedItem['state']): Ruuid {
  const uuid = newRuuid();
  const said = { title: '', description: '', startMs: 0, durationSec: 1 };
  items.set(uuid, { uuid, ...said, state, files: [] });
  return uuid;
}

function groupOf(itemUuids: readonly Ruuid[], kind: 'clip' | 'timelapse' = 'clip'): SharedGroup {
  return {
    uuid: newRuuid(),
    orgUuid: newRuuid(),
    name: '',
    parentUuid: null,
    secret: null,
    body: { kind, description: '', itemUuids, expiresAtSec: null, passwordHash: null, accessEpoch: 1 },
    createdAtMs: 0,
    updatedAtMs: 0,
  };
}

describe('the list of a shared group', () => {
  it('has every item in order, and the progress of those that are being made', async () => {
    const [ready, first, failed, second] = (['ready', 'making', 'failed', 'making'] as const).map(newItem);
    const deleted = newRuuid();
    const list = await lists.list(groupOf([second!, ready!, deleted, first!, failed!]));
    expect(list.map(({ item, percent }) => [item?.state ?? null, percent])).toEqual([
      ['making', 10],
      ['ready', null],
      [null, null],
      ['making', 20],
      ['failed', null],
    ]);
    expect(requested).toEqual([[second, first]]);
  });

  it('is made once for all who ask at the same time, and again a moment later', async () => {
    const group = groupOf([newItem('making')]);
    await Promise.all(Array.from({ length: 50 }, () => lists.list(group)));
    expect([lookups, requested.length]).toEqual([1, 1]);
    clock.advance(SAME_READ_MS - 1);
    await lists.list(group);
    expect(lookups).toBe(1);
    clock.advance(1);
    await lists.list(group);
    expect([lookups, requested.length]).toEqual([2, 2]);
  });

  it('is asked for again after a failure', async () => {
    const group = groupOf([newItem('ready')]);
    failure = new Error('the store is away');
    await expect(lists.list(group)).rejects.toThrow('the store is away');
    failure = null;
    expect(await lists.list(group)).toHaveLength(1);
    expect(requested).toEqual([]);
  });

  it('is forgotten when there are too many', async () => {
    const group = groupOf([newItem('ready')]);
    await lists.list(group);
    for (let i = 0; i < MAX_KNOWN_READS; i++) await lists.list(groupOf([]));
    await lists.list(group);
    expect(lookups).toBe(2);
  });

  it('shows nothing of a kind that the gateway does not have', async () => {
    const list = await lists.list(groupOf([newItem('ready')], 'timelapse'));
    expect([list[0]!.item, lookups]).toEqual([null, 0]);
  });
});
