/** The contract of the record of gateway runs in every store. Part of the store contract. */

import { describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import { MAX_GATEWAY_RUNS } from './gateway-run.ts';
import type { Store } from './store.ts';

export function describeGatewayRuns({ store }: { store(): Store }): void {
  const run = (startedAtMs: number, lastSeenAtMs: number) => ({
    uuid: newRuuid(),
    startedAtMs,
    lastSeenAtMs,
  });

  describe('runs of the gateway', () => {
    it('last longer, never shorter, and are read with the one before the range', async () => {
      const { gatewayRuns } = store();
      const [old, before, current] = [run(0, 10), run(20, 30), run(50, 50)];
      for (const each of [old, before, current]) await gatewayRuns.note(each);
      await gatewayRuns.note({ ...current, lastSeenAtMs: 80 });
      await gatewayRuns.note({ ...current, lastSeenAtMs: 60 });
      const known = { ...current, lastSeenAtMs: 80 };
      expect(await gatewayRuns.since(40)).toEqual([before, known]);
      expect(await gatewayRuns.since(30)).toEqual([old, before, known]);
      expect(await gatewayRuns.since(90)).toEqual([known]);
    });

    it('are no more than the newest ones', async () => {
      const { gatewayRuns } = store();
      const notes = Array.from({ length: MAX_GATEWAY_RUNS + 1 }, (_, at) => gatewayRuns.note(run(at, at)));
      await Promise.all(notes);
      const runs = await gatewayRuns.since(0);
      expect([runs.length, runs[0]?.startedAtMs]).toEqual([MAX_GATEWAY_RUNS, 1]);
    });
  });
}
