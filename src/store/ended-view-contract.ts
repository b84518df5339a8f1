/** The contract of ended views and blocked addresses in every store. */

import { describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { EndedViewRecord } from './ended-view.ts';
import type { Store } from './store.ts';

interface Context {
  store(): Store;
  org(): Ruuid;
}

export function describeEndedViews(context: Context): void {
  describe('ended views', () => {
    it('are kept until they are over; a later end replaces an earlier one', async () => {
      const { endedViews } = context.store();
      const of = { orgUuid: context.org(), linkUuid: newRuuid() };
      const viewer: EndedViewRecord = { ...of, kind: 'viewer', subject: 'q83v', untilMs: 5_000 };
      const address: EndedViewRecord = { ...of, kind: 'address', subject: '192.0.2.1', untilMs: 2_000 };
      await endedViews.put([viewer, address], 1_000);
      await endedViews.put([{ ...viewer, untilMs: 6_000 }], 1_000);
      const listed = async (nowMs: number) =>
        (await endedViews.list(nowMs)).toSorted((a, b) => a.untilMs - b.untilMs);
      expect(await listed(1_999)).toEqual([address, { ...viewer, untilMs: 6_000 }]);
      expect(await listed(2_000)).toEqual([{ ...viewer, untilMs: 6_000 }]);
      expect(await endedViews.list(2_000, of.linkUuid)).toHaveLength(1);
      expect(await endedViews.list(2_000, newRuuid())).toEqual([]);
      await endedViews.remove({ ...viewer, orgUuid: newRuuid() });
      expect(await listed(2_000)).toHaveLength(1);
      // A record that is over is removed with the next `put`.
      await endedViews.put([], 3_000);
      expect(await listed(0)).toEqual([{ ...viewer, untilMs: 6_000 }]);
      await endedViews.remove(viewer);
      expect(await listed(0)).toEqual([]);
    });
  });
}
