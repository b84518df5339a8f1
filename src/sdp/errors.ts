/** Error codes of the session description parser. */

import { defineErrors } from '../core/errors.ts';

export const SDP_ERRORS = defineErrors({
  SDP_INVALID: {
    kind: 'peer-protocol',
    message: 'The camera described its stream with something that is no SDP.',
  },
  SDP_TOO_LARGE: { kind: 'limit', message: 'The camera sent a session description larger than is accepted.' },
});
