/** The empty store for tests of what is built on the store. */

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Clock } from '../core/clock.ts';
import { CredentialUrl } from '../core/secret.ts';
import { openStore } from './open-store.ts';
import { openLocalPort } from './sqlite/local-database-fixture.ts';
import type { Store } from './store.ts';

/** URL of a PostgreSQL database in which every test gets its own schema; absent: SQLite in memory, in this thread. */
const TEST_DATABASE = 'SLUICE_TEST_DATABASE';

export async function openTestStore(clock: Clock): Promise<Store> {
  const fieldKey = Buffer.alloc(32, 7);
  const url = process.env[TEST_DATABASE];
  if (url === undefined) {
    return openStore({ kind: 'sqlite-port', port: openLocalPort(), path: ':memory:', fieldKey, clock });
  }
  return openStore({ kind: 'postgres', url: await withNewSchema(url), fieldKey, clock });
}

/** The database's URL with a schema that no one else writes to. */
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
