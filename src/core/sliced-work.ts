/**
 * Long work next to other work. It runs in slices, with a turn of the event loop between slices, so that other work does not wait for the
 * end of a list. A slice ends after a number of steps, or earlier after a time limit, because steps differ. All sliced work of the thread
 * is in one queue: one slice per turn, no matter how many lists are in progress.
 */

/** Maximum steps per slice: rows decoded, mapped, written as JSON. */
export const STEPS_PER_SLICE = 64;
/** A slice that has taken this long ends with its current step. */
const SLICE_MS = 1;

let now = () => performance.now();

/**
 * Replaces the clock of slices for tests, in which they must not depend on the machine: milliseconds of another clock than the thread's.
 */
export function timeSlicesBy(readMonoMs: () => number): void {
  now = readMonoMs;
}

const line: (() => void)[] = [];

/** Resolves in a later turn of the event loop in which no other waiter is resolved. First come, first served. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    line.push(resolve);
    if (line.length === 1) setImmediate(resumeFirst);
  });
}

function resumeFirst(): void {
  line.shift()?.();
  if (line.length > 0) setImmediate(resumeFirst);
}

/**
 * One piece of sliced work: call `if (work.step()) await work.pause();` after each step. Work that is known to be long also pauses before
 * its first step: several pieces can begin in one turn, when several database responses arrive together.
 */
export class SlicedWork {
  #steps = 0;
  #startMonoMs = now();

  /** Counts a step. True: the slice is over, and `pause` is due. */
  step(): boolean {
    this.#steps += 1;
    return this.#steps >= STEPS_PER_SLICE || now() - this.#startMonoMs >= SLICE_MS;
  }

  async pause(): Promise<void> {
    await nextTurn();
    this.#steps = 0;
    this.#startMonoMs = now();
  }
}

/** `items` through `map`, in slices. */
export async function mapInSlices<T, U>(
  items: readonly T[],
  map: (item: T, index: number) => U,
): Promise<U[]> {
  const work = new SlicedWork();
  if (items.length > STEPS_PER_SLICE) await work.pause();
  const mapped: U[] = [];
  for (const item of items) {
    mapped.push(map(item, mapped.length));
    if (work.step()) await work.pause();
  }
  return mapped;
}

/** A sorted copy, in slices; equal items keep their order. */
export async function sortInSlices<T>(items: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  const work = new SlicedWork();
  if (items.length > STEPS_PER_SLICE) await work.pause();
  let from = items.slice();
  let to = new Array<T>(from.length);
  for (let width = 1; width < from.length; width *= 2) {
    for (let start = 0; start < from.length; start += 2 * width) {
      const middle = Math.min(start + width, from.length);
      const end = Math.min(start + 2 * width, from.length);
      for (let left = start, right = middle, at = start; at < end; at++) {
        const isLeft = left < middle && (right >= end || compare(from[left]!, from[right]!) <= 0);
        to[at] = isLeft ? from[left++]! : from[right++]!;
        if (work.step()) await work.pause();
      }
    }
    [from, to] = [to, from];
  }
  return from;
}
