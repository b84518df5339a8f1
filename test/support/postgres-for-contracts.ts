/** Gives the tests of the vitest project `contracts` a database (src/store/postgres-store.contract.test.ts). */

import { PostgresServer } from './postgres.ts';

/** Sorts a before B and after A, unlike SQLite: nothing that depends on the order of text may notice. */
const SORTED_BY_LANGUAGE = `template template0 locale_provider icu icu_locale 'en-US'`;

export default async function setup(): Promise<() => Promise<void>> {
  const server = await PostgresServer.start();
  process.env.TEST_CONTRACT_DATABASE = (await server.createDatabase(SORTED_BY_LANGUAGE)).reveal();
  return () => server.dispose();
}
