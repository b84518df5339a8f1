/** Leases of a cluster and the runs that rely on the store, in their tables. */

import { sql } from 'kysely';
import type { Ruuid } from '../../core/ruuid.ts';
import type {
  ClusterLeaseRepository,
  FencedLease,
  LeaseClaim,
  NodeRun,
  RelyingRun,
} from '../cluster-lease.ts';
import type { StreamLedgerEntry } from '../entities.ts';
import { CLUSTER_RELIANCES, STREAM_LEDGER } from '../entity-tables.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import { ruuidOf } from './columns.ts';

/** Leases that one transaction releases. */
const RELEASES_AT_ONCE = 100;

export class ClusterLeaseTable implements ClusterLeaseRepository {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async claim(cameraUuid: Ruuid, run: NodeRun, ended: RelyingRun | null): Promise<LeaseClaim> {
    const { build, executor } = this.#database;
    const lease = build.selectFrom('cluster_leases').selectAll().where('camera_uuid', '=', cameraUuid);
    const [, { rows: before }, { rows: claimed }, { rows: holders }] = await executor.run(
      build
        .deleteFrom('cluster_reliances')
        .where('run_id', '=', ended?.runId ?? '')
        .where('beat', '=', ended?.beat ?? 0)
        .compile(),
      lease.compile(),
      build
        .insertInto('cluster_leases')
        .values({ camera_uuid: cameraUuid, fence: 1, node_id: run.nodeId, run_id: run.runId })
        .onConflict((conflict) =>
          conflict
            .column('camera_uuid')
            .doUpdateSet({
              fence: sql`cluster_leases.fence + 1`,
              node_id: run.nodeId,
              run_id: run.runId,
            })
            .where(
              sql<boolean>`not exists (
                select 1 from cluster_reliances
                where cluster_reliances.run_id = cluster_leases.run_id
                and cluster_reliances.run_id <> ${run.runId})`,
            ),
        )
        .returning('fence')
        .compile(),
      this.#relyingOwner(cameraUuid).compile(),
    );
    const [mine] = claimed;
    if (mine !== undefined) {
      return { kind: 'claimed', fence: mine.fence, isContinuation: before[0]?.run_id === run.runId };
    }
    const [holder] = holders;
    if (holder === undefined) throw new TypeError('a claim was refused for no one');
    return { kind: 'refused', holder: CLUSTER_RELIANCES.fromRow(holder) };
  }

  async release(leases: readonly FencedLease[]): Promise<void> {
    const { build, executor } = this.#database;
    for (let i = 0; i < leases.length; i += RELEASES_AT_ONCE) {
      const statements = leases
        .slice(i, i + RELEASES_AT_ONCE)
        .map(({ cameraUuid, runId, fence }) =>
          build
            .updateTable('cluster_leases')
            .set({ node_id: null, run_id: null })
            .where('camera_uuid', '=', cameraUuid)
            .where('run_id', '=', runId)
            .where('fence', '=', fence)
            .compile(),
        );
      await executor.run(...statements);
    }
  }

  async rely(run: RelyingRun): Promise<FencedLease[]> {
    const { build, executor } = this.#database;
    const { runId, beat, aliveMs } = run;
    const [, { rows }] = await executor.runApart(
      build
        .insertInto('cluster_reliances')
        .values(CLUSTER_RELIANCES.toRow(run))
        .onConflict((conflict) => conflict.column('run_id').doUpdateSet({ beat, alive_ms: aliveMs }))
        .compile(),
      build.selectFrom('cluster_leases').selectAll().where('run_id', '=', runId).compile(),
    );
    return rows.map((row) => ({ cameraUuid: ruuidOf(row.camera_uuid), runId, fence: row.fence }));
  }

  async stopRelying({ runId, beat }: Pick<RelyingRun, 'runId' | 'beat'>): Promise<void> {
    const query = this.#database.build
      .deleteFrom('cluster_reliances')
      .where('run_id', '=', runId)
      .where('beat', '<=', beat);
    await this.#database.executor.runApart(query.compile());
  }

  async relyingOwner(cameraUuid: Ruuid): Promise<(RelyingRun & FencedLease) | null> {
    const [{ rows }] = await this.#database.executor.run(this.#relyingOwner(cameraUuid).compile());
    const [row] = rows;
    return row === undefined ? null : { ...CLUSTER_RELIANCES.fromRow(row), cameraUuid, fence: row.fence };
  }

  async relyingRun(runId: Ruuid): Promise<RelyingRun | null> {
    const { build, executor } = this.#database;
    const query = build.selectFrom('cluster_reliances').selectAll().where('run_id', '=', runId);
    const [{ rows }] = await executor.run(query.compile());
    const [row] = rows;
    return row === undefined ? null : CLUSTER_RELIANCES.fromRow(row);
  }

  async saveNumbering(entry: StreamLedgerEntry, lease: FencedLease): Promise<boolean> {
    const { build, executor } = this.#database;
    const row = STREAM_LEDGER.toRow(entry);
    const owned = build
      .selectFrom('cluster_leases')
      .select([
        sql<string>`${row.camera_uuid}`.as('camera_uuid'),
        sql<string>`${row.rendition}`.as('rendition'),
        sql<number>`cast(${row.next_media_sequence_number} as integer)`.as('next_media_sequence_number'),
        sql<number>`cast(${row.next_discontinuity_sequence} as integer)`.as('next_discontinuity_sequence'),
        sql<string | null>`${row.init_fingerprint}`.as('init_fingerprint'),
      ])
      .where('camera_uuid', '=', lease.cameraUuid)
      .where('run_id', '=', lease.runId)
      .where('fence', '=', lease.fence);
    const query = build
      .insertInto('stream_ledger')
      .columns([
        ...(['camera_uuid', 'rendition', 'next_media_sequence_number'] as const),
        ...(['next_discontinuity_sequence', 'init_fingerprint'] as const),
      ])
      .expression(owned)
      .onConflict((conflict) => conflict.columns(['camera_uuid', 'rendition']).doUpdateSet(row))
      .returning('camera_uuid');
    const [{ rows }] = await executor.run(query.compile());
    return rows.length > 0;
  }

  #relyingOwner(cameraUuid: Ruuid) {
    return this.#database.build
      .selectFrom('cluster_leases')
      .innerJoin('cluster_reliances', 'cluster_reliances.run_id', 'cluster_leases.run_id')
      .selectAll('cluster_reliances')
      .select('cluster_leases.fence')
      .where('cluster_leases.camera_uuid', '=', cameraUuid);
  }
}
