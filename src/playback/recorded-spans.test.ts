import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { RecordedPlaces } from './recorded-places.ts';
import { fewSpans, joined, MAX_SPANS, type RecordedSpan, RecordedSpans } from './recorded-spans.ts';

const spans = fc.array(
  fc.record({ fromMs: fc.integer({ min: 0, max: 5_000 }), toMs: fc.integer({ min: 0, max: 5_000 }) }),
  { maxLength: 60 },
);
const isIn = (all: readonly RecordedSpan[], ms: number) =>
  all.some(({ fromMs, toMs }) => fromMs <= ms && ms < toMs);

describe('joined', () => {
  it('is ordered, keeps all time, adds only gaps that are short enough', () => {
    fc.assert(
      fc.property(spans, fc.integer({ min: 0, max: 400 }), (given, joinMs) => {
        const result = joined(given, joinMs);
        for (const [i, { fromMs, toMs }] of result.entries()) {
          expect(toMs).toBeGreaterThan(fromMs);
          if (i > 0) expect(fromMs - result[i - 1]!.toMs).toBeGreaterThan(joinMs);
        }
        const exact = joined(given, 0);
        for (let ms = 0; ms < 5_000; ms += 37) {
          if (isIn(given, ms)) expect(isIn(result, ms)).toBe(true);
          expect(isIn(exact, ms)).toBe(isIn(given, ms));
          if (!isIn(result, ms) || isIn(given, ms)) continue;
          const before = Math.max(...exact.filter(({ toMs }) => toMs <= ms).map(({ toMs }) => toMs));
          const after = Math.min(...exact.filter(({ fromMs }) => fromMs > ms).map(({ fromMs }) => fromMs));
          expect(after - before).toBeLessThanOrEqual(joinMs);
        }
      }),
      randomRuns(200),
    );
  });

  it('does not depend on the order, and joining twice changes nothing', () => {
    fc.assert(
      fc.property(spans, fc.integer({ min: 0, max: 400 }), (given, joinMs) => {
        const result = joined(given, joinMs);
        expect(joined(given.toReversed(), joinMs)).toEqual(result);
        expect(joined(result, joinMs)).toEqual(result);
      }),
      randomRuns(200),
    );
  });
});

describe('fewSpans', () => {
  it('leaves out longer gaps until there are few enough, and says which', () => {
    const many = Array.from({ length: 5 * MAX_SPANS }, (_, i) => ({
      fromMs: i * 10_000,
      toMs: i * 10_000 + 7_000,
    }));
    expect(fewSpans(many.slice(0, 9), 1_000)).toEqual({ spans: many.slice(0, 9), joinedMs: 1_000 });
    const few = fewSpans(many, 1_000);
    expect(few).toEqual({ spans: [{ fromMs: 0, toMs: many.at(-1)!.toMs }], joinedMs: 4_000 });
  });
});

describe('RecordedSpans', () => {
  const HOUR_MS = 3_600_000;
  const requested: string[] = [];
  const media = {
    spans: async (_stream: unknown, fromMs: number, toMs: number) => {
      requested.push(`segments ${fromMs / HOUR_MS}-${toMs / HOUR_MS}`);
      const span = { startMs: HOUR_MS, endMs: HOUR_MS + 2_000 };
      return fromMs <= HOUR_MS && toMs > HOUR_MS ? [span] : [];
    },
    hours: async () => {
      requested.push('hours');
      return [
        { startMs: 5 * HOUR_MS, endMs: 90 * HOUR_MS },
        { startMs: 2 * HOUR_MS, endMs: 4 * HOUR_MS },
      ];
    },
    seek: async () => null,
    pictures: async (_camera: unknown, fromMs: number, toMs: number, from: string) => {
      requested.push(`pictures by ${from} until ${toMs / HOUR_MS}`);
      return fromMs === 0 ? [{ startMs: -HOUR_MS, endMs: 3 * HOUR_MS }] : [];
    },
  } as unknown as RecordedPlaces;
  const of = (cameras: number, hours: number) =>
    new RecordedSpans({ media, clock: { epochMs: () => 48 * HOUR_MS } }).of({
      cameraUuids: Array.from({ length: cameras }, newRuuid),
      fromMs: 0,
      toMs: hours * HOUR_MS,
      joinMs: 0,
    });

  it('looks at each segment of a short range, in pieces', async () => {
    requested.length = 0;
    const { cameras, isExact } = await of(1, 10);
    expect([isExact, cameras[0]!.spans]).toEqual([true, [{ fromMs: HOUR_MS, toMs: HOUR_MS + 2_000 }]]);
    expect(requested).toEqual(['segments 0-6', 'segments 6-10', 'pictures by spans until 10']);
    expect(cameras[0]!.pictures).toEqual([{ fromMs: 0, toMs: 3 * HOUR_MS }]);
  });

  it('looks at files in a long one, and never beyond now', async () => {
    requested.length = 0;
    const { cameras, isExact } = await of(50, 24);
    expect(isExact).toBe(false);
    expect(new Set(requested)).toEqual(new Set(['hours', 'pictures by hours until 24']));
    expect(cameras[49]!.spans).toEqual([
      { fromMs: 2 * HOUR_MS, toMs: 4 * HOUR_MS },
      { fromMs: 5 * HOUR_MS, toMs: 24 * HOUR_MS },
    ]);
    expect((await of(50, 100)).cameras[0]!.spans.at(-1)!.toMs).toBe(48 * HOUR_MS);
  });
});
