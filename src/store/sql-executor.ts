/**
 * The interface to a database that repositories need: a list of statements run as one transaction. Repositories build their
 * statements with Kysely and pass the compiled form; a database is just an implementation of this interface and the matching
 * query compiler. Conditions inside a transaction are written in SQL (`where not exists`, `on conflict … where … returning`), so
 * that no transaction is ever held open over a round trip.
 */

import type { CompiledQuery, Kysely, RawBuilder } from 'kysely';
import type { LongList } from '../core/long-list.ts';
import type { Tables } from './tables.ts';

/** Rows that a statement returned, and how many it inserted, changed or deleted (0 for a plain select). */
export interface StatementResult<Row> {
  readonly rows: Row[];
  readonly changes: number;
}

/** One result per statement, in order. */
export type StatementResults<T extends readonly CompiledQuery<unknown>[]> = {
  [K in keyof T]: T[K] extends CompiledQuery<infer Row> ? StatementResult<Row> : never;
};

export interface SqlExecutor {
  /**
   * Runs all statements or none. Resolved: committed and on disk. Promises settle in commit order. Fails with a
   * code of STORE_ERRORS.
   */
  run<const T extends readonly CompiledQuery<unknown>[]>(...statements: T): Promise<StatementResults<T>>;
  /** Like `run`, in no order with other requests: it waits for none of them where the database has connections of its own. */
  runApart<const T extends readonly CompiledQuery<unknown>[]>(...statements: T): Promise<StatementResults<T>>;
  /** Like `run`, for what must be stored even if the disk is full (StoredImportance). */
  runVital<const T extends readonly CompiledQuery<unknown>[]>(...statements: T): Promise<StatementResults<T>>;
  /** The rows of a select, read as one snapshot, each created when the list reaches it. Fails like `run`. */
  readLong<Row extends object>(select: CompiledQuery<Row>): Promise<LongList<Row>>;
  close(): Promise<void>;
}

/** Whether the statement changes nothing. */
export function isSelect(statement: CompiledQuery<unknown>): boolean {
  return statement.query.kind === 'SelectQueryNode';
}

/** A database, as passed to repositories: how statements are written, and what runs them. */
export interface SqlDatabase {
  readonly build: Kysely<Tables>;
  readonly executor: SqlExecutor;
  /** Whether other gateways can work on the same rows; then rows can be locked (`for update skip locked`). */
  readonly isShared: boolean;
  /** Now, by the database's clock, epoch milliseconds. */
  readonly nowMs: RawBuilder<number>;
}
