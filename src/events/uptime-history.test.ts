import { describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import type { DeviceHealthEvent } from './device-health.ts';
import { uptimeHistory } from './uptime-history.ts';

const ORG = newRuuid();
const CAMERA = newRuuid();

const seen = (atMs: number, state: 'up' | 'down'): DeviceHealthEvent => ({
  orgUuid: ORG,
  kind: 'deviceHealth',
  id: newRuuid(),
  deviceUuid: CAMERA,
  atMs,
  body: { symptom: state === 'down' ? 'DOWN' : null, seenBy: 'gateway' },
});
const run = (startedAtMs: number, lastSeenAtMs: number) => ({ uuid: newRuuid(), startedAtMs, lastSeenAtMs });

/** As `start state`, with the end last. */
function history(
  events: readonly DeviceHealthEvent[],
  runs: readonly ReturnType<typeof run>[],
  [startMs, endMs]: readonly [number, number] = [0, 100_000],
): (string | number)[] {
  const spans = uptimeHistory(events, runs, { startMs, endMs }, 100_000);
  for (const [index, span] of spans.entries()) {
    expect(span.startMs).toBe(index === 0 ? startMs : spans[index - 1]!.endMs);
  }
  return [...spans.map((span) => `${span.startMs} ${span.state}`), spans.at(-1)?.endMs ?? 0];
}

describe('uptimeHistory', () => {
  it('knows nothing without runs', () => {
    expect(history([seen(5, 'up')], [])).toEqual(['0 unknown', 100_000]);
  });

  it('tells a camera that was away from a gateway that was', () => {
    const events = [seen(2_000, 'up'), seen(10_000, 'down'), seen(12_000, 'up'), seen(61_000, 'up')];
    expect(history(events, [run(1_000, 30_000), run(60_000, 90_000)])).toEqual([
      '0 unknown',
      '2000 up',
      '10000 down',
      '12000 up',
      '30000 not-running',
      '60000 unknown',
      '61000 up',
      100_000,
    ]);
  });

  it('takes nothing of one run over to the next', () => {
    const runs = [run(1_000, 30_000), run(60_000, 90_000)];
    expect(history([seen(2_000, 'down')], runs, [40_000, 70_000])).toEqual([
      '40000 not-running',
      '60000 unknown',
      70_000,
    ]);
    // A state from between the runs, which no record covers, reveals nothing either.
    expect(history([seen(2_000, 'down'), seen(45_000, 'up')], runs, [40_000, 70_000])).toEqual([
      '40000 not-running',
      '60000 unknown',
      70_000,
    ]);
  });

  it('knows what was in effect when the range began', () => {
    expect(history([seen(2_000, 'down')], [run(1_000, 90_000)], [50_000, 80_000])).toEqual([
      '50000 down',
      80_000,
    ]);
  });

  it('joins runs of gateways that overlap or follow at once', () => {
    const runs = [run(0, 50_000), run(10_000, 30_000), run(50_500, 90_000)];
    expect(history([seen(0, 'up')], runs)).toEqual(['0 up', 100_000]);
  });
});
