import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { REPORT_INTERVAL_MS, type ReportingViewer, takeReport } from './viewer-report.ts';

const REPORT = {
  firstPictureMs: 900,
  playedMs: 58_000,
  stalledMs: 1_000,
  stalls: 1,
  delayMs: 1_300,
  requests: 300,
  failedRequests: 2,
};

function watching(clock: FakeClock, forMs = REPORT_INTERVAL_MS): ReportingViewer {
  const atEpochMs = clock.epochMs();
  clock.advance(forMs);
  return { isCounted: true, start: { atEpochMs }, reportsUntilMonoMs: 0, lastReportEpochMs: null };
}

describe('a report of a viewer page', () => {
  it('is a measurement', () => {
    const clock = new FakeClock();
    const measured = takeReport(watching(clock), REPORT, clock);
    expect(measured).toMatchObject({
      firstPictureMs: 900,
      playedMs: 58_000,
      stalledMs: 1_000,
      stalls: 1,
      requests: 300,
    });
    expect(measured?.errors).toEqual({ other: 2 });
    expect(measured?.delaysMs).toEqual(new Array(58).fill(1_300));
  });

  it('says when the first picture came only once', () => {
    const clock = new FakeClock();
    const viewer = watching(clock);
    takeReport(viewer, REPORT, clock);
    clock.advance(REPORT_INTERVAL_MS);
    expect(takeReport(viewer, REPORT, clock)?.firstPictureMs).toBeNull();
  });

  it('counts once a minute, and twice when the page is left', () => {
    const clock = new FakeClock();
    const viewer = watching(clock);
    const taken = (everyMs: number, times: number) =>
      Array.from({ length: times }, () => {
        clock.advance(everyMs);
        return takeReport(viewer, REPORT, clock) !== null;
      }).filter(Boolean).length;
    expect(taken(1, 100)).toBe(2);
    expect(taken(1_000, 600)).toBe(10);
  });

  it('counts of no one who is no viewer', () => {
    const clock = new FakeClock();
    expect(takeReport({ ...watching(clock), isCounted: false }, REPORT, clock)).toBeNull();
  });

  it.each([
    null,
    7,
    'text',
    [],
    {},
    { ...REPORT, playedMs: 'many' },
    { ...REPORT, stalls: -1 },
    { ...REPORT, requests: Number.NaN },
  ])('is not taken: %j', (body) => {
    const clock = new FakeClock();
    expect(takeReport(watching(clock), body, clock)).toBeNull();
  });

  it('is worth no more than the time since the last one, whatever it says', () => {
    const amount = fc.oneof(fc.double(), fc.integer(), fc.constant(1e300), fc.string());
    fc.assert(
      fc.property(
        fc.record({
          firstPictureMs: amount,
          playedMs: amount,
          stalledMs: amount,
          stalls: amount,
          delayMs: amount,
          requests: amount,
          failedRequests: amount,
        }),
        fc.integer({ min: 0, max: 600_000 }),
        (body, forMs) => {
          const clock = new FakeClock();
          const measured = takeReport(watching(clock, forMs), body, clock);
          if (measured === null) return;
          expect(measured.playedMs + measured.stalledMs).toBeLessThanOrEqual(
            Math.min(forMs + 5_000, 120_000) + 1e-6,
          );
          expect(measured.delaysMs.length).toBeLessThanOrEqual(120);
          expect(measured.requests).toBeLessThanOrEqual(3_600);
          expect(measured.errors.other ?? 0).toBeLessThanOrEqual(measured.requests);
          expect(measured.firstPictureMs ?? 0).toBeLessThanOrEqual(120_000);
        },
      ),
      randomRuns(300),
    );
  });
});
