/** Numbers of recording files in a cluster, in their tables. */

import { sql } from 'kysely';
import type { NodeRun } from '../cluster-lease.ts';
import { RECORDING_BLOCKS } from '../entity-tables.ts';
import type { StoredStream } from '../recording.ts';
import type { RecordingBlock, RecordingBlockRepository } from '../recording-block.ts';
import type { SqlDatabase } from '../sql-executor.ts';

/** The ID of a cluster's folder of recordings. */
const STORAGE_ID = 'recordings-folder';

export class RecordingBlockTable implements RecordingBlockRepository {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async reserve(
    stream: StoredStream,
    run: NodeRun,
    count: number,
    atLeast: number | null,
  ): Promise<RecordingBlock | null> {
    const { build, executor } = this.#database;
    const known = await this.#nextKnown(stream);
    if (known === null && atLeast === null) return null;
    const from = Math.max(known ?? 0, atLeast ?? 0);
    const { cameraUuid, rendition } = stream;
    const key = { camera_uuid: cameraUuid, rendition };
    const fromColumn = sql<number>`cast(${from} as integer)`;
    const countColumn = sql<number>`cast(${count} as integer)`;
    const next = sql.ref<number>('recording_numbers.next_number');
    const [{ rows }] = await executor.run(
      build
        .insertInto('recording_numbers')
        .values({ ...key, next_number: from + count })
        .onConflict((conflict) =>
          conflict.columns(['camera_uuid', 'rendition']).doUpdateSet({
            next_number: sql`case when ${next} < ${fromColumn} then ${fromColumn} else ${next} end + ${countColumn}`,
          }),
        )
        .returning('next_number')
        .compile(),
      build
        .insertInto('recording_blocks')
        .columns(['camera_uuid', 'rendition', 'end_number', 'first_number', 'node_id', 'run_id'])
        .expression(
          build
            .selectFrom('recording_numbers')
            .select(['camera_uuid', 'rendition', 'next_number as end_number'])
            .select([
              sql<number>`next_number - ${countColumn}`.as('first_number'),
              sql<string>`${run.nodeId}`.as('node_id'),
              sql<string>`${run.runId}`.as('run_id'),
            ])
            .where('camera_uuid', '=', cameraUuid)
            .where('rendition', '=', rendition),
        )
        .compile(),
    );
    const end = rows[0]!.next_number;
    return { cameraUuid, rendition, nodeId: run.nodeId, runId: run.runId, first: end - count, end };
  }

  async list(stream?: StoredStream): Promise<RecordingBlock[]> {
    const all = this.#database.build.selectFrom('recording_blocks').selectAll();
    const query = (
      stream === undefined
        ? all
        : all.where('camera_uuid', '=', stream.cameraUuid).where('rendition', '=', stream.rendition)
    )
      .orderBy('camera_uuid')
      .orderBy('rendition')
      .orderBy('end_number');
    const [{ rows }] = await this.#database.executor.run(query.compile());
    return rows.map(RECORDING_BLOCKS.fromRow);
  }

  async storageId(id: string): Promise<string> {
    const { build, executor } = this.#database;
    const [, { rows }] = await executor.run(
      build
        .insertInto('store_meta')
        .values({ name: STORAGE_ID, value: id })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .compile(),
      build.selectFrom('store_meta').select('value').where('name', '=', STORAGE_ID).compile(),
    );
    return rows[0]!.value;
  }

  async remove({ cameraUuid, rendition, end }: RecordingBlock): Promise<void> {
    const query = this.#database.build
      .deleteFrom('recording_blocks')
      .where('camera_uuid', '=', cameraUuid)
      .where('rendition', '=', rendition)
      .where('end_number', '=', end);
    await this.#database.executor.run(query.compile());
  }

  /** After all that were reserved, and all that have a row: a gateway alone reserves none. */
  async #nextKnown({ cameraUuid, rendition }: StoredStream): Promise<number | null> {
    const { build, executor } = this.#database;
    const [{ rows: reserved }, { rows: recorded }] = await executor.run(
      build
        .selectFrom('recording_numbers')
        .select('next_number')
        .where('camera_uuid', '=', cameraUuid)
        .where('rendition', '=', rendition)
        .compile(),
      build
        .selectFrom('recordings')
        .select('number')
        .where('camera_uuid', '=', cameraUuid)
        .where('rendition', '=', rendition)
        .orderBy('number', 'desc')
        .limit(1)
        .compile(),
    );
    const next = [reserved[0]?.next_number, recorded[0] && recorded[0].number + 1];
    return next.reduce<number | null>(
      (most, each) => (each === undefined ? most : Math.max(most ?? 0, each)),
      null,
    );
  }
}
