/** Ended views and blocked addresses. They are few: EndedViews limits them, and each ends. */

import type { Ruuid } from '../../core/ruuid.ts';
import type { EndedViewRecord, EndedViewRepository } from '../ended-view.ts';
import { ENDED_VIEWS } from '../entity-tables.ts';
import type { SqlDatabase } from '../sql-executor.ts';

export class EndedViewTable implements EndedViewRepository {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async put(records: readonly EndedViewRecord[], nowMs: number): Promise<void> {
    const { build, executor } = this.#database;
    await executor.runVital(
      build.deleteFrom('ended_views').where('until_ms', '<=', nowMs).compile(),
      ...records.map((record) =>
        build
          .insertInto('ended_views')
          .values(ENDED_VIEWS.toRow(record))
          .onConflict((conflict) =>
            conflict.columns(['link_uuid', 'kind', 'subject']).doUpdateSet({ until_ms: record.untilMs }),
          )
          .compile(),
      ),
    );
  }

  async remove({ orgUuid, linkUuid, kind, subject }: Omit<EndedViewRecord, 'untilMs'>): Promise<void> {
    const { build, executor } = this.#database;
    const query = build
      .deleteFrom('ended_views')
      .where('org_uuid', '=', orgUuid)
      .where('link_uuid', '=', linkUuid)
      .where('kind', '=', kind)
      .where('subject', '=', subject);
    await executor.run(query.compile());
  }

  async list(nowMs: number, linkUuid?: Ruuid): Promise<EndedViewRecord[]> {
    const { build, executor } = this.#database;
    let query = build.selectFrom('ended_views').selectAll().where('until_ms', '>', nowMs);
    if (linkUuid !== undefined) query = query.where('link_uuid', '=', linkUuid);
    const rows = await executor.readLong(query.compile());
    return rows.map(ENDED_VIEWS.fromRow).toArray();
  }
}
