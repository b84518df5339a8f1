/** What several gateways on one PostgreSQL database do only once: two processes, one of which is killed. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyConfig } from '../../src/app/config/apply-config.ts';
import { ensureBootstrapKeys } from '../../src/app/config/bootstrap-keys.ts';
import { DEFAULT_ORG_UUID } from '../../src/app/config/default-organizations.ts';
import { parseConfig } from '../../src/app/config/load-config.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { newRuuid, type Ruuid } from '../../src/core/ruuid.ts';
import { EventEffects } from '../../src/events/event-effects.ts';
import { openTaskStore } from '../../src/store/change-writer-fixture.ts';
import { LEASE_MS } from '../../src/store/held-lease.ts';
import { inTurn } from '../../src/store/in-turn.ts';
import { sampleEvent, sampleOrganization } from '../../src/store/sample-entities-fixture.ts';
import type { Store } from '../../src/store/store.ts';
import { withNewSchema } from '../../src/store/test-store-fixture.ts';
import type { DeliveryTask } from '../../src/webhooks/delivery-worker-fixture.ts';
import { FakeWebhookHost } from '../../src/webhooks/fake-webhook-host.ts';
import { DELIVERIES } from '../../src/webhooks/webhook-delivery.ts';
import { PostgresServer } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const WORKER = fileURLToPath(new URL('../../src/webhooks/delivery-worker-fixture.ts', import.meta.url));
const FIELD_KEY = Buffer.alloc(32, 7);
const TIMEOUT_MS = 180_000;

let server: PostgresServer;
let database: string;
beforeAll(async () => {
  server = await PostgresServer.start();
  database = (await server.createDatabase()).reveal();
});
afterAll(() => server?.dispose());

let store: Store;
/** Of the other gateway. */
let otherStore: Store;
let host: FakeWebhookHost;
let task: Omit<DeliveryTask, 'uuids'>;
const workers: Worker[] = [];
beforeEach(async () => {
  const schema = (await withNewSchema(database)).reveal();
  host = await FakeWebhookHost.open();
  const organization = sampleOrganization();
  const common = { database: schema, fieldKeyHex: FIELD_KEY.toString('hex') };
  task = { ...common, orgUuid: organization.uuid, url: host.url() };
  store = await openTaskStore(common);
  otherStore = await openTaskStore(common);
  await store.organizations.save(organization);
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.kill();
  await host.close();
  await store.close();
  await otherStore.close();
});

class Worker {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #ready = Promise.withResolvers<void>();
  logged = 0;

  constructor(uuids: readonly Ruuid[]) {
    const argument = JSON.stringify({ ...task, uuids } satisfies DeliveryTask);
    this.#child = spawn(process.execPath, [WORKER, argument], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#exited = once(this.#child, 'exit');
    workers.push(this);
    createInterface({ input: this.#child.stdout! }).on('line', (line) => {
      if (line === 'ready') this.#ready.resolve();
      if (line === '1') this.logged += 1;
    });
  }

  async begin(): Promise<void> {
    await this.#ready.promise;
    this.#child.stdin!.write('begin\n');
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  async end(): Promise<void> {
    this.#child.stdin!.end();
    await this.#exited;
  }
}

function newUuids(count: number): Ruuid[] {
  return Array.from({ length: count }, newRuuid);
}

/** How often each delivery arrived, by its ID. */
function arrivals(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { headers } of host.calls) {
    const uuid = headers['x-sluice-delivery'];
    if (typeof uuid === 'string') counts.set(uuid, (counts.get(uuid) ?? 0) + 1);
  }
  return counts;
}

/** Resolves when the host has read all that a process sent before it was killed. */
async function settled(): Promise<void> {
  // Connections that wait to be accepted do not count as such: this one comes behind them.
  await fetch(host.url('/'), { headers: { connection: 'close' } });
  await until('all connections have ended', async () => (await host.connections()) === 0);
}

/** Those of them that are recorded as delivered. */
async function deliveredOf(uuids: readonly Ruuid[]): Promise<Set<Ruuid>> {
  const rows = await store.resources.of(DELIVERIES).list(task.orgUuid);
  const delivered = new Set(rows.filter(({ body }) => body.state === 'DELIVERED').map(({ uuid }) => uuid));
  return new Set(uuids.filter((uuid) => delivered.has(uuid)));
}

async function areDelivered(uuids: readonly Ruuid[]): Promise<boolean> {
  return (await deliveredOf(uuids)).size === uuids.length;
}

describe('deliveries of two gateways', () => {
  it('are each made once, also if both are asked for the same ones', { timeout: TIMEOUT_MS }, async () => {
    const uuids = newUuids(60);
    const [one, other] = [new Worker(uuids), new Worker(uuids.toReversed())];
    await Promise.all([one.begin(), other.begin()]);
    await until('all are logged', () => one.logged === 60 && other.logged === 60);
    await until('all are delivered', () => areDelivered(uuids));
    await Promise.all([one.end(), other.end()]);
    expect([...arrivals()].filter(([, count]) => count !== 1)).toEqual([]);
    expect(arrivals().size).toBe(60);
  });

  it('are made by the other one when the first is killed, and none is lost', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const uuids = newUuids(200);
    let isSlow = true;
    host.answer = async () => {
      if (isSlow && host.calls.length > 20) await new Promise((resolve) => setTimeout(resolve, 200));
      return { status: 204 };
    };
    const [victim, other] = [new Worker(uuids), new Worker([])];
    await Promise.all([victim.begin(), other.begin()]);
    await until('some are made', () => host.calls.length > 40);
    await victim.kill();
    isSlow = false;
    const killedAtMs = Date.now();
    await settled();
    const acknowledged = uuids.slice(0, victim.logged);
    const recorded = await deliveredOf(acknowledged);
    const arrived = arrivals();
    expect(acknowledged.length).toBeGreaterThan(40);
    await until('all are delivered', () => areDelivered(acknowledged), TIMEOUT_MS);
    const tookMs = Date.now() - killedAtMs;
    await other.end();
    const counts = arrivals();
    expect(acknowledged.filter((uuid) => !counts.has(uuid))).toEqual([]);
    // Only those come again that were under way when it was killed.
    const again = [...counts].filter(([, count]) => count > 1);
    expect(
      again.map(([uuid]) => ({ hadArrived: arrived.get(uuid), wasRecorded: recorded.has(uuid as Ruuid) })),
    ).toEqual(again.map(() => ({ hadArrived: 1, wasRecorded: false })));
    expect(recorded.size).toBeGreaterThan(20);
    // Not before the leases of the one that was killed have expired.
    expect(tookMs).toBeGreaterThan(LEASE_MS / 2);
  });
});

describe('events of two gateways', () => {
  it('take effect once each', { timeout: TIMEOUT_MS }, async () => {
    const seen: string[] = [];
    const open = (its: Store) =>
      new EventEffects({
        store: its,
        clock: systemClock,
        log: silentLog,
        effects: [async (events) => void seen.push(...events.map(({ id }) => id))],
      });
    const both = [open(store), open(otherStore)];
    const events = Array.from({ length: 500 }, (_, at) =>
      sampleEvent(task.orgUuid, { kind: 'policyAlert', atMs: at }),
    );
    await Promise.all(events.map((event, at) => (at % 2 === 0 ? store : otherStore).events.add([event])));
    await until('all are finished', async () => (await store.events.unfinished(1)).length === 0);
    await Promise.all(both.map((each) => each.close()));
    expect(seen.toSorted()).toEqual(events.map(({ id }) => id).toSorted());
  });
});

describe('two gateways that start at once', () => {
  const configOf = (cameras: readonly string[]) =>
    parseConfig(
      `cameras:\n${cameras.map((name) => `  - { name: ${name}, rtsp: 'rtsp://127.0.0.1/${name}' }\n`).join('')}`,
      'none',
      {},
    );

  it('make one key of each kind, and apply their file as a whole', async () => {
    const config = configOf(['Gate', 'Dock']);
    const made = await Promise.all(
      [store, otherStore].map(async (its) => {
        await applyConfig(its, config, systemClock);
        return ensureBootstrapKeys(its, config, systemClock);
      }),
    );
    expect(made.filter(({ apiKey }) => apiKey !== null)).toHaveLength(1);
    expect(made.filter(({ partnerApiKey }) => partnerApiKey !== null)).toHaveLength(1);
    expect(await store.apiKeys.list(DEFAULT_ORG_UUID)).toHaveLength(1);
    expect((await store.cameras.list(DEFAULT_ORG_UUID)).map(({ name }) => name).sort()).toEqual([
      'Dock',
      'Gate',
    ]);
  });

  it('with different files have the cameras of one of them', async () => {
    const files = [
      ['A1', 'A2', 'A3'],
      ['B1', 'B2', 'B3'],
    ];
    await Promise.all(
      [store, otherStore].map((its, at) => applyConfig(its, configOf(files[at]!), systemClock)),
    );
    expect(files).toContainEqual((await store.cameras.list(DEFAULT_ORG_UUID)).map(({ name }) => name).sort());
  });

  it('take turns where one statement cannot check a rule', async () => {
    let inside = 0;
    let most = 0;
    await Promise.all(
      [store, otherStore, store, otherStore].map((its) =>
        inTurn(its.leases, 'pauses', systemClock, async () => {
          inside += 1;
          most = Math.max(most, inside);
          await its.ping();
          inside -= 1;
        }),
      ),
    );
    expect(most).toBe(1);
  });
});
