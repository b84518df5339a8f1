import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { failuresOf, lineOf } from './failed-tests.mjs';

type Modules = Parameters<typeof failuresOf>[0];
type State = 'passed' | 'failed' | 'skipped' | 'pending';

const error = (message: string) => ({ name: 'Error', message, stacks: [] });
const test = (fullName: string, state: State, { errors = [] as object[], flaky = false } = {}) => ({
  fullName,
  result: () => ({ state, errors }),
  diagnostic: () => (state === 'pending' ? undefined : { flaky }),
});

function moduleOf(tests: object[], groups: object[] = [], errors: object[] = []): Modules {
  const children = { allTests: () => tests, allSuites: () => groups };
  const fake = { type: 'module', moduleId: resolve('src/a.test.ts'), project: { name: 'unit' } };
  return [{ ...fake, children, errors: () => errors }] as unknown as Modules;
}

const brief = (modules: Modules) =>
  failuresOf(modules, []).map(({ kind, name, reason }) => [kind, name, reason]);

it('names failed tests, failed hooks and imports, and errors outside of tests', () => {
  const group = { type: 'suite', fullName: 'group', errors: () => [error('hook')] };
  const modules = moduleOf(
    [test('group > adds', 'failed', { errors: [error('1\n2')] })],
    [group],
    [error('import')],
  );
  const failures = failuresOf(modules, [error('later') as never]);
  expect(failures.map(lineOf)).toEqual([
    'src/a.test.ts: Error: import',
    'src/a.test.ts > group: Error: hook',
    'src/a.test.ts > group > adds: Error: 1',
    'outside of tests: Error: later',
  ]);
  expect(failures.map(({ project }) => project)).toEqual(['unit', 'unit', 'unit', '']);
});

it('names tests that did not finish, as those of a process that was killed', () => {
  expect(brief(moduleOf([test('waits', 'pending')]))).toEqual([['unfinished', 'waits', 'did not finish']]);
});

it('counts a test that passed only when it was repeated as a failure', () => {
  const modules = moduleOf([test('sometimes', 'passed', { errors: [error('no')], flaky: true })]);
  const reason = 'passed only when it was repeated; before: Error: no';
  expect(brief(modules)).toEqual([['retried', 'sometimes', reason]]);
});

it('names neither passed nor skipped tests', () => {
  expect(brief(moduleOf([test('passes', 'passed'), test('skipped', 'skipped')]))).toEqual([]);
});
