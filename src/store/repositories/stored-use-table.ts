/** Reads what triggers count (0033-stored-use.ts). */

import type { Ruuid } from '../../core/ruuid.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import {
  type CountedKind,
  isBeyond,
  type StoredUse,
  type StoredUseRepository,
  type UseBound,
} from '../stored-use.ts';
import { ruuidOf } from './columns.ts';

/** The holder that has to make room, and the number of its oldest rows to remove. */
export interface Excess {
  readonly holder: string;
  readonly rows: number;
}

export class StoredUseTable implements StoredUseRepository {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async of(orgUuid: Ruuid, kind: CountedKind): Promise<StoredUse> {
    const { build, executor } = this.#database;
    const query = build
      .selectFrom('stored_use')
      .select(({ fn }) => [
        fn.sum<number | null>('row_count').as('rows'),
        fn.sum<number | null>('byte_count').as('bytes'),
      ])
      .where('org_uuid', '=', orgUuid)
      .where('kind', '=', kind);
    const [{ rows }] = await executor.run(query.compile());
    return { rows: Number(rows[0]?.rows ?? 0), bytes: Number(rows[0]?.bytes ?? 0) };
  }

  async bytesByOrganization(): Promise<ReadonlyMap<Ruuid, number>> {
    const { build, executor } = this.#database;
    const query = build
      .selectFrom('stored_use')
      .select(({ fn }) => ['org_uuid', fn.sum<number>('byte_count').as('bytes')])
      .groupBy('org_uuid');
    const [{ rows }] = await executor.run(query.compile());
    return new Map(rows.map(({ org_uuid, bytes }) => [ruuidOf(org_uuid), Number(bytes)]));
  }

  /** null: all of the organization's rows are within the bound. Otherwise, the holder of the most makes room. */
  async excess(orgUuid: Ruuid, kind: CountedKind, bound: UseBound): Promise<Excess | null> {
    const use = await this.of(orgUuid, kind);
    if (!isBeyond(use, bound)) return null;
    const measure = use.bytes > bound.bytes ? 'byte_count' : 'row_count';
    const { build, executor } = this.#database;
    const largest = build
      .selectFrom('stored_use')
      .select(({ fn }) => [
        'holder',
        fn.sum<number>('row_count').as('rows'),
        fn.sum<number>('byte_count').as('bytes'),
      ])
      .where('org_uuid', '=', orgUuid)
      .where('kind', '=', kind)
      .groupBy('holder')
      .orderBy(({ fn }) => fn.sum(measure), 'desc')
      .limit(1);
    const [{ rows }] = await executor.run(largest.compile());
    const [holder] = rows;
    if (holder === undefined || Number(holder.rows) <= 0) return null;
    const bytesPerRow = Math.max(1, Number(holder.bytes) / Number(holder.rows));
    const tooManyRows = Math.max(use.rows - bound.rows, Math.ceil((use.bytes - bound.bytes) / bytesPerRow));
    return { holder: holder.holder, rows: Math.min(tooManyRows, Number(holder.rows)) };
  }
}
