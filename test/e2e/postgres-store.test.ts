/** The store on a real PostgreSQL server: what only a server can do to it (src/store/postgres-store.contract.test.ts has the rest). */

import { inspect } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { newRuuid } from '../../src/core/ruuid.ts';
import { CredentialUrl } from '../../src/core/secret.ts';
import type { Crossing } from '../../src/store/crossing.ts';
import { MIGRATIONS } from '../../src/store/migrations/migrations.ts';
import { openStore, type PostgresStoreOptions } from '../../src/store/open-store.ts';
import { inspectPostgres, migrate } from '../../src/store/postgres/open-postgres.ts';
import { sampleCamera, sampleOrganization, sampleShare } from '../../src/store/sample-entities-fixture.ts';
import type { Store } from '../../src/store/store.ts';
import { freePort } from '../support/ports.ts';
import { POSTGRES_PASSWORD, PostgresServer } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const CRASHES = 3;

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server?.dispose());

function open(url: CredentialUrl, options: Partial<PostgresStoreOptions> = {}): Promise<Store> {
  return openStore({ kind: 'postgres', url, fieldKey: Buffer.alloc(32, 7), clock: systemClock, ...options });
}

describe('a PostgreSQL database', () => {
  it('has everything again after closing', async () => {
    const url = await server.createDatabase();
    const org = sampleOrganization();
    const camera = sampleCamera(org.uuid);
    const store = await open(url);
    await store.organizations.save(org);
    await store.cameras.save(camera);
    await store.close();
    const again = await open(url);
    expect(await again.cameras.list(org.uuid)).toEqual([camera]);
    await again.close();
  });

  it('is reached over a Unix socket, in a schema of its own', async () => {
    await server.sql('create schema aside');
    const url = new URL(server.url().reveal());
    url.searchParams.set('host', server.socketFolder);
    url.searchParams.set('options', '-csearch_path=aside');
    const store = await open(new CredentialUrl(url.href));
    await store.ping();
    const tables = await server.sql("select tablename from pg_tables where schemaname = 'aside'");
    expect(tables.map(({ tablename }) => tablename)).toContain('shares');
    await store.close();
  });

  it('refuses another secret key', async () => {
    const url = await server.createDatabase();
    await (await open(url)).close();
    await expect(open(url, { fieldKey: Buffer.alloc(32, 8) })).rejects.toMatchObject({
      code: 'STORE_WRONG_KEY',
      context: { database: `postgres://127.0.0.1:${server.port}${new URL(url.reveal()).pathname}` },
    });
  });

  it('is written to disk before a write is answered, whatever the server cares for by itself', async () => {
    const url = await server.createDatabase();
    const [, name] = new URL(url.reveal()).pathname.split('/');
    await server.sql(`alter database ${name} set synchronous_commit = off`);
    const store = await open(url);
    await store.organizations.save(sampleOrganization());
    await server.sql(
      'create table seen (setting text); create function see() returns trigger language plpgsql as ' +
        `$$ begin insert into seen values (current_setting('synchronous_commit')); return new; end $$;` +
        'create trigger see after insert on organisations for each row execute function see()',
      url,
    );
    await store.organizations.save(sampleOrganization());
    expect(await server.sql('select setting from seen', url)).toEqual([{ setting: 'on' }]);
    await store.close();
  });
});

describe('a database that is no store', () => {
  const change = (url: CredentialUrl, how: (url: URL) => void) => {
    const changed = new URL(url.reveal());
    how(changed);
    return new CredentialUrl(changed.href);
  };
  const cases: [name: string, code: string, make: () => Promise<CredentialUrl>][] = [
    [
      'a wrong password',
      'STORE_REFUSED',
      async () =>
        change(server.url(), (url) => {
          url.password = `${POSTGRES_PASSWORD}!`;
        }),
    ],
    ['a database that does not exist', 'STORE_REFUSED', async () => server.url('nowhere')],
    [
      'a port on which nobody listens',
      'STORE_UNREACHABLE',
      async () => {
        const port = await freePort();
        return change(server.url(), (url) => {
          url.port = String(port);
        });
      },
    ],
    [
      'a certificate that cannot be read',
      'STORE_UNREACHABLE',
      async () => change(server.url(), (url) => url.searchParams.set('sslrootcert', '/nowhere/ca.pem')),
    ],
    [
      'a server without TLS where it is asked for',
      'STORE_UNREACHABLE',
      async () => change(server.url(), (url) => url.searchParams.set('sslmode', 'verify-full')),
    ],
    [
      "another application's tables",
      'STORE_NOT_OURS',
      async () => {
        const url = await server.createDatabase();
        await server.sql('create table bookmarks (url text)', url);
        return url;
      },
    ],
    [
      'a schema of a newer version',
      'STORE_TOO_NEW',
      async () => {
        const url = await server.createDatabase();
        await (await open(url)).close();
        await server.sql("insert into schema_history values (9999, 'later', 1)", url);
        return url;
      },
    ],
    [
      'another encoding',
      'STORE_UNSUITABLE',
      () => server.createDatabase("template template0 encoding 'LATIN1' locale 'C'"),
    ],
  ];

  it.each(cases)('%s is refused with %s, by name and without the password', async (_name, code, make) => {
    const url = await make();
    for (const attempt of [() => open(url), () => inspectPostgres(url)]) {
      const error: unknown = await attempt().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        code,
        context: { database: expect.stringMatching(/^postgres:\/\/127/) },
      });
      const shown = inspect(error, { depth: 10 }) + JSON.stringify(error);
      for (const secret of [POSTGRES_PASSWORD, encodeURIComponent(POSTGRES_PASSWORD)]) {
        expect(shown).not.toContain(secret);
      }
    }
  });
});

describe('the schema', () => {
  it('is made once by gateways that start at the same moment', async () => {
    const url = await server.createDatabase();
    const stores = await Promise.all([open(url), open(url), open(url)]);
    const history = await server.sql('select version from schema_history order by version', url);
    expect(history.map(({ version }) => Number(version))).toEqual(MIGRATIONS.map(({ version }) => version));
    for (const store of stores) await store.close();
  });

  it.each(MIGRATIONS.map(({ version }) => version))(
    'of version %i comes forward with its rows',
    async (version) => {
      const url = await server.createDatabase();
      await withClient(url, async (client) => {
        await migrate(
          client,
          MIGRATIONS.filter((one) => one.version <= version),
          1,
        );
        await client.query(
          "insert into organisations (uuid, name, partner_uuid, created_at_ms) values ('org', 'Harbour', null, 1)",
        );
        await client.query(
          "insert into nvrs (uuid, org_uuid, name, created_at_ms, mummified) values ('nvr', 'org', 'Core', 1, 0)",
        );
        await client.query(
          `insert into schedules values ('day', 'org', 'Day', 1, 0, 'ABSOLUTE_SECONDS', '[]', 1, 1)`,
        );
      });
      const store = await open(url);
      expect((await store.nvrs.listEverywhere()).map(({ name }) => name)).toEqual(['Core']);
      expect((await store.schedules.listEverywhere()).map(({ name }) => name)).toEqual(['Day']);
      await store.close();
    },
  );

  it('keeps nothing of a migration that fails half way', async () => {
    const url = await server.createDatabase();
    const newest = MIGRATIONS.at(-1)!.version;
    const version = newest + 1;
    const sql = 'alter table nvrs add column flags integer; create table cameras (uuid text) strict';
    await withClient(url, async (client) => {
      await migrate(client, MIGRATIONS, 1);
      const broken = [...MIGRATIONS, { version, name: 'broken', sql }];
      await expect(migrate(client, broken, 2)).rejects.toThrow(/already exists/);
    });
    expect((await inspectPostgres(url)).schemaVersion).toBe(newest);
    await expect(server.sql('select flags from nvrs', url)).rejects.toThrow(/does not exist/);
  });
});

describe('several gateways on one database', () => {
  it('add up the same quarter hours without losing a crossing', async () => {
    const url = await server.createDatabase();
    const stores = [await open(url), await open(url)] as const;
    const org = sampleOrganization();
    const deviceUuid = newRuuid();
    const crossing = (atMs: number): Crossing => ({
      deviceUuid,
      facet: '',
      id: newRuuid(),
      atMs,
      objectId: atMs,
      object: 'HUMAN',
      direction: 'INGRESS',
    });
    await stores[0].organizations.save(org);
    await Promise.all(
      stores.map(async (store) => {
        for (let batch = 0; batch < 15; batch++) {
          const crossings = Array.from({ length: 10 }, (_, index) => crossing(batch * 10 + index));
          expect(await store.crossings.add(org.uuid, crossings)).toBe(10);
        }
      }),
    );
    const counts = await stores[0].crossings.counts(org.uuid, {
      devices: [{ deviceUuid, facet: '' }],
      fromMs: 0,
      toMs: 900_000,
      isDeduplicated: false,
      runs: [{ startMs: 0, lengthMs: 900_000, count: 1 }],
    });
    expect(counts).toEqual([{ bucketStartMs: 0, ingressCount: 300, egressCount: 0 }]);
    for (const store of stores) await store.close();
  });
});

describe('a server in trouble', () => {
  it('that holds a table locked fails the write after the longest time for a statement', async () => {
    const url = await server.createDatabase();
    const store = await open(url, { statementTimeoutMs: 200 });
    const organization = sampleOrganization();
    await withClient(url, async (holder) => {
      await holder.query('begin; lock table organisations in exclusive mode');
      await expect(store.organizations.save(organization)).rejects.toMatchObject({
        kind: 'unavailable',
        code: 'STORE_TIMEOUT',
      });
      expect(await store.organizations.list()).toEqual([]);
      await holder.query('rollback');
    });
    await store.organizations.save(organization);
    await store.close();
  });

  it('that is slow with others answers beats of a node, while its claims keep their order', async () => {
    const url = await server.createDatabase();
    const store = await open(url);
    const [cameraUuid, run] = [newRuuid(), { nodeId: 'a', runId: newRuuid(), address: 'a:7700' }];
    const settled: string[] = [];
    const note = (name: string) => () => void settled.push(name);
    await withClient(url, async (holder) => {
      await holder.query('begin; lock table recordings, organisations');
      const others = [
        store.recordings.usage().then(note('read')),
        store.clusterLeases.claim(cameraUuid, run, null).then(note('claim')),
        store.organizations.save(sampleOrganization()).then(note('write')),
      ];
      const waiting = `select 1 from pg_stat_activity
        where datname = current_database() and application_name = 'sluice' and wait_event_type = 'Lock'`;
      await until('a read and a write wait', async () => (await server.sql(waiting, url)).length === 2);
      const owned = await store.clusterLeases.rely({ ...run, beat: 1, aliveMs: 2_000 });
      expect(owned).toEqual([{ cameraUuid, runId: run.runId, fence: 1 }]);
      await store.clusterLeases.stopRelying({ runId: run.runId, beat: 1 });
      expect(settled).toEqual([]);
      await holder.query('rollback');
      await Promise.all(others);
    });
    expect(settled).toEqual(['read', 'claim', 'write']);
    await store.close();
  });

  it('that ends every connection is connected to anew', async () => {
    const url = await server.createDatabase();
    const store = await open(url);
    await Promise.all(Array.from({ length: 20 }, () => store.ping()));
    await store.organizations.save(sampleOrganization());
    const ended = await server.sql(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'sluice'",
    );
    expect(ended.length).toBeGreaterThan(1);
    await Promise.all(Array.from({ length: 20 }, () => store.ping()));
    await until('a write', async () => {
      await store.organizations.save(sampleOrganization());
      return true;
    });
    await store.close();
  });

  it('that is away fails requests, which do not wait for its return, and is found again by itself', async () => {
    const own = await PostgresServer.start();
    try {
      const store = await open(await own.createDatabase());
      const organization = sampleOrganization();
      await store.organizations.save(organization);
      await own.stop();
      for (const result of await Promise.allSettled([
        ...Array.from({ length: 500 }, () => store.organizations.list()),
        ...Array.from({ length: 500 }, () => store.organizations.save(sampleOrganization())),
      ])) {
        expect(result).toMatchObject({ status: 'rejected', reason: { code: 'STORE_UNREACHABLE' } });
      }
      await own.run();
      await until('the store is back', async () => (await store.organizations.list()).length === 1);
      await store.organizations.save(sampleOrganization());
      await store.close();
    } finally {
      await own.dispose();
    }
  });

  it('that crashes under load loses nothing that was answered', async () => {
    const own = await PostgresServer.start();
    try {
      const store = await open(await own.createDatabase());
      const org = sampleOrganization();
      await store.organizations.save(org);
      const acknowledged: string[] = [];
      let isOver = false;
      let failures = 0;
      const writers = Array.from({ length: 8 }, async () => {
        while (!isOver) {
          const share = sampleShare(org.uuid);
          try {
            await store.shares.save(share);
            acknowledged.push(share.uuid);
          } catch (thrown) {
            expect(thrown).toMatchObject({ code: 'STORE_UNREACHABLE' });
            failures += 1;
            await new Promise((resolve) => setImmediate(resolve));
          }
        }
      });
      for (let crash = 0; crash < CRASHES; crash++) {
        const before = acknowledged.length;
        await until('writes', () => acknowledged.length > before + 200);
        await own.stop('SIGQUIT');
        await own.run();
      }
      const before = acknowledged.length;
      await until('writes after the last crash', () => acknowledged.length > before);
      isOver = true;
      await Promise.all(writers);
      const kept = new Set((await store.shares.list(org.uuid)).map(({ uuid }) => String(uuid)));
      expect(acknowledged.filter((uuid) => !kept.has(uuid))).toEqual([]);
      expect(failures).toBeGreaterThan(0);
      await store.close();
    } finally {
      await own.dispose();
    }
  });
});

async function withClient(url: CredentialUrl, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url.reveal() });
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}
