/**
 * Statements that write a row only over the row that was read. A row is compared by all of its columns. So any change
 * since is noticed, even by a version of the gateway that does not know about this, and a row that was changed back
 * counts as unchanged. Each statement is compiled once and bound to the columns of each row.
 */

import { type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';
import type { SqlDatabase } from '../sql-executor.ts';
import { rebound } from './reporting-devices.ts';

/** To the compiler, every value is text; the rows bind their own values. */
type AnyRow = Record<string, string>;

/** How many rows can have the same values in `columns` as the added one. */
export interface RowLimit {
  readonly columns: readonly string[];
  readonly atMost: number;
  /** Rows with a value in this column do not count; default: all count. */
  readonly endedBy?: string;
}

/** A condition that must also be true when a row is written or removed. */
export interface RowGuard {
  /** Its statements are compiled once. */
  readonly name: string;
  /** With as many bound values as `values` has. */
  readonly condition: RawBuilder<boolean>;
  readonly values: readonly unknown[];
}

export class RowStatements<Row extends object> {
  readonly #build: Kysely<Record<string, AnyRow>>;
  readonly #table: string;
  /** Columns that identify a row; none of them is ever null. */
  readonly #key: readonly string[];
  readonly #compiled = new Map<string, CompiledQuery<unknown>>();

  constructor(database: SqlDatabase, table: string, key: readonly string[]) {
    this.#build = database.build as unknown as Kysely<Record<string, AnyRow>>;
    this.#table = table;
    this.#key = key;
  }

  /** `key`: the values of the key's columns, in their order. */
  select(key: readonly unknown[]): CompiledQuery<Row> {
    const statement = this.#once('select', () => {
      let query = this.#build.selectFrom(this.#table).selectAll();
      for (const column of this.#key) query = query.where(column, '=', '');
      return query.compile();
    });
    return rebound(statement, key) as CompiledQuery<Row>;
  }

  /** Changes no row unless `before` is still the stored row, and `guard` holds. */
  replace(before: Row, after: Row, guard: RowGuard | null = null): CompiledQuery<unknown> {
    const columns = this.#otherColumns(after);
    const statement = this.#once(`replace ${guard?.name}`, () => {
      const changed = Object.fromEntries(columns.map((column) => [column, '']));
      let query = this.#build.updateTable(this.#table).set(changed);
      for (const column of this.#key) query = query.where(column, '=', '');
      for (const column of columns) query = query.where(column, 'is not distinct from', '');
      return (guard === null ? query : query.where(guard.condition)).compile();
    });
    return rebound(statement, [
      ...valuesOf(after, columns),
      ...valuesOf(before, this.#key),
      ...valuesOf(before, columns),
      ...(guard?.values ?? []),
    ]);
  }

  /** Removes no row unless `before` is still the stored row, and `guard` holds. */
  remove(before: Row, guard: RowGuard | null = null): CompiledQuery<unknown> {
    const columns = this.#otherColumns(before);
    const statement = this.#once(`remove ${guard?.name}`, () => {
      let query = this.#build.deleteFrom(this.#table);
      for (const column of this.#key) query = query.where(column, '=', '');
      for (const column of columns) query = query.where(column, 'is not distinct from', '');
      return (guard === null ? query : query.where(guard.condition)).compile();
    });
    return rebound(statement, [
      ...valuesOf(before, this.#key),
      ...valuesOf(before, columns),
      ...(guard?.values ?? []),
    ]);
  }

  /** Adds no row if there is one with the same `unique` columns, or if that would exceed one of the limits. */
  insert(row: Row, unique: readonly string[], limits: readonly RowLimit[] = []): CompiledQuery<unknown> {
    const columns = Object.keys(row);
    if (limits.length === 0) {
      const statement = this.#once('insert', () =>
        this.#build
          .insertInto(this.#table)
          .values(Object.fromEntries(columns.map((column) => [column, ''])))
          .onConflict((conflict) => conflict.columns([...unique]).doNothing())
          .compile(),
      );
      return rebound(statement, valuesOf(row, columns));
    }
    const among = limits.map(({ columns: same, endedBy }) => `${same} ${endedBy}`);
    const statement = this.#once(`insert among ${among}`, () => {
      const table = sql.table(this.#table);
      const names = (of: readonly string[]) => sql.join(of.map((column) => sql.ref(column)));
      const hasRoom = limits.map((limit) => sql`(${this.#count(limit)}) < ${0}`);
      return sql`insert into ${table} (${names(columns)}) select ${sql.join(columns.map(() => ''))}
        where ${sql.join(hasRoom, sql` and `)} on conflict (${names(unique)}) do nothing`.compile(
        this.#build,
      );
    });
    const bounds = limits.flatMap((limit) => [...valuesOf(row, limit.columns), limit.atMost]);
    return rebound(statement, [...valuesOf(row, columns), ...bounds]);
  }

  /** How many rows count toward the limit, next to a row: `rows[0].count`. */
  countAmong(row: Row, limit: RowLimit): CompiledQuery<{ count: number }> {
    const statement = this.#once(`count among ${limit.columns} ${limit.endedBy}`, () =>
      this.#count(limit).compile(this.#build),
    );
    return rebound(statement, valuesOf(row, limit.columns)) as CompiledQuery<{ count: number }>;
  }

  /** With a bound value for each column of the limit. */
  #count({ columns, endedBy }: RowLimit): RawBuilder<unknown> {
    const same = columns.map((column) => sql`${sql.ref(column)} = ${''}`);
    const counted = endedBy === undefined ? same : [...same, sql`${sql.ref(endedBy)} is null`];
    return sql`select count(*) as count from ${sql.table(this.#table)} where ${sql.join(counted, sql` and `)}`;
  }

  /** The columns that are not the key's. */
  #otherColumns(row: Row): string[] {
    const columns = Object.keys(row);
    return columns.filter((column) => !this.#key.includes(column));
  }

  /** All rows of a table have the same columns in the same order. */
  #once(name: string, compile: () => CompiledQuery<unknown>): CompiledQuery<unknown> {
    const known = this.#compiled.get(name) ?? compile();
    this.#compiled.set(name, known);
    return known;
  }
}

function valuesOf(row: object, columns: readonly string[]): unknown[] {
  const values = row as Readonly<Record<string, unknown>>;
  return columns.map((column) => values[column]);
}
