/** The store that the configuration names: SQLite in the data folder, or PostgreSQL. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import type { Clock } from '../../core/clock.ts';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { STORE_ERRORS } from '../../store/errors.ts';
import type { ChangedElsewhere } from '../../store/foreign-changes.ts';
import { openSqliteThread, openStore } from '../../store/open-store.ts';
import { RESERVE_BYTES } from '../../store/sqlite/disk-reserve.ts';
import type { Store } from '../../store/store.ts';
import { DATABASE_FILE, RESERVE_FILE, SECRET_KEY_FILE } from './data-folder.ts';
import type { Config } from './schema.ts';

type StoreConfig = Pick<Config, 'database' | 'data'>;

/** On PostgreSQL: the media thread reads little, and mostly what just changed. */
const MEDIA_READ_CONNECTIONS = 2;

/** Fails with a code of STORE_ERRORS. */
export function openConfiguredStore(
  { database, data }: StoreConfig,
  fieldKey: Buffer,
  clock: Clock,
): Promise<Store> {
  if (database === null) refuseEmptied(data);
  return database === null
    ? openStore({ kind: 'sqlite', path: join(data, DATABASE_FILE), fieldKey, clock })
    : openStore({ kind: 'postgres', url: database, fieldKey, clock });
}

/** How another thread opens the store: StoreOptions in plain values. */
export type ThreadStore =
  | { readonly kind: 'sqlite-port'; readonly path: string; readonly port: MessagePort }
  /** `origin`: of all stores of this process. */
  | { readonly kind: 'postgres'; readonly url: string; readonly origin: Ruuid };

/** A store for the gateway's thread; others can open theirs next to it. */
export interface SharedStore extends ChangedElsewhere {
  /** Closing it closes the database: do that last. */
  readonly store: Store;
  /** Connects one more thread. */
  connect(): ThreadStore;
}

/** Fails with a code of STORE_ERRORS. */
export async function openSharedStore(
  { database, data }: StoreConfig,
  options: { readonly fieldKey: Buffer; readonly clock: Clock; readonly log: Log },
): Promise<SharedStore> {
  const { fieldKey, clock, log } = options;
  if (database !== null) {
    const readConnections = MEDIA_READ_CONNECTIONS;
    const origin = newRuuid();
    const store = await openStore({
      kind: 'postgres',
      url: database,
      fieldKey,
      clock,
      readConnections,
      origin,
    });
    return {
      store,
      connect: () => ({ kind: 'postgres', url: database.reveal(), origin }),
      async follow(listeners) {
        const { ChangeLogFollower } = await import('../../store/postgres/change-log-follower.ts');
        return ChangeLogFollower.open({ url: database, origin, clock, log, ...listeners });
      },
    };
  }
  refuseEmptied(data);
  const path = join(data, DATABASE_FILE);
  const reserve = { path: join(data, RESERVE_FILE), bytes: RESERVE_BYTES };
  const thread = await openSqliteThread({ path, clock, reserve });
  thread.onFailure((cause) => log.error({ path, err: toGatewayError(cause) }, 'database failed'));
  thread.onReserve((state) => {
    if (state === 'given') log.error({ path }, 'disk full, using the reserve for revocations');
    else log.info({ path }, 'disk has room again');
  });
  const connect = () => ({ kind: 'sqlite-port', path, port: thread.connect() }) as const;
  try {
    const store = await openStore({ ...connect(), fieldKey, clock });
    const close = async () => {
      await store.close();
      await thread.close();
    };
    return { store: { ...store, close }, connect };
  } catch (error) {
    await thread.close();
    throw error;
  }
}

/** A first start creates the key and then the file; a start that was killed in between may have left the file empty. */
const FIRST_START_MS = 60_000;

/**
 * A full disk or a failed copy may have emptied the file: a new database in its place would silently void all
 * links.
 */
function refuseEmptied(data: string): void {
  const path = join(data, DATABASE_FILE);
  const file = statSync(path, { throwIfNoEntry: false });
  const key = statSync(join(data, SECRET_KEY_FILE), { throwIfNoEntry: false });
  if (file?.size !== 0 || key === undefined || file.mtimeMs - key.mtimeMs < FIRST_START_MS) return;
  throw new GatewayError(STORE_ERRORS.STORE_EMPTIED, { path });
}
