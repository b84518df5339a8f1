/** Recording files with the indexes of their segments. */

import { type SelectQueryBuilder, sql } from 'kysely';
import type { Ruuid } from '../../core/ruuid.ts';
import { RECORDING_HEADS, RECORDINGS, type RecordingRow } from '../entity-tables.ts';
import {
  MAX_RECORDING_SPAN_MS,
  type RecentRecording,
  type RecordedRendition,
  type Recording,
  type RecordingHead,
  type RecordingPurpose,
  type RecordingRepository,
  type RecordingSpan,
  type RecordingUsage,
  type StoredStream,
} from '../recording.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { Tables } from '../tables.ts';
import { optionalRuuidOf, ruuidOf } from './columns.ts';
import { isRecordingHeld } from './recording-hold-table.ts';

const HOUR_MS = 3_600_000;
/** Streams that are asked about in one request; others get a turn in between. */
const STREAMS_PER_TURN = 64;

/** Times of media have fractions of milliseconds; columns and PostgreSQL's parameters have none. */
export class RecordingTable implements RecordingRepository {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async save(recording: Recording): Promise<void> {
    const row = RECORDINGS.toRow({ purpose: 'camera', ...recording });
    await this.#database.executor.run(
      this.#database.build
        .insertInto('recordings')
        .values(row)
        .onConflict((conflict) => conflict.columns(['camera_uuid', 'rendition', 'number']).doUpdateSet(row))
        .compile(),
    );
  }

  /** Vital: it is how a full disk gets room. */
  async remove({
    cameraUuid,
    rendition,
    number,
  }: Pick<RecordingHead, 'cameraUuid' | 'rendition' | 'number'>): Promise<boolean> {
    const query = this.#database.build.deleteFrom('recordings').where('camera_uuid', '=', cameraUuid);
    const [{ changes }] = await this.#database.executor.runVital(
      query.where('rendition', '=', rendition).where('number', '=', number).compile(),
    );
    return changes > 0;
  }

  /** Vital: as `remove`. One statement, so that a hold that is placed at the same time counts. */
  async removeUnheld({
    cameraUuid,
    rendition,
    number,
  }: Pick<RecordingHead, 'cameraUuid' | 'rendition' | 'number'>): Promise<'removed' | 'held' | 'unknown'> {
    const { build, executor } = this.#database;
    const deletion = build
      .deleteFrom('recordings')
      .where('camera_uuid', '=', cameraUuid)
      .where('rendition', '=', rendition)
      .where('number', '=', number)
      .where((eb) => eb.not(isRecordingHeld(eb)));
    const [{ changes }] = await executor.runVital(deletion.compile());
    if (changes > 0) return 'removed';
    const left = build
      .selectFrom('recordings')
      .select('number')
      .where('camera_uuid', '=', cameraUuid)
      .where('rendition', '=', rendition)
      .where('number', '=', number);
    const [{ rows }] = await executor.run(left.compile());
    return rows.length > 0 ? 'held' : 'unknown';
  }

  async isHeld(cameraUuid: Ruuid): Promise<boolean> {
    const query = this.#database.build
      .selectFrom('recording_holds')
      .select('uuid')
      .where('camera_uuid', '=', cameraUuid)
      .limit(1);
    const [{ rows }] = await this.#database.executor.run(query.compile());
    return rows.length > 0;
  }

  async numbers({ cameraUuid, rendition }: StoredStream): Promise<number[]> {
    const query = this.#database.build.selectFrom('recordings').select('number');
    const [{ rows }] = await this.#database.executor.run(
      query
        .where('camera_uuid', '=', cameraUuid)
        .where('rendition', '=', rendition)
        .orderBy('number')
        .compile(),
    );
    return rows.map(({ number }) => number);
  }

  async usage(): Promise<RecordingUsage[]> {
    const query = this.#database.build
      .selectFrom('recordings')
      .leftJoin('camera_owners', 'camera_owners.camera_uuid', 'recordings.camera_uuid')
      .select(['recordings.camera_uuid', 'recordings.rendition', 'camera_owners.org_uuid'])
      .select(({ fn }) => [
        fn.countAll<number>().as('files'),
        fn.sum<number>('byte_length').as('byte_length'),
        fn.min<number>('start_ms').as('start_ms'),
      ])
      .groupBy(['recordings.camera_uuid', 'recordings.rendition', 'camera_owners.org_uuid'])
      .orderBy('recordings.camera_uuid')
      .orderBy('recordings.rendition');
    const [{ rows }] = await this.#database.executor.run(query.compile());
    return rows.map((row) => ({
      cameraUuid: ruuidOf(row.camera_uuid),
      rendition: row.rendition as RecordedRendition,
      orgUuid: optionalRuuidOf(row.org_uuid),
      files: Number(row.files),
      byteLength: Number(row.byte_length),
      startMs: Number(row.start_ms),
    }));
  }

  /** Through the index by time: it reads the recent entries only. */
  async recent(fromMs: number): Promise<RecentRecording[]> {
    const query = this.#database.build
      .selectFrom('recordings')
      .select(['camera_uuid', 'rendition', 'purpose'])
      .select(({ fn }) => fn.sum<number>('byte_length').as('byte_length'))
      .where('start_ms', '>=', Math.ceil(fromMs))
      .groupBy(['camera_uuid', 'rendition', 'purpose'])
      .orderBy('camera_uuid')
      .orderBy('rendition');
    const [{ rows }] = await this.#database.executor.run(query.compile());
    const streams = new Map<string, RecentRecording>();
    for (const { camera_uuid, rendition, purpose, byte_length } of rows) {
      const key = `${camera_uuid}/${rendition}`;
      const { byteLength = 0, sharesBytes = 0 } = streams.get(key) ?? {};
      const more = Number(byte_length);
      streams.set(key, {
        cameraUuid: ruuidOf(camera_uuid),
        rendition: rendition as RecordedRendition,
        byteLength: byteLength + more,
        sharesBytes: sharesBytes + (purpose === ('shares' satisfies RecordingPurpose) ? more : 0),
      });
    }
    return [...streams.values()];
  }

  async byteLength({ cameraUuid, rendition }: StoredStream, which: 'unheld' | 'held'): Promise<number> {
    const query = this.#database.build
      .selectFrom('recordings')
      .select(({ fn }) => fn.sum<number>('byte_length').as('byte_length'))
      .where('camera_uuid', '=', cameraUuid)
      .where('rendition', '=', rendition)
      .where((eb) => (which === 'held' ? isRecordingHeld(eb) : eb.not(isRecordingHeld(eb))));
    const [{ rows }] = await this.#database.executor.run(query.compile());
    return Number(rows[0]?.byte_length ?? 0);
  }

  async list({ cameraUuid, rendition }: StoredStream, fromMs: number, toMs: number): Promise<Recording[]> {
    const query = this.#database.build
      .selectFrom('recordings')
      .selectAll()
      .where('camera_uuid', '=', cameraUuid)
      .where('rendition', '=', rendition)
      .where('start_ms', '>', Math.floor(fromMs) - MAX_RECORDING_SPAN_MS)
      .where('start_ms', '<', Math.ceil(toMs))
      .where('end_ms', '>', Math.floor(fromMs))
      .orderBy('number');
    const rows = await this.#database.executor.readLong(query.compile());
    return rows.map(RECORDINGS.fromRow).toArray();
  }

  /** Steps from hour to hour through the index by stream: two look-ups an hour, however many files there are. */
  async hours(
    { cameraUuid, rendition }: StoredStream,
    fromMs: number,
    toMs: number,
  ): Promise<RecordingSpan[]> {
    const { build, executor } = this.#database;
    const stream = sql`camera_uuid = ${cameraUuid} and rendition = ${rendition}`;
    const nextHour = sql`(firsts.start_ms / ${sql.lit(HOUR_MS)} + 1) * ${sql.lit(HOUR_MS)}`;
    const query = sql<Pick<RecordingRow, 'start_ms' | 'end_ms'>>`
      with recursive firsts (start_ms) as (
        select min(start_ms) from recordings
        where ${stream} and start_ms > ${Math.floor(fromMs) - MAX_RECORDING_SPAN_MS} and start_ms < ${Math.ceil(toMs)}
        union all
        select (
          select min(start_ms) from recordings
          where ${stream} and start_ms >= ${nextHour} and start_ms < ${Math.ceil(toMs)}
        ) from firsts where firsts.start_ms is not null
      )
      select start_ms, (
        select end_ms from recordings
        where ${stream} and start_ms >= firsts.start_ms and start_ms < ${nextHour}
        order by start_ms desc limit 1
      ) as end_ms from firsts where start_ms is not null`;
    const [{ rows }] = await executor.run(query.compile(build));
    return rows
      .map(({ start_ms, end_ms }) => ({ startMs: Number(start_ms), endMs: Number(end_ms) }))
      .filter(({ endMs }) => endMs > fromMs);
  }

  async firstFrom({ cameraUuid, rendition }: StoredStream, fromMs: number): Promise<Recording | null> {
    const query = this.#database.build
      .selectFrom('recordings')
      .selectAll()
      .where('camera_uuid', '=', cameraUuid)
      .where('rendition', '=', rendition)
      .where('start_ms', '>=', Math.ceil(fromMs))
      .orderBy('start_ms')
      .orderBy('number')
      .limit(1);
    const [{ rows }] = await this.#database.executor.run(query.compile());
    const [row] = rows;
    return row === undefined ? null : RECORDINGS.fromRow(row);
  }

  async oldest(limit: number, stream?: StoredStream, purpose?: RecordingPurpose): Promise<RecordingHead[]> {
    const all = this.#database.build
      .selectFrom('recordings')
      .select(RECORDING_HEADS.columns)
      .where((eb) => eb.not(isRecordingHeld(eb)))
      .limit(limit);
    const query = purpose === undefined ? all : all.where('purpose', '=', purpose);
    const ordered =
      stream === undefined
        ? query.orderBy('start_ms').orderBy('camera_uuid').orderBy('rendition').orderBy('number')
        : inOrderOf(stream, query);
    const [{ rows }] = await this.#database.executor.run(ordered.compile());
    return rows.map(RECORDING_HEADS.fromRow);
  }

  async oldestOf(streams: readonly StoredStream[], limit: number): Promise<RecordingHead[]> {
    const found: RecordingHead[] = [];
    for (let at = 0; at < streams.length; at += STREAMS_PER_TURN) {
      const results = await this.#database.executor.run(
        ...streams.slice(at, at + STREAMS_PER_TURN).map((stream) => {
          const heads = this.#database.build
            .selectFrom('recordings')
            .select(RECORDING_HEADS.columns)
            .where((eb) => eb.not(isRecordingHeld(eb)))
            .limit(limit);
          return inOrderOf(stream, heads).compile();
        }),
      );
      found.push(...results.flatMap(({ rows }) => rows.map(RECORDING_HEADS.fromRow)));
    }
    return found.sort((a, b) => a.startMs - b.startMs).slice(0, limit);
  }

  async forgetOwners(): Promise<void> {
    const { build, executor } = this.#database;
    await executor.run(
      build
        .deleteFrom('camera_owners')
        .where('camera_uuid', 'not in', build.selectFrom('cameras').select('uuid'))
        .where('camera_uuid', 'not in', build.selectFrom('recordings').select('camera_uuid').distinct())
        .compile(),
    );
  }

  async claim({ cameraUuid, rendition }: StoredStream, fromMs: number, toMs: number): Promise<void> {
    const query = this.#database.build
      .updateTable('recordings')
      .set({ purpose: 'camera' satisfies RecordingPurpose })
      .where('camera_uuid', '=', cameraUuid)
      .where('rendition', '=', rendition)
      .where('start_ms', '>', Math.floor(fromMs) - MAX_RECORDING_SPAN_MS)
      .where('start_ms', '<', Math.ceil(toMs))
      .where('end_ms', '>', Math.floor(fromMs))
      .where('purpose', '=', 'shares' satisfies RecordingPurpose);
    await this.#database.executor.run(query.compile());
  }
}

/** Limits a query to the rows of one stream, in their order. */
function inOrderOf<O>(
  { cameraUuid, rendition }: StoredStream,
  query: SelectQueryBuilder<Tables, 'recordings', O>,
): SelectQueryBuilder<Tables, 'recordings', O> {
  return (
    query
      .where('camera_uuid', '=', cameraUuid)
      .where('rendition', '=', rendition)
      // Handed over, and left of others, in any order.
      .orderBy(rendition === 'uploaded' || rendition === 'key-frames' ? 'start_ms' : 'number')
      .orderBy('number')
  );
}
