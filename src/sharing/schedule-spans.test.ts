import { describe, expect, it } from 'vitest';
import { MAX_CHANGES, scheduleSpans } from './schedule-spans.ts';

const HOUR_MS = 3_600_000;

/** On in the first half of each hour. */
function halfHours(epochMs: number) {
  const sinceMs = epochMs % HOUR_MS;
  const isInside = sinceMs < HOUR_MS / 2;
  return { isInside, changesAtEpochMs: epochMs - sinceMs + (isInside ? HOUR_MS / 2 : HOUR_MS) };
}

describe('the spans of a schedule', () => {
  it('are those in the range', () => {
    const spans = scheduleSpans(halfHours, false, 0.25 * HOUR_MS, 2.25 * HOUR_MS);
    expect(spans.map(({ fromMs, toMs }) => [fromMs / HOUR_MS, toMs / HOUR_MS])).toEqual([
      [0.25, 0.5],
      [1, 1.5],
      [2, 2.25],
    ]);
  });

  it('are the newest of a range with too many', () => {
    const toMs = 10 * MAX_CHANGES * HOUR_MS;
    let requested = 0;
    const stateAt = (epochMs: number) => {
      requested++;
      return halfHours(epochMs);
    };
    const spans = scheduleSpans(stateAt, false, 0, toMs);
    expect(spans.at(-1)).toEqual({ fromMs: toMs - HOUR_MS, toMs: toMs - HOUR_MS / 2 });
    expect(spans.length).toBeGreaterThan(MAX_CHANGES / 8);
    expect(requested).toBeLessThanOrEqual(2 * MAX_CHANGES);
  });
});
