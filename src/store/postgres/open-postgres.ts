/** Opens a PostgreSQL database with the settings that the store needs, and brings its schema up to date. */

import { sql } from 'kysely';
import pg from 'pg';
import { GatewayError } from '../../core/errors.ts';
import type { CredentialUrl } from '../../core/secret.ts';
import { STORE_ERRORS } from '../errors.ts';
import type { Migration } from '../migrations/migration.ts';
import { MIGRATIONS } from '../migrations/migrations.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import { databaseNameOf } from './database-name.ts';
import { postgresDdl } from './postgres-ddl.ts';
import { PostgresExecutor, type PostgresExecutorOptions } from './postgres-executor.ts';
import { storeErrorOf } from './postgres-failure.ts';
import { connectionOptions } from './postgres-pool.ts';
import { createPostgresQueryBuilder } from './postgres-query-builder.ts';

/** The advisory lock under which the schema changes: "SLUI", as in the SQLite file's header. */
const MIGRATION_LOCK = 0x534c5549;
/** How long a starting gateway waits for another one that migrates. */
const MIGRATION_LOCK_TIMEOUT_MS = 60_000;
/** A migration may rewrite a large table. */
const MIGRATION_TIMEOUT_MS = 30 * 60_000;
/** A server that only runs a query has responded by then. */
const INSPECTION_TIMEOUT_MS = 10_000;
/** `14.0`: older ones no longer get fixes. */
const MINIMUM_SERVER_VERSION = 140_000;

export interface PostgresServer {
  /** Such as `15.8`. */
  readonly version: string;
  /** The version of the schema; 0: the database is empty. */
  readonly schemaVersion: number;
}

/** Connects and migrates. Fails with a code of STORE_ERRORS: STORE_UNREACHABLE, STORE_REFUSED, STORE_TOO_NEW, STORE_NOT_OURS… */
export async function openPostgres(options: PostgresExecutorOptions): Promise<SqlDatabase> {
  const { url, clock } = options;
  await withConnection(url, MIGRATION_TIMEOUT_MS, (client) => migrate(client, MIGRATIONS, clock.epochMs()));
  // Not `now()`: a statement may have waited for another one.
  const nowMs = sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`;
  return {
    build: createPostgresQueryBuilder(),
    executor: new PostgresExecutor(options),
    isShared: true,
    nowMs,
  };
}

/** Whether a gateway could start with this database. Changes nothing. Fails like `openPostgres`. */
export function inspectPostgres(url: CredentialUrl): Promise<PostgresServer> {
  return withConnection(url, INSPECTION_TIMEOUT_MS, async (client) => {
    const version = await checkServer(client);
    const schemaVersion = await readSchemaVersion(client);
    checkNotNewer(schemaVersion, MIGRATIONS);
    return { version, schemaVersion };
  });
}

/**
 * Runs missing migrations in one transaction, alone: a second gateway that starts at the same moment waits and finds them
 * done. Fails STORE_TOO_NEW, STORE_NOT_OURS, STORE_UNSUITABLE, STORE_LOCKED, or with PostgreSQL's errors.
 */
export async function migrate(
  client: pg.Client,
  migrations: readonly Migration[],
  nowEpochMs: number,
): Promise<void> {
  await checkServer(client);
  // Read committed: the version is read after waiting for the lock, not as it was before.
  await client.query('begin isolation level read committed, read write');
  try {
    await client.query(`set local statement_timeout = ${MIGRATION_TIMEOUT_MS}`);
    await client.query(`set local lock_timeout = ${MIGRATION_LOCK_TIMEOUT_MS}`);
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const version = await readSchemaVersion(client);
    checkNotNewer(version, migrations);
    for (const migration of migrations) {
      if (migration.version > version) await apply(client, migration, nowEpochMs);
    }
    await client.query('commit');
  } catch (thrown) {
    // If the connection is lost, the server rolls back on its own: report the first error.
    await client.query('rollback').catch(() => undefined);
    throw thrown;
  }
}

async function apply(client: pg.Client, migration: Migration, nowEpochMs: number): Promise<void> {
  await client.query(postgresDdl(migration.sql));
  if (migration.postgres !== undefined) await client.query(migration.postgres);
  await client.query('insert into schema_history (version, name, applied_at_ms) values ($1, $2, $3)', [
    migration.version,
    migration.name,
    nowEpochMs,
  ]);
}

/** The server's version as text. Fails STORE_UNSUITABLE. */
async function checkServer(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ version: string; number: number; encoding: string }>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
      current_setting('server_encoding') as encoding`,
  );
  const { version = '', number = 0, encoding = '' } = rows[0] ?? {};
  if (number < MINIMUM_SERVER_VERSION || encoding !== 'UTF8') {
    throw new GatewayError(STORE_ERRORS.STORE_UNSUITABLE, { version, encoding });
  }
  return version;
}

/** 0: nothing is there yet. Fails STORE_NOT_OURS if there are tables of another application. */
async function readSchemaVersion(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ name: string }>(
    'select tablename::text as name from pg_tables where schemaname = current_schema() limit 1000',
  );
  const names = new Set(rows.map(({ name }) => name));
  if (names.size === 0) return 0;
  if (!names.has('schema_history') || !names.has('store_meta')) {
    throw new GatewayError(STORE_ERRORS.STORE_NOT_OURS, { tables: names.size });
  }
  const history = await client.query<{ version: number }>(
    'select max(version)::int as version from schema_history',
  );
  return history.rows[0]?.version ?? 0;
}

function checkNotNewer(databaseVersion: number, migrations: readonly Migration[]): void {
  const supportedVersion = migrations.at(-1)?.version ?? 0;
  if (databaseVersion > supportedVersion) {
    throw new GatewayError(STORE_ERRORS.STORE_TOO_NEW, { databaseVersion, supportedVersion });
  }
}

/** Connects for one task. Fails with a code of STORE_ERRORS. */
export async function withConnection<T>(
  url: CredentialUrl,
  responseTimeoutMs: number,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const database = databaseNameOf(url);
  try {
    const client = new pg.Client(connectionOptions(url, responseTimeoutMs));
    // Every failure is also reported by the call that fails.
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await use(client);
    } finally {
      await client.end();
    }
  } catch (thrown) {
    const error = storeErrorOf(thrown, database);
    throw new GatewayError(error, { database, ...error.context }, error.cause);
  }
}
