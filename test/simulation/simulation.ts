/** One simulation: a cluster, its cameras and viewers, what goes wrong, and what must hold. */

import { sampleCamera, sampleLocation, sampleNvr, sampleOrganization } from '../../src/store/sample-entities.ts';
import type { Camera, Share } from '../../src/store/entities.ts';
import type { Ruuid } from '../../src/core/ruuid.ts';
import { CredentialUrl } from '../../src/core/secret.ts';
import { SimulatedCamera } from './camera.ts';
import { SimulatedDatabase } from './database.ts';
import { deterministically } from './determinism.ts';
import { Faults } from './faults.ts';
import { Invariants } from './invariants.ts';
import { SimulatedLinks } from './links.ts';
import { Network } from './network.ts';
import { SimulatedNode, type Surroundings } from './node.ts';
import { SimulatedRedis } from './redis.ts';
import { Rights } from './rights.ts';
import { SimulatedViewer } from './viewer.ts';
import { World } from './world.ts';

const START_LIMIT_MS = 30_000;

export interface Outcome {
  readonly seed: number;
  readonly hash: string;
  readonly failure: Error | null;
  readonly trace: string;
  readonly events: number;
  readonly parts: number;
  readonly frames: number;
}

/** Runs one simulation from its seed. Never rejects: what went wrong is in the outcome. */
export function simulate(seed: number): Promise<Outcome> {
  const world = new World(seed);
  return deterministically(world, async () => {
    const simulation = new Simulation(world);
    let failure: Error | null = null;
    try {
      await simulation.run();
    } catch (thrown) {
      failure = thrown instanceof Error ? thrown : new Error(String(thrown));
    }
    simulation.close();
    return {
      ...{ seed, failure, hash: world.trace.hash, trace: world.trace.last(), events: world.events },
      ...{ parts: simulation.invariants.parts, frames: simulation.frames },
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
  readonly #surroundings: Surroundings;
  readonly stored: Camera[] = [];
  orgUuid: Ruuid = '' as Ruuid;

  constructor(world: World) {
    this.world = world;
    this.network = new Network(world);
    this.redis = new SimulatedRedis(world, this.network);
    this.database = new SimulatedDatabase(world, this.network);
    this.links = new SimulatedLinks(this.network);
    this.faults = new Faults(this);
    this.invariants = new Invariants(this);
    this.rights = new Rights(world);
    const { redis, database, links, cameras } = this;
    this.#surroundings = { world, redis, database, links, cameras };
  }

  get frames(): number {
    return this.viewers.reduce((sum, { frames }) => sum + frames, 0);
  }

  async run(): Promise<void> {
    await this.#begin(this.world.random.pick([1, 2, 3, 3, 3]), this.world.random.pick([1, 2]));
    const [camera] = this.stored;
    const share = await this.within(this.share(this.nodes[0]!, camera!));
    for (let i = 0; i < 2; i++) this.watch(share, 0);
    await this.world.run(this.world.nowMs + 60_000);
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

  async share(node: SimulatedNode, camera: Camera): Promise<Share> {
    const request = { camera, cameraFacet: '', streamType: 'USER', vodEnabled: false } as const;
    const share = await node.running!.shares.create(this.orgUuid, request);
    this.rights.created(share.uuid, node);
    return share;
  }

  watch(share: Share, camera: number): SimulatedViewer {
    const viewer = new SimulatedViewer(this, `viewer${this.viewers.length}`, share, camera, null);
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
        ...{ locationUuid: location.uuid, nvrUuid: nvr.uuid, name: `camera ${number}` },
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
