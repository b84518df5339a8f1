/**
 * Work that waits for one of a few slots, served fairly: groups take turns, and so do the members within a group. A client that sends a
 * hundred requests waits behind its own. A group always leaves one slot to the others, so that they need not even wait for its work in
 * progress. When the queue is full, the member with the most waiting requests makes room for the one with the fewest, so that no number of
 * requests keeps another group out.
 */

import type { QueuedPool } from './limits/shared-limit.ts';

/** Limit on waiting requests of one member of a group. */
export const MAX_QUEUED_PER_MEMBER = 8;
/** Limit on waiting requests of one group. */
export const MAX_QUEUED_PER_GROUP = 64;
/** Limit on waiting requests in total. */
export const MAX_QUEUED = 256;

export interface FairQueueOptions {
  /** Limit on work in progress. */
  readonly places: number;
  /** The places of one group; default: all but one. */
  readonly placesOfGroup?: number;
  /** The places of one member of a group; default: as many as its group. */
  readonly placesOfMember?: number;
  readonly maxQueued?: number;
  readonly maxQueuedPerGroup?: number;
  readonly maxQueuedPerMember?: number;
}

/** As declared: the outer level of the pool is the group, the inner one the member. */
export function queueOptionsOf({ total, levels, waiting }: QueuedPool): FairQueueOptions {
  const [group, member] = Object.entries(levels);
  const [ofGroup, ofMember] = Object.values(waiting.levels);
  return {
    places: total,
    placesOfGroup: group?.[1].max ?? total,
    placesOfMember: member?.[1].max ?? total,
    maxQueued: waiting.total,
    maxQueuedPerGroup: ofGroup ?? waiting.total,
    maxQueuedPerMember: ofMember ?? waiting.total,
  };
}

/** The holder of a turn: for a password, the share and the address that tries it. */
export interface Turn {
  readonly group: string;
  readonly member: string;
}

interface Ticket {
  /** Called when it gets a slot, which it must return. */
  start(): void;
  /** There was no room. */
  drop(): void;
}

/** The next in turn is the first of each map; after its turn it goes to the end. */
interface Group {
  readonly members: Map<string, Ticket[]>;
  queued: number;
}

/** Work in progress of a group, and of each of its members. */
interface Running {
  all: number;
  readonly members: Map<string, number>;
}

export class FairQueue {
  readonly #places: number;
  readonly #placesOfGroup: number;
  readonly #placesOfMember: number;
  /** By group. */
  readonly #runningOf = new Map<string, Running>();
  readonly #maxQueued: number;
  readonly #maxQueuedPerGroup: number;
  readonly #maxQueuedPerMember: number;
  readonly #groups = new Map<string, Group>();
  #running = 0;
  #queued = 0;

  constructor({ places, placesOfGroup = Math.max(1, places - 1), ...options }: FairQueueOptions) {
    this.#places = places;
    this.#placesOfGroup = placesOfGroup;
    this.#placesOfMember = options.placesOfMember ?? placesOfGroup;
    this.#maxQueued = options.maxQueued ?? MAX_QUEUED;
    this.#maxQueuedPerGroup = options.maxQueuedPerGroup ?? MAX_QUEUED_PER_GROUP;
    this.#maxQueuedPerMember = options.maxQueuedPerMember ?? MAX_QUEUED_PER_MEMBER;
  }

  /** Requests that wait. */
  get size(): number {
    return this.#queued;
  }

  /** Work in progress. */
  get running(): number {
    return this.#running;
  }

  /** Whether this member already has the maximum number of waiting requests. */
  isFullFor({ group, member }: Turn): boolean {
    return (this.#groups.get(group)?.members.get(member)?.length ?? 0) >= this.#maxQueuedPerMember;
  }

  /**
   * Runs `work` when it is its turn; null: there was no room for it to wait, or it had to make room for others. `signal`:
   * it stops waiting, and fails with its reason.
   */
  async run<T>(turn: Turn, work: () => Promise<T>, signal?: AbortSignal): Promise<T | null> {
    signal?.throwIfAborted();
    if (this.#hasPlaceFor(turn)) this.#take(turn);
    else if (!(await this.#wait(turn, signal))) return null;
    try {
      return await work();
    } finally {
      this.#giveBack(turn);
      this.#startNext();
    }
  }

  #hasPlaceFor({ group, member }: Turn): boolean {
    if (this.#running >= this.#places) return false;
    const running = this.#runningOf.get(group);
    if (running === undefined) return true;
    return running.all < this.#placesOfGroup && (running.members.get(member) ?? 0) < this.#placesOfMember;
  }

  #take({ group, member }: Turn): void {
    this.#running++;
    let running = this.#runningOf.get(group);
    if (running === undefined) {
      running = { all: 0, members: new Map() };
      this.#runningOf.set(group, running);
    }
    running.all++;
    running.members.set(member, (running.members.get(member) ?? 0) + 1);
  }

  #giveBack({ group, member }: Turn): void {
    this.#running--;
    const running = this.#runningOf.get(group)!;
    running.all--;
    const left = running.members.get(member)! - 1;
    if (left === 0) running.members.delete(member);
    else running.members.set(member, left);
    if (running.all === 0) this.#runningOf.delete(group);
  }

  #startNext(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) next.start();
  }

  #wait(turn: Turn, signal: AbortSignal | undefined): Promise<boolean> {
    if (!this.#makeRoom(turn)) return Promise.resolve(false);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#remove(turn, ticket);
        reject(signal!.reason);
      };
      const settle = (isStarted: boolean): void => {
        signal?.removeEventListener('abort', leave);
        resolve(isStarted);
      };
      const ticket = { start: () => settle(true), drop: () => settle(false) };
      this.#add(turn, ticket);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  #add({ group: name, member }: Turn, ticket: Ticket): void {
    let group = this.#groups.get(name);
    if (group === undefined) {
      group = { members: new Map(), queued: 0 };
      this.#groups.set(name, group);
    }
    const tickets = group.members.get(member);
    if (tickets === undefined) group.members.set(member, [ticket]);
    else tickets.push(ticket);
    group.queued++;
    this.#queued++;
  }

  #remove({ group: name, member }: Turn, ticket: Ticket): void {
    const group = this.#groups.get(name)!;
    const tickets = group.members.get(member)!;
    this.#forget(name, group, member, tickets, tickets.indexOf(ticket));
  }

  #makeRoom({ group: name, member }: Turn): boolean {
    const group = this.#groups.get(name);
    const own = group?.members.get(member)?.length ?? 0;
    if (own >= this.#maxQueuedPerMember) return false;
    const ofGroup = group?.queued ?? 0;
    if (ofGroup >= this.#maxQueuedPerGroup) return this.#dropLongestMember(name, group!, own + 1);
    if (this.#queued < this.#maxQueued) return true;
    const [longestName, longest] = largest(this.#groups, ({ queued }) => queued);
    if (longest.queued > ofGroup + 1) return this.#dropLongestMember(longestName, longest, 0);
    return group !== undefined && this.#dropLongestMember(name, group, own + 1);
  }

  /** Drops the latest request of the member with the most, if that is more than `atLeast`. */
  #dropLongestMember(name: string, group: Group, atLeast: number): boolean {
    const [member, tickets] = largest(group.members, ({ length }) => length);
    if (tickets.length <= atLeast) return false;
    this.#forget(name, group, member, tickets, tickets.length - 1).drop();
    return true;
  }

  /** The next in turn, which takes the slot; null: none is waiting, or all slots are taken. */
  #next(): Ticket | null {
    if (this.#running >= this.#places) return null;
    for (const [name, group] of this.#groups) {
      for (const [member, tickets] of group.members) {
        if (!this.#hasPlaceFor({ group: name, member })) continue;
        const ticket = this.#forget(name, group, member, tickets, 0);
        if (group.members.delete(member)) group.members.set(member, tickets);
        if (this.#groups.delete(name)) this.#groups.set(name, group);
        this.#take({ group: name, member });
        return ticket;
      }
    }
    return null;
  }

  #forget(name: string, group: Group, member: string, tickets: Ticket[], at: number): Ticket {
    const [ticket] = tickets.splice(at, 1);
    if (tickets.length === 0) group.members.delete(member);
    group.queued--;
    if (group.queued === 0) this.#groups.delete(name);
    this.#queued--;
    return ticket!;
  }
}

/** Call only if there is at least one. Bounded: at most as many are waiting as the queue allows. */
function largest<T>(map: ReadonlyMap<string, T>, sizeOf: (value: T) => number): [string, T] {
  let found: [string, T] | null = null;
  for (const entry of map) if (found === null || sizeOf(entry[1]) > sizeOf(found[1])) found = entry;
  return found!;
}
