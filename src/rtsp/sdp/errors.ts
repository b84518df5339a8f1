/** Error codes of the session description parser. */

import { defineErrors } from '../../core/errors.ts';

export const SDP_ERRORS = defineErrors({
  SDP_INVALID: {
    kind: 'peer-protocol',
    message: 'The camera’s stream description is not valid SDP.',
  },
  SDP_TOO_LARGE: {
    kind: 'limit',
    message: 'The camera sent a session description that exceeds the size limit.',
  },
});
