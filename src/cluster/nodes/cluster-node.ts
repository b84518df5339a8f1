/** This process as a node of its cluster: its connection to Redis, its registration, its leases. */

import type { Clock } from '../../core/clock.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { CredentialUrl } from '../../core/secret.ts';
import { type CreateRedisClient, RedisLink } from '../../counters/redis-link.ts';
import type { NodeRun } from '../../store/cluster-lease.ts';
import type { Store } from '../../store/store.ts';
import { CameraLeases } from './camera-leases.ts';
import type { ClusterSettings } from './cluster-settings.ts';
import { FencedNumbering } from './fenced-numbering.ts';
import { COMMAND_TIMEOUT_MS } from './held-lease.ts';
import type { NodeState } from './node-info.ts';
import { NodeRegistry } from './node-registry.ts';
import { Ownership } from './ownership.ts';
import { ClusterKeys } from './redis-keys.ts';

/** Cameras of nodes that have ended wait for Redis: each node looks for it at least that often. */
const MAX_PAUSE_MS = 1_000;

export interface ClusterNodeOptions {
  readonly settings: Pick<ClusterSettings, 'name' | 'nodeId'>;
  readonly redisUrl: CredentialUrl;
  /** As in RedisLinkOptions. */
  readonly createRedisClient?: CreateRedisClient;
  readonly store: Pick<Store, 'clusterLeases' | 'streamLedger'>;
  /** Another one for each start. */
  readonly runId: Ruuid;
  /** `host:port` where other nodes reach this one. */
  readonly address: string;
  readonly clock: Clock;
  readonly log: Log;
  state(): Omit<NodeState, 'address'>;
  /** Publish nothing more of the camera. Must not throw. */
  onLost(cameraUuid: Ruuid): void;
  /** Another process has this node's ID: this one must end. Must not throw. */
  onNodeIdTaken(error: GatewayError): void;
}

export class ClusterNode {
  readonly run: NodeRun & { readonly address: string };
  readonly registry: NodeRegistry;
  readonly leases: CameraLeases;
  readonly ownership: Ownership;
  readonly numbering: FencedNumbering;
  readonly #link: RedisLink;

  private constructor(options: ClusterNodeOptions) {
    const { settings, redisUrl, store, address, clock, onLost, onNodeIdTaken } = options;
    const log = options.log.child({ node: settings.nodeId });
    const keys = new ClusterKeys(settings.name);
    this.run = { nodeId: settings.nodeId, runId: options.runId, address };
    const { createRedisClient: createClient } = options;
    this.#link = new RedisLink({
      url: redisUrl,
      clock,
      log,
      commandTimeoutMs: COMMAND_TIMEOUT_MS,
      ...(createClient === undefined ? {} : { createClient }),
      unavailableMessage: 'Redis unavailable, no camera changes its node',
      maxPauseMs: MAX_PAUSE_MS,
      onReturned: async () => this.leases.redisReturned(),
    });
    const common = { link: this.#link, keys, run: this.run, clock, log };
    const state = () => ({ ...options.state(), address });
    this.registry = new NodeRegistry({ ...common, state, onNodeIdTaken });
    this.leases = new CameraLeases({ ...common, store: store.clusterLeases, onLost });
    const { registry, leases } = this;
    this.ownership = new Ownership({ ...common, store: store.clusterLeases, registry, leases });
    this.numbering = new FencedNumbering(store.streamLedger, store.clusterLeases, leases);
  }

  /** Fails CLUSTER_NODE_ID_TAKEN. If Redis is unavailable, the node is registered when Redis returns. */
  static async start(options: ClusterNodeOptions): Promise<ClusterNode> {
    const node = new ClusterNode(options);
    await node.#link.start();
    try {
      await node.registry.start();
      await node.leases.start();
    } catch (thrown) {
      node.#link.close();
      throw thrown;
    }
    return node;
  }

  /** Releases all cameras and leaves. */
  async close(): Promise<void> {
    await this.leases.close();
    await this.registry.close();
    this.#link.close();
  }
}
