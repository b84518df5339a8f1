/**
 * Entries of organizations, in a bounded memory: an organization's new entries never displace those of another that has fewer. If there are
 * too many, the holder with the most loses its own oldest (longest queue drop: Suter et al., "Buffer Management Schemes for Supporting TCP
 * in Gigabit Routers with Per-Flow Queueing", 1999). Levels nest: of the organization that has the most, its link that has the most.
 */

import type { MemoryLimit } from './shared-limit.ts';

/** The holder of each level. */
export type MemoryHolders<Limit extends MemoryLimit> = Readonly<Record<Limit['levels'][number], string>>;

export interface FairMapOptions<Value> {
  /** Called for what made room, after it was removed. */
  readonly onDropped?: (key: string, value: Value) => void;
}

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
  readonly path: readonly Holder[];
}

/** All, an organization, or someone within it. */
interface Holder {
  readonly name: string;
  count: number;
  bytes: number;
  readonly within: Map<string, Holder>;
  /** Only of the last level: oldest first. */
  readonly keys: Set<string>;
}

type Measure = 'count' | 'bytes';

export class FairMap<Value, const Limit extends MemoryLimit = MemoryLimit> {
  readonly #limit: Limit;
  readonly #onDropped: ((key: string, value: Value) => void) | undefined;
  /** Oldest first. */
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #all = newHolder('');

  constructor(limit: Limit, { onDropped }: FairMapOptions<Value> = {}) {
    this.#limit = limit;
    this.#onDropped = onDropped;
  }

  get size(): number {
    return this.#entries.size;
  }

  get byteLength(): number {
    return this.#all.bytes;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Oldest first. */
  keys(): MapIterator<string> {
    return this.#entries.keys();
  }

  /** Replaces the key's value, which becomes the newest. `bytes`: counts where the limit has bytes. */
  set(key: string, holders: MemoryHolders<Limit>, value: Value, bytes = 0): void {
    this.delete(key);
    const path = this.#pathOf(holders);
    this.#entries.set(key, { value, bytes, path });
    path.at(-1)!.keys.add(key);
    for (const holder of path) {
      holder.count++;
      holder.bytes += bytes;
    }
    while (this.#all.count > this.#limit.total) this.#dropFrom('count');
    while (this.#all.bytes > (this.#limit.bytes ?? Number.POSITIVE_INFINITY)) this.#dropFrom('bytes');
  }

  /** The entry that would make room if these holders added a small one; null: neither another holder's nor their own. */
  nextToGo(holders: MemoryHolders<Limit>): string | null {
    const names = (this.#limit.levels as readonly Limit['levels'][number][]).map((level) => holders[level]);
    let holder = this.#all;
    let isOwn = true;
    for (const name of names) {
      const own: Holder | undefined = isOwn ? holder.within.get(name) : undefined;
      const most: Holder | null = holder.within.size === 0 ? null : largest(holder.within, 'count');
      isOwn &&= most === null || (own?.count ?? 0) + 1 >= most.count;
      const next = isOwn ? own : most;
      if (next === undefined || next === null) return null;
      holder = next;
    }
    const [oldest = null] = holder.keys;
    return oldest;
  }

  /** It was used: it is the newest now. */
  touch(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const { keys } = entry.path.at(-1)!;
    keys.delete(key);
    keys.add(key);
    return entry.value;
  }

  delete(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#entries.delete(key);
    const { path, bytes } = entry;
    path.at(-1)!.keys.delete(key);
    for (const [index, holder] of path.entries()) {
      holder.count--;
      holder.bytes -= bytes;
      if (holder.count === 0) path[index - 1]?.within.delete(holder.name);
    }
    return true;
  }

  clear(): void {
    for (const key of this.#entries.keys()) this.delete(key);
  }

  /** Oldest first. */
  *[Symbol.iterator](): IterableIterator<[string, Value]> {
    for (const [key, { value }] of this.#entries) yield [key, value];
  }

  /** The holders from all down to the last level. */
  #pathOf(holders: MemoryHolders<Limit>): Holder[] {
    const path = [this.#all];
    for (const level of this.#limit.levels as readonly Limit['levels'][number][]) {
      const name = holders[level];
      const { within } = path.at(-1)!;
      let holder = within.get(name);
      if (holder === undefined) {
        holder = newHolder(name);
        within.set(name, holder);
      }
      path.push(holder);
    }
    return path;
  }

  /** Checks one holder after the other: at most as many as there are entries, and only when the memory is full. */
  #dropFrom(measure: Measure): void {
    let holder = this.#all;
    for (let depth = 0; depth < this.#limit.levels.length; depth++) holder = largest(holder.within, measure);
    const [oldest] = holder.keys;
    const { value } = this.#entries.get(oldest!)!;
    this.delete(oldest!);
    this.#onDropped?.(oldest!, value);
  }
}

function newHolder(name: string): Holder {
  return { name, count: 0, bytes: 0, within: new Map(), keys: new Set() };
}

/** Call only if there is at least one. Of equal ones, the first to come. */
function largest(holders: ReadonlyMap<string, Holder>, measure: Measure): Holder {
  let found: Holder | null = null;
  for (const holder of holders.values()) {
    if (found === null || holder[measure] > found[measure]) found = holder;
  }
  return found!;
}
