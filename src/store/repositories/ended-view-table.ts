/** Ended views and blocked addresses. They are few: EndedViews limits them, and each ends. */

import type { Ruuid } from '../../core/ruuid.ts';
import type { EndedViewRecord, EndedViewRepository } from '../ended-view.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import { ruuidOf } from './columns.ts';

export class EndedViewTable implements EndedViewRepository {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async put(records: readonly EndedViewRecord[], nowMs: number): Promise<void> {
    const { build, executor } = this.#database;
    await executor.runVital(
      build.deleteFrom('ended_views').where('until_ms', '<=', nowMs).compile(),
      ...records.map(({ orgUuid, linkUuid, kind, subject, untilMs }) =>
        build
          .insertInto('ended_views')
          .values({ org_uuid: orgUuid, link_uuid: linkUuid, kind, subject, until_ms: untilMs })
          .onConflict((conflict) =>
            conflict.columns(['link_uuid', 'kind', 'subject']).doUpdateSet({ until_ms: untilMs }),
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
    return rows
      .map((row) => ({
        orgUuid: ruuidOf(row.org_uuid),
        linkUuid: ruuidOf(row.link_uuid),
        kind: row.kind as EndedViewRecord['kind'],
        subject: row.subject,
        untilMs: row.until_ms,
      }))
      .toArray();
  }
}
