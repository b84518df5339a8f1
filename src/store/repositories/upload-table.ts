/** Clips that recorders hand over. */

import type { Ruuid } from '../../core/ruuid.ts';
import { UPLOADS } from '../entity-tables.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { StoredUpload, UploadRepository, UploadState } from '../upload.ts';

export class UploadTable implements UploadRepository {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async find(uuid: Ruuid): Promise<StoredUpload | null> {
    const query = this.#database.build.selectFrom('uploads').selectAll().where('uuid', '=', uuid);
    const [{ rows }] = await this.#database.executor.run(query.compile());
    const [row] = rows;
    return row === undefined ? null : UPLOADS.fromRow(row);
  }

  async save(upload: StoredUpload): Promise<boolean> {
    const row = UPLOADS.toRow(upload);
    const [{ changes }] = await this.#database.executor.run(
      this.#database.build
        .insertInto('uploads')
        .values(row)
        .onConflict((conflict) =>
          conflict.column('uuid').doUpdateSet(row).where('uploads.node_id', '=', upload.nodeId),
        )
        .compile(),
    );
    return changes === 1;
  }

  async take(uuid: Ruuid, fromNodeId: string, toNodeId: string): Promise<boolean> {
    const query = this.#database.build
      .updateTable('uploads')
      .set({ node_id: toNodeId })
      .where('uuid', '=', uuid)
      .where('node_id', '=', fromNodeId);
    const [{ changes }] = await this.#database.executor.run(query.compile());
    return changes === 1;
  }

  async remove(uuid: Ruuid, nodeId: string): Promise<void> {
    const query = this.#database.build
      .deleteFrom('uploads')
      .where('uuid', '=', uuid)
      .where('node_id', '=', nodeId);
    await this.#database.executor.run(query.compile());
  }

  async unfinished(): Promise<StoredUpload[]> {
    const query = this.#database.build
      .selectFrom('uploads')
      .selectAll()
      .where('state', 'in', ['receiving', 'importing'])
      .orderBy('created_at_ms')
      .orderBy('uuid');
    const [{ rows }] = await this.#database.executor.run(query.compile());
    return rows.map(UPLOADS.fromRow);
  }

  async removeOld({
    doneBeforeMs,
    refusedBeforeMs,
    abandonedBeforeMs,
  }: Parameters<UploadRepository['removeOld']>[0]): Promise<number> {
    const { build, executor } = this.#database;
    const old = (state: UploadState, beforeMs: number) =>
      build.deleteFrom('uploads').where('state', '=', state).where('updated_at_ms', '<', beforeMs).compile();
    const abandoned = build
      .deleteFrom('uploads')
      .where('state', 'in', ['receiving', 'importing'])
      .where('created_at_ms', '<', abandonedBeforeMs);
    const results = await executor.run(
      old('done', doneBeforeMs),
      old('refused', refusedBeforeMs),
      abandoned.compile(),
    );
    return results.reduce((sum, { changes }) => sum + changes, 0);
  }
}
