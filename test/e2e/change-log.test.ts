/** The log of changes on a real PostgreSQL server: what a process learns of what others commit, whatever happens in between. */

import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { newRuuid, type Ruuid } from '../../src/core/ruuid.ts';
import { CredentialUrl } from '../../src/core/secret.ts';
import { openStore } from '../../src/store/open-store.ts';
import { LOG_KEPT_MS, MAX_ROWS_PER_READ } from '../../src/store/postgres/change-log.ts';
import { ChangeLogFollower } from '../../src/store/postgres/change-log-follower.ts';
import { resourceKind } from '../../src/store/resource.ts';
import { sampleOrganization, sampleShare } from '../../src/store/sample-entities-fixture.ts';
import type { ChangeEvent, EntityKind, Store } from '../../src/store/store.ts';
import { describeStoreContract } from '../../src/store/store-contract.ts';
import { withNewSchema } from '../../src/store/test-store-fixture.ts';
import { BreakableNetwork } from '../support/breakable-network.ts';
import { PostgresServer } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const DOORS = resourceKind<{ readonly count: number }>('door');

let server: PostgresServer;
let shared: string;
beforeAll(async () => {
  server = await PostgresServer.start();
  shared = (await server.createDatabase()).reveal();
});
afterAll(() => server?.dispose());

function openAs(url: CredentialUrl, origin: Ruuid): Promise<Store> {
  return openStore({ kind: 'postgres', url, fieldKey: Buffer.alloc(32, 7), clock: systemClock, origin });
}

/** A process: its store, and what it learns of others. */
class Node {
  readonly learned: ChangeEvent[] = [];
  readonly origin = newRuuid();
  missed = 0;
  /** How the next loads end. */
  onMissed: () => Promise<void> = async () => undefined;
  store!: Store;
  follower!: ChangeLogFollower;

  static async start(url: CredentialUrl, followed = url): Promise<Node> {
    const node = new Node();
    const { origin } = node;
    node.store = await openAs(url, origin);
    node.follower = await ChangeLogFollower.open({
      url: followed,
      origin,
      clock: systemClock,
      log: silentLog,
      onChange: (event) => node.learned.push(event),
      onMissed: () => {
        node.missed += 1;
        return node.onMissed();
      },
    });
    return node;
  }

  has(uuid: Ruuid): boolean {
    return this.learned.some((event) => event.uuid === uuid);
  }

  async close(): Promise<void> {
    await this.follower.close();
    await this.store.close();
  }
}

const UNLOGGED: readonly EntityKind[] = ['idempotentRequest', 'webhookDelivery', 'deviceReport', 'clipJob'];
/** Only the audit trail of the process that made the change reads these. */
const OWN_FIELDS = ['change', 'publishKeyChange'];
/** Kinds that listeners outside learn nothing about. */
const SILENT: readonly EntityKind[] = ['apiKey', 'person'];

/**
 * What is over, and what goes along with its owner, is removed without an event in the process that removes it. Others
 * forget it.
 */
const GOING_ALONG: readonly EntityKind[] = ['consoleSession', 'passkey', 'oauthGrant', 'endedView'];

function isAnnounced(events: readonly ChangeEvent[]): (learned: ChangeEvent) => boolean {
  const announced = new Set(events.map(({ type, uuid }) => `${type} ${uuid}`));
  return ({ entity, type, uuid }) => !GOING_ALONG.includes(entity) || announced.has(`${type} ${uuid}`);
}

/** What other processes need of an event. */
function shownOf({ entity, type, orgUuid, uuid, details }: ChangeEvent) {
  const shown = { entity, type, orgUuid, uuid };
  if (SILENT.includes(entity)) return shown;
  const fields = Object.entries(details?.fields ?? {}).filter(([name]) => !OWN_FIELDS.includes(name));
  return {
    ...shown,
    deviceUuid: details?.deviceUuid ?? null,
    fields: type === 'DELETE' ? null : Object.fromEntries(fields),
  };
}

describeStoreContract('PostgreSQL, while another process learns every change', async () => {
  const url = await withNewSchema(shared);
  const store = await openAs(url, newRuuid());
  const other = await Node.start(url);
  const events: ChangeEvent[] = [];
  store.onChange((event) => events.push(event));
  const check = async () => {
    await store.close();
    const last = newRuuid();
    await server.sql(`select log_change('door', 'DELETE', '', '${last}', null, null)`, url);
    await until('the last change', () => other.has(last));
    expect(other.learned.slice(0, -1).filter(isAnnounced(events)).map(shownOf)).toEqual(
      events.filter(({ entity }) => !UNLOGGED.includes(entity)).map(shownOf),
    );
    expect(other.learned.every(({ isForeign }) => isForeign)).toBe(true);
    expect(other.missed).toBe(0);
    await other.close();
  };
  let closed: Promise<void> | null = null;
  const close = () => {
    closed ??= check();
    return closed;
  };
  return { ...store, close };
});

describe('a process that follows the log', () => {
  let url: CredentialUrl;
  let here: Node;
  let there: Node;
  const org = sampleOrganization();

  beforeEach(async () => {
    url = await withNewSchema(shared);
    here = await Node.start(url);
    there = await Node.start(url);
    await here.store.organizations.save(org);
    await until('the organization', () => there.has(org.uuid));
  });
  afterEach(() => Promise.all([here.close(), there.close()]));

  /** Resolves once `there` has learned about a share that `here` creates. */
  async function learnsMore(): Promise<void> {
    const share = sampleShare(org.uuid);
    await here.store.shares.save(share);
    await until('a share', () => there.has(share.uuid));
  }

  /** Ends the connections that follow the log. */
  async function terminateFollowers(): Promise<void> {
    const rows = await server.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
       and pid <> pg_backend_pid() and (query like '%change_log%' or query like '%sluice_changes%')`,
      new CredentialUrl(shared),
    );
    expect(rows.length).toBeGreaterThanOrEqual(2);
  }

  it('knows what was committed before it was asked to catch up', async () => {
    for (let round = 0; round < 20; round++) {
      const share = sampleShare(org.uuid);
      await here.store.shares.save(share);
      await there.follower.caughtUp();
      expect(there.has(share.uuid)).toBe(true);
    }
    await terminateFollowers();
    await there.follower.caughtUp();
    const closing = there.follower.caughtUp();
    await there.follower.close();
    await closing;
  });

  it('misses nothing that several writers commit at once, in an order that is right for each record', async () => {
    const writers = [here, await Node.start(url), await Node.start(url)];
    const common = newRuuid();
    const own = writers.map(() => newRuuid());
    const doorOf = (uuid: Ruuid, count: number) => ({
      uuid,
      orgUuid: org.uuid,
      name: String(count),
      parentUuid: null,
      secret: null,
      body: { count },
      createdAtMs: 1,
      updatedAtMs: 1,
    });
    const rounds = 200;
    await Promise.all(
      writers.map(async ({ store }, index) => {
        const doors = store.resources.of(DOORS);
        for (let round = 1; round <= rounds; round++) {
          await doors.change(org.uuid, common, (known) => doorOf(common, (known?.body.count ?? 0) + 1));
          await doors.change(org.uuid, own[index]!, () => doorOf(own[index]!, round));
        }
      }),
    );
    const all = 2 * rounds * writers.length;
    const doors = () => there.learned.filter(({ entity }) => entity === DOORS.name);
    await until('all changes', () => doors().length >= all);
    const names = (uuid: Ruuid) =>
      doors()
        .filter((event) => event.uuid === uuid)
        .map(({ details }) => Number(details?.fields.name));
    const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
    expect(names(common)).toEqual(upTo(rounds * writers.length));
    for (const uuid of own) expect(names(uuid)).toEqual(upTo(rounds));
    expect(doors()).toHaveLength(all);
    await Promise.all(writers.slice(1).map((writer) => writer.close()));
  });

  it('gets what a transaction committed late, once, and is not delayed by it', async () => {
    const late = new pg.Client({ connectionString: url.reveal() });
    await late.connect();
    const [first, second] = [newRuuid(), newRuuid()];
    const insert = `insert into resources (uuid, org_uuid, kind, name, body_json, created_at_ms, updated_at_ms)
      values ($1, $2, 'door', '', '{}', 1, 1)`;
    await late.query('begin');
    await late.query(insert, [first, org.uuid]);
    // Later transactions with later numbers are read first.
    for (let more = 0; more < 3; more++) await learnsMore();
    await late.query(insert, [second, org.uuid]);
    await learnsMore();
    expect([there.has(first), there.has(second)]).toEqual([false, false]);
    await late.query('commit');
    await late.end();
    await until('what was committed late', () => there.has(second));
    await learnsMore();
    const ofLate = there.learned.filter(({ uuid }) => uuid === first || uuid === second);
    expect(ofLate.map(({ uuid }) => uuid)).toEqual([first, second]);
    const uuids = there.learned.map(({ uuid }) => uuid);
    expect(new Set(uuids).size).toBe(uuids.length);
  });

  it('learns nothing of what was rolled back', async () => {
    const other = new pg.Client({ connectionString: url.reveal() });
    await other.connect();
    await other.query('begin');
    await other.query(`update organisations set name = 'no'`);
    await other.query('rollback');
    await other.query(`update organisations set name = 'yes'`);
    await other.end();
    const updates = () => there.learned.filter(({ type }) => type === 'UPDATE');
    await until('the change', () => updates().length > 0);
    await learnsMore();
    expect(updates().map(({ entity, uuid }) => [entity, uuid])).toEqual([['organization', org.uuid]]);
  });

  it('goes on where it was after its connection was terminated, and after the server was restarted', async () => {
    await terminateFollowers();
    await learnsMore();
    await server.stop('SIGQUIT');
    await until('the follower notices', () => !there.follower.isUp);
    await server.run();
    await until('the follower is back', () => there.follower.isUp);
    await learnsMore();
    expect([here.missed, there.missed]).toEqual([0, 0]);
    const uuids = there.learned.map(({ uuid }) => uuid);
    expect(uuids).toHaveLength(3);
  });
});

describe('a process whose way to the server', () => {
  it('breaks gets everything that was committed in the meantime', async () => {
    await withNetwork(async ({ network, here, there, org }) => {
      network.break();
      await until('the follower notices', () => !there.follower.isUp);
      // What is known stays in force.
      await there.follower.caughtUp();
      const shares = Array.from({ length: 5 }, () => sampleShare(org));
      for (const share of shares) await here.store.shares.save(share);
      network.mend();
      await until('all of them', () => shares.every(({ uuid }) => there.has(uuid)));
      const learned = there.learned.filter(({ entity }) => entity === 'share').map(({ uuid }) => uuid);
      expect(learned).toEqual(shares.map(({ uuid }) => uuid));
      expect(there.missed).toBe(0);
    });
  });

  it('falls silent, with no one closing the connection, has a new connection while the old one is silent', async () => {
    await withNetwork(async ({ network, here, there, org }) => {
      network.silence();
      const share = sampleShare(org);
      await here.store.shares.save(share);
      await until('the share', () => there.has(share.uuid));
    });
  });

  it.each([
    [
      'was broken until what it missed was deleted',
      async (url: CredentialUrl) => {
        const rows = await server.sql(
          `update change_log set at = at - ${2 * LOG_KEPT_MS} * interval '1 millisecond';
           select count(*)::int as count from change_log`,
          url,
        );
        expect(rows[0]?.count).toBeGreaterThan(0);
      },
    ],
    [
      'was broken while more was committed than is read row by row',
      (url: CredentialUrl) =>
        server.sql(
          `insert into change_log (origin, entity, type, org_uuid, uuid)
           select '', 'share', 'UPDATE', 'o', 'u' from generate_series(0, ${MAX_ROWS_PER_READ})`,
          url,
        ),
    ],
    [
      'was broken while a backup was restored',
      (url: CredentialUrl) =>
        server.sql('delete from change_log where id >= (select max(id) from change_log) - 1', url),
    ],
  ])('%s loads everything again, as often as it takes', async (name, meanwhile) => {
    await withNetwork(async ({ network, url, here, there, org }) => {
      const before = sampleShare(org);
      await here.store.shares.save(before);
      await until('the share', () => there.has(before.uuid));
      network.break();
      await until('the follower notices', () => !there.follower.isUp);
      await here.store.shares.save(sampleShare(org));
      await meanwhile(url);
      if (name.includes('deleted')) {
        const pruner = await Node.start(url);
        await until('old rows are deleted', async () => {
          const rows = await server.sql('select 1 from change_log', url);
          return rows.length === 0;
        });
        await pruner.close();
      }
      let attempts = 0;
      there.onMissed = async () => {
        attempts += 1;
        if (attempts === 1) throw new Error('not yet');
      };
      network.mend();
      await until('everything is loaded again', () => there.missed === 2);
      const after = sampleShare(org);
      await here.store.shares.save(after);
      await until('the share', () => there.has(after.uuid));
      expect(there.missed).toBe(2);
    });
  });
});

interface Broken {
  readonly url: CredentialUrl;
  readonly network: BreakableNetwork;
  readonly here: Node;
  /** Follows through the network. */
  readonly there: Node;
  readonly org: Ruuid;
}

async function withNetwork(use: (broken: Broken) => Promise<void>): Promise<void> {
  const url = await withNewSchema(shared);
  const network = await BreakableNetwork.open();
  network.lead(url.reveal());
  const through = new URL(url.reveal());
  through.port = new URL(network.url).port;
  const here = await Node.start(url);
  const there = await Node.start(url, new CredentialUrl(through.href));
  try {
    const org = sampleOrganization();
    await here.store.organizations.save(org);
    await until('the organization', () => there.has(org.uuid));
    await use({ url, network, here, there, org: org.uuid });
  } finally {
    await Promise.all([here.close(), there.close()]);
    await network.close();
  }
}
