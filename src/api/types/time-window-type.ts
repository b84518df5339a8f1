/** Time windows in responses. */

import { int64, namedType } from '../../http/fields/field-types.ts';

export const TIME_WINDOW_SCHEMA = namedType('TimeWindowSeconds', {
  startSeconds: int64('When it begins, epoch seconds.'),
  durationSeconds: int64('How long it lasts, seconds.'),
});
