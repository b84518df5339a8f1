/** Finds the owner of a camera, and whether this node may become its owner. Needs no agreement: only the lease counts. */

import type { Clock } from '../../core/clock.ts';
import { toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { RedisLink } from '../../counters/redis-link.ts';
import type { ClusterLeaseRepository, NodeRun } from '../../store/cluster-lease.ts';
import type { Acquisition, CameraLeases, RunSilence } from './camera-leases.ts';
import { parseLease, type StoredLease } from './lease-scripts.ts';
import type { NodeRegistry } from './node-registry.ts';
import { nodeWeight, rankNodes } from './placement.ts';
import type { ClusterKeys } from './redis-keys.ts';

export interface CameraOwner extends NodeRun {
  /** `host:port` of its internal listener. */
  readonly address: string;
  readonly fence: number;
  readonly isSelf: boolean;
  /** null: its lease is in Redis. */
  readonly silence: RunSilence | null;
}

export interface OwnershipOptions {
  readonly link: Pick<RedisLink, 'run'>;
  readonly keys: ClusterKeys;
  readonly store: ClusterLeaseRepository;
  readonly registry: Pick<NodeRegistry, 'find' | 'isRegistered' | 'nodes'>;
  readonly leases: Pick<CameraLeases, 'acquire' | 'fencedLease' | 'hasEnded' | 'silenceOf'>;
  readonly run: NodeRun & { readonly address: string };
  readonly clock: Clock;
  readonly log: Log;
}

export class Ownership {
  readonly #options: OwnershipOptions;
  /** Runs that are being looked up: all cameras of a run suspect it at the same time. */
  readonly #suspected = new Map<Ruuid, Promise<void>>();

  constructor(options: OwnershipOptions) {
    this.#options = options;
  }

  /** null: no owner, or one that cannot be found at this moment. Ask again, or claim. */
  async ownerOf(cameraUuid: Ruuid): Promise<CameraOwner | null> {
    const { leases, run, link, keys } = this.#options;
    const own = leases.fencedLease(cameraUuid);
    if (own !== null) return { ...run, fence: own.fence, isSelf: true, silence: null };
    const text = await link.run((client) => client.get(keys.lease(cameraUuid)));
    const lease = parseLease(text);
    // Fence 0: someone is claiming it, which fails if its owner relies on the store.
    if (lease !== null && lease.fence > 0) return this.#registered(lease);
    return this.#relying(cameraUuid);
  }

  /**
   * The run has most likely ended: if it relied on the store, the time after which its leases have ended begins now, and not when they
   * have in Redis.
   */
  suspect(runId: Ruuid): void {
    if (this.#suspected.has(runId)) return;
    const lookedUp = this.#noteBeat(runId).finally(() => this.#suspected.delete(runId));
    this.#suspected.set(runId, lookedUp);
  }

  /** The nodes, best first. */
  ranking(cameraUuid: Ruuid): NodeRun[] {
    const nodes = this.#options.registry.nodes().map((node) => ({ ...node, weight: nodeWeight(node) }));
    return rankNodes(cameraUuid, nodes);
  }

  /** Acquires the lease, if this node is registered. */
  async claim(cameraUuid: Ruuid): Promise<Acquisition> {
    const { registry, leases } = this.#options;
    return registry.isRegistered ? leases.acquire(cameraUuid) : { kind: 'unavailable' };
  }

  async #noteBeat(runId: Ruuid): Promise<void> {
    const { store, leases, log } = this.#options;
    try {
      const relying = await store.relyingRun(runId);
      if (relying !== null) leases.hasEnded(relying);
    } catch (thrown) {
      log.debug({ run: runId, err: toGatewayError(thrown) }, 'beat not read');
    }
  }

  #registered({ nodeId, runId, fence }: StoredLease): CameraOwner | null {
    const node = this.#options.registry.find({ nodeId, runId });
    // Its own lease that it does not hold: lost, and about to expire.
    if (node === null || runId === this.#options.run.runId) return null;
    return { nodeId, runId, address: node.address, fence, isSelf: false, silence: null };
  }

  async #relying(cameraUuid: Ruuid): Promise<CameraOwner | null> {
    const { store, log, run, leases } = this.#options;
    try {
      const owner = await store.relyingOwner(cameraUuid);
      // One that has ended stays in the store until someone claims one of its cameras.
      if (owner === null || owner.runId === run.runId) return null;
      const silence = leases.silenceOf(owner);
      if (silence.endsInMs <= 0) return null;
      const { nodeId, runId, address, fence } = owner;
      return { nodeId, runId, address, fence, isSelf: false, silence };
    } catch (thrown) {
      log.debug({ camera: cameraUuid, err: toGatewayError(thrown) }, 'owner not found');
      return null;
    }
  }
}
