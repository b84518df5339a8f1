/** Error codes of manifest requests. */

import { defineErrors } from '../core/errors.ts';

export const DASH_ERRORS = defineErrors({
  DASH_BAD_LATENCY: { kind: 'invalid-input', message: 'latency must be low or normal.' },
});
