/** The difference between two descriptions of the same object. */

import { isDeepStrictEqual } from 'node:util';

/**
 * The first field of `given` whose value is not the stored one; null if there is none. Fields that `given` leaves out
 * are not compared, nor are fields that only `stored` has.
 */
export function firstDifference(given: object, stored: object): string | null {
  const known = stored as Readonly<Record<string, unknown>>;
  for (const [field, value] of Object.entries(given)) {
    if (value === undefined || isDeepStrictEqual(value, known[field])) continue;
    if (!isDeepStrictEqual(asStored(value), known[field])) return field;
  }
  return null;
}

/** JSON has no -0, so the store has 0 in its place. */
function asStored(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
