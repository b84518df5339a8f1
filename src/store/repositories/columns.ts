/** Column values that both databases hold alike, and what they mean in an entity. */

import type { Ruuid } from '../../core/ruuid.ts';

export function bitOf(value: boolean): number {
  return value ? 1 : 0;
}

/** Our own writes put nothing but RUUIDs into uuid columns. */
export function ruuidOf(column: string): Ruuid {
  return column as Ruuid;
}

export function optionalRuuidOf(column: string | null): Ruuid | null {
  return column as Ruuid | null;
}
