/** Nodes with leases over a real Redis and a store, for tests. */

import { vi } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { type Log, silentLog } from '../../core/log.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { RedisLink } from '../../counters/redis-link.ts';
import type { RedisServerProcess } from '../../counters/redis-server-fixture.ts';
import type { ClusterLeaseRepository, FencedLease, NodeRun, RelyingRun } from '../../store/cluster-lease.ts';
import type { StreamLedgerEntry } from '../../store/entities.ts';
import { CameraLeases, type CameraLeasesOptions } from './camera-leases.ts';
import { COMMAND_TIMEOUT_MS } from './held-lease.ts';
import { ClusterKeys } from './redis-keys.ts';

export const TEST_KEYS = new ClusterKeys('test');

export interface TestNode {
  readonly run: { readonly nodeId: string; readonly runId: Ruuid; readonly address: string };
  readonly leases: CameraLeases;
  readonly link: RedisLink;
  readonly store: SeveredStore;
  readonly lost: Ruuid[];
}

export async function openLink(
  server: RedisServerProcess,
  log: Log = silentLog,
  commandTimeoutMs = COMMAND_TIMEOUT_MS,
): Promise<RedisLink> {
  const link = new RedisLink({
    url: server.url,
    clock: systemClock,
    log,
    commandTimeoutMs,
    onReturned: async () => undefined,
  });
  await link.start();
  return link;
}

/** A node whose leases are renewed. `options` replace those that it would have. */
export async function startNode(
  nodeId: string,
  server: RedisServerProcess,
  store: ClusterLeaseRepository,
  options: Partial<CameraLeasesOptions> = {},
): Promise<TestNode> {
  const link = await openLink(server);
  const run = { nodeId, runId: newRuuid(), address: `${nodeId}:7700` };
  const lost: Ruuid[] = [];
  const severed = new SeveredStore(store);
  const leases = new CameraLeases({
    link,
    store: severed,
    keys: TEST_KEYS,
    run,
    clock: systemClock,
    log: silentLog,
    onLost: (cameraUuid) => lost.push(cameraUuid),
    ...options,
  });
  await leases.start();
  return { run, leases, link, lost, store: severed };
}

/** The fence of the lease, once Redis is open and no other node holds it. */
export async function acquired(leases: CameraLeases, camera: Ruuid): Promise<number> {
  let fence = 0;
  await vi.waitFor(
    async () => {
      const acquisition = await leases.acquire(camera);
      if (acquisition.kind !== 'acquired') throw new Error(acquisition.kind);
      fence = acquisition.fence;
    },
    { timeout: 20_000, interval: 20 },
  );
  return fence;
}

/** The clock of a process that is paused: time passes, and no timer fires. */
export class PausedClock extends FakeClock {
  #pausedMs = 0;

  override monoMs(): number {
    return super.monoMs() + this.#pausedMs;
  }

  pause(forMs: number): void {
    this.#pausedMs += forMs;
  }
}

/** A store that one node alone may not reach. */
export class SeveredStore implements ClusterLeaseRepository {
  readonly #store: ClusterLeaseRepository;
  isAway = false;

  constructor(store: ClusterLeaseRepository) {
    this.#store = store;
  }

  claim(cameraUuid: Ruuid, run: NodeRun, ended: RelyingRun | null) {
    return this.#reach((store) => store.claim(cameraUuid, run, ended));
  }

  release(leases: readonly FencedLease[]) {
    return this.#reach((store) => store.release(leases));
  }

  rely(run: RelyingRun) {
    return this.#reach((store) => store.rely(run));
  }

  stopRelying(run: Pick<RelyingRun, 'runId' | 'beat'>) {
    return this.#reach((store) => store.stopRelying(run));
  }

  relyingOwner(cameraUuid: Ruuid) {
    return this.#reach((store) => store.relyingOwner(cameraUuid));
  }

  relyingRun(runId: Ruuid) {
    return this.#reach((store) => store.relyingRun(runId));
  }

  saveNumbering(entry: StreamLedgerEntry, lease: FencedLease) {
    return this.#reach((store) => store.saveNumbering(entry, lease));
  }

  #reach<T>(work: (store: ClusterLeaseRepository) => Promise<T>): Promise<T> {
    return this.isAway ? Promise.reject(new Error('the store is away')) : work(this.#store);
  }
}
