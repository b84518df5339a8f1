/** Statements that remove crossings and their sums. */

import type { CompiledQuery, Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** The oldest quarter hours of devices from before `quarterHour`. */
export function removeOldSums(
  build: Kysely<Tables>,
  deviceKeys: readonly number[],
  quarterHour: number,
  limit: number,
): CompiledQuery<unknown> {
  const old = build
    .selectFrom('crossing_quarter_hours')
    .select(['device_key', 'quarter_hour', 'object_type'])
    .where('device_key', 'in', deviceKeys)
    .where('quarter_hour', '<', quarterHour)
    .limit(limit);
  return build
    .deleteFrom('crossing_quarter_hours')
    .where(({ eb, refTuple }) =>
      eb(
        refTuple('device_key', 'quarter_hour', 'object_type'),
        'in',
        old.$asTuple('device_key', 'quarter_hour', 'object_type'),
      ),
    )
    .compile();
}

/** The oldest crossings of devices from before `beforeMs`. */
export function removeOldRows(
  build: Kysely<Tables>,
  deviceKeys: readonly number[],
  beforeMs: number,
  limit: number,
): CompiledQuery<unknown> {
  const old = build
    .selectFrom('crossings')
    .select(['device_key', 'event_id'])
    .where('device_key', 'in', deviceKeys)
    .where('at_ms', '<', beforeMs)
    .limit(limit);
  return build
    .deleteFrom('crossings')
    .where(({ eb, refTuple }) =>
      eb(refTuple('device_key', 'event_id'), 'in', old.$asTuple('device_key', 'event_id')),
    )
    .compile();
}
