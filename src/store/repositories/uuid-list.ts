/** Any number of UUIDs in one bound value: databases bound how many values a statement can have. */

import { type RawBuilder, sql } from 'kysely';
import type { Ruuid } from '../../core/ruuid.ts';
import type { SqlDatabase } from '../sql-executor.ts';

/** A list of this length has a value each, so that the database knows how many there are. */
export const MAX_BOUND_UUIDS = 100;

/** The right side of `in`. */
export function uuidList({ isShared }: SqlDatabase, uuids: readonly Ruuid[]): RawBuilder<string> {
  const list = JSON.stringify(uuids);
  // SQLite is never shared.
  return isShared
    ? sql<string>`(select jsonb_array_elements_text(cast(${list} as jsonb)))`
    : sql<string>`(select value from json_each(${list}))`;
}
