/** The first page of a long list without sorting all of it. */

import { SlicedWork, sortInSlices } from './sliced-work.ts';

/** The number of matches, and the requested part of them. */
export interface FirstItems<T> {
  readonly total: number;
  /** In order. */
  readonly items: readonly T[];
}

/**
 * The `count` first of `steps` in the order of `compare`, which never gives 0 for two items, and how many there are.
 * An undefined step is skipped. Works in slices, and keeps `count` items in memory.
 */
export async function firstInSlices<T extends object>(
  steps: Iterable<T | undefined>,
  count: number,
  compare: (a: T, b: T) => number,
): Promise<FirstItems<T>> {
  const work = new SlicedWork();
  await work.pause();
  const heap = new Heap(compare);
  let total = 0;
  for (const item of steps) {
    if (item !== undefined) {
      total++;
      if (heap.size < count) heap.push(item);
      else if (count > 0 && compare(item, heap.last) < 0) heap.replaceLast(item);
    }
    if (work.step()) await work.pause();
  }
  return { total, items: await sortInSlices(heap.items, compare) };
}

/** A binary heap whose root is the last item in order. */
class Heap<T> {
  readonly items: T[] = [];
  readonly #compare: (a: T, b: T) => number;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.items.length;
  }

  get last(): T {
    return this.items[0]!;
  }

  push(item: T): void {
    let at = this.items.length;
    this.items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#compare(this.items[parent]!, item) >= 0) break;
      this.items[at] = this.items[parent]!;
      at = parent;
    }
    this.items[at] = item;
  }

  replaceLast(item: T): void {
    const { length } = this.items;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= length) break;
      const right = left + 1;
      const isRight = right < length && this.#compare(this.items[right]!, this.items[left]!) > 0;
      const child = isRight ? right : left;
      if (this.#compare(this.items[child]!, item) <= 0) break;
      this.items[at] = this.items[child]!;
      at = child;
    }
    this.items[at] = item;
  }
}
