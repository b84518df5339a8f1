/** The range and the buckets of a report in requests. */

import { Type } from 'typebox';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { int64, oneOf, text } from '../../http/fields/field-types.ts';

export const RANGE_PROPERTIES = {
  startTimeMs: Type.Optional(
    int64(
      'Start of the range, inclusive, in epoch milliseconds. Default: one day before `endTimeMs`.',
      0,
      MAX_TIME_MS,
    ),
  ),
  endTimeMs: Type.Optional(
    int64('End of the range, exclusive, in epoch milliseconds. Default: now.', 0, MAX_TIME_MS),
  ),
};

export const TIME_ZONE_FIELD = Type.Optional(
  text('IANA time zone of the buckets, such as America/New_York. Default UTC.'),
);

export const BUCKET_SIZES = ['QUARTER_HOUR', 'HOUR', 'DAY', 'WEEK', 'MONTH'] as const;

export const BUCKET_SIZE_FIELD = Type.Optional(
  oneOf(BUCKET_SIZES, 'Length of the buckets; weeks begin on Monday. Default HOUR.'),
);
