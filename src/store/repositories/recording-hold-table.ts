/** Times of recordings that are held, in their table. */

import { type ExpressionBuilder, type ExpressionWrapper, type SqlBool, sql } from 'kysely';
import type { Ruuid } from '../../core/ruuid.ts';
import { HELD_TIMES } from '../entity-tables.ts';
import type { HeldTime, RecordingHoldRepository } from '../recording-hold.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { Tables } from '../tables.ts';

export class RecordingHoldTable implements RecordingHoldRepository {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async save(hold: HeldTime): Promise<void> {
    const row = HELD_TIMES.toRow(hold);
    await this.#database.executor.run(
      this.#database.build
        .insertInto('recording_holds')
        .values(row)
        .onConflict((conflict) => conflict.column('uuid').doUpdateSet(row))
        .compile(),
    );
  }

  async remove(uuid: Ruuid): Promise<boolean> {
    const query = this.#database.build.deleteFrom('recording_holds').where('uuid', '=', uuid);
    const [{ changes }] = await this.#database.executor.run(query.compile());
    return changes > 0;
  }

  async list(): Promise<HeldTime[]> {
    const query = this.#database.build.selectFrom('recording_holds').selectAll().orderBy('uuid');
    const [{ rows }] = await this.#database.executor.run(query.compile());
    return rows.map(HELD_TIMES.fromRow);
  }

  async byteLength(orgUuid: Ruuid, more: Omit<HeldTime, 'uuid'> | null): Promise<number> {
    const { build, executor } = this.#database;
    const query = build
      .selectFrom('recordings')
      .select(({ fn }) => fn.sum<number>('byte_length').as('byte_length'))
      .where(({ exists, or, and, eb, selectFrom }) =>
        or([
          exists(
            selectFrom('recording_holds')
              .select('recording_holds.uuid')
              .where('recording_holds.org_uuid', '=', orgUuid)
              .whereRef('recording_holds.camera_uuid', '=', 'recordings.camera_uuid')
              .whereRef('recording_holds.start_ms', '<', 'recordings.end_ms')
              .whereRef('recording_holds.end_ms', '>', 'recordings.start_ms'),
          ),
          ...(more === null
            ? []
            : [
                and([
                  eb('recordings.camera_uuid', '=', more.cameraUuid),
                  eb('recordings.start_ms', '<', more.endMs),
                  eb('recordings.end_ms', '>', more.startMs),
                ]),
              ]),
        ]),
      );
    const [{ rows }] = await executor.run(query.compile());
    return Number(rows[0]?.byte_length ?? 0);
  }
}

/** Whether a hold includes some of the recording of the row. */
export function isRecordingHeld(
  eb: ExpressionBuilder<Tables, 'recordings'>,
): ExpressionWrapper<Tables, 'recordings', SqlBool> {
  return eb.exists(
    eb
      .selectFrom('recording_holds')
      .select(sql`1`.as('held'))
      .whereRef('recording_holds.camera_uuid', '=', 'recordings.camera_uuid')
      .whereRef('recording_holds.start_ms', '<', 'recordings.end_ms')
      .whereRef('recording_holds.end_ms', '>', 'recordings.start_ms'),
  );
}
