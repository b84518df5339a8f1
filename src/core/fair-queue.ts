/**
 * Work that waits for one of a few slots, served fairly: groups take turns, and so do the members within a group. A
 * client that asks a hundred times waits behind its own requests. A group always leaves one slot to the others, so that
 * they need not even wait for its work in progress. When the queue is full, the member with the most waiting requests
 * makes room for the one with the fewest, so that no number of requests keeps another group out.
 */

/** Limit on waiting requests of one member of a group. */
export const MAX_QUEUED_PER_MEMBER = 8;
/** Limit on waiting requests of one group. */
export const MAX_QUEUED_PER_GROUP = 64;
/** Limit on waiting requests in total. */
export const MAX_QUEUED = 256;

export interface FairQueueOptions {
  /** Limit on work in progress. */
  readonly places: number;
  readonly maxQueued?: number;
}

/** Who takes turns: for a password, the share and the address that tries it. */
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

export class FairQueue {
  readonly #places: number;
  readonly #placesOfGroup: number;
  /** By group: its work in progress. */
  readonly #runningOf = new Map<string, number>();
  readonly #maxQueued: number;
  readonly #groups = new Map<string, Group>();
  #running = 0;
  #queued = 0;

  constructor({ places, maxQueued = MAX_QUEUED }: FairQueueOptions) {
    this.#places = places;
    this.#placesOfGroup = Math.max(1, places - 1);
    this.#maxQueued = maxQueued;
  }

  /** Requests that wait. */
  get size(): number {
    return this.#queued;
  }

  /** Whether this member has so many waiting requests that it must wait for them. */
  isFullFor({ group, member }: Turn): boolean {
    return (this.#groups.get(group)?.members.get(member)?.length ?? 0) >= MAX_QUEUED_PER_MEMBER;
  }

  /** Runs `work` when it is its turn; null: there was no room for it to wait, or it had to make room for others. */
  async run<T>(turn: Turn, work: () => Promise<T>): Promise<T | null> {
    const { group } = turn;
    if (this.#hasPlaceFor(group)) this.#take(group);
    else if (!(await this.#wait(turn))) return null;
    try {
      return await work();
    } finally {
      this.#giveBack(group);
      for (let next = this.#next(); next !== null; next = this.#next()) next.start();
    }
  }

  #hasPlaceFor(group: string): boolean {
    return this.#running < this.#places && (this.#runningOf.get(group) ?? 0) < this.#placesOfGroup;
  }

  #take(group: string): void {
    this.#running++;
    this.#runningOf.set(group, (this.#runningOf.get(group) ?? 0) + 1);
  }

  #giveBack(group: string): void {
    this.#running--;
    const left = this.#runningOf.get(group)! - 1;
    if (left === 0) this.#runningOf.delete(group);
    else this.#runningOf.set(group, left);
  }

  #wait(turn: Turn): Promise<boolean> {
    if (!this.#makeRoom(turn)) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.#add(turn, { start: () => resolve(true), drop: () => resolve(false) });
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

  #makeRoom({ group: name, member }: Turn): boolean {
    const group = this.#groups.get(name);
    const own = group?.members.get(member)?.length ?? 0;
    if (own >= MAX_QUEUED_PER_MEMBER) return false;
    const ofGroup = group?.queued ?? 0;
    if (ofGroup >= MAX_QUEUED_PER_GROUP) return this.#dropLongestMember(name, group!, own + 1);
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

  /** The next in turn, which takes the slot; null: none is waiting, or there is no slot. */
  #next(): Ticket | null {
    for (const [name, group] of this.#groups) {
      if (!this.#hasPlaceFor(name)) continue;
      const [member, tickets] = group.members.entries().next().value!;
      const ticket = this.#forget(name, group, member, tickets, 0);
      if (group.members.delete(member)) group.members.set(member, tickets);
      if (this.#groups.delete(name)) this.#groups.set(name, group);
      this.#take(name);
      return ticket;
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

/** Call only if there is at least one. Bounded: at most MAX_QUEUED are waiting. */
function largest<T>(map: ReadonlyMap<string, T>, sizeOf: (value: T) => number): [string, T] {
  let found: [string, T] | null = null;
  for (const entry of map) if (found === null || sizeOf(entry[1]) > sizeOf(found[1])) found = entry;
  return found!;
}
