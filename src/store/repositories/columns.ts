/** UUIDs of columns that are read outside a row mapping. */

import type { Ruuid } from '../../core/ruuid.ts';

/** We write only RUUIDs to uuid columns. */
export function ruuidOf(column: string): Ruuid {
  return column as Ruuid;
}

export function optionalRuuidOf(column: string | null): Ruuid | null {
  return column as Ruuid | null;
}
