/**
 * Actions of people during a simulation: viewers come, leave and continue elsewhere; organizations share cameras and end
 * shares.
 */

import type { Share } from '../../src/store/entities.ts';
import { withStoringNotes } from '../../src/store/storing-notes.ts';
import { type SimulatedNode, viewerIdOf } from './node.ts';
import type { Simulation } from './simulation.ts';

const MEAN_PAUSE_MS = 2_000;
const MAX_VIEWERS = 4;
/** After that, a share whose end is in a second has ended by every node's wall clock. */
const EXPIRY_MS = 10_000;

export class People {
  readonly #simulation: Simulation;
  readonly #shares: { readonly share: Share; readonly camera: number }[] = [];
  #isOver = false;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  begin(): void {
    this.#next();
  }

  end(): void {
    this.#isOver = true;
  }

  async share(node: SimulatedNode): Promise<void> {
    const { world, stored, orgUuid, rights } = this.#simulation;
    const camera = world.random.below(stored.length);
    const request = {
      camera: stored[camera]!,
      cameraFacet: '',
      streamType: 'USER',
      vodEnabled: false,
    } as const;
    const share = await node.running!.shares.create(orgUuid, request);
    if (!node.host.isAlive) return;
    rights.created(share.uuid, node);
    world.trace.note('people', `share ${share.uuid} of camera ${camera} created at ${node.name}`);
    this.pass(share, camera);
    // The link is passed on, and opened anywhere.
    if (world.random.chance(0.5) && this.hasRoom) this.watchShare(share, camera);
  }

  /** Its link is passed on: people watch it from now on, and share it no longer at some time. */
  pass(share: Share, camera: number): void {
    this.#shares.push({ share, camera });
  }

  get shares(): readonly { readonly share: Share; readonly camera: number }[] {
    return this.#shares;
  }

  watch(): void {
    if (!this.hasRoom || this.#shares.length === 0) return;
    const { world } = this.#simulation;
    const { share, camera } = world.random.pick(this.#shares);
    this.watchShare(share, camera);
  }

  get hasRoom(): boolean {
    const watching = this.#simulation.viewers.filter(({ isGone }) => !isGone);
    return !this.#isOver && watching.length < MAX_VIEWERS;
  }

  /** A viewer who knows its password. */
  watchShare(share: Share, camera: number): void {
    const { world, rights } = this.#simulation;
    const viewer = this.#simulation.watch(share, camera, rights.rulesOf(share.uuid).password);
    world.trace.note('people', `${viewer.name} begins with share ${share.uuid} of camera ${camera}`);
  }

  #next(): void {
    const { world } = this.#simulation;
    world.after(-Math.log(1 - world.random.next()) * MEAN_PAUSE_MS, () => {
      if (this.#isOver) return;
      this.#act();
      this.#next();
    });
  }

  #act(): void {
    const { world, viewers, nodes } = this.#simulation;
    const node = world.random.pick(nodes);
    const viewer = viewers.length === 0 ? null : world.random.pick(viewers);
    const chance = world.random.next();
    if (chance < 0.3) this.watch();
    else if (chance < 0.45) viewer?.move();
    else if (chance < 0.6) this.#leave();
    else if (!node.isHealthy) return;
    else if (chance < 0.75) this.share(node).catch(() => undefined);
    else if (chance < 0.82) this.endView(node);
    else if (chance < 0.93) this.#revoke(node);
    else this.#expire(node);
  }

  #leave(): void {
    const { world, viewers } = this.#simulation;
    const watching = viewers.filter(({ isGone }) => !isGone);
    if (watching.length < 2) return;
    const viewer = world.random.pick(watching);
    viewer.leave();
    world.trace.note('people', `${viewer.name} leaves`);
  }

  /** Ends the view of someone who watches, wherever that is. */
  endView(node: SimulatedNode): void {
    const { world, viewers, rights } = this.#simulation;
    const watching = viewers.filter(({ isGone, folder }) => !isGone && folder !== null);
    if (watching.length === 0) return;
    const { share, folder, name } = world.random.pick(watching);
    const viewerId = viewerIdOf(folder!);
    rights.viewEnding(folder!);
    node.running!.endViewer(share.orgUuid, share.uuid, viewerId, null).then(
      (ended) => {
        if (!node.host.isAlive || ended === null || ended === 'no-viewer') return;
        world.trace.note('people', `view of ${name} ended at ${node.name}, ${JSON.stringify(ended)}`);
        if (ended.isStored) rights.viewEnded(folder!, node);
      },
      () => undefined,
    );
  }

  #take(): Share | null {
    if (this.#shares.length < 2) return null;
    const [taken] = this.#shares.splice(this.#simulation.world.random.below(this.#shares.length), 1);
    return taken!.share;
  }

  #revoke(node: SimulatedNode): void {
    const share = this.#take();
    if (share !== null)
      this.#change(node, share, (shares) => shares.remove(share.orgUuid, share.uuid), 'revoked');
  }

  /** Ends it soon, by the wall clocks of the nodes. */
  #expire(node: SimulatedNode): void {
    const share = this.#take();
    if (share === null) return;
    const changes = { expirationTimeSecs: 1 };
    this.#change(node, share, (shares) => shares.update(share.orgUuid, share.uuid, changes), 'expires');
  }

  #change(
    node: SimulatedNode,
    share: Share,
    work: (shares: NonNullable<SimulatedNode['running']>['shares']) => Promise<unknown>,
    what: string,
  ): void {
    const { world, rights } = this.#simulation;
    rights.changing(share.uuid);
    const running = node.running!;
    let notes: string | null = null;
    withStoringNotes(
      () => work(running.shares),
      (sentence) => {
        notes = sentence;
      },
    ).then(
      () => {
        if (!node.host.isAlive) return;
        const told = notes === null ? null : this.#simulation.toldOf(node, notes);
        world.trace.note(
          'people',
          `share ${share.uuid} ${what} at ${node.name}${notes === null ? '' : `, ${notes}`}`,
        );
        rights.changed(share.uuid, false, node, what === 'expires' ? EXPIRY_MS : 0, told);
      },
      (thrown: Error) => world.trace.note('people', `share ${share.uuid} not ${what}: ${thrown.message}`),
    );
  }
}
