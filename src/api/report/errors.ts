/** Error codes of the reports. */

import { defineErrors } from '../../core/errors.ts';

export const REPORT_ERRORS = defineErrors({
  REPORT_TOO_LONG: {
    kind: 'limit',
    message:
      'endTimeMs lies too far from startTimeMs: a report has at most 9,000 buckets and spans at most 20 years.',
  },
  REPORT_DEVICE_NOT_FOUND: { kind: 'not-found', message: 'There is no device with this UUID.' },
});
