/** What the crossing count reports have in common. */

import { type Static, Type } from 'typebox';
import { flag, int32, int64, listOf, namedType, oneOf } from '../../http/fields/field-types.ts';
import { CROSSING_OBJECTS, type CrossingCount } from '../../store/crossing.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';
import { BUCKET_SIZE_FIELD, RANGE_PROPERTIES, TIME_ZONE_FIELD } from './report-range.ts';

export const CROSSING_OBJECT_FIELD = Type.Optional(
  oneOf(CROSSING_OBJECTS, 'Only crossings of this kind of object. All kinds if absent.'),
);

export const COUNT_REPORT_PROPERTIES = {
  ...RANGE_PROPERTIES,
  bucketSize: BUCKET_SIZE_FIELD,
  crossingObject: CROSSING_OBJECT_FIELD,
  dedupe: Type.Optional(
    flag(
      'Whether to count an object that a device recognizes again only once per bucket and direction. Default false.',
    ),
  ),
  timeZone: TIME_ZONE_FIELD,
};

const CROSSING_COUNTS_SCHEMA = namedType('CrossingCounts', {
  timestampMs: int64('When the bucket begins, in epoch milliseconds; this can be before `startTimeMs`.'),
  ingressCount: int32('How many came in.'),
  egressCount: int32('How many went out.'),
});

export const COUNT_REPORT_RESPONSE = {
  crossingCounts: listOf(
    CROSSING_COUNTS_SCHEMA,
    'Every bucket that the range touches, in order, including empty ones.',
  ),
};

export const COUNT_REPORT_RULES =
  'Counts crossings at or after `startTimeMs` and before `endTimeMs`. Buckets begin according to `timeZone`: a day ' +
  'has 23 or 25 hours when daylight saving time changes. If a range begins or ends within a bucket, only the covered ' +
  'part counts. So without `dedupe`, adjacent ranges add up to the whole; with `dedupe`, they do if they meet at the ' +
  'end of a bucket. At most 9,000 buckets and 20 years.';

export const EXAMPLE_COUNTS = [
  { timestampMs: EXAMPLE_TIME_MS, ingressCount: 12, egressCount: 9 },
  { timestampMs: EXAMPLE_TIME_MS + 3_600_000, ingressCount: 0, egressCount: 3 },
];

export function crossingCountsAnswer(
  counts: readonly CrossingCount[],
): Static<typeof CROSSING_COUNTS_SCHEMA>[] {
  return counts.map(({ bucketStartMs: timestampMs, ingressCount, egressCount }) => ({
    timestampMs,
    ingressCount,
    egressCount,
  }));
}
