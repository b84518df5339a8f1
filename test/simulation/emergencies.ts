/**
 * Cameras that are opened to a partner for some seconds while things go wrong, and what must hold of them: none is served after its end, by
 * either of the serving node's clocks, and each has one report (docs/design/emergency.md).
 */

import type { Clock } from '../../src/core/clock.ts';
import type { Log } from '../../src/core/log.ts';
import { newRuuid, type Ruuid } from '../../src/core/ruuid.ts';
import { Emergencies } from '../../src/emergency/emergencies.ts';
import { EmergencyEnds } from '../../src/emergency/emergency-ends.ts';
import type { EmergencyPartner } from '../../src/emergency/emergency-records.ts';
import type { AccessRules } from '../../src/sharing/access-rules.ts';
import { EMERGENCIES, type Emergency, PAST_EMERGENCIES } from '../../src/sharing/emergency-link.ts';
import { memberUuidOf } from '../../src/sharing/wall-members.ts';
import type { Share } from '../../src/store/entities.ts';
import type { Store } from '../../src/store/store.ts';
import { withStoringNotes } from '../../src/store/storing-notes.ts';
import type { SimulatedNode } from './node.ts';
import { Random } from './random.ts';
import type { Requested } from './rights.ts';
import type { Simulation } from './simulation.ts';
import type { SimulatedViewer } from './viewer.ts';
import { BEGIN_EPOCH_MS } from './world.ts';

/** The seed's chance of everything here. Seeds without it are as they were before. */
const CHANCE = 0x5be0cd19;
const SHARE_OF_SEEDS = 0.3;
const MEAN_PAUSE_MS = 3_500;
/** Whole seconds, also as minutes. */
const LENGTHS_MS = [9_000, 12_000, 15_000, 18_000];
const MINUTE_MS = 60_000;
const LOOK_MS = 100;
/** A wall clock steps by less at a time, and then it is looked at before it steps again. */
const LONGEST_STEP_MS = 3_000;
/** From the end until the last response is sent. */
const BOUND_MS = 1_000;
/** Rates of clocks differ, and one that was looked at late has gone on. */
const CLOCK_SLACK_MS = 150;
/** Viewers do not give up immediately. */
const LINGER_MS = 6_000;
const MAX_VIEWERS = 3;

/** What a node has of emergencies. */
export interface NodeEmergencies {
  readonly emergencies: Emergencies;
  readonly ends: EmergencyEnds;
}

/** No one is written to: links are passed on by hand. */
const NO_SENDER = {
  opened: async () => undefined,
  closed: async () => undefined,
  deliveriesOf: async () => [],
};

export function nodeEmergencies(
  store: Store,
  rules: AccessRules,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): NodeEmergencies {
  const emergencies = new Emergencies({ store, rules, clock, sender: NO_SENDER });
  return { emergencies, ends: new EmergencyEnds({ store, emergencies, sender: NO_SENDER, clock, log }) };
}

interface Opened {
  readonly uuid: Ruuid;
  /** Of its one link and camera. */
  readonly share: Share;
  readonly camera: number;
  readonly viewers: SimulatedViewer[];
  untilMs: number;
  /** When that was last set, world time. */
  sinceMs: number;
  /** From when it was last set. */
  lengthMs: number;
  /** The highest offset of a wall clock since then: some process may have seen the end by it. */
  highestOffsetMs: number;
  /** Someone may have been refused it rightly: a clock is near its end. */
  isUncertain: boolean;
  isClosed: boolean;
  /** By process: the lowest offset of its wall clock since it may have seen the emergency. */
  readonly lowestOffsetMs: Map<SimulatedNode, number>;
  /** By process that has seen it: when it is over there whatever the wall clock does, world time. */
  readonly latestEndMs: Map<SimulatedNode, number>;
}

export class EmergencyDrills {
  readonly #simulation: Simulation;
  readonly #random: Random;
  readonly #opened = new Map<Ruuid, Opened>();
  #isOver = false;

  constructor(simulation: Simulation, random: Random) {
    this.#simulation = simulation;
    this.#random = random;
  }

  /** null: in this seed, there are none. */
  static of(simulation: Simulation): EmergencyDrills | null {
    const random = new Random(simulation.world.seed ^ CHANCE);
    return random.chance(SHARE_OF_SEEDS) ? new EmergencyDrills(simulation, random) : null;
  }

  begin(): void {
    this.#look();
    this.#next();
  }

  end(): void {
    this.#isOver = true;
  }

  get count(): number {
    return this.#opened.size;
  }

  /** Resolves with its UUID when its links can be opened at this node. */
  async open(node: SimulatedNode, lengthMs: number): Promise<Ruuid> {
    const { world, stored, orgUuid, rights } = this.#simulation;
    const camera = this.#random.below(stored.length);
    const { uuid: cameraUuid } = stored[camera]!;
    const emergency = await node.running!.emergencies!.emergencies.open(orgUuid, {
      partner: partnerOf(orgUuid),
      cameraUuids: [cameraUuid],
      cause: { by: 'Ada', isRule: false, reason: 'drill', alertId: null },
      minutes: lengthMs / MINUTE_MS,
      rule: null,
    });
    const { uuid, body } = emergency;
    if (!node.host.isAlive) return uuid;
    const member = memberUuidOf(body.recipients[0]!.uuid, cameraUuid);
    const share = { uuid: member, orgUuid, streamType: body.partner.kind } as Share;
    rights.created(member, node);
    this.#opened.set(member, {
      uuid,
      share,
      camera,
      viewers: [],
      untilMs: body.untilMs,
      sinceMs: world.nowMs,
      lengthMs: body.untilMs - body.setAtMs,
      highestOffsetMs: Number.NEGATIVE_INFINITY,
      isUncertain: false,
      isClosed: false,
      lowestOffsetMs: new Map(),
      latestEndMs: new Map(),
    });
    world.trace.note('emergency', `${uuid} of camera ${camera} opened at ${node.name} for ${lengthMs} ms`);
    this.#lookAt(this.#opened.get(member)!);
    for (let viewers = 1 + this.#random.below(2); viewers > 0; viewers--) this.watch(uuid);
    return uuid;
  }

  /** Someone opens its link. */
  watch(uuid: Ruuid): SimulatedViewer | null {
    const opened = this.#opened.values().find((each) => each.uuid === uuid)!;
    const watching = this.#opened.values().flatMap(({ viewers }) => viewers);
    if (watching.filter(({ isGone }) => !isGone).toArray().length >= MAX_VIEWERS) return null;
    const viewer = this.#simulation.watch(opened.share, opened.camera, null);
    opened.viewers.push(viewer);
    return viewer;
  }

  /** null: serving it is right, or the link belongs to no emergency. */
  deniedForMs({ share, node, sentMs, nowMs }: Requested): string | null {
    const opened = this.#opened.get(share);
    if (opened === undefined) return null;
    const { clock } = node;
    const { world } = this.#simulation;
    const wallAt = (worldMs: number) => world.epochMsAt(worldMs) + clock.wallOffsetMs;
    if (wallAt(sentMs - BOUND_MS) >= opened.untilMs && sentMs - clock.steppedMs > BOUND_MS) {
      return `over for ${Math.round(wallAt(sentMs) - opened.untilMs)} ms by the wall clock of the node`;
    }
    const latestMs = opened.latestEndMs.get(node) ?? Number.POSITIVE_INFINITY;
    if (sentMs <= latestMs + BOUND_MS || nowMs < sentMs) return null;
    return `over for ${Math.round(sentMs - latestMs)} ms by the monotonic clock of the node`;
  }

  /** Once all is quiet, nothing is open that is over, and each that was opened has its report. */
  async checkReports(): Promise<void> {
    const { nodes, invariants, world } = this.#simulation;
    const running = nodes.find(({ isHealthy }) => isHealthy)?.running;
    if (running == null) return;
    const { resources } = running.store;
    const open = await resources.of(EMERGENCIES).listEverywhere();
    for (const { uuid, body } of open) {
      invariants.fail(
        'an emergency ends',
        `${uuid} is open ${world.epochMs - body.untilMs} ms after its end`,
      );
    }
    const past = await resources.of(PAST_EMERGENCIES).listEverywhere();
    for (const { uuid, body } of past) {
      if (body.closedAtMs <= body.untilMs) continue;
      invariants.fail('a report says when it ended', `${uuid}: ${body.closedAtMs} of ${body.untilMs}`);
    }
    for (const { uuid } of this.#opened.values()) {
      const reports = past.filter((each) => each.uuid === uuid).length;
      if (reports !== 1) invariants.fail('each emergency has one report', `${uuid} has ${reports}`);
    }
  }

  #next(): void {
    const { world } = this.#simulation;
    world.after(-Math.log(1 - this.#random.next()) * MEAN_PAUSE_MS, () => {
      if (this.#isOver) return;
      this.#act();
      this.#next();
    });
  }

  #act(): void {
    const { nodes } = this.#simulation;
    const node = this.#random.pick(nodes);
    if (!node.isHealthy) return;
    const certain = [...this.#opened.values()].filter((each) => this.#isCertain(each));
    const chance = this.#random.next();
    if (certain.length === 0 || chance < 0.5) {
      this.open(node, this.#random.pick(LENGTHS_MS)).catch(() => undefined);
    } else if (chance < 0.7) this.#extend(node, this.#random.pick(certain));
    else this.#close(node, this.#random.pick(certain));
  }

  #isCertain({ share, isUncertain, isClosed }: Opened): boolean {
    return !isUncertain && !isClosed && this.#simulation.rights.isCertain(share.uuid);
  }

  #extend(node: SimulatedNode, opened: Opened): void {
    const { world, orgUuid, rights } = this.#simulation;
    const { uuid, share } = opened;
    // From now on, both ends are right until one of them is over for all.
    opened.isUncertain = true;
    rights.changing(share.uuid);
    const lengthMs = this.#random.pick(LENGTHS_MS);
    const wanted = { minutes: lengthMs / MINUTE_MS, by: 'Ada' };
    // Whatever becomes of the request, it may be stored.
    const latestMs = Math.floor((node.clock.epochMs() + 2 * LONGEST_STEP_MS) / 1_000) * 1_000 + lengthMs;
    opened.untilMs = Math.max(opened.untilMs, latestMs);
    this.#forgetEnds(opened);
    node.running!.emergencies!.emergencies.extend(orgUuid, uuid, wanted).then(
      ({ body }: Emergency) => {
        if (!node.host.isAlive || opened.isClosed) return;
        world.trace.note('emergency', `${uuid} extended at ${node.name} for ${lengthMs} ms`);
        opened.untilMs = body.untilMs;
        this.#forgetEnds(opened);
      },
      (thrown: Error) => world.trace.note('emergency', `${uuid} not extended: ${thrown.message}`),
    );
  }

  #close(node: SimulatedNode, opened: Opened): void {
    const { world, orgUuid, rights } = this.#simulation;
    const { uuid, share } = opened;
    rights.changing(share.uuid);
    opened.isClosed = true;
    let notes: string | null = null;
    withStoringNotes(
      () => node.running!.emergencies!.emergencies.close(orgUuid, uuid, 'Ada'),
      (sentence) => {
        notes = sentence;
      },
    ).then(
      () => {
        if (!node.host.isAlive) return;
        const told = notes === null ? null : this.#simulation.toldOf(node, notes);
        world.trace.note('emergency', `${uuid} closed at ${node.name}${notes === null ? '' : `, ${notes}`}`);
        rights.changed(share.uuid, false, node, 0, told);
      },
      (thrown: Error) => world.trace.note('emergency', `${uuid} not closed: ${thrown.message}`),
    );
    this.#leaveSoon(opened);
  }

  /** Processes see another end from now on. */
  #forgetEnds(opened: Opened): void {
    opened.sinceMs = this.#simulation.world.nowMs;
    opened.lowestOffsetMs.clear();
    opened.latestEndMs.clear();
  }

  #look(): void {
    const { world } = this.#simulation;
    for (const opened of this.#opened.values()) this.#lookAt(opened);
    world.after(LOOK_MS, () => this.#look());
  }

  #lookAt(opened: Opened): void {
    const { nodes, rights, world } = this.#simulation;
    const { share, untilMs, sinceMs, lengthMs, lowestOffsetMs, latestEndMs } = opened;
    for (const node of nodes) {
      const { host, clock, running } = node;
      if (!host.isAlive) continue;
      opened.highestOffsetMs = Math.max(opened.highestOffsetMs, clock.wallOffsetMs);
      const earliestEndMs = Math.min(untilMs - BEGIN_EPOCH_MS - opened.highestOffsetMs, sinceMs + lengthMs);
      if (world.nowMs + LONGEST_STEP_MS + BOUND_MS >= earliestEndMs && this.#isCertain(opened)) {
        opened.isUncertain = true;
        rights.changing(share.uuid);
      }
      const lowestMs = Math.min(lowestOffsetMs.get(node) ?? Number.POSITIVE_INFINITY, clock.wallOffsetMs);
      lowestOffsetMs.set(node, lowestMs);
      if (running === null || latestEndMs.has(node) || !rights.hasHeardSince(node, sinceMs)) continue;
      latestEndMs.set(node, untilMs - BEGIN_EPOCH_MS - lowestMs + CLOCK_SLACK_MS);
    }
    if (opened.isUncertain) this.#leaveSoon(opened);
  }

  #leaveSoon(opened: Opened): void {
    const { world } = this.#simulation;
    const leftMs = Math.max(0, opened.untilMs - world.epochMs) + LINGER_MS;
    for (const viewer of opened.viewers.splice(0)) world.after(leftMs, () => viewer.leave());
  }
}

function partnerOf(orgUuid: Ruuid): EmergencyPartner {
  return {
    uuid: newRuuid(),
    orgUuid,
    name: 'Center',
    parentUuid: null,
    secret: null,
    createdAtMs: 0,
    updatedAtMs: 0,
    body: { kind: 'ALARM_MONITORING', mailAddresses: [], webhookUrl: null, language: 'en' },
  };
}
