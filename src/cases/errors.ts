/** Error codes of legal holds and cases. */

import { defineErrors } from '../core/errors.ts';

export const CASE_ERRORS = defineErrors({
  HOLD_NOT_FOUND: { kind: 'not-found', message: 'There is no legal hold with this UUID.' },
  HOLD_OF_CASE: {
    kind: 'conflict',
    message: 'The hold belongs to a case. Remove the item from the case, which releases it.',
  },
  HOLD_TIME_INVALID: {
    kind: 'invalid-input',
    message: 'A hold needs either a camera with a time of at most 31 days, or a clip.',
  },
  HOLD_REASON_MISSING: { kind: 'invalid-input', message: 'A hold needs a reason.' },
  HOLD_END_INVALID: { kind: 'invalid-input', message: 'The end of a hold must be in the future.' },
  TOO_MANY_HOLDS: { kind: 'limit', message: 'The organization has as many legal holds as it can.' },
  TOO_MUCH_HELD: {
    kind: 'limit',
    message:
      'The organization would hold more of the disk than its share. Release a hold, or add room to the disk.',
  },
  PROOF_TIME_INVALID: {
    kind: 'invalid-input',
    message: 'Recordings of at most one hour can be checked at a time, and the end must be after the start.',
  },
  CASE_NOT_FOUND: { kind: 'not-found', message: 'There is no case with this UUID.' },
  CASE_UNTITLED: { kind: 'invalid-input', message: 'A case needs a title.' },
  CASE_SEALED: {
    kind: 'conflict',
    message: 'The case is sealed, or is being sealed. Reopen it before you change it.',
  },
  CASE_FULL: { kind: 'limit', message: 'A case can have 100 items. Open another one.' },
  CASE_ITEM_TIME_INVALID: {
    kind: 'invalid-input',
    message: 'An item of a case is a time of at most 24 hours. Add longer times in parts.',
  },
  CASE_CLIP_NOT_FOUND: { kind: 'not-found', message: 'There is no saved clip with this UUID.' },
  CASE_HAS_HIDDEN_ITEMS: {
    kind: 'not-allowed',
    message: 'The case has items of cameras that are outside of your rights.',
  },
  CASE_NOT_SEALED: { kind: 'conflict', message: 'The case is not sealed, so it has no archive.' },
  CASE_EMPTY: { kind: 'conflict', message: 'The case has no items to seal.' },
  CASE_WITHOUT_MEDIA: { kind: 'conflict', message: 'Nothing was recorded in the times of the case.' },
  CASE_SEALING_STOPPED: {
    kind: 'unavailable',
    message: 'The gateway stops. It seals the case when it starts.',
  },
  CASE_CHANGED: {
    kind: 'conflict',
    message: 'A recording of the case is not as it was sealed, or is missing. Check the recordings.',
  },
  TIME_STAMP_UNAVAILABLE: {
    kind: 'unavailable',
    message: 'The time stamp authority does not answer. Seal the case again later.',
  },
  TIME_STAMP_INVALID: {
    kind: 'unavailable',
    message: 'The time stamp authority answered with something that is not a valid time stamp of the case.',
  },
  TOO_MANY_CASES: { kind: 'limit', message: 'The organization has as many cases as it can.' },
  TOO_MANY_SEALS: { kind: 'unavailable', message: 'Many cases are being sealed. Try again later.' },
});
