/**
 * Atomic changes of records: read a row, decide on the next one, write it only over the row that was read, and start again if
 * another writer was first. This also works between stores and processes, because the comparison is part of the statement that
 * writes. Changes of one record through one store take turns, so that many simultaneous ones do not keep overtaking each other.
 */

import type { CompiledQuery } from 'kysely';
import { GatewayError } from '../../core/errors.ts';
import { KeyedLock } from '../../core/keyed-lock.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { SlicedWork } from '../../core/sliced-work.ts';
import { STORE_ERRORS } from '../errors.ts';
import type { DecideRecord, NextRecord, RecordChange } from '../record-change.ts';
import type { SqlExecutor } from '../sql-executor.ts';
import type { ChangeEvent, EntityKind } from '../store.ts';
import type { StoredImportance } from '../stored-importance.ts';
import type { OrgRow } from '../tables.ts';

/**
 * A change that is overtaken this often gives up. Each time, someone else's change was stored. If two processes do
 * nothing but change one record, neither is overtaken more than about a dozen times in a row.
 */
export const MAX_CHANGE_ATTEMPTS = 250;

interface OrgRecord {
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
}

/** The table of one kind of records, for code that changes them. */
export interface ChangedTable<T extends OrgRecord, Row extends OrgRow> {
  readonly entity: EntityKind;
  /** How much it matters that a record is removed. */
  readonly removal: StoredImportance;
  select(orgUuid: Ruuid, uuids: readonly Ruuid[]): CompiledQuery<Row>;
  toRow(record: T): Row;
  fromRow(row: Row): T;
  /** Each changes one row, or none if that row has changed since it was read. */
  insert(row: Row): CompiledQuery<unknown>;
  replace(before: Row, after: Row): CompiledQuery<unknown>;
  remove(before: Row): CompiledQuery<unknown>;
  /** Statements for the transaction that removes a row. They do nothing if the row was not removed. */
  removedWith?(orgUuid: Ruuid, uuid: Ruuid): CompiledQuery<unknown>[];
  /** Throws if no row can be added, no matter how often it is tried. */
  checkAddable(record: T): Promise<void>;
  /** `before`: as it was; null: new, or removed. */
  publish(type: ChangeEvent['type'], record: T, before: T | null): void;
}

/** A change that has been decided. */
interface Step<T> {
  readonly before: T | null;
  readonly after: T | null;
  /** null: there is nothing to write. */
  readonly statement: CompiledQuery<unknown> | null;
}

export class RecordChanges {
  readonly #executor: SqlExecutor;
  readonly #turns = new KeyedLock();

  constructor(executor: SqlExecutor) {
    this.#executor = executor;
  }

  /** Fails STORE_CONTENDED, or like `decide` and writing. */
  change<T extends OrgRecord, Row extends OrgRow>(
    table: ChangedTable<T, Row>,
    { orgUuid, uuid }: OrgRecord,
    decide: DecideRecord<T>,
    importance: StoredImportance,
  ): Promise<RecordChange<T>> {
    const { entity } = table;
    const executor = this.#executor;
    return this.#turns.run(`${entity} ${orgUuid} ${uuid}`, async () => {
      for (let attempt = 1; attempt <= MAX_CHANGE_ATTEMPTS; attempt++) {
        const [{ rows }] = await executor.run(table.select(orgUuid, [uuid]));
        const [row = null] = rows;
        const known = row === null ? null : table.fromRow(row);
        const step = stepOf(table, row, known, await decide(known), { orgUuid, uuid });
        const { before, after, statement } = step;
        if (statement === null) return { before, after };
        const isVital = importance === 'vital' || (after === null && table.removal === 'vital');
        const others = after === null ? (table.removedWith?.(orgUuid, uuid) ?? []) : [];
        const [{ changes }] = await (isVital
          ? executor.runVital(statement, ...others)
          : executor.run(statement, ...others));
        if (changes > 0) {
          publish(table, step);
          return { before, after };
        }
        if (before === null && after !== null) await table.checkAddable(after);
      }
      throw new GatewayError(STORE_ERRORS.STORE_CONTENDED, { entity, uuid });
    });
  }

  /**
   * The same for many records, in one transaction as long as none of them changes in the meantime: those that do are decided
   * again and stored in another transaction. One call at a time for each organization. Resolves in the order of `uuids`, each
   * once.
   */
  changeAll<T extends OrgRecord, Row extends OrgRow>(
    table: ChangedTable<T, Row>,
    orgUuid: Ruuid,
    uuids: readonly Ruuid[],
    decide: (known: T | null, uuid: Ruuid) => NextRecord<T>,
  ): Promise<RecordChange<T>[]> {
    const { entity } = table;
    return this.#turns.run(`${entity} ${orgUuid}`, async () => {
      const done = new Map<Ruuid, RecordChange<T>>();
      let left = [...new Set(uuids)];
      for (let attempt = 1; left.length > 0; attempt++) {
        if (attempt > MAX_CHANGE_ATTEMPTS) {
          throw new GatewayError(STORE_ERRORS.STORE_CONTENDED, { entity, records: left.length });
        }
        const steps = await this.#steps(table, orgUuid, left, decide);
        left = await this.#store(table, steps, done);
      }
      return [...new Set(uuids)].map((uuid) => done.get(uuid)!);
    });
  }

  async #steps<T extends OrgRecord, Row extends OrgRow>(
    table: ChangedTable<T, Row>,
    orgUuid: Ruuid,
    uuids: readonly Ruuid[],
    decide: (known: T | null, uuid: Ruuid) => NextRecord<T>,
  ): Promise<Map<Ruuid, Step<T>>> {
    const [{ rows }] = await this.#executor.run(table.select(orgUuid, uuids));
    const rowByUuid = new Map(rows.map((row) => [row.uuid, row]));
    const steps = new Map<Ruuid, Step<T>>();
    const work = new SlicedWork();
    for (const uuid of uuids) {
      const row = rowByUuid.get(uuid) ?? null;
      const before = row === null ? null : table.fromRow(row);
      steps.set(uuid, stepOf(table, row, before, decide(before, uuid), { orgUuid, uuid }));
      if (work.step()) await work.pause();
    }
    return steps;
  }

  /** Resolves with those that others changed first. */
  async #store<T extends OrgRecord, Row extends OrgRow>(
    table: ChangedTable<T, Row>,
    steps: ReadonlyMap<Ruuid, Step<T>>,
    done: Map<Ruuid, RecordChange<T>>,
  ): Promise<Ruuid[]> {
    const written = [...steps].filter(([, { statement }]) => statement !== null);
    const results =
      written.length === 0
        ? []
        : await this.#executor.run(
            ...written.map(([, { statement }]) => statement as CompiledQuery<unknown>),
          );
    const overtaken = new Set<Ruuid>();
    for (const [index, [uuid, step]] of written.entries()) {
      if (results[index]?.changes === 0) overtaken.add(uuid);
      else publish(table, step);
    }
    for (const [uuid, { before, after }] of steps)
      if (!overtaken.has(uuid)) done.set(uuid, { before, after });
    return [...overtaken];
  }
}

function stepOf<T extends OrgRecord, Row extends OrgRow>(
  table: ChangedTable<T, Row>,
  row: Row | null,
  before: T | null,
  next: NextRecord<T>,
  { orgUuid, uuid }: OrgRecord,
): Step<T> {
  if (next === 'unchanged' || (next === 'removed' && row === null)) {
    return { before, after: before, statement: null };
  }
  if (next === 'removed') return { before, after: null, statement: table.remove(row!) };
  if (next.uuid !== uuid || next.orgUuid !== orgUuid) {
    throw new RangeError('a changed record keeps its uuid and its organization');
  }
  const after = table.toRow(next);
  return { before, after: next, statement: row === null ? table.insert(after) : table.replace(row, after) };
}

function publish<T extends OrgRecord, Row extends OrgRow>(
  table: ChangedTable<T, Row>,
  { before, after }: Step<T>,
): void {
  if (after === null) table.publish('DELETE', before!, null);
  else table.publish(before === null ? 'CREATE' : 'UPDATE', after, before);
}
