/** What reports of counted objects have in common. */

import { type Static, Type } from 'typebox';
import { int64, listOf, mapOf, namedType, oneOf, plainText } from '../../http/fields/field-types.ts';
import { COUNTED_OBJECTS, type CountedType, type ObjectCounts } from '../../reports/object-counts.ts';

export const COUNTED_TYPES = Object.keys(COUNTED_OBJECTS) as CountedType[];
export const DEFAULT_TYPE: CountedType = 'PEOPLE';

export const SIZE_BY_INTERVAL = {
  QUARTERHOURLY: 'QUARTER_HOUR',
  HOURLY: 'HOUR',
  DAILY: 'DAY',
  WEEKLY: 'WEEK',
  MONTHLY: 'MONTH',
} as const;

export const INTERVAL_FIELD = Type.Optional(
  oneOf(
    ['QUARTERHOURLY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY'],
    'Length of the intervals. Default HOURLY.',
  ),
);

const DATA_POINT_SCHEMA = namedType('TimeSeriesDataPointV2', {
  dateLocal: plainText('When the interval begins, as ISO 8601 in the time zone of the report.'),
  dateUtc: plainText('The same, as ISO 8601 in UTC.'),
  eventCountMap: mapOf(int64('Count.'), 'How many crossed a threshold, in either direction, by type.'),
});

export const DATA_POINTS = listOf(
  DATA_POINT_SCHEMA,
  'Every interval that the range touches, oldest first, including empty ones.',
);

export const OBJECT_COUNT_RULES =
  'Counts what cameras report as threshold crossings: people, vehicles, faces and license plates. Other types of the API family ' +
  'are refused, because nothing of them is counted. At most 9,000 intervals and 20 years.';

export function dataPoint({ start, counts }: ObjectCounts): Static<typeof DATA_POINT_SCHEMA> {
  return {
    dateLocal: start.toString({ timeZoneName: 'never' }),
    dateUtc: start.toInstant().toString(),
    eventCountMap: { ...counts },
  };
}

export const EXAMPLE_DATA_POINT: Static<typeof DATA_POINT_SCHEMA> = {
  dateLocal: '2026-01-01T00:00:00+00:00',
  dateUtc: '2026-01-01T00:00:00Z',
  eventCountMap: { PEOPLE: 21 },
};
