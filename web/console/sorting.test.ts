import { expect, test } from 'vitest';
import { ariaSort, nextSort, sortedBy, sortOf } from './sorting.ts';

test('a header sorts by its column, and then the other way round', () => {
  expect(nextSort('', 'name')).toBe('name');
  expect(nextSort('name', 'name')).toBe('-name');
  expect(nextSort('-name', 'name')).toBe('name');
  expect(nextSort('-name', 'site')).toBe('site');
});

test('screen readers learn the order of the column', () => {
  expect(ariaSort('name', 'name')).toBe('ascending');
  expect(ariaSort('-name', 'name')).toBe('descending');
  expect(ariaSort('name', 'site')).toBeUndefined();
});

test('an unknown column of an address counts as none', () => {
  expect(sortOf('name', ['name'])).toBe('name');
  expect(sortOf('-name', ['name'])).toBe('-name');
  expect(sortOf('toString', ['name'])).toBe('');
});

test('items are sorted with numbers in their order, and empty ones last both ways', () => {
  const items = [{ name: 'Hall 10' }, { name: '' }, { name: 'Hall 2' }];
  const by = (sort: string) => sortedBy(items, sort, { name: ({ name }) => name }).map(({ name }) => name);
  expect(by('name')).toEqual(['Hall 2', 'Hall 10', '']);
  expect(by('-name')).toEqual(['Hall 10', 'Hall 2', '']);
  expect(by('')).toEqual(['Hall 10', '', 'Hall 2']);
});

test('equal items keep their order, and numbers are compared as such', () => {
  const items = [
    { id: 'a', count: 2 },
    { id: 'b', count: 10 },
    { id: 'c', count: 2 },
  ];
  const by = (sort: string) => sortedBy(items, sort, { count: ({ count }) => count }).map(({ id }) => id);
  expect(by('count')).toEqual(['a', 'c', 'b']);
  expect(by('-count')).toEqual(['b', 'a', 'c']);
});
