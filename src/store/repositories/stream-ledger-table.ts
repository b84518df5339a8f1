/** The position of every rendition's numbering (docs/design/live-path.md#invariants). */

import type { Ruuid } from '../../core/ruuid.ts';
import type { RenditionName } from '../../stream/media/live-media.ts';
import type { StreamLedgerEntry } from '../entities.ts';
import type { StreamLedgerRow } from '../entity-tables.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { StreamLedgerRepository } from '../store.ts';
import { ruuidOf } from './columns.ts';

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
    return row === undefined ? null : fromRow(row);
  }

  async save(entry: StreamLedgerEntry): Promise<void> {
    const row = ledgerRow(entry);
    await this.#database.executor.run(
      this.#database.build
        .insertInto('stream_ledger')
        .values(row)
        .onConflict((conflict) => conflict.columns(['camera_uuid', 'rendition']).doUpdateSet(row))
        .compile(),
    );
  }
}

/** The row of an entry. */
export function ledgerRow(entry: StreamLedgerEntry): StreamLedgerRow {
  return {
    camera_uuid: entry.cameraUuid,
    rendition: entry.rendition,
    next_media_sequence_number: entry.nextMediaSequenceNumber,
    next_discontinuity_sequence: entry.nextDiscontinuitySequence,
    init_fingerprint: entry.initFingerprint,
  };
}

function fromRow(row: StreamLedgerRow): StreamLedgerEntry {
  return {
    cameraUuid: ruuidOf(row.camera_uuid),
    rendition: row.rendition as RenditionName,
    nextMediaSequenceNumber: row.next_media_sequence_number,
    nextDiscontinuitySequence: row.next_discontinuity_sequence,
    initFingerprint: row.init_fingerprint,
  };
}
