/** Error codes of the counters. Only opening and `sluice check` fail: after that, Redis may come and go. */

import { defineErrors } from '../core/errors.ts';

export const COUNTERS_ERRORS = defineErrors({
  COUNTERS_REDIS_URL: {
    kind: 'invalid-input',
    message: 'The Redis URL must start with redis:// or rediss://.',
  },
  COUNTERS_REDIS_UNUSABLE: {
    kind: 'unavailable',
    message: 'The Redis server of the setting `redis` cannot be used.',
  },
});
