/** One simulation: a cluster, its cameras and viewers, what goes wrong, and what must hold. */

import type { Ruuid } from '../../src/core/ruuid.ts';
import { CredentialUrl } from '../../src/core/secret.ts';
import type { Camera, Share } from '../../src/store/entities.ts';
import {
  sampleCamera,
  sampleLocation,
  sampleNvr,
  sampleOrganization,
} from '../../src/store/sample-entities-fixture.ts';
import { SimulatedCamera } from './camera.ts';
import { Crowd } from './crowd.ts';
import { SimulatedDatabase } from './database.ts';
import { deterministically } from './determinism.ts';
import { DiskFaults } from './disk-faults.ts';
import { EmergencyDrills } from './emergencies.ts';
import { Faults } from './faults.ts';
import { Inspector, LIVENESS_MS } from './inspector.ts';
import { Invariants } from './invariants.ts';
import type { KnownDefect } from './known-defects.ts';
import { SimulatedLinks } from './links.ts';
import { Moments } from './moments.ts';
import { Network } from './network.ts';
import { SimulatedNode, type Surroundings } from './node.ts';
import { Organizers } from './organizers.ts';
import { People } from './people.ts';
import { Random } from './random.ts';
import { KEEPING_MS, Recordings } from './recordings.ts';
import { SimulatedRedis } from './redis.ts';
import { Rights } from './rights.ts';
import { SimulatedViewer } from './viewer.ts';
import { World } from './world.ts';

const START_LIMIT_MS = 30_000;
/** How long things go wrong. */
const STORM_MS = 45_000;

const IDLE_STOP_MS = 10_000;
/** In seeds with moments: a search may last longer than that. */
const IDLE_STOPS_MS = [1_000, 2_000, IDLE_STOP_MS];

export interface Outcome {
  readonly seed: number;
  readonly hash: string;
  readonly failure: Error | null;
  readonly trace: string;
  readonly events: number;
  readonly parts: number;
  readonly frames: number;
  /** Recorded ones. */
  readonly segments: number;
  readonly emergencies: number;
  readonly knownDefects: ReadonlySet<KnownDefect>;
}

/** What a script is about: views alone, or emergencies too. */
export type Scripted = 'views' | 'emergencies';

/** Runs one simulation from its seed. Never rejects: what went wrong is in the outcome. */
export function simulate(seed: number): Promise<Outcome> {
  return simulated(seed, (simulation) => simulation.run());
}

/** The same for a cluster of three nodes and a camera that people watch, in which nothing happens but what `script` does. */
export function simulateScript(
  seed: number,
  script: (simulation: Simulation) => Promise<void>,
  kind: Scripted = 'views',
): Promise<Outcome> {
  return simulated(seed, (simulation) => simulation.runScript(script), kind);
}

function simulated(
  seed: number,
  run: (simulation: Simulation) => Promise<void>,
  scripted: Scripted | null = null,
): Promise<Outcome> {
  const world = new World(seed);
  return deterministically(world, async () => {
    const simulation = new Simulation(world, scripted);
    let failure: Error | null = null;
    try {
      await run(simulation);
    } catch (thrown) {
      failure = thrown instanceof Error ? thrown : new Error(String(thrown));
    }
    simulation.close();
    return {
      seed,
      failure,
      hash: world.trace.hash,
      trace: world.trace.last(),
      events: world.events,
      parts: simulation.invariants.parts,
      frames: simulation.frames,
      segments: simulation.recordings?.segments ?? 0,
      emergencies: simulation.emergencies?.count ?? 0,
      knownDefects: simulation.invariants.knownDefects,
    };
  });
}

export class Simulation {
  readonly world: World;
  readonly network: Network;
  readonly redis: SimulatedRedis;
  readonly database: SimulatedDatabase;
  readonly links: SimulatedLinks;
  readonly cameras = new Map<Ruuid, SimulatedCamera>();
  readonly nodes: SimulatedNode[] = [];
  readonly viewers: SimulatedViewer[] = [];
  readonly faults: Faults;
  readonly invariants: Invariants;
  readonly rights: Rights;
  readonly people: People;
  /** null: nothing is recorded. */
  readonly recordings: Recordings | null;
  readonly #diskFaults: DiskFaults | null;
  /** null: no share has a schedule or a password. */
  readonly #organizers: Organizers | null;
  /** null: there is none. */
  readonly #crowd: Crowd | null;
  /** null: no camera is opened to a partner. */
  readonly emergencies: EmergencyDrills | null;
  /** null: nothing depends on what processes are about to do. */
  readonly moments: Moments | null;
  /** After so long without a viewer, a camera is closed. */
  readonly idleStopMs: number;
  readonly #inspector: Inspector;
  readonly #surroundings: Surroundings;
  readonly stored: Camera[] = [];
  /** By camera, when an owner last published a part of it, world time. */
  readonly publishedMs = new Map<Ruuid, number>();
  orgUuid: Ruuid = '' as Ruuid;

  /** `scripted`: nothing goes wrong by chance, nothing is recorded, and cameras stay open for as long as usual. */
  constructor(world: World, scripted: Scripted | null = null) {
    const isScripted = scripted !== null;
    this.world = world;
    this.network = new Network(world);
    this.redis = new SimulatedRedis(world, this.network);
    this.database = new SimulatedDatabase(world, this.network);
    this.links = new SimulatedLinks(this.network);
    this.faults = new Faults(this);
    this.invariants = new Invariants(this);
    const { nodes } = this;
    this.rights = new Rights(world, () =>
      Math.max(...nodes.map(({ clock }) => Math.abs(clock.wallOffsetMs))),
    );
    this.people = new People(this);
    this.#organizers = Organizers.of(this);
    this.#inspector = new Inspector(this);
    const recordings = isScripted ? null : Recordings.of(this);
    this.recordings = recordings;
    this.#diskFaults = recordings === null ? null : new DiskFaults(world, recordings);
    this.#crowd = Crowd.of(this);
    this.emergencies =
      scripted === 'emergencies'
        ? new EmergencyDrills(this, new Random(world.seed))
        : isScripted
          ? null
          : EmergencyDrills.of(this);
    this.moments = isScripted ? null : Moments.of(this);
    this.network.moments = this.moments;
    const { redis, database, links, cameras } = this;
    // Recorders keep cameras open.
    const isShort = this.moments !== null && recordings === null;
    const idleStopMs = isShort ? this.moments!.random.pick(IDLE_STOPS_MS) : IDLE_STOP_MS;
    this.idleStopMs = idleStopMs;
    this.#surroundings = {
      world,
      redis,
      database,
      links,
      cameras,
      recordings,
      hasEmergencies: this.emergencies !== null,
      idleStopMs,
      endFiles: new Map(),
      onPublished: (node, cameraUuid, isHeld) => {
        this.publishedMs.set(cameraUuid, world.nowMs);
        const { number } = cameras.get(cameraUuid)!;
        if (isHeld) return;
        this.invariants.fail(
          'each part under a lease',
          `${node.name} publishes camera ${number} without one`,
        );
      },
      onLine: (node, fields, message) => this.invariants.logged(node, fields, message),
      onLeft: (node) => this.invariants.left(node),
    };
  }

  get frames(): number {
    return this.viewers.reduce((sum, { frames }) => sum + frames, 0);
  }

  async run(): Promise<void> {
    const { world, people } = this;
    await this.#begin(world.random.pick([1, 2, 3, 3, 3]), world.random.pick([1, 1, 2]));
    world.trace.note(
      'world',
      `${this.nodes.length} nodes, ${this.cameras.size} cameras, faults: ${this.faults.names}`,
    );
    if (this.#diskFaults !== null) world.trace.note('world', `recorded; disk: ${this.#diskFaults.names}`);
    if (this.#organizers !== null) world.trace.note('world', 'with schedules and passwords');
    if (this.#crowd !== null) world.trace.note('world', 'with a crowd');
    if (this.emergencies !== null) world.trace.note('world', 'with emergencies');
    if (this.moments !== null)
      world.trace.note('world', `moments: ${this.moments.names}; idle stop ${this.idleStopMs} ms`);
    await this.within(people.share(this.nodes[0]!));
    people.watch();
    people.watch();
    this.#inspector.begin();
    this.recordings?.begin();
    await world.run(world.nowMs + world.random.between(2_000, 12_000));
    this.faults.begin();
    this.#diskFaults?.begin();
    people.begin();
    this.#organizers?.begin();
    this.#crowd?.begin();
    this.emergencies?.begin();
    this.moments?.begin();
    await world.run(world.nowMs + STORM_MS);
    people.end();
    this.#organizers?.end();
    this.#crowd?.end();
    this.emergencies?.end();
    this.moments?.end();
    this.faults.end();
    this.#diskFaults?.end();
    world.trace.note('world', 'quiet from here on');
    this.recordings?.quiet();
    await world.run(world.nowMs + LIVENESS_MS);
    this.#inspector.checkQuiet();
    if (this.emergencies !== null) await this.within(this.emergencies.checkReports());
    this.#inspector.end();
    if (this.recordings !== null) await this.#keep(this.recordings);
    await world.run(world.nowMs);
    if (world.failure !== null) throw world.failure;
  }

  async runScript(script: (simulation: Simulation) => Promise<void>): Promise<void> {
    const { world, people } = this;
    await this.#begin(3, 1);
    await this.within(people.share(this.nodes[0]!));
    for (let viewer = 0; viewer < 4; viewer++) people.watch();
    this.#inspector.begin();
    await world.run(world.nowMs + 8_000);
    await script(this);
    this.#inspector.end();
    await world.run(world.nowMs);
    if (world.failure !== null) throw world.failure;
  }

  /** Nobody watches, no camera sends, every node ends and starts again: retention does its work. */
  async #keep(recordings: Recordings): Promise<void> {
    const { world, viewers, cameras } = this;
    recordings.checkResumed();
    recordings.checkListed();
    for (const viewer of viewers) viewer.leave();
    for (const camera of cameras.values()) camera.stop();
    for (const node of [...this.nodes]) {
      if (!node.isHealthy) continue;
      if (recordings.random.chance(0.5)) this.stopAndRestart(node);
      else {
        this.kill(node, recordings.random.chance(0.5));
        this.restart(node.name);
      }
    }
    recordings.wedge();
    await world.run(world.nowMs + KEEPING_MS);
    recordings.checkKept();
  }

  close(): void {
    this.database.close();
  }

  addNode(name: string): SimulatedNode {
    const { random } = this.world;
    const clock = { rate: random.between(0.999, 1.001), wallOffsetMs: Math.floor(random.between(-300, 300)) };
    const node = new SimulatedNode(name, this.#surroundings, clock);
    const at = this.nodes.findIndex((each) => each.name === name);
    if (at < 0) this.nodes.push(node);
    else this.nodes[at] = node;
    return node;
  }

  /** Processes that have an end by the time at which it was acknowledged without the store: all that the node knows and could reach. */
  toldOf(by: SimulatedNode, notes: string): ReadonlySet<SimulatedNode> {
    const known = new Set(by.running!.cluster.others.map(({ nodeId }) => nodeId));
    const isTold = ({ name, running }: SimulatedNode) =>
      running !== null && known.has(name) && !notes.includes(name);
    return new Set([by, ...this.nodes.filter(isTold)]);
  }

  /** The process ends in the middle of whatever it does. `isSilent`: its machine too. */
  kill(node: SimulatedNode, isSilent: boolean): void {
    this.recordings?.killed(node, isSilent);
    this.world.kill(node.host);
    this.links.killed(node.host, isSilent);
    for (const camera of this.cameras.values()) camera.forget(node.host);
    this.world.trace.note(node.name, isSilent ? 'machine lost' : 'killed');
  }

  /** Another process takes the place of one that has ended. */
  restart(name: string): void {
    this.#start(this.addNode(name));
  }

  stopAndRestart(node: SimulatedNode): void {
    node.stop().then(() => {
      if (!node.host.isAlive) return;
      this.kill(node, false);
      this.restart(node.name);
    });
  }

  #start(node: SimulatedNode): void {
    node.start().catch((thrown: Error) => {
      if (!node.host.isAlive) return;
      this.world.trace.note(node.name, `did not start: ${thrown.message}`);
      this.kill(node, false);
      this.world.after(1_000, () => this.restart(node.name));
    });
  }

  watch(share: Share, camera: number, password: string | null): SimulatedViewer {
    const viewer = new SimulatedViewer(this, `viewer${this.viewers.length}`, share, camera, password);
    this.viewers.push(viewer);
    viewer.begin();
    return viewer;
  }

  tokenOf(share: Share): string {
    const { shares } = this.nodes.find(({ running }) => running !== null)!.running!;
    return new URL(shares.urls(share).pageUrl).pathname.split('/').at(-1)!;
  }

  /** Runs the world until `work` is done. */
  async within<T>(work: Promise<T>, limitMs = START_LIMIT_MS): Promise<T> {
    const untilMs = this.world.nowMs + limitMs;
    const outcome: { value: T }[] = [];
    work.then(
      (value) => outcome.push({ value }),
      (thrown) => this.world.fail(thrown),
    );
    while (outcome.length === 0) {
      if (this.world.nowMs >= untilMs) throw new Error(`not done within ${limitMs} ms`);
      await this.world.run(this.world.nowMs + 20);
    }
    return outcome[0]!.value;
  }

  async #begin(nodes: number, cameras: number): Promise<void> {
    const first = this.addNode('node-a');
    await this.within(this.#storeCameras(first, cameras));
    for (const name of ['node-b', 'node-c'].slice(0, nodes - 1)) this.addNode(name);
    await this.within(Promise.all(this.nodes.map((node) => node.start())));
  }

  /** Before any node starts, as an earlier run of the cluster did. */
  async #storeCameras(node: SimulatedNode, count: number): Promise<void> {
    const { store } = await node.openBareStore();
    const organization = sampleOrganization();
    const location = sampleLocation(organization.uuid);
    const nvr = sampleNvr(organization.uuid, { locationUuid: location.uuid });
    this.orgUuid = organization.uuid;
    await store.organizations.save(organization);
    await store.locations.save(location);
    await store.nvrs.save(nvr);
    for (let number = 0; number < count; number++) {
      const camera = sampleCamera(organization.uuid, {
        locationUuid: location.uuid,
        nvrUuid: nvr.uuid,
        name: `camera ${number}`,
        rtspUrl: new CredentialUrl(`rtsp://camera${number}/`),
        substreamUrl: null,
      });
      await store.cameras.save(camera);
      this.stored.push(camera);
      this.cameras.set(camera.uuid, new SimulatedCamera(this.world, this.network, number, camera.uuid));
    }
    await store.close();
  }
}
