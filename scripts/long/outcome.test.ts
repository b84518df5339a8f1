import { describe, expect, it } from 'vitest';
import { countsOf, hasPassed, patternOf, reasonIn, rerunsOf, statusOf } from './outcome.ts';
import type { TestFailure, TestReport } from './report.ts';
import { argumentsOf, commandText } from './run-shard.ts';
import type { Failure, Shard } from './shard.ts';

type State = TestReport['files'][number]['tests'][number]['state'];

const report = (
  tests: readonly (readonly [string, State])[],
  failures: readonly TestFailure[] = [],
): TestReport => ({
  files: [
    {
      file: 'src/a.real.test.ts',
      project: 'real',
      importMs: 1,
      testsMs: 2,
      tests: tests.map(([name, state]) => ({ name, state, ms: 1 })),
    },
  ],
  failures,
});
const failure = (kind: TestFailure['kind'], file: string, name: string): TestFailure => ({
  kind,
  file,
  project: 'real',
  name,
  reason: 'why',
});
const FILES = ['src/a.real.test.ts', 'src/b.real.test.ts'];

describe('what runs again alone', () => {
  it.each([
    ['a failed test', failure('test', FILES[0]!, 'group > one'), [[FILES[0], 'group > one']]],
    ['a test that Vitest repeated', failure('retried', FILES[0]!, 'one'), [[FILES[0], 'one']]],
    ['the file of a hook that failed', failure('group', FILES[0]!, 'group'), [[FILES[0], null]]],
    ['the file of a process that ended', failure('unfinished', FILES[1]!, 'one'), [[FILES[1], null]]],
    [
      'all files after an error outside of tests',
      failure('outside', '', ''),
      FILES.map((one) => [one, null]),
    ],
  ])('%s', (_, one, expected) => {
    const reruns = rerunsOf([report([], [one])], 1, FILES);
    expect(reruns.map(({ file, name }) => [file, name])).toEqual(expected);
  });

  it('all files, if the run failed and names no failure', () => {
    const reruns = rerunsOf([report([['one', 'passed']])], 137, FILES);
    expect(reruns.map(({ file, reason }) => [file, reason])).toEqual(
      FILES.map((file) => [file, 'ended with 137 and named no failure']),
    );
    expect(rerunsOf([], 1, FILES)).toHaveLength(2);
    expect(rerunsOf([report([['one', 'passed']])], 0, FILES)).toEqual([]);
  });

  it('each test once, and none of a file that runs again as a whole', () => {
    const failures = [
      failure('test', FILES[0]!, 'one'),
      failure('test', FILES[0]!, 'one'),
      failure('test', FILES[1]!, 'two'),
      failure('group', FILES[1]!, ''),
    ];
    const reruns = rerunsOf([report([], failures)], 1, FILES);
    expect(reruns.map(({ file, name }) => [file, name])).toEqual([
      [FILES[0], 'one'],
      [FILES[1], null],
    ]);
  });
});

describe('a rerun passed', () => {
  const one = { file: FILES[0]!, name: 'one', reason: '' };

  it('if the test ran and passed', () => {
    const passed = report([
      ['one', 'passed'],
      ['two', 'skipped'],
    ]);
    expect(hasPassed(one, 0, [passed])).toBe(true);
    expect(hasPassed({ ...one, name: null }, 0, [passed])).toBe(true);
  });

  it.each([
    ['the test did not run', 0, [report([['one', 'skipped']])]],
    ['another test ran', 0, [report([['two', 'passed']])]],
    ['it ended badly', 1, [report([['one', 'passed']])]],
    ['something else failed', 0, [report([['one', 'passed']], [failure('outside', '', '')])]],
    ['there is no report', 0, []],
  ])('not if %s', (_, exitCode, reports) => {
    expect(hasPassed(one, exitCode, reports)).toBe(false);
  });
});

it('counts tests that did not finish as failed', () => {
  const tests: [string, State][] = [
    ['a', 'passed'],
    ['b', 'failed'],
    ['c', 'pending'],
    ['d', 'skipped'],
  ];
  expect(countsOf([report(tests)])).toEqual({ passed: 1, failed: 2, skipped: 1 });
});

it('calls a shard flaky only if each failure passed alone', () => {
  const ended = (alone: Failure['alone']): Failure => ({
    file: '',
    name: '',
    reason: '',
    command: '',
    alone,
  });
  expect(statusOf([])).toBe('passed');
  expect(statusOf([ended('passed')])).toBe('flake');
  expect(statusOf([ended('passed'), ended('failed')])).toBe('failed');
  expect(statusOf([ended('passed'), ended('not run')])).toBe('failed');
});

it('takes the reason of a benchmark from the budgets that it breaks, and otherwise its last line', () => {
  expect(reasonIn('table\nBudget broken: a is 2\nBudget broken: b is 3\n', 1)).toBe('a is 2; b is 3');
  expect(reasonIn('Error: no\n  \n', 3)).toBe('ended with 3: Error: no');
  expect(reasonIn('', 9)).toBe('ended with 9: no output');
});

describe('the command of a rerun', () => {
  const shard: Shard = {
    name: 'fuzz/src/rtp',
    kind: 'fuzz',
    entries: [],
    isExclusive: false,
    limitMinutes: 1,
    work: { type: 'vitest', project: 'unit', files: FILES, args: ['--testTimeout', '0'] },
    env: { SLUICE_RANDOM_SEED: '7', TEST_LONG_RUN: undefined },
  };
  const name = "it's (a) 1.5 > [b]?";

  it('fits the test by its whole name', () => {
    expect(name).toMatch(new RegExp(patternOf(name)));
    expect(`${name} too`).not.toMatch(new RegExp(patternOf(name)));
    const args = argumentsOf(shard, { file: FILES[1]!, name, reason: '' });
    expect(args.slice(-3)).toEqual(['-t', patternOf(name), FILES[1]]);
    expect(args).not.toContain(FILES[0]);
  });

  it('can be typed in a shell, with the seed', () => {
    expect(commandText(shard, { file: FILES[0]!, name: "it's", reason: '' })).toBe(
      `SLUICE_RANDOM_SEED=7 npx vitest run --project unit --testTimeout 0 ${FILES[0]} -t '^it'\\''s$'`,
    );
  });
});
