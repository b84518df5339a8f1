import { expect, it } from 'vitest';
import { ALL, countedStates, inState, type StateFilter } from './state-filter.ts';

const FILTER: StateFilter<string> = {
  states: [
    { value: 'failed', title: 'Failed', isBad: true },
    { value: 'done', title: 'Done' },
  ],
  of: (item) => item,
};

it('counts each state, in the order of the list, with others at the end', () => {
  const counted = countedStates(['done', 'waiting', 'done', 'failed'], FILTER, ALL);
  expect(counted.map(({ value, count }) => [value, count])).toEqual([
    ['failed', 1],
    ['done', 2],
    ['waiting', 1],
  ]);
});

it('offers nothing if all have one state, unless it hides some', () => {
  expect(countedStates(['done', 'done'], FILTER, ALL)).toEqual([]);
  expect(countedStates([], FILTER, ALL)).toEqual([]);
  expect(countedStates(['done'], FILTER, 'failed').map(({ count }) => count)).toEqual([0, 1]);
});

it('shows those of the chosen state', () => {
  expect(inState(['done', 'failed', 'done'], FILTER, 'done')).toEqual(['done', 'done']);
  expect(inState(['done', 'failed'], FILTER, ALL)).toHaveLength(2);
});
