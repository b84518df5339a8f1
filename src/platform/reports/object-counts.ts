/** How much was counted by bucket, as clients of the family ask for it: by the kind of thing, at a camera, a location or all. */

import { Temporal } from 'temporal-polyfill';
import type { Ruuid } from '../../core/ruuid.ts';
import type { CrossingObject, ReportingDevice } from '../../store/crossing.ts';
import type { CrossingReports } from './crossing-reports.ts';
import type { BucketSize } from './report-buckets.ts';
import type { WantedRange } from './report-range.ts';

/** Objects that cameras count when they cross a threshold, by the type of a report. */
export const COUNTED_OBJECTS = {
  PEOPLE: 'HUMAN',
  VEHICLES: 'VEHICLE',
  FACES: 'FACE',
  LICENSEPLATES: 'LPR',
} as const satisfies Readonly<Record<string, CrossingObject>>;

export type CountedType = keyof typeof COUNTED_OBJECTS;

export interface WantedObjects extends WantedRange {
  readonly bucketSize: Exclude<BucketSize, 'MINUTE'>;
  readonly timeZone?: string;
  readonly types: readonly CountedType[];
}

export interface ObjectCounts {
  /** When the bucket begins, in the time zone of the report. */
  readonly start: Temporal.ZonedDateTime;
  /** Crossings in either direction. */
  readonly counts: Readonly<Partial<Record<CountedType, number>>>;
}

/**
 * Every bucket that the range touches, in order. `devices`: null for all of the organization. Fails like
 * CrossingReports.counts.
 */
export async function objectCounts(
  reports: Pick<CrossingReports, 'counts'>,
  orgUuid: Ruuid,
  devices: readonly ReportingDevice[] | null,
  { types, bucketSize, timeZone = 'UTC', ...range }: WantedObjects,
): Promise<ObjectCounts[]> {
  const byStart = new Map<number, Partial<Record<CountedType, number>>>();
  for (const type of types) {
    const crossingObject = COUNTED_OBJECTS[type];
    const counted = await reports.counts(orgUuid, devices, {
      ...range,
      bucketSize,
      timeZone,
      crossingObject,
    });
    for (const { bucketStartMs, ingressCount, egressCount } of counted) {
      const counts = byStart.get(bucketStartMs) ?? {};
      counts[type] = ingressCount + egressCount;
      byStart.set(bucketStartMs, counts);
    }
  }
  return [...byStart].map(([startMs, counts]) => ({
    start: Temporal.Instant.fromEpochMilliseconds(startMs).toZonedDateTimeISO(timeZone),
    counts,
  }));
}
