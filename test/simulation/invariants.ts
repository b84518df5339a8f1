/** Invariants at every moment of a simulation (docs/design/simulation.md#invariants). A breach ends the run. */

import { createHash } from 'node:crypto';
import type { Ruuid } from '../../src/core/ruuid.ts';
import type { FrameId } from './camera.ts';
import type { KnownDefect } from './known-defects.ts';
import type { SimulatedNode } from './node.ts';
import type { Requested } from './rights.ts';
import type { Simulation } from './simulation.ts';
import type { Answer, NamedPart, SimulatedViewer } from './viewer.ts';

/** So long after a part was listed, each node has it, or says that another one may. */
const LISTED_MS = 6_000;
/** A camera that closes early takes its listed parts along. */
const CLOSING_MS = 500;
/** The link broke before a hand-over, or between its last part and its end. */
const CUT_OFF: ReadonlySet<string> = new Set([
  'camera handed over with a gap',
  'camera not taken over at once',
]);
/** After a handover with a gap, nodes find the next owner's parts within this time. */
const GAP_MS = 5_000;
/** Roles of one camera at one node in a second: more is an endless loop. */
const ROLES_PER_SECOND = 40;

/** A viewer's request, with its node and time. */
type Request = Pick<Requested, 'credential' | 'node' | 'sentMs'>;

/** A breach: the invariant, and the observation. */
export class Breach extends Error {
  readonly invariant: string;

  constructor(invariant: string, what: string) {
    super(`${invariant}: ${what}`);
    this.invariant = invariant;
  }
}

/** By node and camera, when its lease ended without being given up, world time. */
class LostLeases {
  readonly #byNode = new WeakMap<SimulatedNode, Map<Ruuid, number>>();

  of(node: SimulatedNode): Map<Ruuid, number> {
    let lost = this.#byNode.get(node);
    if (lost === undefined) {
      lost = new Map();
      this.#byNode.set(node, lost);
    }
    return lost;
  }
}

export class Invariants {
  readonly #simulation: Simulation;
  /** By camera and name, what its bytes were and who published them first. */
  readonly #published = new Map<string, { readonly digest: string; readonly by: string }>();

  /** When a drain last could not hand over without a gap. */
  #gapMs = Number.NEGATIVE_INFINITY;
  readonly knownDefects = new Set<KnownDefect>();
  /** When a node last lost its lease of a camera, until it has a role again. */
  readonly #lost = new LostLeases();
  /** By node, camera and second. */
  readonly #roles = new Map<string, number>();
  /** By camera and name, when a playlist last listed it for a viewer. */
  readonly #listed = new Map<string, number>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  /** Roles of cameras, as a node logs them. */
  logged(node: SimulatedNode, fields: object, message: string): void {
    if (CUT_OFF.has(message)) this.#gapMs = this.#simulation.world.nowMs;
    const { camera } = fields as { readonly camera: Ruuid };
    const { world } = this.#simulation;
    if (message === 'lease lost') this.#lost.of(node).set(camera, world.nowMs);
    if (message !== 'camera in the cluster') return;
    this.#lost.of(node).delete(camera);
    const key = `${node.name} ${camera} ${Math.floor(world.nowMs / 1_000)}`;
    const roles = (this.#roles.get(key) ?? 0) + 1;
    this.#roles.set(key, roles);
    if (roles > ROLES_PER_SECOND) this.fail('no search without rest', `camera ${camera} at ${node.name}`);
  }

  /** A node no longer lists a part that it has listed as the newest. */
  wentBack(what: string): void {
    if (this.#simulation.world.nowMs - this.#gapMs < GAP_MS) {
      this.knownDefects.add('a drain that is cut off takes a part back');
      return;
    }
    this.fail('numbers never go back', what);
  }

  get parts(): number {
    return this.#published.size;
  }

  fail(invariant: string, what: string): void {
    this.#simulation.world.trace.note('BREACH', `${invariant}: ${what}`);
    this.#simulation.world.fail(new Breach(invariant, what));
  }

  /** A name means the same bytes at every node, forever. */
  published(camera: number, name: string, media: Buffer, by: string): void {
    const digest = createHash('sha1').update(media).digest('base64');
    const key = `${camera}/${name}`;
    const known = this.#published.get(key);
    if (known === undefined) this.#published.set(key, { digest, by });
    else if (known.digest !== digest) {
      this.fail('one name, one content', `${key} of ${by} has other bytes than that of ${known.by}`);
    }
  }

  /** Frames reach a viewer in order, once, and without a gap where nothing failed. `isNext`: no number was left out before. */
  seen(
    viewer: SimulatedViewer,
    node: SimulatedNode,
    before: FrameId | null,
    frame: FrameId,
    isNext: boolean,
  ): void {
    if (frame.camera !== viewer.camera) {
      this.fail('own camera', `${viewer.name} got camera ${frame.camera}`);
      return;
    }
    if (before === null || before.boot !== frame.boot) return;
    const step = frame.index - before.index;
    if (step <= 0) {
      viewer.repeated++;
      if (this.#simulation.faults.isCalm(40_000, [])) {
        this.fail(
          'each frame once, in order',
          `${viewer.name} at ${node.name}: frame ${frame.index} after ${before.index}`,
        );
      }
    } else if (step > 1) {
      viewer.missing += step - 1;
      if (isNext && this.#simulation.faults.isCalm(40_000, [])) {
        this.fail(
          'no frame lost without a fault',
          `${viewer.name} at ${node.name}: frame ${frame.index} after ${before.index}`,
        );
      }
    }
  }

  /** A playlist listed these parts for a viewer. */
  listed(viewer: SimulatedViewer, parts: readonly NamedPart[]): void {
    for (const { name } of parts) this.#listed.set(`${viewer.camera}/${name}`, this.#simulation.world.nowMs);
  }

  /** The organization has ended this view, or not. */
  view(who: string, folder: string, node: SimulatedNode, sentMs: number, response: Answer): void {
    if (response?.status !== 200) return;
    const late = this.#simulation.rights.endedForMs(folder, node, sentMs);
    if (late !== null) this.fail('an ended view stays ended', `${who} at ${node.name}, ${late}`);
  }

  /** A node that has given up its cameras owns none, whatever has failed: another one may own them. */
  left(node: SimulatedNode): void {
    for (const { uuid, number } of this.#simulation.cameras.values()) {
      if (node.running?.cluster.roleOf(uuid) !== 'owner') continue;
      this.fail('a drained node owns nothing', `${node.name} still owns camera ${number}`);
    }
  }

  opened(viewer: SimulatedViewer, requested: Request, response: Answer): void {
    const { node, sentMs } = requested;
    const what = `${viewer.name} opens at ${node.name}`;
    this.#allowed(viewer, requested, response, what);
    if (response?.status !== 403 || !this.#simulation.rights.isOpenable(viewer.share.uuid, node, sentMs))
      return;
    this.fail('a new link opens at every node', `${what}: ${response.body.toString()}`);
  }

  responded(viewer: SimulatedViewer, requested: Request, name: string, response: Answer): void {
    const what = `${viewer.name} gets ${name} at ${requested.node.name}`;
    const isDenied = viewer.folder !== null && this.#simulation.rights.isEnded(viewer.folder);
    if (!isDenied) this.#allowed(viewer, requested, response, what);
    this.#notMisled(viewer, requested, response, what);
    const listedMs = this.#listed.get(`${viewer.camera}/${name}`);
    if (response?.status !== 404 || listedMs === undefined) return;
    if (
      this.#simulation.world.nowMs - listedMs >
      Math.min(LISTED_MS, this.#simulation.idleStopMs - CLOSING_MS)
    )
      return;
    this.fail('what was listed is not denied', `${what}: ${response.body.toString()}`);
  }

  /** Another node may have the camera: this one knows neither which parts exist, nor which do not. */
  #notMisled({ camera }: SimulatedViewer, { node, sentMs }: Request, response: Answer, what: string): void {
    if (response === null || ![200, 400, 404].includes(response.status)) return;
    for (const { uuid, number } of this.#simulation.cameras.values()) {
      const lostMs = this.#lost.of(node).get(uuid);
      if (number !== camera || lostMs === undefined || sentMs < lostMs) continue;
      this.fail('who lost its lease sends on', `${what}: ${response.status}`);
    }
  }

  #allowed({ share }: SimulatedViewer, request: Request, response: Answer, what: string): void {
    if (response === null) return;
    const { rights, world } = this.#simulation;
    const requested = { ...request, share: share.uuid, nowMs: world.nowMs };
    if (response.status === 200) {
      const late = rights.deniedForMs(requested);
      if (late !== null) this.fail('nobody is served after the bound', `${what}, ${late}`);
      const over = this.#simulation.emergencies?.deniedForMs(requested) ?? null;
      if (over !== null) this.fail('no emergency is served after its end', `${what}, ${over}`);
    } else if (response.status === 403 || response.status === 401) {
      const unjust = rights.allowedForMs(requested);
      if (unjust !== null)
        this.fail('nobody allowed is refused', `${what}: ${response.body.toString()}; ${unjust}`);
    }
  }
}
