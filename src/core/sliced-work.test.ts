import { describe, expect, it } from 'vitest';
import { LongList } from './long-list.ts';
import { mapInSlices, nextTurn, STEPS_PER_SLICE, sortInSlices, timeSlicesBy } from './sliced-work.ts';

/** Counts turns of the event loop until it is stopped. */
function countTurns(): { readonly turns: number; stop(): void } {
  const counter = { turns: 0, stop: () => clearImmediate(next) };
  const count = () => {
    counter.turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  return counter;
}

/** The most steps between two turns. */
class StepCounter {
  mostPerTurn = 0;
  readonly #counter = countTurns();
  #turn = -1;
  #steps = 0;

  step(): void {
    this.#steps = this.#counter.turns === this.#turn ? this.#steps + 1 : 1;
    this.#turn = this.#counter.turns;
    this.mostPerTurn = Math.max(this.mostPerTurn, this.#steps);
  }

  stop(): number {
    this.#counter.stop();
    return this.#counter.turns;
  }
}

const COUNT = 1_000;
const numbers = Array.from({ length: COUNT }, (_, index) => (index * 7_919) % COUNT);

describe('sliced work', () => {
  it('yields to the event loop after every slice', async () => {
    const counter = new StepCounter();
    const doubled = await mapInSlices(numbers, (each) => {
      counter.step();
      return each * 2;
    });
    const turns = counter.stop();
    expect(doubled).toEqual(numbers.map((each) => each * 2));
    expect(counter.mostPerTurn).toBeLessThanOrEqual(STEPS_PER_SLICE);
    expect(turns).toBeGreaterThanOrEqual(Math.floor(COUNT / STEPS_PER_SLICE));
  });

  it('does one slice per turn, however many lists are in progress', async () => {
    const counter = new StepCounter();
    const step = () => counter.step();
    const lists = Array.from({ length: 8 }, () => mapInSlices(numbers, step));
    await Promise.all(lists);
    counter.stop();
    expect(counter.mostPerTurn).toBeLessThanOrEqual(STEPS_PER_SLICE);
  });

  it('serves waiters in order of arrival', async () => {
    const order: number[] = [];
    await Promise.all([1, 2, 3].map((each) => nextTurn().then(() => order.push(each))));
    expect(order).toEqual([1, 2, 3]);
  });

  it('ends a slice early when its steps take long', async () => {
    let monoMs = 0;
    timeSlicesBy(() => monoMs);
    const counter = new StepCounter();
    await mapInSlices([1, 2, 3], () => {
      counter.step();
      monoMs += 2;
    });
    counter.stop();
    timeSlicesBy(() => 0);
    expect(counter.mostPerTurn).toBe(1);
  });

  it.each([0, 1, 2, 3, 63, 64, 65, COUNT])(
    'sorts %i items as the language does, and leaves the original unchanged',
    async (length) => {
      const items = numbers.slice(0, length).map((key, index) => ({ key: key % 10, index }));
      const before = items.slice();
      const byKey = (a: { key: number }, b: { key: number }) => a.key - b.key;
      expect(await sortInSlices(items, byKey)).toEqual(items.toSorted(byKey));
      expect(items).toEqual(before);
    },
  );
});

describe('a long list', () => {
  it('creates items only during iteration, and again each time', async () => {
    let made = 0;
    const list = LongList.of(numbers.map((key) => ({ key }))).map(({ key }, index) => {
      made += 1;
      return key % 2 === 0 ? { key, index } : undefined;
    });
    expect(made).toBe(0);
    expect(list.mostItems).toBe(COUNT);
    const expected = numbers.map((key, index) => ({ key, index })).filter(({ key }) => key % 2 === 0);
    expect(await list.toArray()).toEqual(expected);
    expect(await list.toArray()).toEqual(expected);
    expect(made).toBe(2 * COUNT);
  });
});
