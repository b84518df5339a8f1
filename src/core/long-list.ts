/**
 * A list whose items are created one by one during iteration. A list of ten thousand is never in memory as ten
 * thousand objects, which the garbage collector would copy around while media waits. Creating an item must not
 * fail: code that returns such a list has already done everything that can.
 */

import { SlicedWork, STEPS_PER_SLICE } from './sliced-work.ts';

export class LongList<T extends object> {
  /** The maximum number of items. */
  readonly mostItems: number;
  readonly #steps: () => Iterable<T | undefined>;

  private constructor(mostItems: number, steps: () => Iterable<T | undefined>) {
    this.mostItems = mostItems;
    this.#steps = steps;
  }

  /** Iterates over `steps()` each time; an undefined step is skipped. */
  static from<T extends object>(mostItems: number, steps: () => Iterable<T | undefined>): LongList<T> {
    return new LongList(mostItems, steps);
  }

  static of<T extends object>(items: readonly T[]): LongList<T> {
    return new LongList(items.length, () => items);
  }

  /** Items for which `map` gives undefined are left out. */
  map<U extends object>(map: (item: T, index: number) => U | undefined): LongList<U> {
    const steps = this.#steps;
    return new LongList(this.mostItems, function* () {
      let index = 0;
      for (const item of steps()) yield item === undefined ? undefined : map(item, index++);
    });
  }

  /** Items, and undefined for omitted ones, because those cost time too. Iterate over it as SlicedWork. */
  steps(): Iterable<T | undefined> {
    return this.#steps();
  }

  /** Calls `visit` with each item, in slices. */
  async forEach(visit: (item: T) => void): Promise<void> {
    const work = new SlicedWork();
    if (this.mostItems > STEPS_PER_SLICE) await work.pause();
    for (const item of this.#steps()) {
      if (item !== undefined) visit(item);
      if (work.step()) await work.pause();
    }
  }

  /** All items, gathered in slices. */
  async toArray(): Promise<T[]> {
    const items: T[] = [];
    await this.forEach((item) => {
      items.push(item);
    });
    return items;
  }
}
