import { expect, it } from 'vitest';
import { allSelected, NOTHING_SELECTED, runFrom, toggled } from './selection.ts';

const ORDER = ['a', 'b', 'c', 'd'];
const of = ({ uuids }: { uuids: ReadonlySet<string> }) => [...uuids].sort().join('');

it('goes one by one, and from the last one on', () => {
  const one = toggled(NOTHING_SELECTED, 'b', ORDER, false);
  expect(of(one)).toBe('b');
  const range = toggled(one, 'd', ORDER, true);
  expect(of(range)).toBe('bcd');
  expect(of(toggled(range, 'c', ORDER, false))).toBe('bd');
  expect(of(toggled(toggled(NOTHING_SELECTED, 'd', ORDER, false), 'a', ORDER, true))).toBe('abcd');
});

it('takes a range away too', () => {
  const but = toggled(allSelected(ORDER), 'b', ORDER, false);
  expect(of(toggled(but, 'd', ORDER, true))).toBe('a');
});

it('is one alone where a range has no beginning, or that is not shown', () => {
  expect(of(toggled(NOTHING_SELECTED, 'c', ORDER, true))).toBe('c');
  const gone = toggled(NOTHING_SELECTED, 'x', ['x', ...ORDER], false);
  expect(of(toggled(gone, 'c', ORDER, true))).toBe('cx');
});

it('takes as many as a wall has from the last one on, and earlier ones where the list ends', () => {
  const one = toggled(NOTHING_SELECTED, 'b', ORDER, false);
  expect(of(runFrom(one, ORDER, 3))).toBe('bcd');
  expect(of(runFrom(toggled(NOTHING_SELECTED, 'd', ORDER, false), ORDER, 3))).toBe('bcd');
  expect(of(runFrom(one, ORDER, 9))).toBe('abcd');
  expect(of(runFrom(NOTHING_SELECTED, ORDER, 2))).toBe('ab');
});
