/** Error codes of proximity tags. */

import { defineErrors } from '../../core/errors.ts';

export const PROXIMITY_ERRORS = defineErrors({
  PROXIMITY_TAG_NOT_FOUND: { kind: 'not-found', message: 'There is no proximity tag with this UUID.' },
});
