import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../core/eventually-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import { ChangeFeed } from '../store/change-feed.ts';
import { withChangesFrom } from '../store/joined-changes.ts';
import type { ChangeEvent, Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { watchShareCounts } from './share-counts.ts';

let ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.reverse()) await end();
  ends = [];
});

/** How often the counts were reconciled. */
async function watched(isShared: boolean) {
  const clock = new FakeClock();
  const own: Store = await openTestStore(clock);
  ends.push(() => own.close());
  const elsewhere = new ChangeFeed();
  const store = withChangesFrom(elsewhere, own);
  let runs = 0;
  const counters = { reconcile: async () => void runs++ };
  const end = await watchShareCounts({ store, elsewhere, counters, isShared, clock, log: silentLog });
  ends.push(async () => end());
  return {
    runs: () => runs,
    /** Resolves when a run that was requested before has read the store. */
    read: async () => {
      await own.cameras.listEverywhere();
      await new Promise((resolve) => setImmediate(resolve));
    },
    publish: (change: Pick<ChangeEvent, 'entity' | 'isForeign'>) =>
      elsewhere.publish({ type: 'UPDATE', orgUuid: newRuuid(), uuid: newRuuid(), ...change }),
  };
}

describe('share counts', () => {
  it.each(['share', 'camera'] as const)('follow a %s that another thread changes', async (entity) => {
    const { runs, publish } = await watched(true);
    publish({ entity });
    await eventually('the counts are reconciled', () => runs() === 2);
  });

  it('of several nodes are changed by the node that changes a share', async () => {
    const { runs, publish, read } = await watched(true);
    publish({ entity: 'share', isForeign: true });
    publish({ entity: 'camera', isForeign: true });
    await read();
    expect(runs()).toBe(1);
    publish({ entity: 'share' });
    await eventually('the counts are reconciled', () => runs() === 2);
  });

  it('of one node follow every process', async () => {
    const { runs, publish } = await watched(false);
    publish({ entity: 'share', isForeign: true });
    await eventually('the counts are reconciled', () => runs() === 2);
  });
});
