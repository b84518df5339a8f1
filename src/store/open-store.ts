/** Opens the store: the database, its schema, and the repositories over it. */

import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../core/clock.ts';
import { type ErrorContext, GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { CredentialUrl } from '../core/secret.ts';
import { withBriefWaits } from './brief-waits.ts';
import { ChangeFeed } from './change-feed.ts';
import { STORE_ERRORS } from './errors.ts';
import { FieldCipher, type FieldPlace } from './field-encryption.ts';
import { databaseNameOf } from './postgres/database-name.ts';
import { ApiKeyTable } from './repositories/api-key-table.ts';
import { AuditTable } from './repositories/audit-table.ts';
import { CameraTable } from './repositories/camera-table.ts';
import { ClusterLeaseTable } from './repositories/cluster-lease-table.ts';
import { ConsoleSessionTable } from './repositories/console-session-table.ts';
import { CrossingTable } from './repositories/crossing-table.ts';
import { EndedViewTable } from './repositories/ended-view-table.ts';
import { EventTable } from './repositories/event-table.ts';
import { GatewayRunTable } from './repositories/gateway-run-table.ts';
import { LeaseTable } from './repositories/lease-table.ts';
import { OAuthApplicationTable } from './repositories/oauth-application-table.ts';
import { OAuthGrantTable } from './repositories/oauth-grant-table.ts';
import { OccupancyTable } from './repositories/occupancy-table.ts';
import { OrgTable } from './repositories/org-table.ts';
import { OrganizationTable } from './repositories/organization-table.ts';
import { PasskeyChallengeTable } from './repositories/passkey-challenge-table.ts';
import { PasskeyTable } from './repositories/passkey-table.ts';
import { PersonTable } from './repositories/person-table.ts';
import { RecordingBlockTable } from './repositories/recording-block-table.ts';
import { RecordingHoldTable } from './repositories/recording-hold-table.ts';
import { RecordingTable } from './repositories/recording-table.ts';
import { ReportingDevices } from './repositories/reporting-devices.ts';
import { ResourceTables } from './repositories/resource-table.ts';
import { ScheduleTable } from './repositories/schedule-table.ts';
import { ShareTable } from './repositories/share-table.ts';
import { SigningCertificateTable } from './repositories/signing-certificate-table.ts';
import { LOCATION_MAPPING, NVR_MAPPING } from './repositories/site-mappings.ts';
import { StoredUseTable } from './repositories/stored-use-table.ts';
import { StreamLedgerTable } from './repositories/stream-ledger-table.ts';
import { UploadTable } from './repositories/upload-table.ts';
import { VIDEO_WALL_MAPPING, WallShareTable } from './repositories/video-wall-table.ts';
import { withActingViews } from './scoped-store.ts';
import { sealEarlierFields } from './sealed-fields.ts';
import type { SqlDatabase } from './sql-executor.ts';
import { SqliteExecutor } from './sqlite/sqlite-executor.ts';
import { createSqliteQueryBuilder } from './sqlite/sqlite-query-builder.ts';
import { SqliteThread } from './sqlite/sqlite-thread.ts';
import type { RequestPort, SqliteWorkerData } from './sqlite/worker-protocol.ts';
import type { Store } from './store.ts';

/** How long a statement waits for another process that writes to the same file. */
const DEFAULT_BUSY_TIMEOUT_MS = 5_000;

/** A known text, encrypted when the database is created: reveals a wrong key at startup. */
const KEY_CHECK: FieldPlace = { table: 'store_meta', uuid: 'key-check', column: 'value' };
const KEY_CHECK_TEXT = 'sluice';

interface CommonOptions {
  /** 32 bytes; encrypts camera URLs. Copied. */
  readonly fieldKey: Buffer;
  readonly clock: Clock;
}

export interface SqliteStoreOptions extends CommonOptions {
  readonly kind: 'sqlite';
  /** Path of the database file, whose folder exists, or `:memory:`. */
  readonly path: string;
  readonly busyTimeoutMs?: number;
}

/** A store next to another one, over the same database thread: neither is notified of the other's changes. */
export interface SqlitePortStoreOptions extends CommonOptions {
  readonly kind: 'sqlite-port';
  /** A port from SqliteThread, or the end of one in this thread. */
  readonly port: RequestPort;
  /** The path, for errors. */
  readonly path: string;
}

export interface PostgresStoreOptions extends CommonOptions {
  readonly kind: 'postgres';
  readonly url: CredentialUrl;
  /** Longest statement. Default: 15 s. */
  readonly statementTimeoutMs?: number;
  /** As in PostgresExecutorOptions. Default: 7. */
  readonly readConnections?: number;
  /** As in PostgresExecutorOptions. */
  readonly origin?: Ruuid;
}

export type StoreOptions = SqliteStoreOptions | SqlitePortStoreOptions | PostgresStoreOptions;

/**
 * Opens or creates the database and brings its schema up to date. Fails with a code of STORE_ERRORS whose context
 * names the path or the database: STORE_TOO_NEW, STORE_NOT_OURS, STORE_CORRUPT, STORE_WRONG_KEY, STORE_LOCKED,
 * STORE_CANNOT_OPEN, STORE_UNREACHABLE…
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const cipher = new FieldCipher(options.fieldKey);
  const database = await openDatabase(options);
  const place =
    options.kind === 'postgres' ? { database: databaseNameOf(options.url) } : { path: options.path };
  try {
    await checkKey(database, cipher, place);
    await sealEarlierFields(database, cipher);
  } catch (error) {
    await database.executor.close();
    throw error;
  }
  const repositories = createRepositories(database, cipher, SIZE_QUERIES[options.kind]);
  return withBriefWaits(withActingViews(repositories), options.clock);
}

const SQLITE_SIZE = sql<number>`(select page_count from pragma_page_count()) * (select page_size from pragma_page_size())`;
const SIZE_QUERIES: Readonly<Record<StoreOptions['kind'], RawBuilder<number>>> = {
  sqlite: SQLITE_SIZE,
  'sqlite-port': SQLITE_SIZE,
  // As a number that the driver does not turn into text.
  postgres: sql<number>`pg_database_size(current_database())::float8`,
};

async function openDatabase(options: StoreOptions): Promise<SqlDatabase> {
  switch (options.kind) {
    case 'postgres': {
      // Its driver is loaded by those who use it.
      const { openPostgres } = await import('./postgres/open-postgres.ts');
      return openPostgres(options);
    }
    case 'sqlite-port':
      return sqliteDatabase(new SqliteExecutor(options.port, options.path));
    case 'sqlite': {
      const thread = await openSqliteThread(options);
      const executor = new SqliteExecutor(thread.connect(), options.path, () => thread.close());
      return sqliteDatabase(executor);
    }
  }
}

function sqliteDatabase(executor: SqliteExecutor): SqlDatabase {
  const nowMs = sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
  return { build: createSqliteQueryBuilder(), executor, isShared: false, nowMs };
}

/** Opens the thread for stores of kind `sqlite-port`. Fails like `openStore`. */
export function openSqliteThread(
  options: Pick<SqliteStoreOptions, 'path' | 'busyTimeoutMs' | 'clock'> & {
    /** Absent: nothing is reserved for a full disk. */
    readonly reserve?: SqliteWorkerData['reserve'];
  },
): Promise<SqliteThread> {
  return SqliteThread.open({
    path: options.path,
    busyTimeoutMs: options.busyTimeoutMs ?? DEFAULT_BUSY_TIMEOUT_MS,
    nowEpochMs: options.clock.epochMs(),
    reserve: options.reserve ?? null,
  });
}

/** The repositories over any database. */
function createRepositories(database: SqlDatabase, cipher: FieldCipher, size: RawBuilder<number>): Store {
  const changes = new ChangeFeed();
  const reportingDevices = new ReportingDevices(database);
  const use = new StoredUseTable(database);
  const writeCheck = { name: 'write-check', value: '' };
  const write = database.build
    .insertInto('store_meta')
    .values(writeCheck)
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: '' }))
    .compile();
  const measure = database.build.selectNoFrom(size.as('bytes')).compile();
  const ping = database.build.selectFrom('store_meta').select('name').limit(1).compile();
  return {
    organizations: new OrganizationTable(database, changes),
    apiKeys: new ApiKeyTable(database, changes),
    locations: new OrgTable(database, changes, LOCATION_MAPPING),
    nvrs: new OrgTable(database, changes, NVR_MAPPING),
    cameras: new CameraTable(database, changes, cipher),
    shares: new ShareTable(database, changes),
    schedules: new ScheduleTable(database, changes),
    videoWalls: new OrgTable(database, changes, VIDEO_WALL_MAPPING),
    wallShares: new WallShareTable(database, changes),
    people: new PersonTable(database, changes),
    consoleSessions: new ConsoleSessionTable(database, changes),
    endedViews: new EndedViewTable(database),
    passkeys: new PasskeyTable(database, changes),
    passkeyChallenges: new PasskeyChallengeTable(database),
    streamLedger: new StreamLedgerTable(database),
    clusterLeases: new ClusterLeaseTable(database),
    recordings: new RecordingTable(database),
    recordingBlocks: new RecordingBlockTable(database),
    recordingHolds: new RecordingHoldTable(database),
    signingCertificates: new SigningCertificateTable(database),
    uploads: new UploadTable(database),
    resources: new ResourceTables(database, changes, cipher),
    events: new EventTable(database, changes, use),
    gatewayRuns: new GatewayRunTable(database),
    leases: new LeaseTable(database),
    crossings: new CrossingTable(database, reportingDevices, use),
    occupancy: new OccupancyTable(database, reportingDevices, use),
    audit: new AuditTable(database),
    use,
    oauthApplications: new OAuthApplicationTable(database, changes),
    oauthGrants: new OAuthGrantTable(database, changes),
    onChange: (listener) => changes.subscribe(listener),
    ping: async () => void (await database.executor.run(ping)),
    checkWriting: async () => void (await database.executor.run(write)),
    sizeBytes: async () => {
      const [{ rows }] = await database.executor.run(measure);
      return rows[0]?.bytes ?? 0;
    },
    close: () => database.executor.close(),
  };
}

async function checkKey(database: SqlDatabase, cipher: FieldCipher, place: ErrorContext): Promise<void> {
  const { build, executor } = database;
  const [, stored] = await executor.run(
    build
      .insertInto('store_meta')
      .values({ name: KEY_CHECK.uuid, value: cipher.encrypt(KEY_CHECK, KEY_CHECK_TEXT) })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .compile(),
    build.selectFrom('store_meta').select('value').where('name', '=', KEY_CHECK.uuid).compile(),
  );
  try {
    cipher.decrypt(KEY_CHECK, stored.rows[0]?.value ?? '');
  } catch (cause) {
    throw new GatewayError(STORE_ERRORS.STORE_WRONG_KEY, place, cause);
  }
}
