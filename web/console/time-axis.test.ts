import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import {
  axisMarks,
  clampView,
  epochMsOfZonedInput,
  format,
  isAtNow,
  lengthText,
  liveView,
  MAX_SPAN_MS,
  MIN_SPAN_MS,
  msAt,
  panned,
  showing,
  xOf,
  zonedInput,
  zoomed,
} from './time-axis.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const BERLIN = 'Europe/Berlin';
const NOW_MS = Date.UTC(2026, 10, 20);
const WIDTH_PX = 1_200;
const MIN_PX = 80;

const view = fc.record({
  startMs: fc.integer({ min: 0, max: NOW_MS }),
  spanMs: fc.integer({ min: 1, max: 40 * DAY_MS }),
});

test('a view is never beyond now, too close or too wide; zoom keeps what is under the pointer', () => {
  fc.assert(
    fc.property(
      view,
      fc.double({ min: 0.1, max: 10, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (given, factor, share) => {
        const before = clampView(given, NOW_MS);
        expect(before.spanMs).toBeGreaterThanOrEqual(MIN_SPAN_MS);
        expect(before.spanMs).toBeLessThanOrEqual(MAX_SPAN_MS);
        expect(before.startMs + before.spanMs * 0.95).toBeLessThanOrEqual(NOW_MS);
        const atMs = before.startMs + before.spanMs * share;
        const after = zoomed(before, factor, atMs, NOW_MS);
        expect(clampView(after, NOW_MS)).toEqual(after);
        const isFree = after.startMs > 0 && !isAtNow(after, NOW_MS);
        if (isFree) expect(Math.abs(xOf(after, atMs, 1_000) - xOf(before, atMs, 1_000))).toBeLessThan(0.01);
      },
    ),
    randomRuns(200),
  );
});

test('places and times are each other’s', () => {
  const shown = { startMs: 1_000_000, spanMs: 60_000 };
  expect(msAt(shown, xOf(shown, 1_030_000, WIDTH_PX), WIDTH_PX)).toBe(1_030_000);
  expect(msAt(shown, -5, WIDTH_PX)).toBe(1_000_000);
  expect(isAtNow(liveView(HOUR_MS, NOW_MS), NOW_MS)).toBe(true);
  expect(isAtNow(panned(liveView(HOUR_MS, NOW_MS), -HOUR_MS, NOW_MS), NOW_MS)).toBe(false);
  expect(showing(shown, 1_010_000, NOW_MS)).toBe(shown);
  expect(showing(shown, 5_000_000, NOW_MS).startMs).toBe(4_970_000);
});

describe('marks', () => {
  const texts = (startMs: number, spanMs: number) =>
    axisMarks({ startMs, spanMs }, WIDTH_PX, BERLIN, MIN_PX).map(({ epochMs }) =>
      format(BERLIN, 'minutes', epochMs),
    );

  test('are even times of the clock on the wall, on days of 23 and of 25 hours too', () => {
    const even = [
      '00:00',
      '02:00',
      '04:00',
      '06:00',
      '08:00',
      '10:00',
      '12:00',
      '14:00',
      '16:00',
      '18:00',
      '20:00',
      '22:00',
    ];
    const autumn = Date.parse('2026-10-25T00:00:00+02:00');
    expect(texts(autumn, 25 * HOUR_MS)).toEqual([...even, '00:00']);
    const spring = Date.parse('2026-03-29T00:00:00+01:00');
    // 2:00 does not exist; it is 3:00 then.
    expect(texts(spring, 23 * HOUR_MS)).toEqual(['00:00', '03:00', ...even.slice(2), '00:00']);
  });

  test('are in order, in view, and not too dense', () => {
    fc.assert(
      fc.property(
        view,
        fc.constantFrom(BERLIN, 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC'),
        (given, zone) => {
          const shown = clampView(given, NOW_MS);
          const marks = axisMarks(shown, WIDTH_PX, zone, MIN_PX);
          for (const [i, { epochMs }] of marks.entries()) {
            expect(epochMs).toBeGreaterThanOrEqual(shown.startMs);
            expect(epochMs).toBeLessThanOrEqual(shown.startMs + shown.spanMs);
            if (i > 0) expect(epochMs).toBeGreaterThan(marks[i - 1]!.epochMs);
          }
          expect(marks.length).toBeLessThanOrEqual(WIDTH_PX / MIN_PX + 3);
        },
      ),
      randomRuns(200),
    );
  });

  test('name the day at midnight', () => {
    const midnight = Date.parse('2026-06-02T00:00:00+02:00');
    const [mark] = axisMarks({ startMs: midnight, spanMs: 60_000 }, WIDTH_PX, BERLIN, MIN_PX);
    expect(mark).toEqual({ epochMs: midnight, isDay: true, text: format(BERLIN, 'day', midnight) });
  });
});

test('exact times are those of the site', () => {
  const at = Date.parse('2026-10-25T00:30:07+02:00');
  expect(zonedInput(at + 400, BERLIN)).toBe('2026-10-25T00:30:07');
  expect(epochMsOfZonedInput('2026-10-25T00:30:07', BERLIN)).toBe(at);
  expect(epochMsOfZonedInput('', BERLIN)).toBeNull();
  expect(lengthText(3_903_000)).toBe('1 h 5 min 3 s');
  expect(lengthText(0)).toBe('0 s');
});
