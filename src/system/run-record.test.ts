import { expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import type { GatewayRun } from '../store/gateway-run.ts';
import { RECORD_INTERVAL_MS, RunRecord } from './run-record.ts';

function recorded() {
  const clock = new FakeClock();
  const runs = new Map<string, GatewayRun>();
  const startMs = clock.epochMs();
  const note = async (run: GatewayRun) => void runs.set(run.uuid, run);
  const record = new RunRecord({
    clock,
    log: silentLog,
    store: { gatewayRuns: { note, since: async () => [] } },
  });
  const spans = () =>
    [...runs.values()].map(({ startedAtMs, lastSeenAtMs }) => [
      startedAtMs - startMs,
      lastSeenAtMs - startMs,
    ]);
  /** Everything that is due has been written. */
  const settled = async () => {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  return { clock, record, spans, settled };
}

it('lasts until its end, with a record now and then', async () => {
  const { clock, record, spans, settled } = recorded();
  await settled();
  expect(spans()).toEqual([[0, 0]]);
  clock.advance(RECORD_INTERVAL_MS);
  await settled();
  expect(spans()).toEqual([[0, RECORD_INTERVAL_MS]]);
  clock.advance(1_000);
  await record.close();
  expect(spans()).toEqual([[0, RECORD_INTERVAL_MS + 1_000]]);
  clock.advance(10 * RECORD_INTERVAL_MS);
  await settled();
  expect(spans()).toHaveLength(1);
});
