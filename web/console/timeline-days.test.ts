import { describe, expect, test, vi } from 'vitest';

vi.stubGlobal('document', { baseURI: 'http://localhost/console/' });
const { dateAt, daySpan, daysOf, monthOf, plusDays, recordedDays, weeksOf } = await import(
  './timeline-days.ts'
);

const HOUR_MS = 3_600_000;
const BERLIN = 'Europe/Berlin';

describe('a day', () => {
  test.each([
    ['2026-03-28', BERLIN, 24],
    ['2026-03-29', BERLIN, 23],
    ['2026-10-25', BERLIN, 25],
    ['2026-03-08', 'America/New_York', 23],
    ['2026-11-01', 'America/New_York', 25],
    ['2026-11-01', 'Asia/Kathmandu', 24],
    // Clocks are set by half an hour there.
    ['2026-04-05', 'Australia/Lord_Howe', 24.5],
  ])('%s in %s has %d hours', (date, zone, hours) => {
    const { fromMs, toMs } = daySpan(date, zone);
    expect((toMs - fromMs) / HOUR_MS).toBe(hours);
    expect(dateAt(fromMs, zone)).toBe(date);
    expect(dateAt(toMs - 1, zone)).toBe(date);
    expect(dateAt(toMs, zone)).toBe(plusDays(date, 1));
  });

  test('is that of the site, whatever the zone of the browser', () => {
    const atMs = Date.UTC(2026, 10, 28, 23, 30);
    expect(dateAt(atMs, BERLIN)).toBe('2026-11-29');
    expect(dateAt(atMs, 'America/Los_Angeles')).toBe('2026-11-28');
  });

  test('follows another one, also over the ends of months and years', () => {
    expect(plusDays('2026-02-28', 1)).toBe('2026-03-01');
    expect(plusDays('2026-01-01', -1)).toBe('2025-12-31');
    expect(monthOf('2026-01-31', 1)).toBe('2026-02');
    expect(monthOf('2026-01-31', -1)).toBe('2025-12');
  });
});

describe('a month', () => {
  test('has weeks that begin on Monday', () => {
    const weeks = weeksOf('2026-11');
    expect(weeks[0]).toEqual([null, null, null, null, null, null, '2026-11-01']);
    expect(weeks.at(-1)).toEqual(['2026-11-30', null, null, null, null, null, null]);
    expect(weeks.flat().filter((day) => day !== null)).toEqual(daysOf('2026-11'));
  });

  test('marks the days with recordings, by the site’s midnight', () => {
    const { fromMs, toMs } = daySpan('2026-11-10', BERLIN);
    const spans = [
      { fromMs: fromMs - HOUR_MS, toMs: fromMs },
      { fromMs: toMs - 1, toMs: toMs + 1 },
    ];
    expect([...recordedDays('2026-11', spans, BERLIN)]).toEqual(['2026-11-09', '2026-11-10', '2026-11-11']);
    expect([...recordedDays('2026-12', spans, BERLIN)]).toEqual([]);
  });
});
