/** Error codes of requests that wait for what a live stream has not produced yet. */

import { defineErrors } from '../../core/errors.ts';

export const LIVE_ERRORS = defineErrors({
  LIVE_WAIT_TIMEOUT: {
    kind: 'unavailable',
    message: 'The camera did not send the requested media in time.',
  },
  LIVE_TOO_MANY_WAITERS: { kind: 'unavailable', message: 'Too many requests are waiting for this stream.' },
  LIVE_PART_GONE: {
    kind: 'not-found',
    message: 'The requested part will not come: its segment ended before it.',
  },
});
