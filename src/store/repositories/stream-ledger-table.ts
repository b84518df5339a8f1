/** The position of every rendition's numbering (docs/design/live-path.md#invariants). */

import type { Ruuid } from '../../core/ruuid.ts';
import type { RenditionName } from '../../stream/media/live-media.ts';
import type { StreamLedgerEntry } from '../entities.ts';
import { STREAM_LEDGER } from '../entity-tables.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { StreamLedgerRepository } from '../store.ts';

export class StreamLedgerTable implements StreamLedgerRepository {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async find(cameraUuid: Ruuid, rendition: RenditionName): Promise<StreamLedgerEntry | null> {
    const query = this.#database.build.selectFrom('stream_ledger').selectAll();
    const [result] = await this.#database.executor.run(
      query.where('camera_uuid', '=', cameraUuid).where('rendition', '=', rendition).compile(),
    );
    const [row] = result.rows;
    return row === undefined ? null : STREAM_LEDGER.fromRow(row);
  }

  async save(entry: StreamLedgerEntry): Promise<void> {
    const row = STREAM_LEDGER.toRow(entry);
    await this.#database.executor.run(
      this.#database.build
        .insertInto('stream_ledger')
        .values(row)
        .onConflict((conflict) => conflict.columns(['camera_uuid', 'rendition']).doUpdateSet(row))
        .compile(),
    );
  }
}
