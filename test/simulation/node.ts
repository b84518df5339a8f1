/**
 * A gateway of the simulation: the product's own store, cluster, hub, sharing and front door, wired as the product wires
 * them, in one process with the others. It lacks the parts that need a thread, a process or a socket.
 */

import type { FastifyInstance } from 'fastify';
import { parseConfig } from '../../src/app/config/load-config.ts';
import type { Config } from '../../src/app/config/schema.ts';
import type { Secrets } from '../../src/app/config/secrets.ts';
import { Cleanup } from '../../src/app/process/cleanup.ts';
import type { GatewayOptions } from '../../src/app/stages/gateway-options.ts';
import { openAccess } from '../../src/app/stages/open-access.ts';
import { startCluster } from '../../src/app/stages/start-cluster.ts';
import { cameraNotices, createHub } from '../../src/app/stages/start-media.ts';
import { type RecordingStage, startRecording } from '../../src/app/stages/start-recording.ts';
import { actingPrincipal } from '../../src/audit/acting-principal.ts';
import { viewerEnd } from '../../src/cluster/adapters/link-viewers.ts';
import type { Cluster } from '../../src/cluster/cluster.ts';
import { leaveCluster } from '../../src/cluster/leave-cluster.ts';
import type { CmafPart } from '../../src/cmaf/part.ts';
import { newRuuid, type Ruuid } from '../../src/core/ruuid.ts';
import { CredentialUrl } from '../../src/core/secret.ts';
import { createMemoryCounters } from '../../src/counters/memory-counters.ts';
import { CameraFollower } from '../../src/devices/camera-follower.ts';
import { buildFrontDoor } from '../../src/front-door/build-front-door.ts';
import type { WebAssets } from '../../src/front-door/page/web-assets.ts';
import type { RecordingTap } from '../../src/recording/recording-tap.ts';
import { endingRules } from '../../src/sharing/ending-rules.ts';
import { Grants } from '../../src/sharing/grant.ts';
import type { ScheduleService } from '../../src/sharing/schedule-service.ts';
import type { ShareDirectory } from '../../src/sharing/share-directory.ts';
import type { ShareService } from '../../src/sharing/share-service.ts';
import type { ShareViewers } from '../../src/sharing/share-viewers.ts';
import { createSharingServices } from '../../src/sharing/sharing-services.ts';
import type { ViewerCalls } from '../../src/sharing/viewer-service.ts';
import type { ViewerSessions } from '../../src/sharing/viewer-sessions.ts';
import type { AccessEnd } from '../../src/store/access-end.ts';
import { ChangeFeed } from '../../src/store/change-feed.ts';
import type { Camera } from '../../src/store/entities.ts';
import { ForeignChanges } from '../../src/store/foreign-changes.ts';
import { withChangesFrom } from '../../src/store/joined-changes.ts';
import { openStore } from '../../src/store/open-store.ts';
import { ChangeLogFollower } from '../../src/store/postgres/change-log-follower.ts';
import type { Store } from '../../src/store/store.ts';
import type { HubCamera, StreamHub } from '../../src/stream/hub.ts';
import type { RenditionName } from '../../src/stream/media/live-media.ts';
import type { SimulatedCamera } from './camera.ts';
import type { SimulatedDatabase } from './database.ts';
import { type NodeEmergencies, nodeEmergencies } from './emergencies.ts';
import type { SimulatedLinks } from './links.ts';
import { NodeQueues, RING_BYTES } from './queues.ts';
import { SimulatedRecorder } from './recorder.ts';
import { RECORDING_LIMITS, type Recordings } from './recordings.ts';
import type { SimulatedRedis } from './redis.ts';
import { TraceLog } from './trace-log.ts';
import { Host, HostClock, type World } from './world.ts';

export const PUBLIC_MEDIA_URL = 'http://media.example';
const DATABASE_URL = 'postgres://sluice@database/sluice';
const CONFIG_TEXT = `
redis: redis://redis
database: ${DATABASE_URL}
demo: false
hls: { window: 12s }
cameras: [{ name: any, rtsp: rtsp://camera/, recording: always }]
cluster: { secret: the-secret-of-the-simulated-cluster, nodeId: node }
`;

/** Shared by all nodes. */
export interface Surroundings {
  readonly world: World;
  readonly redis: SimulatedRedis;
  readonly database: SimulatedDatabase;
  readonly links: SimulatedLinks;
  readonly cameras: ReadonlyMap<Ruuid, SimulatedCamera>;
  /** null: nothing is recorded. */
  readonly recordings: Recordings | null;
  /** Cameras are opened to partners. */
  readonly hasEmergencies: boolean;
  /** After so long without a viewer, a camera is closed. */
  readonly idleStopMs: number;
  /** By node, what its data folder has of ends that are not stored: it outlives the process. */
  readonly endFiles: Map<string, Map<Ruuid, AccessEnd>>;
  /** A node logs something of its life. */
  onLine(node: SimulatedNode, fields: object, message: string): void;
  /** A node has given up its cameras, as far as it could. */
  onLeft(node: SimulatedNode): void;
  /** An owner publishes a part. `isHeld`: its lease holds. */
  onPublished(node: SimulatedNode, cameraUuid: Ruuid, isHeld: boolean): void;
}

const SECRETS: Secrets = {
  grantSigningKey: Buffer.alloc(32, 1),
  deviceGrantKey: Buffer.alloc(32, 2),
  shareTokenKey: Buffer.alloc(32, 3),
  fieldKey: Buffer.alloc(32, 4),
  ssoKey: Buffer.alloc(32, 5),
  recordingKey: Buffer.alloc(32, 6),
  mediaPathKey: Buffer.alloc(32, 7),
  knownBrowserKey: Buffer.alloc(32, 8),
  evidenceKey: Buffer.alloc(32, 9),
  mailLinkKey: Buffer.alloc(32, 10),
};

/** Viewer ID in the grant of a viewer's media folder. */
export function viewerIdOf(folder: string): string {
  const grant = new Grants(SECRETS.grantSigningKey).verify(folder.split('/').at(-2)!);
  if (grant === null) throw new Error(`no grant in ${folder}`);
  return grant.viewerId;
}

const NO_ASSETS = { byName: new Map() } as unknown as WebAssets;

let parsed: Config | null = null;

/** All cameras are recorded, if anything is. */
function configOf(
  nodeId: string,
  cameraUuids: Iterable<Ruuid>,
  idleStopMs: number,
  keyFramesMs: number | null,
): Config {
  parsed ??= parseConfig(CONFIG_TEXT, 'simulation', {});
  const internal = { listen: { host: nodeId, port: 0 }, address: null };
  const [recorded] = parsed.cameras;
  const { keepMs, ...limits } = RECORDING_LIMITS;
  return {
    ...parsed,
    hls: { ...parsed.hls, idleStopMs },
    cluster: { ...parsed.cluster, nodeId, name: 'sim', internal },
    cameras: [...cameraUuids].map((uuid) => ({ ...recorded!, uuid })),
    recording: {
      ...parsed.recording,
      ...limits,
      keep: { mainMs: keepMs, subMs: keepMs, keyFramesMs },
      bufferBytes: RING_BYTES,
    },
  };
}

/** Parts of a started node. */
export interface RunningNode {
  readonly store: Store;
  readonly cluster: Cluster;
  readonly hub: StreamHub;
  readonly directory: ShareDirectory;
  readonly sessions: ViewerSessions;
  readonly shareViewers: ShareViewers;
  /** Ends a view at all nodes. */
  readonly endViewer: ViewerCalls['endViewer'];
  readonly shares: ShareService;
  readonly schedules: ScheduleService;
  /** null: this seed has none. */
  readonly emergencies: NodeEmergencies | null;
  readonly frontDoor: FastifyInstance;
}

export class SimulatedNode {
  readonly name: string;
  readonly host: Host;
  readonly clock: HostClock;
  readonly #surroundings: Surroundings;
  readonly #log: TraceLog;
  readonly #cleanup: Cleanup;
  /** null: nothing is recorded. */
  readonly recorder: SimulatedRecorder | null;
  readonly queues = new NodeQueues();
  running: RunningNode | null = null;
  /** When it had started, world time. */
  startedMs = 0;
  isStopping = false;

  constructor(name: string, surroundings: Surroundings, clock: { rate: number; wallOffsetMs: number }) {
    const { world } = surroundings;
    this.name = name;
    this.#surroundings = surroundings;
    this.host = new Host(name);
    this.clock = new HostClock(world, this.host, clock);
    this.#log = new TraceLog(world.trace, name, this.host, (fields, message) =>
      surroundings.onLine(this, fields, message),
    );
    this.#cleanup = new Cleanup(this.#log);
    const { recordings } = surroundings;
    this.recorder =
      recordings === null
        ? null
        : new SimulatedRecorder(recordings.surroundings, this.host, this.clock, recordings.bootIdOf(name));
  }

  get isHealthy(): boolean {
    return this.host.isAlive && !this.host.isFrozen && this.running !== null && !this.isStopping;
  }

  /** Rejects like the product's start; started parts stay. */
  async start(): Promise<void> {
    const { host, clock } = this;
    const { redis, links, cameras, idleStopMs, recordings } = this.#surroundings;
    const options: GatewayOptions = {
      config: configOf(this.name, cameras.keys(), idleStopMs, recordings?.keyFramesMs ?? null),
      env: {},
      clock,
      log: this.#log,
      surroundings: {
        createRedisClient: () => redis.client(host),
        links: links.transportOf(host),
        ...(this.recorder === null ? {} : { recorder: this.recorder.launch }),
      },
    };
    const stored = await this.#openStore();
    const { store } = stored;
    const apiThread = { notify: () => undefined, itemProgress: async () => [] };
    const cluster = await startCluster(options, { store, apiThread }, this.#cleanup);
    if (cluster === null) throw new Error('a node without a cluster');
    this.queues.followLinks(cluster.links);
    const notices = cameraNotices(cluster, {
      notify: () => undefined,
      hub: () => hub,
      takeProbe: async () => null,
    });
    const signing = { secret: SECRETS.evidenceKey, generation: 1 };
    const stage = {
      ...stored,
      secrets: SECRETS,
      apiThread,
      cluster,
      notices,
      signing,
      decodeThumbnail: null,
    };
    const recording = this.recorder === null ? null : startRecording(options, stage, this.#cleanup);
    const hub: StreamHub = createHub(
      options,
      { stored: { store, secrets: SECRETS }, cluster, notices, liveSessions: null },
      { tapFor: (...of) => this.#tapFor(recording, ...of) },
    );
    this.#cleanup.add('cameras', () => hub.close());
    const follower = await CameraFollower.start({
      store,
      hub,
      log: this.#log,
      sources: this.#sources(),
      place: (camera) => cluster.clustered(camera),
    });
    this.#cleanup.add('camera changes', () => follower.stop());
    await recording?.begin(hub);
    const door = await this.#openDoor(options, { ...stored, cluster, hub });
    await cluster.viewers.untilHeard(2_000);
    await stored.foreignChanges.reloadWith(async () => {
      const { directory, shareViewers } = door;
      const reads = [directory.refresh(), shareViewers.endedElsewhere(), follower.refresh()];
      await Promise.all([...reads, recording?.refresh()]);
    });
    cluster.begin(hub, () => door.sessions.viewers);
    door.emergencies?.ends.begin();
    this.running = { store, cluster, hub, ...door };
    this.startedMs = this.#surroundings.world.nowMs;
  }

  /** A regular stop, as by SIGTERM. */
  async stop(): Promise<void> {
    this.isStopping = true;
    const { running } = this;
    if (running === null) return;
    await leaveCluster({ cluster: running.cluster, clock: this.clock, leaveConnections: () => undefined });
    this.#surroundings.onLeft(this);
    await this.#cleanup.run();
  }

  /** The store alone. */
  async openBareStore(): Promise<{ readonly store: Store }> {
    const { host, clock } = this;
    const port = this.#surroundings.database.port(host, clock, 'import');
    const store = await openStore({
      kind: 'sqlite-port',
      port,
      path: 'simulated',
      fieldKey: SECRETS.fieldKey,
      clock,
    });
    return { store };
  }

  async #openStore() {
    const { host, clock } = this;
    const { database } = this.#surroundings;
    const origin = newRuuid();
    const port = database.port(host, clock, origin);
    const own = await openStore({
      kind: 'sqlite-port',
      port,
      path: 'simulated',
      fieldKey: SECRETS.fieldKey,
      clock,
    });
    const elsewhere = new ChangeFeed();
    const store = withChangesFrom(elsewhere, own);
    const foreignChanges = await ForeignChanges.follow(
      {
        follow: (listeners) =>
          ChangeLogFollower.open({
            url: new CredentialUrl(DATABASE_URL),
            origin,
            clock,
            log: this.#log,
            ...listeners,
            createClient: database.logClient(host, clock),
          }),
      },
      (change) => elsewhere.publish(change),
    );
    this.#cleanup.add('changes of other nodes', () => foreignChanges.close());
    return { store, foreignChanges };
  }

  async #openDoor(
    options: GatewayOptions,
    {
      store,
      foreignChanges,
      cluster,
      hub,
    }: { store: Store; foreignChanges: ForeignChanges; cluster: Cluster; hub: StreamHub },
  ) {
    const { clock, log } = options;
    const counters = createMemoryCounters({ clock });
    const parts = {
      store,
      secrets: SECRETS,
      foreignChanges,
      apiThread: { notify: () => undefined, itemProgress: async () => [] },
      audit: { viewerLeft: () => undefined, deviceLeft: () => undefined, groupOpened: () => undefined },
    };
    const access = await openAccess(
      options,
      parts,
      { counters, cluster, shared: null, file: this.#endFile() },
      this.#cleanup,
    );
    const { directory, gate, sessions, shareViewers, passwords } = access;
    const frontDoor = buildFrontDoor({
      gate,
      sessions,
      cameras: hub,
      counters,
      clock,
      log,
      assets: async () => NO_ASSETS,
      stills: { still: async () => null },
      readiness: async () => ({ ready: cluster.absence === null, checks: {} }),
      publicMediaUrl: PUBLIC_MEDIA_URL,
    });
    await frontDoor.ready();
    this.#cleanup.add('media listener', () => frontDoor.close());
    const endViewer = viewerEnd(cluster, shareViewers, options.config.access.grantLifetimeMs);
    const rules = endingRules(directory, access.unstoredEnds, actingPrincipal);
    const { shares, schedules } = createSharingServices({
      store,
      counters,
      passwords,
      clock,
      rules,
      publicMediaUrl: PUBLIC_MEDIA_URL,
      shareTokenKey: SECRETS.shareTokenKey,
    });
    const { hasEmergencies } = this.#surroundings;
    const emergencies = hasEmergencies ? nodeEmergencies(store, rules, { clock, log }) : null;
    if (emergencies !== null) this.#cleanup.add('ends of emergencies', () => emergencies.ends.close());
    return { directory, sessions, shareViewers, endViewer, shares, schedules, emergencies, frontDoor };
  }

  #endFile() {
    const { endFiles } = this.#surroundings;
    const kept = endFiles.get(this.name) ?? new Map<Ruuid, AccessEnd>();
    endFiles.set(this.name, kept);
    return {
      all: () => [...kept.values()],
      add: async (end: AccessEnd) => void kept.set(end.endUuid, end),
      remove: (uuid: Ruuid) => void kept.delete(uuid),
      close: async () => undefined,
    };
  }

  /** Before the recorder: sees each part at the moment at which it is published. */
  #tapFor(recording: RecordingStage | null, cameraUuid: Ruuid, rendition: RenditionName): RecordingTap {
    const tap = recording?.tapFor(cameraUuid, rendition) ?? null;
    if (tap !== null) this.queues.followTap(tap);
    const take = (part: CmafPart): void => {
      tap?.take(part);
      const cluster = this.running?.cluster;
      if (cluster?.roleOf(cameraUuid) !== 'owner') return;
      this.#surroundings.onPublished(this, cameraUuid, cluster.node.leases.isHeld(cameraUuid));
    };
    return { restart: () => tap?.restart(), take } as unknown as RecordingTap;
  }

  #sources() {
    const { cameras } = this.#surroundings;
    return {
      hubCamera: ({ uuid, name }: Camera): HubCamera => ({
        uuid,
        name,
        fingerprint: uuid,
        sub: null,
        main: cameras.get(uuid)!.source(this.host, this.clock),
      }),
      removed: () => undefined,
      forgiveLogins: () => undefined,
    };
  }
}
