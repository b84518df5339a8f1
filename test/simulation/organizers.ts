/** Organizations that show a camera by a schedule, or to those who know a password, and change their minds while people watch. */

import type { Share } from '../../src/store/entities.ts';
import { withStoringNotes } from '../../src/store/storing-notes.ts';
import { absoluteHours, type Hours, weeklyHours } from './hours.ts';
import type { SimulatedNode } from './node.ts';
import { Random } from './random.ts';
import type { Rules } from './rights.ts';
import type { Simulation } from './simulation.ts';

/** The seed's chance of everything here. Seeds without it are as they were before. */
const CHANCE = 0x1f83d9ab;
const SHARE_OF_SEEDS = 0.4;
const MEAN_PAUSE_MS = 2_500;

/** A change, as the node was asked for it. */
type Change = (running: NonNullable<SimulatedNode['running']>) => Promise<Partial<Rules>>;

export class Organizers {
  readonly #simulation: Simulation;
  readonly #random: Random;
  /** By share: the schedule that it has. */
  readonly #schedules = new Map<string, Hours & { readonly uuid: Share['uuid'] }>();
  #passwords = 0;
  #isOver = false;

  constructor(simulation: Simulation, random: Random) {
    this.#simulation = simulation;
    this.#random = random;
  }

  /** null: in this seed, there are none. */
  static of(simulation: Simulation): Organizers | null {
    const random = new Random(simulation.world.seed ^ CHANCE);
    return random.chance(SHARE_OF_SEEDS) ? new Organizers(simulation, random) : null;
  }

  begin(): void {
    const { world } = this.#simulation;
    world.after(-Math.log(1 - this.#random.next()) * MEAN_PAUSE_MS, () => {
      if (this.#isOver) return;
      this.#act();
      this.begin();
    });
  }

  end(): void {
    this.#isOver = true;
  }

  #act(): void {
    const { nodes, people, rights } = this.#simulation;
    const node = this.#random.pick(nodes);
    const known = people.shares.filter(({ share }) => rights.isCertain(share.uuid));
    if (!node.isHealthy) return;
    if (known.length === 0 || this.#random.chance(0.25)) {
      this.#create(node).catch(() => undefined);
      return;
    }
    const { share } = this.#random.pick(known);
    const [what, change] = this.#changeOf(share);
    this.#apply(node, share, what, change);
  }

  /** A share that has rules from the beginning. */
  async #create(node: SimulatedNode): Promise<void> {
    const { world, stored, orgUuid, rights, people } = this.#simulation;
    const { shares, schedules } = node.running!;
    const camera = this.#random.below(stored.length);
    const isScheduled = this.#random.chance(0.6);
    const isInverted = isScheduled && this.#random.chance(0.4);
    const password = !isScheduled || this.#random.chance(0.3) ? this.#newPassword() : null;
    const schedule = isScheduled ? await this.#newSchedule(schedules) : null;
    const share = await shares.create(orgUuid, {
      camera: stored[camera]!,
      cameraFacet: '',
      streamType: 'USER',
      vodEnabled: false,
      scheduleUuid: schedule?.uuid ?? null,
      invertSchedule: isInverted,
      password,
    });
    if (!node.host.isAlive) return;
    rights.created(share.uuid, node, { hours: schedule, isInverted, password });
    if (schedule !== null) this.#schedules.set(share.uuid, schedule);
    const rules = `${schedule?.kind ?? 'no'} schedule${isInverted ? ', inverted' : ''}, password ${password}`;
    world.trace.note(
      'people',
      `share ${share.uuid} of camera ${camera} created at ${node.name} with ${rules}`,
    );
    people.pass(share, camera);
    if (people.hasRoom) people.watchShare(share, camera);
  }

  #changeOf(share: Share): [what: string, change: Change] {
    const { uuid, orgUuid } = share;
    const { random } = { random: this.#random };
    const schedule = this.#schedules.get(uuid) ?? null;
    const chance = random.next();
    if (chance < 0.35) {
      const password = random.chance(0.8) ? this.#newPassword() : null;
      const change: Change = async ({ shares }) => {
        await shares.update(orgUuid, uuid, { password });
        return { password };
      };
      return [`gets password ${password}`, change];
    }
    if (schedule !== null && chance < 0.65) return ['gets other times', this.#otherTimes(share, schedule)];
    if (schedule !== null && chance < 0.8) return ['is inverted', this.#inversion(share)];
    const isLost = schedule !== null && random.chance(0.5);
    const change: Change = async ({ shares, schedules }) => {
      const next = isLost ? null : await this.#newSchedule(schedules);
      await shares.update(orgUuid, uuid, { scheduleUuid: next?.uuid ?? null });
      if (next === null) this.#schedules.delete(uuid);
      else this.#schedules.set(uuid, next);
      return { hours: next };
    };
    return [isLost ? 'loses its schedule' : 'gets another schedule', change];
  }

  #inversion({ orgUuid, uuid }: Share): Change {
    const isInverted = !this.#simulation.rights.rulesOf(uuid).isInverted;
    return async ({ shares }) => {
      await shares.update(orgUuid, uuid, { invertSchedule: isInverted });
      return { isInverted };
    };
  }

  #otherTimes({ orgUuid, uuid }: Share, schedule: Hours & { readonly uuid: Share['uuid'] }): Change {
    const { epochMs } = this.#simulation.world;
    return async ({ schedules }) => {
      const weekly = schedule.kind === 'weekly' ? weeklyHours(this.#random, epochMs) : null;
      const hours = weekly ?? absoluteHours(this.#random, epochMs);
      if (hours.kind === 'weekly') await schedules.updateWeekly(orgUuid, schedule.uuid, hours);
      else await schedules.updateAbsolute(orgUuid, schedule.uuid, hours);
      this.#schedules.set(uuid, { ...hours, uuid: schedule.uuid });
      return { hours };
    };
  }

  #apply(node: SimulatedNode, share: Share, what: string, change: Change): void {
    const { world, rights, viewers } = this.#simulation;
    const beganMs = world.nowMs;
    const isUpToDate = rights.isUpToDate(share.uuid, node);
    rights.changing(share.uuid);
    const running = node.running!;
    let notes: string | null = null;
    withStoringNotes(
      () => change(running),
      (sentence) => {
        notes = sentence;
      },
    ).then(
      (rules) => {
        if (!node.host.isAlive) return;
        const told = notes === null ? null : this.#simulation.toldOf(node, notes);
        // Two nodes that do not hear of each other may change one thing: what counts then is for the unit tests.
        const areInTouch = isUpToDate && told?.size === this.#simulation.nodes.length;
        if (told !== null && !areInTouch) return;
        world.trace.note('people', `share ${share.uuid} ${what} at ${node.name}`);
        rights.ruled(share.uuid, rules, node, beganMs, told);
        if (rules.password === undefined) return;
        for (const viewer of viewers) {
          if (viewer.share.uuid === share.uuid && this.#random.chance(0.6)) viewer.learn(rules.password);
        }
      },
      (thrown: Error) => world.trace.note('people', `share ${share.uuid} not: ${what}: ${thrown.message}`),
    );
  }

  async #newSchedule(schedules: NonNullable<SimulatedNode['running']>['schedules']) {
    const { world, orgUuid } = this.#simulation;
    const named = { name: 'simulated', oneTimeUse: false };
    if (this.#random.chance(0.7)) {
      const hours = absoluteHours(this.#random, world.epochMs);
      const { uuid } = await schedules.createAbsolute(orgUuid, { ...named, intervals: hours.intervals });
      return { ...hours, uuid };
    }
    const hours = weeklyHours(this.#random, world.epochMs);
    const { uuid } = await schedules.createWeekly(orgUuid, { ...named, intervals: hours.intervals });
    return { ...hours, uuid };
  }

  #newPassword(): string {
    return `password ${this.#passwords++}`;
  }
}
