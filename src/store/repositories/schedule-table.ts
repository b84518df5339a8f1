/** Schedules. Intervals are one JSON column: they are only ever read and written together. */

import type { Ruuid } from '../../core/ruuid.ts';
import type { ChangeFeed } from '../change-feed.ts';
import type { Schedule, Share } from '../entities.ts';
import type { ScheduleRow } from '../entity-tables.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { ScheduleRepository } from '../store.ts';
import { bitOf, ruuidOf } from './columns.ts';
import { type OrgMapping, OrgTable } from './org-table.ts';
import { shareFromRow } from './share-table.ts';

const MAPPING: OrgMapping<Schedule, ScheduleRow> = {
  table: 'schedules',
  entity: 'schedule',
  detailsOf: ({ name }) => ({ deviceUuid: null, fields: { name } }),
  toRow: (schedule) => ({
    uuid: schedule.uuid,
    org_uuid: schedule.orgUuid,
    name: schedule.name,
    mutable: bitOf(schedule.mutable),
    one_time_use: bitOf(schedule.oneTimeUse),
    strategy: schedule.strategy,
    intervals_json: JSON.stringify(spansOf(schedule)),
    created_at_ms: schedule.createdAtMs,
    updated_at_ms: schedule.updatedAtMs,
  }),
  fromRow: (row) =>
    ({
      uuid: ruuidOf(row.uuid),
      orgUuid: ruuidOf(row.org_uuid),
      name: row.name,
      mutable: row.mutable === 1,
      oneTimeUse: row.one_time_use === 1,
      createdAtMs: row.created_at_ms,
      updatedAtMs: row.updated_at_ms,
      strategy: row.strategy,
      ...(row.strategy === 'REALTIME_RELATIVE_SECONDS'
        ? { pastSeconds: JSON.parse(row.intervals_json)[0] }
        : { intervals: JSON.parse(row.intervals_json) }),
    }) as Schedule,
};

export class ScheduleTable extends OrgTable<Schedule, ScheduleRow> implements ScheduleRepository {
  constructor(database: SqlDatabase, changes: ChangeFeed) {
    super(database, changes, MAPPING);
  }

  async removeUnused(orgUuid: Ruuid, uuid: Ruuid): Promise<{ removed: boolean; usedBy: Share[] }> {
    const { build, executor } = this.database;
    const users = build
      .selectFrom('shares')
      .selectAll()
      .where('org_uuid', '=', orgUuid)
      .where('schedule_uuid', '=', uuid);
    const [used, deleted] = await executor.run(
      users.orderBy('created_at_ms').orderBy('uuid').compile(),
      build
        .deleteFrom('schedules')
        .where('org_uuid', '=', orgUuid)
        .where('uuid', '=', uuid)
        .where(({ not, exists }) => not(exists(users)))
        .compile(),
    );
    const removed = deleted.changes > 0;
    if (removed) this.published('DELETE', orgUuid, uuid);
    return { removed, usedBy: used.rows.map(shareFromRow) };
  }
}

/** The contents of a kind of schedule, always as a list. */
function spansOf(schedule: Schedule): readonly unknown[] {
  return schedule.strategy === 'REALTIME_RELATIVE_SECONDS' ? [schedule.pastSeconds] : schedule.intervals;
}
