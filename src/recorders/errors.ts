/** Error codes of what video recorders have on their disks. The context names the host, never a login or a query. */

import { defineErrors } from '../core/errors.ts';

export const RECORDER_ERRORS = defineErrors({
  RECORDER_BUSY: {
    kind: 'unavailable',
    message: 'The video recorder is playing as many recordings as it can. This one waits for its turn.',
  },
  RECORDER_UNREACHABLE: {
    kind: 'unavailable',
    message: 'The video recorder cannot be reached, or did not respond in time.',
  },
  RECORDER_LOGIN_REFUSED: {
    kind: 'peer-refused',
    message: 'The video recorder refused the user name or password.',
  },
  RECORDER_REFUSED: { kind: 'peer-refused', message: 'The video recorder refused a request.' },
  RECORDER_BAD_RESPONSE: {
    kind: 'peer-protocol',
    message: 'The video recorder sent a response that cannot be read.',
  },
  RECORDER_OTHER_TIME: {
    kind: 'peer-protocol',
    message: 'The video recorder plays another time than the requested one.',
  },
  RECORDER_NOTHING_PLAYED: {
    kind: 'peer-protocol',
    message: 'The video recorder lists recordings of this time but plays none.',
  },
  RECORDER_LIST_TOO_LONG: {
    kind: 'limit',
    message: 'The video recorder lists too many recordings for this time.',
  },
  RECORDER_UNKNOWN: {
    kind: 'not-found',
    message: 'No video recorder is configured for this camera.',
  },
});
