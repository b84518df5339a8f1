/** Gives the tests of the vitest project `postgres` a server (src/store/test-store-fixture.ts). */

import { PostgresServer } from './postgres.ts';

export default async function setup(): Promise<() => Promise<void>> {
  const server = await PostgresServer.start();
  process.env.SLUICE_TEST_DATABASE = server.url().reveal();
  return () => server.dispose();
}
