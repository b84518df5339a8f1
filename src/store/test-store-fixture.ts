/** The empty store for tests of the code that is built on the store. */

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Clock } from '../core/clock.ts';
import { CredentialUrl } from '../core/secret.ts';
import { openStore } from './open-store.ts';
import { openLocalFile, openLocalPort } from './sqlite/local-database-fixture.ts';
import type { RequestPort } from './sqlite/worker-protocol.ts';
import type { Store } from './store.ts';

/** URL of a PostgreSQL database in which every test gets its own schema; absent: SQLite in memory, in this thread. */
const TEST_DATABASE = 'SLUICE_TEST_DATABASE';
const FIELD_KEY = Buffer.alloc(32, 7);

export async function openTestStore(clock: Clock): Promise<Store> {
  const url = process.env[TEST_DATABASE];
  if (url === undefined) return openLocally(openLocalPort(), ':memory:', clock);
  return openStore({ kind: 'postgres', url: await withNewSchema(url), fieldKey: FIELD_KEY, clock });
}

/** As `openTestStore`, in the file at `path`, which must have the schema of this version, or be empty. */
export function openTestFile(path: string, clock: Clock): Promise<Store> {
  return openLocally(openLocalFile(path), path, clock);
}

function openLocally(port: RequestPort, path: string, clock: Clock): Promise<Store> {
  return openStore({ kind: 'sqlite-port', port, path, fieldKey: FIELD_KEY, clock });
}

/** The database's URL with a schema that no other test writes to. */
export async function withNewSchema(url: string): Promise<CredentialUrl> {
  const schema = `test_${randomBytes(8).toString('hex')}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`create schema ${schema}`);
  await client.end();
  const own = new URL(url);
  own.searchParams.set('options', `-csearch_path=${schema}`);
  return new CredentialUrl(own.href);
}

/** A schema of its own in the database at `url`, of which each store begins empty; one store is open at a time. */
export class TestSchema {
  readonly #url: CredentialUrl;
  readonly #client: pg.Client;

  private constructor(url: CredentialUrl, client: pg.Client) {
    this.#url = url;
    this.#client = client;
  }

  static async create(url: string): Promise<TestSchema> {
    const own = await withNewSchema(url);
    const client = new pg.Client({ connectionString: own.reveal() });
    await client.connect();
    return new TestSchema(own, client);
  }

  /** To empty the tables takes a fifth of the time of making them. */
  async openEmpty(clock: Clock): Promise<Store> {
    await this.#client.query(EMPTY_TABLES);
    return openStore({ kind: 'postgres', url: this.#url, fieldKey: FIELD_KEY, clock });
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}

/** In any order: no trigger of a foreign key fires for a replica. */
const EMPTY_TABLES = `do $$ declare name text; begin
  set local session_replication_role = replica;
  for name in select tablename from pg_tables where schemaname = current_schema() loop
    continue when name in ('schema_history', 'store_meta');
    execute format('delete from %I', name);
  end loop;
end $$`;
