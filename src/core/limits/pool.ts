/**
 * Takes from a bounded resource. A holder may have a part of what the others of its level leave free, as queues do that share the memory of
 * a switch (Choudhury and Hahne, "Dynamic Queue Length Thresholds for Shared-Memory Packet Switches", 1998): alone, it can have much, and
 * however much it has, something is left for a newcomer. Levels nest: an organization's links share the organization's part.
 */

import type { Level, LevelShare, PoolLimit } from './shared-limit.ts';

/** The taker of each level. */
export type Holders<Limit extends PoolLimit> = Readonly<Record<keyof Limit['levels'] & Level, string>>;

export interface Taken {
  readonly isTaken: true;
  /** Idempotent. */
  readonly giveBack: () => void;
}

/** Nothing was taken. */
export interface NotTaken {
  readonly isTaken: false;
  /** The level whose bound was reached: `all` if the resource is used up. */
  readonly level: Level | 'all';
}

export interface TakeOptions {
  /** The taker is an administrator, or ends access. */
  readonly isReserved?: boolean;
}

export class Pool<const Limit extends PoolLimit> {
  #total: number;
  readonly #reserve: number;
  readonly #levels: readonly (readonly [Level, LevelShare])[];
  /** By level: what each holder has. Nobody without anything is in it. */
  readonly #held: readonly Map<string, number>[];
  #used = 0;
  #refused = 0;

  /** `total`: in place of the declared one, where it is configured. The reserve stays the same part of it. */
  constructor(limit: Limit, total: number = limit.total) {
    this.#total = total;
    const { reserve = 0 } = limit;
    this.#reserve = reserve === 0 ? 0 : Math.floor((total * reserve) / limit.total);
    this.#levels = Object.entries(limit.levels) as [Level, LevelShare][];
    this.#held = this.#levels.map(() => new Map());
  }

  /** The resource has grown or shrunk, as the room on a disk does. Holders keep their parts. */
  set total(total: number) {
    this.#total = total;
  }

  get used(): number {
    return this.#used;
  }

  /** The free part of the total without the reserve. Negative if the resource has shrunk below the held part. */
  get free(): number {
    return this.#total - this.#reserve - this.#used;
  }

  /** How often nothing was taken, so far. */
  get refused(): number {
    return this.#refused;
  }

  take(holders: Holders<Limit>, amount = 1, { isReserved = false }: TakeOptions = {}): Taken | NotTaken {
    const keys = this.#levels.map(([level]) => holders[level as keyof typeof holders]);
    const level = this.#boundReached(keys, amount, isReserved);
    if (level !== null) {
      this.#refused++;
      return { isTaken: false, level };
    }
    this.#change(keys, amount);
    let isBack = false;
    const giveBack = (): void => {
      if (!isBack) this.#change(keys, -amount);
      isBack = true;
    };
    return { isTaken: true, giveBack };
  }

  /** How much more these holders can have now. */
  left(holders: Holders<Limit>): number {
    const keys = this.#levels.map(([level]) => holders[level as keyof typeof holders]);
    const all = this.#total - this.#reserve;
    let room = all;
    let used = this.#used;
    for (const [index, [, { share = 1, max = Number.POSITIVE_INFINITY }]] of this.#levels.entries()) {
      const own = this.#held[index]!.get(keys[index]!) ?? 0;
      const allowed = Math.min(max, share * (room - (used - own)));
      room = own === 0 ? Math.max(allowed, Math.min(1, all - this.#used)) : allowed;
      used = own;
    }
    return Math.max(0, Math.min(room - used, all - this.#used));
  }

  /** null: there is room. A holder without anything gets its first unit as long as there is one at all. */
  #boundReached(keys: readonly string[], amount: number, isReserved: boolean): Level | 'all' | null {
    let room = isReserved ? this.#total : this.#total - this.#reserve;
    if (this.#used + amount > room) return 'all';
    let used = this.#used;
    for (const [index, [level, { share = 1, max = Number.POSITIVE_INFINITY }]] of this.#levels.entries()) {
      const own = this.#held[index]!.get(keys[index]!) ?? 0;
      const allowed = Math.min(max, share * (room - (used - own)));
      if (own > 0 && own + amount > allowed) return level;
      room = Math.max(allowed, own + amount);
      used = own;
    }
    return null;
  }

  #change(keys: readonly string[], amount: number): void {
    this.#used += amount;
    for (const [index, key] of keys.entries()) {
      const held = this.#held[index]!;
      const now = (held.get(key) ?? 0) + amount;
      if (now === 0) held.delete(key);
      else held.set(key, now);
    }
  }
}
