/**
 * Opens the SQLite file with the settings that the store needs, and brings its schema up to date. Runs in the database's
 * thread.
 */

import { closeSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { GatewayError } from '../../core/errors.ts';
import { STORE_ERRORS } from '../errors.ts';
import type { Migration } from '../migrations/migration.ts';
import type { SqliteWorkerData } from './worker-protocol.ts';

/** Distinguishes our files from other SQLite databases: "SLUI" (sqlite.org/pragma.html#pragma_application_id). */
export const APPLICATION_ID = 0x534c5549;

/** Only the gateway's user reads the database: it holds hashes of passwords and keys. */
const FILE_MODE = 0o600;

/** Opens or creates the database and migrates it. Throws GatewayError of STORE_ERRORS, SQLite's or the system's errors. */
export function openDatabase(data: SqliteWorkerData, migrations: readonly Migration[]): DatabaseSync {
  if (data.path !== ':memory:') createFile(data.path);
  const db = new DatabaseSync(data.path, { timeout: data.busyTimeoutMs, enableForeignKeyConstraints: true });
  try {
    // FULL: in WAL mode only this syncs the log at every commit, so that an acknowledged write survives a power failure.
    db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma trusted_schema = off');
    migrate(db, migrations, data.nowEpochMs);
    checkPages(db);
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

/** Runs missing migrations, each in its own transaction. Fails STORE_TOO_NEW, STORE_NOT_OURS. */
export function migrate(db: DatabaseSync, migrations: readonly Migration[], nowEpochMs: number): void {
  const newest = migrations.at(-1)?.version ?? 0;
  checkOwner(db);
  if (readPragma(db, 'user_version') > newest) {
    throw new GatewayError(STORE_ERRORS.STORE_TOO_NEW, {
      databaseVersion: readPragma(db, 'user_version'),
      supportedVersion: newest,
    });
  }
  for (const migration of migrations) {
    // A second process may be migrating the same file: the version is reliable only under the write lock.
    db.exec('begin immediate');
    try {
      if (readPragma(db, 'user_version') < migration.version) applyMigration(db, migration, nowEpochMs);
      db.exec('commit');
    } catch (error) {
      if (db.isTransaction) db.exec('rollback');
      throw error;
    }
  }
}

function applyMigration(db: DatabaseSync, migration: Migration, nowEpochMs: number): void {
  db.exec(migration.sql);
  if (migration.sqlite !== undefined) db.exec(migration.sqlite);
  db.prepare('insert into schema_history (version, name, applied_at_ms) values (?, ?, ?)').run(
    migration.version,
    migration.name,
    nowEpochMs,
  );
  db.exec(`pragma application_id = ${APPLICATION_ID}; pragma user_version = ${migration.version}`);
}

function checkOwner(db: DatabaseSync): void {
  const applicationId = readPragma(db, 'application_id');
  if (applicationId === APPLICATION_ID) return;
  const isEmpty = db.prepare('select 1 from sqlite_schema limit 1').get() === undefined;
  if (applicationId === 0 && isEmpty) return;
  throw new GatewayError(STORE_ERRORS.STORE_NOT_OURS, { applicationId });
}

/**
 * Tables that are not checked when the gateway starts: the index of recordings alone can have gigabytes, which a check
 * would read for half a minute and more, and it is rebuilt from the files (docs/design/recording.md#the-catalog).
 */
const UNCHECKED_TABLES = new Set(['recordings']);

/**
 * Finds a damaged file at startup instead of in the middle of the night: the list of tables, and each table with its
 * indexes (sqlite.org/pragma.html#pragma_quick_check).
 */
function checkPages(db: DatabaseSync): void {
  const tables = db.prepare("select name from sqlite_schema where type = 'table'").all();
  for (const { name } of [{ name: 'sqlite_schema' }, ...tables]) {
    if (UNCHECKED_TABLES.has(String(name))) continue;
    const finding = db.prepare(`pragma quick_check("${String(name)}")`).get()?.quick_check;
    if (finding !== 'ok') throw new GatewayError(STORE_ERRORS.STORE_CORRUPT, { finding: String(finding) });
  }
}

function readPragma(db: DatabaseSync, name: 'user_version' | 'application_id'): number {
  return Number(db.prepare(`pragma ${name}`).get()?.[name]);
}

/** Creates a missing file with its final permissions; SQLite's log files inherit them. */
function createFile(path: string): void {
  closeSync(openSync(path, 'a', FILE_MODE));
  const directory = openSync(dirname(path), 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
