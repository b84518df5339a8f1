import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { GatewayError } from '../../core/errors.ts';
import { type BucketSize, bucketRuns, bucketStarts, MAX_BUCKETS } from './report-buckets.ts';

const HOUR_MS = 3_600_000;

const at = (text: string) => Temporal.Instant.from(text).epochMilliseconds;
const local = (epochMs: number, timeZone: string) =>
  Temporal.Instant.fromEpochMilliseconds(epochMs)
    .toZonedDateTimeISO(timeZone)
    .toString({ timeZoneName: 'never' });

/** `start/length in minutes` of each bucket, in local time of the zone. */
function buckets(size: BucketSize, timeZone: string, from: string, to: string): string[] {
  const runs = bucketRuns({ fromMs: at(from), toMs: at(to), size, timeZone });
  return runs.flatMap((run) =>
    bucketStarts([run]).map((startMs) => `${local(startMs, timeZone)}/${run.lengthMs / 60_000}`),
  );
}

describe('buckets', () => {
  it('of a day in spring have 23 hours', () => {
    expect(buckets('DAY', 'America/New_York', '2026-03-07T05:00Z', '2026-03-10T04:00Z')).toEqual([
      '2026-03-07T00:00:00-05:00/1440',
      '2026-03-08T00:00:00-05:00/1380',
      '2026-03-09T00:00:00-04:00/1440',
    ]);
    expect(buckets('HOUR', 'America/New_York', '2026-03-08T06:00Z', '2026-03-08T08:00Z')).toEqual([
      '2026-03-08T01:00:00-05:00/60',
      '2026-03-08T03:00:00-04:00/60',
    ]);
  });

  it('of a day in autumn have 25 hours, the repeated one twice', () => {
    expect(buckets('DAY', 'Europe/Berlin', '2026-10-24T22:00Z', '2026-10-25T23:00Z')).toEqual([
      '2026-10-25T00:00:00+02:00/1500',
    ]);
    expect(buckets('HOUR', 'Europe/Berlin', '2026-10-24T22:00Z', '2026-10-25T23:00Z')).toHaveLength(25);
    expect(buckets('HOUR', 'Europe/Berlin', '2026-10-25T00:00Z', '2026-10-25T02:00Z')).toEqual([
      '2026-10-25T02:00:00+02:00/60',
      '2026-10-25T02:00:00+01:00/60',
    ]);
  });

  it('begin at local hours where the offset is not a whole hour', () => {
    expect(buckets('HOUR', 'Asia/Kathmandu', '2026-01-01T00:00Z', '2026-01-01T01:00Z')).toEqual([
      '2026-01-01T05:00:00+05:45/60',
      '2026-01-01T06:00:00+05:45/60',
    ]);
  });

  it('end early where the offset changes by half an hour (Lord Howe Island)', () => {
    expect(buckets('HOUR', 'Australia/Lord_Howe', '2026-04-04T14:00Z', '2026-04-04T16:30Z')).toEqual([
      '2026-04-05T01:00:00+11:00/60',
      '2026-04-05T01:30:00+10:30/30',
      '2026-04-05T02:00:00+10:30/60',
    ]);
    expect(buckets('HOUR', 'Australia/Lord_Howe', '2026-10-03T14:30Z', '2026-10-03T16:00Z')).toEqual([
      '2026-10-04T01:00:00+10:30/60',
      '2026-10-04T02:30:00+11:00/30',
    ]);
  });

  it('of a day begin after midnight where midnight does not exist (Santiago)', () => {
    expect(buckets('DAY', 'America/Santiago', '2026-09-06T05:00Z', '2026-09-06T06:00Z')).toEqual([
      '2026-09-06T01:00:00-03:00/1380',
    ]);
  });

  it('leave out a day that the zone skipped (Samoa)', () => {
    expect(buckets('DAY', 'Pacific/Apia', '2011-12-30T00:00Z', '2011-12-31T09:59Z')).toEqual([
      '2011-12-29T00:00:00-10:00/1440',
      '2011-12-31T00:00:00+14:00/1440',
    ]);
  });

  it('of weeks begin on Monday, of months on the first', () => {
    expect(buckets('WEEK', 'Europe/Berlin', '2026-03-25T12:00Z', '2026-04-01T12:00Z')).toEqual([
      '2026-03-23T00:00:00+01:00/10020',
      '2026-03-30T00:00:00+02:00/10080',
    ]);
    expect(buckets('MONTH', 'UTC', '2024-02-10T00:00Z', '2024-03-01T00:00Z')).toEqual([
      '2024-02-01T00:00:00+00:00/41760',
    ]);
  });

  it('are none for an empty range, and limited in number', () => {
    expect(buckets('HOUR', 'UTC', '2026-01-01T00:00Z', '2026-01-01T00:00Z')).toEqual([]);
    const toMs = at('2026-01-01T00:00Z');
    const hours = (count: number) =>
      bucketRuns({ fromMs: toMs - count * HOUR_MS, toMs, size: 'HOUR', timeZone: 'UTC' });
    expect(bucketStarts(hours(MAX_BUCKETS))).toHaveLength(MAX_BUCKETS);
    expect(() => hours(MAX_BUCKETS + 1)).toThrow(GatewayError);
    expect(() => bucketRuns({ fromMs: 0, toMs, size: 'MONTH', timeZone: 'UTC' })).toThrow(GatewayError);
  });

  it('cover any range without gap or overlap, and begin where the zone says', () => {
    const zones = [
      'UTC',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'Pacific/Apia',
      'Africa/Casablanca',
    ];
    const sizes: BucketSize[] = ['MINUTE', 'QUARTER_HOUR', 'HOUR', 'DAY', 'WEEK', 'MONTH'];
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.constantFrom(...sizes),
        fc.integer({ min: at('2005-01-01T00:00Z'), max: at('2035-01-01T00:00Z') }),
        fc.integer({ min: 1, max: 100 * HOUR_MS }),
        (timeZone, size, fromMs, lengthMs) => {
          const toMs = fromMs + lengthMs;
          const runs = bucketRuns({ fromMs, toMs, size, timeZone });
          expect(runs[0]!.startMs).toBeLessThanOrEqual(fromMs);
          let edgeMs = runs[0]!.startMs;
          for (const run of runs) {
            expect(run.startMs).toBe(edgeMs);
            expect(run.lengthMs).toBeGreaterThan(0);
            edgeMs += run.lengthMs * run.count;
          }
          expect(edgeMs).toBeGreaterThanOrEqual(toMs);
          // A range within it finds the same edges.
          const middleMs = fromMs + Math.floor(lengthMs / 2);
          const starts = new Set(bucketStarts(runs));
          for (const startMs of bucketStarts(bucketRuns({ fromMs: middleMs, toMs, size, timeZone }))) {
            expect(starts).toContain(startMs);
          }
        },
      ),
      randomRuns(30),
    );
  });
});
