/** The contract of all stores on a real PostgreSQL server. */

import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import type { CredentialUrl } from '../core/secret.ts';
import { describeChangesBetweenStores } from './change-contract.ts';
import { openStore } from './open-store.ts';
import { connectionOptions } from './postgres/postgres-pool.ts';
import { describeChangesBetweenProcesses } from './process-changes-contract.ts';
import { resourceKind } from './resource.ts';
import { sampleOrganization } from './sample-entities-fixture.ts';
import type { Store } from './store.ts';
import { describeStoreContract } from './store-contract.ts';
import { TestSchema, withNewSchema } from './test-store-fixture.ts';

/** Set by test/support/postgres-for-contracts.ts. */
const DATABASE = process.env.TEST_CONTRACT_DATABASE ?? '';

let schema: TestSchema;
beforeAll(async () => {
  schema = await TestSchema.create(DATABASE);
  // With the tables.
  await (await schema.openEmpty(systemClock)).close();
});
afterAll(() => schema?.close());

function open(url: CredentialUrl): Promise<Store> {
  return openStore({ kind: 'postgres', url, fieldKey: Buffer.alloc(32, 7), clock: systemClock });
}

describeStoreContract(
  'PostgreSQL',
  () => schema.openEmpty(systemClock),
  async () => open(await withNewSchema(DATABASE)),
);
describeChangesBetweenStores('PostgreSQL', async () => {
  const url = await withNewSchema(DATABASE);
  return [await open(url), await open(url)];
});
describeChangesBetweenProcesses('PostgreSQL', async () => (await withNewSchema(DATABASE)).reveal());

it('encrypts addresses of webhooks that an earlier version wrote in plain text', async () => {
  const url = await withNewSchema(DATABASE);
  const org = sampleOrganization();
  const before = await open(url);
  await before.organizations.save(org);
  await before.close();
  const client = new pg.Client(connectionOptions(url, 10_000));
  await client.connect();
  const body = { url: 'https://hooks.example/s3cret', isUsedByRules: true };
  await client.query(
    `insert into resources (kind, uuid, org_uuid, name, body_json, created_at_ms, updated_at_ms)
      values ('webhook', 'AAAAAAAAAAAAAAAAAAAAAA', $1, '', $2, 1, 2)`,
    [org.uuid, JSON.stringify(body)],
  );
  const store = await open(url);
  const { rows } = await client.query<Record<string, unknown>>('select * from resources');
  await client.end();
  expect(JSON.stringify(rows)).not.toContain('hooks.example');
  const webhooks = store.resources.of(resourceKind<typeof body>('webhook'));
  expect((await webhooks.list(org.uuid)).map((webhook) => webhook.body)).toEqual([body]);
  await store.close();
});
