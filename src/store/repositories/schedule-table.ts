/** Schedules. Intervals are one JSON column: they are only ever read and written together. */

import type { Ruuid } from '../../core/ruuid.ts';
import type { ChangeFeed } from '../change-feed.ts';
import type { Schedule, Share } from '../entities.ts';
import { SCHEDULES, type ScheduleRow, SHARES } from '../entity-tables.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { ScheduleRepository } from '../store.ts';
import { type OrgMapping, OrgTable } from './org-table.ts';

const MAPPING: OrgMapping<Schedule, ScheduleRow> = {
  ...SCHEDULES,
  entity: 'schedule',
  detailsOf: ({ name }) => ({ deviceUuid: null, fields: { name } }),
  toRow: (schedule) => SCHEDULES.toRow({ ...schedule, spans: spansOf(schedule) }),
  fromRow: (row) => {
    const { spans, ...schedule } = SCHEDULES.fromRow(row);
    const isRelative = schedule.strategy === 'REALTIME_RELATIVE_SECONDS';
    return { ...schedule, ...(isRelative ? { pastSeconds: spans[0] } : { intervals: spans }) } as Schedule;
  },
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
    return { removed, usedBy: used.rows.map(SHARES.fromRow) };
  }
}

function spansOf(schedule: Schedule): readonly unknown[] {
  return schedule.strategy === 'REALTIME_RELATIVE_SECONDS' ? [schedule.pastSeconds] : schedule.intervals;
}
