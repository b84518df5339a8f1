import { expect, it } from 'vitest';
import { StatementNames } from './statement-names.ts';

it('names each statement once', () => {
  const names = new StatementNames();
  const [first, second] = [names.nameOf('select 1', 0), names.nameOf('select 2', 0)];
  expect(names.nameOf('select 1', 0)).toBe(first);
  expect(first).not.toBe(second);
});

it('gives long lists no name, and is limited', () => {
  const names = new StatementNames();
  expect(names.nameOf('select a from t where a in (…)', 33)).toBeUndefined();
  const given = Array.from({ length: 1_000 }, (_, index) => names.nameOf(`select ${index}`, 0));
  expect(given.filter((name) => name !== undefined)).toHaveLength(256);
  expect(names.nameOf('select 0', 0)).toBe(given[0]);
});
