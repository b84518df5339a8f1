/** Fields that rows of several kinds have. */

import { MAX_TIME_MS } from '../../core/max-time.ts';
import { int64, text } from '../../http/fields/field-types.ts';

/** The limit of the store (event.ts). */
export const MAX_ROW_ID_LENGTH = 128;

export function rowId(description: string) {
  return text(
    `${description} A row whose id is already known counts as a duplicate and changes nothing.`,
    MAX_ROW_ID_LENGTH,
  );
}

export function timeMs(description: string) {
  return int64(`${description} Epoch milliseconds.`, 0, MAX_TIME_MS);
}
