import { afterAll, describe, expect, it, vi } from 'vitest';

const HOUR_MS = 3_600_000;
/** Clocks in Berlin go back an hour in the night before this noon. */
const NOON_MS = Date.UTC(2026, 9, 25, 11);
const hourOf = (epochMs: number) => epochMs / HOUR_MS;

// Modules take the zone when they load.
const ownZone = process.env.TZ;
process.env.TZ = 'Europe/Berlin';
vi.resetModules();
const { daysOf, scaleMarks, shortDay, zoneText } = await import('../../web/past-scale.ts');

afterAll(() => {
  if (ownZone === undefined) delete process.env.TZ;
  else process.env.TZ = ownZone;
  vi.resetModules();
});

describe('days with video', () => {
  it('are the viewer’s days, newest hours last, also when one has 25 hours', () => {
    const midnightMs = Date.UTC(2026, 9, 24, 22);
    expect(daysOf([[hourOf(midnightMs) - 2, 40]])).toEqual([
      { dayMs: midnightMs - 24 * HOUR_MS, runs: [{ from: 22, to: 24 }] },
      { dayMs: midnightMs, runs: [{ from: 0, to: 25 }] },
      { dayMs: midnightMs + 25 * HOUR_MS, runs: [{ from: 0, to: 13 }] },
    ]);
    expect(
      daysOf([
        [hourOf(midnightMs) + 1, 2],
        [hourOf(midnightMs) + 5, 1],
      ]),
    ).toEqual([
      {
        dayMs: midnightMs,
        runs: [
          { from: 1, to: 3 },
          { from: 5, to: 6 },
        ],
      },
    ]);
    expect(daysOf([])).toEqual([]);
  });

  it('have names that people use', () => {
    expect(shortDay(NOON_MS, NOON_MS)).toBe('Today');
    expect(shortDay(NOON_MS - 24 * HOUR_MS, NOON_MS)).toBe('Yesterday');
    expect(shortDay(NOON_MS - 48 * HOUR_MS, NOON_MS)).toMatch(/23/);
    expect(shortDay(NOON_MS - 365 * 24 * HOUR_MS, NOON_MS)).toMatch(/2025/);
  });

  it('say in which time zone they are, at that time of the year', () => {
    expect(zoneText(NOON_MS)).toBe('Central European Standard Time (GMT+1)');
    expect(zoneText(NOON_MS - 24 * HOUR_MS)).toBe('Central European Summer Time (GMT+2)');
  });
});

describe('marks of the timeline', () => {
  const at = (startMs: number, hours: number, widthPx: number) =>
    scaleMarks(startMs, startMs + hours * HOUR_MS, widthPx).map(
      ({ epochMs }) => (epochMs - startMs) / 60_000,
    );

  it('are even times of the day, as many as fit', () => {
    expect(at(NOON_MS, 1, 300)).toEqual([15, 30, 45]);
    expect(at(NOON_MS + 300_000, 1, 300)).toEqual([10, 25, 40, 55]);
    expect(at(NOON_MS, 1, 1_000)).toEqual([5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55]);
    expect(at(NOON_MS, 12, 300)).toEqual([180, 360, 540]);
    expect(at(NOON_MS, 24, 0)).toHaveLength(1);
    // Not at 12:00, 12 px from the left.
    expect(at(NOON_MS - 150_000, 1, 288)).toEqual([17.5, 32.5, 47.5]);
    // From midnight of the day with 25 hours.
    expect(at(NOON_MS - 13 * HOUR_MS, 25, 700)).toEqual(
      [4, 7, 10, 13, 16, 19, 22].map((hours) => hours * 60),
    );
  });
});
