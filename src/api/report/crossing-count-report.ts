/** What the crossing count reports have in common. */

import { type Static, Type } from 'typebox';
import { CROSSING_OBJECTS, type CrossingCount } from '../../store/crossing.ts';
import { flag, int32, int64, listOf, namedType, oneOf } from '../fields/field-types.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';
import { BUCKET_SIZE_FIELD, RANGE_PROPERTIES, TIME_ZONE_FIELD } from './report-range.ts';

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

export function crossingCountsAnswer(
  counts: readonly CrossingCount[],
): Static<typeof CROSSING_COUNTS_SCHEMA>[] {
  return counts.map(({ bucketStartMs: timestampMs, ingressCount, egressCount }) => ({
    timestampMs,
    ingressCount,
    egressCount,
  }));
}
