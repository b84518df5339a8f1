/** The contract of all stores on a real PostgreSQL server. */

import { afterAll, beforeAll } from 'vitest';
import { systemClock } from '../core/clock.ts';
import type { CredentialUrl } from '../core/secret.ts';
import { describeChangesBetweenStores } from './change-contract.ts';
import { openStore } from './open-store.ts';
import { TestSchema, withNewSchema } from './open-test-store.ts';
import { describeChangesBetweenProcesses } from './process-changes-contract.ts';
import type { Store } from './store.ts';
import { describeStoreContract } from './store-contract.ts';

/** From test/support/postgres-for-contracts.ts. */
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
