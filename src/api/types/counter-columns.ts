/** Counters over time, as columns. */

import { Type } from 'typebox';

/**
 * A map with values of any type, because only those stay as they are: elsewhere, null means that a field is left out, which
 * an element of an array cannot be.
 */
export const COUNTER_COLUMNS = Type.Unsafe<Record<string, (number | null)[]>>({
  type: 'object',
  additionalProperties: true,
  description: 'For each counter an array of numbers; null: not known at that time.',
});
