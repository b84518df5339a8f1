/** The store that the configuration names: SQLite in the data folder, or PostgreSQL. */

import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import type { Config } from './config/schema.ts';
import { DATABASE_FILE } from './data-folder.ts';

/** Fails with a code of STORE_ERRORS. */
export function openConfiguredStore(
  { database, data }: Pick<Config, 'database' | 'data'>,
  fieldKey: Buffer,
  clock: Clock,
): Promise<Store> {
  return database === null
    ? openStore({ kind: 'sqlite', path: join(data, DATABASE_FILE), fieldKey, clock })
    : openStore({ kind: 'postgres', url: database, fieldKey, clock });
}
