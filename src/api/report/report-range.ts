/** The range and the buckets of a report, as requests give them. */

import { Type } from 'typebox';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { int64, oneOf, text } from '../fields/field-types.ts';

export const RANGE_PROPERTIES = {
  startTimeMs: Type.Optional(
    int64(
      'First instant that counts, in epoch milliseconds. A day before `endTimeMs` when absent.',
      0,
      MAX_TIME_MS,
    ),
  ),
  endTimeMs: Type.Optional(
    int64('First instant that no longer counts, in epoch milliseconds. Now when absent.', 0, MAX_TIME_MS),
  ),
};

export const TIME_ZONE_FIELD = Type.Optional(
  text('IANA time zone in which buckets begin, such as America/New_York. UTC when absent.'),
);

export const BUCKET_SIZES = ['QUARTER_HOUR', 'HOUR', 'DAY', 'WEEK', 'MONTH'] as const;

export const BUCKET_SIZE_FIELD = Type.Optional(
  oneOf(BUCKET_SIZES, 'Length of the buckets; weeks begin on Monday. HOUR when absent.'),
);
