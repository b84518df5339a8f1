/** Error codes of alert policies and of pausing them. */

import { defineErrors } from '../core/errors.ts';

export const POLICY_ERRORS = defineErrors({
  TOO_MANY_ALERT_PAUSES: {
    kind: 'limit',
    message: 'Too many pauses of the organisation have not ended yet.',
  },
  ALERT_PAUSE_OF_NOTHING: { kind: 'invalid-input', message: 'A pause is of something.' },
  ALERT_PAUSE_OVER: { kind: 'invalid-input', message: 'A pause ends in the future.' },
  ALERT_PAUSE_SUBJECT_NOT_FOUND: {
    kind: 'invalid-input',
    message: 'The pause is of something that the organisation does not have.',
  },
  TOO_MANY_CLIMATE_POLICIES: {
    kind: 'limit',
    message: 'The organisation has as many climate policies as it may have.',
  },
  TOO_MANY_CLIMATE_BACKOFFS: {
    kind: 'invalid-input',
    message: 'A climate policy waits after alerts of at most 256 activities.',
  },
  CLIMATE_SCHEDULE_NOT_FOUND: {
    kind: 'invalid-input',
    message: 'The policy names a schedule that the organisation does not have.',
  },
});
