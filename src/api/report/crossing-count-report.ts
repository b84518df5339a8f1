/** What the two crossing count reports have in common. */

import { type Static, Type } from 'typebox';
import { CROSSING_OBJECTS, type CrossingObject, type ReportingDevice } from '../../store/crossing.ts';
import type { CallContext } from '../base/endpoint.ts';
import { EXAMPLE_TIME_MS } from '../base/examples.ts';
import { flag, int32, int64, listOf, namedType, oneOf } from '../base/field-types.ts';
import { bucketRuns, bucketStarts } from './report-buckets.ts';
import {
  BUCKET_SIZE_FIELD,
  type BUCKET_SIZES,
  RANGE_PROPERTIES,
  type RequestedRange,
  rangeOf,
  TIME_ZONE_FIELD,
  timeZoneOf,
} from './report-range.ts';

export const CROSSING_OBJECT_FIELD = Type.Optional(
  oneOf(CROSSING_OBJECTS, 'Only crossings of this kind of object. Every kind when absent.'),
);

export const COUNT_REPORT_PROPERTIES = {
  ...RANGE_PROPERTIES,
  bucketSize: BUCKET_SIZE_FIELD,
  crossingObject: CROSSING_OBJECT_FIELD,
  dedupe: Type.Optional(
    flag('Count an object that a device recognises again once per bucket and direction. False when absent.'),
  ),
  timeZone: TIME_ZONE_FIELD,
};

const CROSSING_COUNTS_SCHEMA = namedType('CrossingCounts', {
  timestampMs: int64('When the bucket begins, in epoch milliseconds; it may be before `startTimeMs`.'),
  ingressCount: int32('How many came in.'),
  egressCount: int32('How many went out.'),
});

export const COUNT_REPORT_RESPONSE = {
  crossingCounts: listOf(
    CROSSING_COUNTS_SCHEMA,
    'Every bucket that the range touches, in order, empty ones too.',
  ),
};

export const COUNT_REPORT_RULES =
  'Crossings from `startTimeMs` up to but not including `endTimeMs` count. Buckets begin where they do in ' +
  '`timeZone`: a day has 23 or 25 hours when daylight saving changes. A range that begins or ends within a bucket ' +
  'counts the part that it covers, so without `dedupe` adjoining ranges add up to the whole; with `dedupe` they do ' +
  'when they meet where a bucket ends. At most 9,000 buckets and 20 years.';

export const EXAMPLE_COUNTS = [
  { timestampMs: EXAMPLE_TIME_MS, ingressCount: 12, egressCount: 9 },
  { timestampMs: EXAMPLE_TIME_MS + 3_600_000, ingressCount: 0, egressCount: 3 },
];

interface CountReportRequest extends RequestedRange {
  readonly bucketSize?: (typeof BUCKET_SIZES)[number];
  readonly crossingObject?: CrossingObject;
  readonly dedupe?: boolean;
  readonly timeZone?: string;
}

/** `devices`: null for every device of the organisation. */
export async function countReport(
  { orgUuid, services }: CallContext,
  request: CountReportRequest,
  devices: readonly ReportingDevice[] | null,
): Promise<Static<typeof CROSSING_COUNTS_SCHEMA>[]> {
  const range = rangeOf(request, services.clock);
  const size = request.bucketSize ?? 'HOUR';
  const runs = bucketRuns({ ...range, size, timeZone: timeZoneOf(request.timeZone) });
  const counts = await services.store.crossings.counts(orgUuid, {
    devices,
    ...range,
    runs,
    isDeduplicated: request.dedupe ?? false,
    ...(request.crossingObject === undefined ? {} : { object: request.crossingObject }),
  });
  const known = new Map(counts.map((count) => [count.bucketStartMs, count]));
  return bucketStarts(runs).map((timestampMs) => {
    const count = known.get(timestampMs);
    return {
      timestampMs,
      ingressCount: count?.ingressCount ?? 0,
      egressCount: count?.egressCount ?? 0,
    };
  });
}
