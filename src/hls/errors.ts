/** Error codes of playlist requests. */

import { defineErrors } from '../core/errors.ts';

export const HLS_ERRORS = defineErrors({
  HLS_BAD_SEQUENCE_NUMBER: {
    kind: 'invalid-input',
    message: '_HLS_msn must be a Media Sequence Number: a whole number of at most 15 digits.',
  },
  HLS_BAD_PART: {
    kind: 'invalid-input',
    message: '_HLS_part must be a part index: a whole number of at most 15 digits.',
  },
  HLS_PART_WITHOUT_MSN: { kind: 'invalid-input', message: '_HLS_part requires _HLS_msn.' },
  HLS_BAD_FIRST: {
    kind: 'invalid-input',
    message: 'first must be a Media Sequence Number: a whole number of at most 15 digits.',
  },
  HLS_BAD_SKIP: { kind: 'invalid-input', message: '_HLS_skip must be YES or v2.' },
});
