/** Error codes of the reports. */

import { defineErrors } from '../../core/errors.ts';

export const REPORT_ERRORS = defineErrors({
  REPORT_TOO_LONG: {
    kind: 'limit',
    message:
      'The end is too far from the start. A report has at most 9,000 buckets and spans at most 20 years.',
  },
  REPORT_TOO_MANY_CROSSINGS: {
    kind: 'limit',
    message:
      'There are more than 10,000 threshold crossings to list. Ask for fewer devices or a shorter range.',
  },
  REPORT_RANGE_REVERSED: {
    kind: 'invalid-input',
    message: 'The range of a report must not end before it starts.',
  },
  REPORT_TIME_ZONE_UNKNOWN: { kind: 'invalid-input', message: 'There is no IANA time zone with this name.' },
  REPORT_DEVICE_NOT_FOUND: { kind: 'not-found', message: 'There is no device with this UUID.' },
  BUSINESS_DATE_INVALID: {
    kind: 'invalid-input',
    message: 'A business day must be a date such as 2026-01-31.',
  },
});
