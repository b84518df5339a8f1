import type { CompiledQuery } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Endpoint } from '../../http/endpoint.ts';
import { SqliteExecutor } from '../../store/sqlite/sqlite-executor.ts';
import { addApiKey } from '../api-fixture.ts';
import { signedIn } from '../console-fixture.ts';
import { ENDPOINTS } from '../endpoints.ts';
import { identifierFor, openPopulatedApi, type PopulatedApi } from '../populated-organization-fixture.ts';
import { exampleBody } from '../schema-samples-fixture.ts';

/** The database, row by row. */
type Dump = ReadonlyMap<string, readonly string[]>;

/**
 * Independent of the caller's role: they take a secret of their own (an invitation, a password), or the caller's own
 * session, or the caller's own notifications.
 */
const ABOUT_THE_CALLER = new Set([
  ...[
    'addPushSubscription',
    'beginPushSubscription',
    'changePassword',
    'confirmIdentity',
    'deletePushSubscription',
    'signOut',
  ].map((operation) => `/api/console/${operation}`),
  '/api/customer/updateCurrentUserNotificationSettings',
]);
const TRIED = ENDPOINTS.filter(({ isOpen, path }) => !isOpen && !ABOUT_THE_CALLER.has(path));

let populated: PopulatedApi;
let executor: SqliteExecutor | null = null;

beforeAll(async () => {
  const run = vi.spyOn(SqliteExecutor.prototype, 'run');
  populated = await openPopulatedApi();
  executor = run.mock.contexts[0] as unknown as SqliteExecutor;
  run.mockRestore();
});
afterAll(() => populated.close());
afterEach(() => populated.fixture.audit.settled());

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const statement = { sql, parameters: [], query: { kind: 'RawNode' } } as unknown as CompiledQuery<
    Record<string, unknown>
  >;
  const [{ rows }] = await executor!.run(statement);
  return rows;
}

async function dump(): Promise<Dump> {
  await populated.fixture.audit.settled();
  const tables = await query(`select name from sqlite_master where type = 'table' order by name`);
  const rows = new Map<string, readonly string[]>();
  for (const { name } of tables) {
    const found = await query(`select * from "${String(name)}"`);
    rows.set(String(name), found.map((row) => JSON.stringify(row)).toSorted());
  }
  return rows;
}

/** Rows that only one of them has, by table. */
function differences(before: Dump, after: Dump): Record<string, string[]> {
  const tables = new Set([...before.keys(), ...after.keys()]);
  const found = [...tables].map((name): [string, string[]] => {
    const old = new Set(before.get(name));
    return [name, [...old.symmetricDifference(new Set(after.get(name)))]];
  });
  return Object.fromEntries(found.filter(([, rows]) => rows.length > 0));
}

/** Names what exists: a body that any admin could send. */
function bodyOf(endpoint: Endpoint): Record<string, unknown> {
  return exampleBody(endpoint, (field) => identifierFor(populated.own, endpoint.path, field));
}

describe('a viewer who sends to every endpoint what an admin could send', () => {
  it('changes no row with a key', async () => {
    const { fixture, own } = populated;
    const { uuid } = own.org.organization;
    const key = await addApiKey(fixture.store, uuid, { role: 'viewer' });
    const partnerKey = await addApiKey(fixture.store, uuid, { role: 'viewer', scheme: 'partner-api' });
    const before = await dump();
    for (const endpoint of TRIED) {
      const headers = { 'x-auth-apikey': endpoint.scheme === 'partner-api' ? partnerKey : key };
      await fixture.post(endpoint.path, bodyOf(endpoint), headers);
    }
    expect(differences(before, await dump())).toEqual({});
  });

  it('changes no row with a cookie', async () => {
    const { fixture, own } = populated;
    const { console } = await signedIn(fixture, own.org, 'viewer');
    const before = await dump();
    for (const endpoint of TRIED) await console.post(endpoint.path, bodyOf(endpoint));
    expect(differences(before, await dump())).toEqual({});
  });

  it('is compared with something: an admin changes rows', async () => {
    const before = await dump();
    await populated.fixture.call('/api/location/createLocation', { location: { name: 'Quay', tz: 'UTC' } });
    expect(Object.keys(differences(before, await dump()))).toContain('locations');
  });
});
