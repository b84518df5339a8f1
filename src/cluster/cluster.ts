/** This gateway as a node of a cluster: its leases, its links to other nodes, and the cameras that it mirrors or that others mirror. */

import { type Clock, pause } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { hostPortText } from '../core/host-port.ts';
import type { Log } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { CredentialUrl } from '../core/secret.ts';
import type { CreateRedisClient } from '../counters/redis-link.ts';
import type { NodeRun } from '../store/cluster-lease.ts';
import type { Store } from '../store/store.ts';
import type { HubCamera, MaskedCamera, StreamHub } from '../stream/hub.ts';
import type { CameraRole } from '../stream/numbering/camera-ownership.ts';
import type { NumberingStore } from '../stream/numbering/numbering.ts';
import { BusyShare } from './busy-share.ts';
import { cameraPlaces } from './camera-places.ts';
import { type ClusterSample, type ClusterState, clusterState } from './cluster-state.ts';
import { CameraDrain } from './handover/camera-drain.ts';
import { CameraHeir } from './handover/camera-heir.ts';
import { NO_HANDOVERS } from './handover/taken-cameras.ts';
import { LINK_ERRORS } from './links/errors.ts';
import { linkKeyOf } from './links/link-tls.ts';
import { type LinkTransport, tlsTransport } from './links/link-transport.ts';
import type { NodeLink } from './links/node-link.ts';
import { NodeLinks } from './links/node-links.ts';
import { type CameraPlaces, ClusterCamera } from './mirror/cluster-camera.ts';
import { ClusterSource } from './mirror/cluster-source.ts';
import { MirrorClient } from './mirror/mirror-client.ts';
import { placeOf } from './mirror/node-place.ts';
import { OwnerDesk } from './mirror/owner-desk.ts';
import { askNodes, type NodeResponses, responseTo } from './node-requests.ts';
import { ClusterNode } from './nodes/cluster-node.ts';
import type { ClusterSettings } from './nodes/cluster-settings.ts';
import { CLUSTER_ERRORS } from './nodes/errors.ts';
import type { NodeLoad } from './nodes/node-info.ts';
import { rankNodes } from './nodes/placement.ts';
import { PlacedCameras } from './placed-cameras.ts';
import { ClusterStates } from './states/cluster-states.ts';
import { ClusterViewers } from './viewers/cluster-viewers.ts';

/** An owner hears that often that someone watches, whatever the time is after which it closes a camera. */
const MAX_TOUCH_MS = 5_000;

const NO_LEASE = { role: null, fence: 0 } as const;

export interface ClusterOptions {
  readonly settings: ClusterSettings;
  readonly redisUrl: CredentialUrl;
  /** The gateway's version. */
  readonly version: string;
  /** After this time without viewers, owners close a camera. */
  readonly idleStopMs: number;
  readonly clock: Clock;
  readonly log: Log;
  /** As in RedisLinkOptions. */
  readonly createRedisClient?: CreateRedisClient;
  /** Default: TLS over TCP. */
  readonly links?: LinkTransport;
  /** This node talks to these cameras for their own sake from now on, or no longer. */
  readonly onPlaced: (cameraUuids: readonly Ruuid[], isHere: boolean) => void;
  /** Another process has this node's ID: this one must end. Must not throw. */
  readonly onNodeIdTaken: (error: GatewayError) => void;
}

/** Why a node takes no cameras: it is still starting, or it is handing its cameras over. */
export type ClusterAbsence = 'starting' | 'draining';

export class Cluster {
  readonly nodeId: string;
  /** The known state of every camera in the cluster. */
  readonly states: ClusterStates;
  /** Viewers at all nodes. */
  readonly viewers: ClusterViewers;
  readonly #options: ClusterOptions;
  readonly #runId = newRuuid();
  readonly links: NodeLinks;
  readonly #onPlaces: ((cameraUuid: Ruuid | null) => void)[] = [];
  readonly #client: MirrorClient;
  readonly #cameras = new Map<Ruuid, ClusterCamera>();
  /** The run that each camera belongs on; null: there is none. */
  readonly #firstRuns = new Map<Ruuid, Ruuid | null>();
  #node: ClusterNode | null = null;
  #desk: OwnerDesk | null = null;
  #placed: PlacedCameras | null = null;
  #hub: StreamHub | null = null;
  #viewers: () => number = () => 0;
  readonly #busyShare = new BusyShare();
  /** The fence of each camera's last lease here. */
  readonly #fences = new Map<Ruuid, number>();
  #leasesLost = 0;
  #takeovers = 0;
  #port = 0;
  #heir: CameraHeir | null = null;
  #drained: Promise<void> | null = null;

  constructor(options: ClusterOptions) {
    const { clock, log, idleStopMs, links: transport = tlsTransport } = options;
    const { name: cluster, nodeId, secret } = options.settings;
    this.nodeId = nodeId;
    this.#options = options;
    this.links = new NodeLinks({
      identity: { cluster, nodeId, runId: this.#runId },
      key: linkKeyOf(Buffer.from(secret.reveal())),
      clock,
      log,
      transport,
    });
    this.states = new ClusterStates({
      links: this.links,
      runId: this.#runId,
      clock,
      log,
      leaseOf: (cameraUuid) => this.#cameras.get(cameraUuid) ?? NO_LEASE,
      placedHere: () => this.#placed?.all() ?? [],
    });
    this.viewers = new ClusterViewers({ links: this.links, runId: this.#runId, clock });
    const touchMs = Math.min(MAX_TOUCH_MS, idleStopMs / 3);
    this.#client = new MirrorClient(this.links, clock, touchMs, (run) => this.node.leases.silenceOf(run));
  }

  async listen(): Promise<void> {
    this.#port = await this.links.listen(this.#options.settings.listen);
  }

  closeLinks(): Promise<void> {
    this.#placed?.close();
    this.states.exchange.close();
    this.viewers.close();
    this.#heir?.close();
    this.#desk?.close();
    return this.links.close();
  }

  async start(store: Store): Promise<void> {
    const { settings, version } = this.#options;
    const { listen, address } = settings;
    this.#node = await ClusterNode.start({
      ...this.#options,
      runId: this.#runId,
      store,
      address: hostPortText(address ?? { host: listen.host, port: this.#port }),
      state: () => ({ version, isDraining: this.isDraining, load: this.#load() }),
      onLost: (cameraUuid) => {
        this.#leasesLost++;
        this.#cameras.get(cameraUuid)?.leaseLost();
      },
    });
    this.#node.registry.onChange(() => this.#firstRuns.clear());
    this.#node.registry.onChange(() => this.#placesChanged(null));
    this.viewers.begin(this.#node.registry, (run) => this.#linkTo(run));
  }

  get node(): ClusterNode {
    return this.#node!;
  }

  get numbering(): NumberingStore {
    return this.node.numbering;
  }

  /** This node's role for the camera; null: nothing here needs the camera. */
  roleOf(cameraUuid: Ruuid): CameraRole | null {
    return this.#cameras.get(cameraUuid)?.role ?? null;
  }

  /** Whether this node is the one that should pull the camera for its own sake, such as to record it. */
  isPlacedHere(cameraUuid: Ruuid): boolean {
    const role = this.roleOf(cameraUuid);
    if (role !== null) return role === 'owner';
    return !this.states.isOwnedElsewhere(cameraUuid) && this.#ranksFirst(cameraUuid);
  }

  /** A camera is this node's to pull, or no longer, or may be. null: any of them. Must not throw. */
  onPlaces(listener: (cameraUuid: Ruuid | null) => void): void {
    this.#onPlaces.push(listener);
  }

  /** To the owner of the camera; null: this node, or none. Rejects like links. */
  async linkToOwner(cameraUuid: Ruuid): Promise<NodeLink | null> {
    const owner = await this.#places.ownerOf(cameraUuid);
    return owner === null || owner.isSelf ? null : this.links.linkTo(owner);
  }

  linksToOthers(): Promise<NodeLink>[] {
    const others = this.node.registry.nodes().filter(({ runId }) => runId !== this.#runId);
    return others.map((node) => this.links.linkTo(placeOf(node, false)));
  }

  /** Acquires the camera's lease. Fails MIRROR_NOT_OWNER, or while that cannot be known. */
  own(cameraUuid: Ruuid): Promise<void> {
    return this.#cameraOf(cameraUuid).own();
  }

  /** If this node owns the camera, it gives it to that one. Rejects like Redis and the store. */
  yieldTo(cameraUuid: Ruuid, run: NodeRun): Promise<void> {
    return this.#cameraOf(cameraUuid).yield(() => this.node.leases.handOver(cameraUuid, run));
  }

  /** Needs the camera: this node keeps it if it owns it. Called with each role. Returns what ends it. */
  follow(cameraUuid: Ruuid, onRole: (role: CameraRole | null) => void): () => void {
    return this.#cameraOf(cameraUuid).onRole(async (role) => onRole(role));
  }

  /** The camera, pulled or mirrored. */
  clustered(camera: HubCamera): HubCamera {
    const { uuid: cameraUuid, main, sub, compatible = null, masked = null } = camera;
    const { clock } = this.#options;
    const clusterCamera = this.#cameraOf(cameraUuid);
    const common = { cameraUuid, camera: clusterCamera, client: this.#client, clock };
    return {
      ...camera,
      ownership: clusterCamera,
      main: new ClusterSource({ ...common, profile: 'main', local: main }),
      masked: masked === null ? null : this.#clusteredMasked(masked),
      sub: sub === null ? null : new ClusterSource({ ...common, profile: 'sub', local: sub }),
      compatible:
        compatible === null
          ? null
          : {
              ...compatible,
              source: (feed) =>
                new ClusterSource({ ...common, profile: 'h264', local: compatible.source(feed) }),
            },
    };
  }

  /** One node masks it, of its own camera or its mirror; the others mirror that. */
  #clusteredMasked(masked: MaskedCamera): MaskedCamera {
    const { uuid: cameraUuid } = masked;
    const camera = this.#cameraOf(cameraUuid);
    const common = { cameraUuid, camera, client: this.#client, clock: this.#options.clock };
    return {
      uuid: cameraUuid,
      ownership: camera,
      source: (feed) => new ClusterSource({ ...common, profile: 'main', local: masked.source(feed) }),
    };
  }

  /** Something of it may have changed. */
  changed(cameraUuid: Ruuid): void {
    this.#desk?.changed(cameraUuid);
    this.#heir?.changed(cameraUuid);
  }

  /** It was added, replaced or removed. */
  replaced(cameraUuid: Ruuid): void {
    this.#desk?.ended(cameraUuid);
  }

  /** Other nodes can mirror its cameras from now on. */
  begin(hub: StreamHub, viewers: () => number): void {
    this.#hub = hub;
    this.#viewers = viewers;
    this.#desk = new OwnerDesk({
      ...this.#options,
      links: this.links,
      owned: async (cameraUuid) => {
        const camera = hub.get(cameraUuid);
        if (camera === undefined) return null;
        await this.#cameraOf(cameraUuid).own();
        return camera;
      },
      nodes: () => this.node.registry.nodes(),
      beat: () => this.node.leases.beat,
    });
    this.#heir = new CameraHeir({
      ...this.#options,
      links: this.links,
      streamOf: (cameraUuid) => hub.get(cameraUuid) ?? null,
      cameraOf: (cameraUuid) => this.#cameraOf(cameraUuid),
    });
    this.states.exchange.begin(this.node.registry, (run) => this.#linkTo(run));
    this.#placed = new PlacedCameras({
      cameras: () => Array.from(hub.all(), ({ uuid }) => uuid),
      isPlacedHere: (cameraUuid) => this.isPlacedHere(cameraUuid),
      clock: this.#options.clock,
      onChange: this.#options.onPlaced,
    });
  }

  /** Asks all other live nodes, or some of them; `answer` is what this one says to them. */
  ask<Result>(kind: string, body: unknown, nodes = this.others): Promise<NodeResponses<Result>> {
    return askNodes({
      nodes,
      linkTo: (run) => this.#linkTo(run),
      kind,
      body,
      clock: this.#options.clock,
    });
  }

  /** The handler's return value, or the value its promise resolves with, is the answer. */
  respond(kind: string, handler: (body: unknown) => unknown): void {
    this.links.onRequest(kind, async ({ body }) => responseTo(await handler(body)));
  }

  /** Tells all other live nodes, as far as they can be reached; `onTold` hears what they tell. */
  tell(kind: string, body: unknown): void {
    for (const run of this.others) {
      this.#linkTo(run).then(
        (link) => void link.send({ kind, body }),
        (thrown) => {
          const { log } = this.#options;
          log.warn({ kind, nodeId: run.nodeId, err: toGatewayError(thrown) }, 'other node not told');
        },
      );
    }
  }

  onTold(kind: string, handler: (body: unknown) => void): void {
    this.links.onMessage(kind, ({ body }) => handler(body));
  }

  /** All other nodes, as far as they are known to live. */
  get others(): readonly NodeRun[] {
    return this.node.registry.nodes().filter(({ runId }) => runId !== this.#runId);
  }

  /** Its nodes, this one included. */
  state(): ClusterState {
    const { registry } = this.node;
    return clusterState(this.#options.settings.name, this.#runId, registry.nodes(), {
      hasLinkTo: (run) => this.links.hasOpened(run),
      clockOffsetMs: (nodeId) => registry.clockOffsetMs(nodeId),
    });
  }

  sample(): ClusterSample {
    const { links, waitingBytes } = this.links.counts();
    return {
      nodes: this.node.registry.nodes().length,
      clockDifferenceMs: Math.max(
        0,
        ...this.others.map(({ nodeId }) => Math.abs(this.node.registry.clockOffsetMs(nodeId) ?? 0)),
      ),
      unreached: this.others.filter((node) => !this.links.hasOpened(node)).length,
      owner: this.#withRole('owner'),
      mirror: this.#withRole('mirror'),
      links,
      linkWaitingBytes: waitingBytes,
      leasesLost: this.#leasesLost,
      takeovers: this.#takeovers,
      handovers: this.#heir?.counts ?? NO_HANDOVERS,
    };
  }

  #withRole(role: CameraRole): number {
    let cameras = 0;
    for (const camera of this.#cameras.values()) if (camera.role === role) cameras += 1;
    return cameras;
  }

  get isDraining(): boolean {
    return this.#drained !== null;
  }

  /** null: it does its part. */
  get absence(): ClusterAbsence | null {
    if (this.isDraining) return 'draining';
    // Without Redis at its start, it has no place in the cluster, and cannot acquire a camera.
    return this.#desk === null || !this.node.registry.isRegistered ? 'starting' : null;
  }

  /**
   * Gives all cameras to other nodes, and mirrors them from then on. Resolves when they have them, or after `limitMs`. All callers
   * share one drain.
   */
  async drain(limitMs: number): Promise<void> {
    this.#drained ??= this.#drain(limitMs);
    await Promise.race([this.#drained, pause(this.#options.clock, limitMs)]);
  }

  /** Other nodes live that could have its cameras. */
  get hasHeirs(): boolean {
    const nodes = this.node.registry.nodes();
    return nodes.some(({ runId, isDraining }) => runId !== this.#runId && !isDraining);
  }

  /** Fails CLUSTER_NO_OTHER_NODE: no other node could take the cameras. */
  expectHeirs(): void {
    if (this.hasHeirs) return;
    throw new GatewayError(CLUSTER_ERRORS.CLUSTER_NO_OTHER_NODE, { nodeId: this.nodeId });
  }

  #drain(limitMs: number): Promise<void> {
    this.#placesChanged(null);
    const { clock, log } = this.#options;
    const drain = new CameraDrain({
      node: this.node,
      links: this.links,
      clock,
      log,
      cameras: this.#cameras,
      linkOf: (cameraUuid, runId) => this.#desk?.linkOf(cameraUuid, runId) ?? null,
      streamOf: (cameraUuid) => this.#hub?.get(cameraUuid),
    });
    return drain.run(limitMs);
  }

  #placesChanged(cameraUuid: Ruuid | null): void {
    for (const listener of this.#onPlaces) listener(cameraUuid);
  }

  #cameraOf(cameraUuid: Ruuid): ClusterCamera {
    let camera = this.#cameras.get(cameraUuid);
    if (camera === undefined) {
      const { clock, log } = this.#options;
      camera = new ClusterCamera({
        cameraUuid,
        places: this.#places,
        clock,
        log: log.child({ camera: cameraUuid }),
        onGivenUp: () => this.#desk?.ended(cameraUuid),
        onRole: (role) => this.#roleChanged(cameraUuid, role),
        onSettled: () => this.#placesChanged(cameraUuid),
        onOwned: () => this.changed(cameraUuid),
        onBegun: (profile) => this.#heir?.begun(cameraUuid, profile),
      });
      this.#cameras.set(cameraUuid, camera);
    }
    return camera;
  }

  #roleChanged(cameraUuid: Ruuid, role: CameraRole | null): void {
    if (role === 'owner') {
      const { fence } = this.#cameras.get(cameraUuid)!;
      // Without another owner in between, it is the next one.
      if (fence !== (this.#fences.get(cameraUuid) ?? 0) + 1) this.#takeovers++;
      this.#fences.set(cameraUuid, fence);
    }
    this.states.roleChanged(cameraUuid, role);
  }

  /** Ignores load: a camera that no node pulls must not change its node when load changes. */
  #ranksFirst(cameraUuid: Ruuid): boolean {
    if (this.isDraining) return false;
    let first = this.#firstRuns.get(cameraUuid);
    if (first === undefined) {
      const nodes = this.node.registry.nodes().map((node) => ({ ...node, weight: node.isDraining ? 0 : 1 }));
      first = rankNodes(cameraUuid, nodes)[0]?.runId ?? null;
      this.#firstRuns.set(cameraUuid, first);
    }
    return first === this.#runId;
  }

  async #linkTo(run: NodeRun): Promise<NodeLink> {
    const node = this.node.registry.find(run);
    if (node === null) throw new GatewayError(LINK_ERRORS.LINK_UNREACHABLE, { nodeId: run.nodeId });
    return this.links.linkTo(placeOf(node, false));
  }

  get #places(): CameraPlaces {
    return cameraPlaces(this.node, this.links, () => this.isDraining);
  }

  #load(): NodeLoad {
    let openStreams = 0;
    for (const camera of this.#hub?.all() ?? []) if (camera.status().state !== 'idle') openStreams += 1;
    return {
      ownedCameras: this.#withRole('owner'),
      openStreams,
      viewers: this.#viewers(),
      busyShare: this.#busyShare.read(),
    };
  }
}
