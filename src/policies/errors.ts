/** Error codes of alert policies and of pausing them. */

import { defineErrors } from '../core/errors.ts';

export const POLICY_ERRORS = defineErrors({
  TOO_MANY_ALERT_PAUSES: {
    kind: 'limit',
    message: 'The organization has too many pauses that have not ended yet.',
  },
  ALERT_PAUSE_OF_NOTHING: { kind: 'invalid-input', message: 'A pause needs something to pause.' },
  ALERT_PAUSE_OVER: { kind: 'invalid-input', message: 'A pause must end in the future.' },
  ALERT_PAUSE_SUBJECT_NOT_FOUND: {
    kind: 'invalid-input',
    message: 'The pause names something that the organization does not have.',
  },
  TOO_MANY_CLIMATE_POLICIES: {
    kind: 'limit',
    message: 'The organization has reached its limit of climate policies.',
  },
  TOO_MANY_CLIMATE_BACKOFFS: {
    kind: 'invalid-input',
    message: 'A climate policy can have backoffs for at most 256 activities.',
  },
  CLIMATE_SCHEDULE_NOT_FOUND: {
    kind: 'invalid-input',
    message: 'The policy names a schedule that the organization does not have.',
  },
});
