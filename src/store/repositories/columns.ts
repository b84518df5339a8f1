/** Column values that are the same in both databases, and what they mean in an entity. */

import type { Ruuid } from '../../core/ruuid.ts';

export function bitOf(value: boolean): number {
  return value ? 1 : 0;
}

/** We write only RUUIDs to uuid columns. */
export function ruuidOf(column: string): Ruuid {
  return column as Ruuid;
}

export function optionalRuuidOf(column: string | null): Ruuid | null {
  return column as Ruuid | null;
}
