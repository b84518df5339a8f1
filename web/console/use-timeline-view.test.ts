import './page-address-fixture.ts';
import { describe, expect, test } from 'vitest';
import { rangeOf } from './use-timeline-view.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOON_MS = Date.UTC(2026, 3, 15, 12);

describe('the range that is read for a view', () => {
  test.each([60_000, HOUR_MS, DAY_MS, 30 * DAY_MS])('of %s ms has it, and what is next to it', (spanMs) => {
    for (const startMs of [0, NOON_MS, NOON_MS + spanMs / 3]) {
      const { fromMs, toMs } = rangeOf({ startMs, spanMs });
      expect(fromMs).toBeLessThanOrEqual(startMs);
      expect(toMs).toBeGreaterThanOrEqual(startMs + spanMs);
      expect(toMs - fromMs).toBeLessThanOrEqual(32 * DAY_MS);
    }
  });

  test('is the same while the view moves a little', () => {
    const ranges = [0, 1, 2, 3].map((tenths) =>
      rangeOf({ startMs: NOON_MS + (tenths * HOUR_MS) / 10, spanMs: HOUR_MS }),
    );
    expect(new Set(ranges.map(({ fromMs }) => fromMs)).size).toBe(1);
  });
});
