/**
 * The room that workers take, who holds it, and how there can be room for another one: docs/design/workers.md has the rules.
 */

import type { Clock } from '../core/clock.ts';
import { URGENCIES } from '../stream/media/urgency.ts';
import { type Giver, giftFor } from './giving-way.ts';
import { HeldRoom, type SharedWork, YIELDING_RANK } from './shared-work.ts';
import type { StartRequest } from './start-request.ts';
import type { Turn } from './waiting-line.ts';
import type { Worker } from './worker.ts';
import { WorkerShares } from './worker-shares.ts';

/**
 * How often an organization can take from others, or each half of the longest wait, if that is shorter. Its streams that come and
 * leave end few others, and a start is served before its wait is over.
 */
const TAKE_INTERVAL_MS = 10_000;
/** Sums of decimal fractions are not exact. */
const CORES_TOLERANCE = 1e-6;
/** The organization of starts that name none: the gateway's own. */
export const NO_ORGANIZATION = '';

/** Room that is taken. */
export interface Slot {
  readonly wanted: StartRequest;
  readonly sinceMonoMs: number;
  readonly isYielding: boolean;
  readonly shared: (() => SharedWork) | null;
  cores: number;
  /** null: being started. */
  worker: Worker | null;
  /** Settles when the process is gone, or could not be started. */
  readonly gone: Promise<void>;
}

/** A start that needs room. */
export interface RoomSeeker {
  readonly cores: number;
  readonly isYielding: boolean;
  readonly isShared: boolean;
  /** By its urgency alone, however long it has waited. */
  readonly rank: () => number;
}

/** A worker that runs, as the starts that wait see it. */
export interface RunningGiver extends Giver {
  readonly slot: Slot;
}

/** The current holders, and the room that will be free once the workers that are ending have gone. */
export interface Prospect {
  readonly shares: WorkerShares;
  readonly givers: Set<RunningGiver>;
  /** Without what earlier starts will take of it. */
  freeSlots: number;
  freeCores: number;
}

/** How a start has room. */
export interface Opening {
  /** The workers that make room. */
  readonly givers: readonly RunningGiver[];
  /** Those of them that belong to other organizations with more than their due. */
  readonly excess: ReadonlySet<RunningGiver>;
  /** How long they cannot be ended yet. Infinity: until one has started. */
  readonly waitMs: number;
  /** It takes more cores than are left. */
  readonly isOverdrawn: boolean;
}

export interface WorkerRoomOptions {
  readonly maxWorkers: number;
  readonly maxCores?: number;
  readonly waitTimeoutMs: number;
  readonly clock: Clock;
}

export class WorkerRoom {
  readonly #maxWorkers: number;
  readonly #maxCores: number;
  readonly #takeIntervalMs: number;
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #slots = new Set<Slot>();
  #cores = 0;
  /** When each organization took from others. */
  readonly #tookAtMonoMs = new Map<string, number>();

  constructor({ maxWorkers, maxCores, waitTimeoutMs, clock }: WorkerRoomOptions) {
    this.#maxWorkers = maxWorkers;
    this.#maxCores = maxCores ?? Number.POSITIVE_INFINITY;
    this.#takeIntervalMs = Math.min(TAKE_INTERVAL_MS, waitTimeoutMs / 2);
    this.#clock = clock;
  }

  /** Oldest first. */
  get slots(): ReadonlySet<Slot> {
    return this.#slots;
  }

  /** Expected use of all. */
  get cores(): number {
    return this.#cores;
  }

  get hasFreeSlot(): boolean {
    return this.#slots.size < this.#maxWorkers;
  }

  take(slot: Slot): void {
    this.#slots.add(slot);
    this.#cores += slot.cores;
  }

  giveBack(slot: Slot): void {
    this.#slots.delete(slot);
    this.#cores = this.#slots.size === 0 ? 0 : this.#cores - slot.cores;
  }

  resize(slot: Slot, cores: number): void {
    this.#cores += cores - slot.cores;
    slot.cores = cores;
  }

  /**
   * Whether there is room, if so much of the taken room were free. Next to shared workers that hold their room, any one start that does
   * not yield fits: they would never let it run alone.
   */
  has(
    { cores, isYielding }: Pick<RoomSeeker, 'cores' | 'isYielding'>,
    freeSlots = 0,
    freeCores = 0,
  ): boolean {
    const slots = this.#slots.size - freeSlots;
    if (slots === 0) return true;
    if (slots >= this.#maxWorkers) return false;
    if (this.#cores - freeCores + cores <= this.#maxCores + CORES_TOLERANCE) return true;
    return !isYielding && slots === this.held().workers;
  }

  /** The room that running shared workers hold. */
  held(): HeldRoom {
    const held = new HeldRoom(this.#maxWorkers, this.#maxCores);
    for (const { shared, worker, cores } of this.#slots) {
      if (shared !== null && worker?.isEnding !== true) held.take(shared(), cores);
    }
    return held;
  }

  prospect(): Prospect {
    const shares = new WorkerShares(this.#maxWorkers, this.#maxCores);
    const held = new HeldRoom(this.#maxWorkers, this.#maxCores);
    const prospect: Prospect = { shares, givers: new Set(), freeSlots: 0, freeCores: 0 };
    for (const slot of this.#slots) {
      if (slot.worker?.isEnding === true) {
        prospect.freeSlots++;
        prospect.freeCores += slot.cores;
      } else prospect.givers.add(this.#giver(slot, held, shares));
    }
    return prospect;
  }

  /**
   * How there will be room for a start; null: not yet. Workers give way by the urgency of the start and not by how long it has
   * waited, no more than needed, and none if they are not enough. The first worker of an organization runs next to those of
   * others, whatever cores they take. Takes from the prospect what gives way.
   */
  openingFor({ start, organization }: Turn<RoomSeeker>, prospect: Prospect): Opening | null {
    const { cores, isYielding, isShared } = start;
    const { shares, givers } = prospect;
    const excess = new Set<RunningGiver>();
    const giving: RunningGiver[] = [];
    let waitMs = 0;
    while (!this.has(start, prospect.freeSlots, prospect.freeCores)) {
      const needsWorker = this.#slots.size - prospect.freeSlots >= this.#maxWorkers;
      const taker = { organization, cores, rank: start.rank(), isYielding, isShared, needsWorker };
      const gift = giftFor(givers, taker, shares);
      if (gift === null) {
        const isFirst = shares.ownOf(organization) === 0 && shares.hasOthers(organization);
        return isFirst && !needsWorker ? { givers: giving, excess, waitMs, isOverdrawn: true } : null;
      }
      const { giver } = gift;
      givers.delete(giver);
      if (giver.organization !== null && !giver.isShared) shares.remove(giver.organization, giver.cores);
      giving.push(giver);
      if (gift.isExcess) excess.add(giver);
      if (giver.isStarting) waitMs = Number.POSITIVE_INFINITY;
      else if (gift.isExcess) waitMs = Math.max(waitMs, this.#takeWaitMs(organization));
      prospect.freeSlots++;
      prospect.freeCores += giver.cores;
    }
    return { givers: giving, excess, waitMs, isOverdrawn: false };
  }

  /** The organization takes from others. */
  noteTake(organization: string): void {
    const nowMonoMs = this.#clock.monoMs();
    for (const [name, atMonoMs] of this.#tookAtMonoMs) {
      if (nowMonoMs - atMonoMs >= this.#takeIntervalMs) this.#tookAtMonoMs.delete(name);
    }
    this.#tookAtMonoMs.set(organization, nowMonoMs);
  }

  #takeWaitMs(organization: string): number {
    const atMonoMs = this.#tookAtMonoMs.get(organization) ?? Number.NEGATIVE_INFINITY;
    return Math.max(0, atMonoMs + this.#takeIntervalMs - this.#clock.monoMs());
  }

  /** Adds it to `held` and `shares`. */
  #giver(slot: Slot, held: HeldRoom, shares: WorkerShares): RunningGiver {
    const { wanted, cores, isYielding, sinceMonoMs } = slot;
    const { organization = NO_ORGANIZATION, urgency } = wanted;
    const giver = {
      slot,
      organization,
      cores,
      isYielding,
      sinceMonoMs,
      isShared: slot.shared !== null,
      isStarting: slot.worker === null,
    };
    if (slot.shared !== null) {
      const work = slot.shared();
      const camerasOf = work.camerasOf ?? new Map([[organization, work.cameras]]);
      shares.addShared(camerasOf, cores);
      const [only = null] = camerasOf.keys();
      return { ...giver, rank: held.take(work, cores), organization: camerasOf.size === 1 ? only : null };
    }
    shares.add(organization, cores);
    return { ...giver, rank: isYielding ? YIELDING_RANK : URGENCIES.indexOf(urgency?.() ?? 'viewer') };
  }
}
