import { expect, it } from 'vitest';
import { repeatText } from './repeat.ts';
import type { Failure, Shard, ShardResult, Status } from './shard.ts';
import { exitCodeOf, type Outcome, outcomeText } from './table.ts';

function outcome(name: string, status: Status | null, failures: readonly Failure[] = []): Outcome {
  const shard: Shard = {
    name,
    kind: 'e2e',
    entries: [],
    env: {},
    isExclusive: false,
    limitMinutes: 1,
    work: { type: 'node', args: [] },
  };
  if (status === null) return { shard, result: null };
  const result: ShardResult = {
    shard: name,
    kind: 'e2e',
    tree: 'abc',
    status,
    failures,
    seconds: 12.4,
    env: {},
    startedAt: '2026-11-29T00:00:00Z',
    node: 'v26',
    log: `/logs/${name}.log`,
    counts: { passed: 3, failed: failures.length, skipped: 1 },
    files: [{ file: 'a.test.ts', project: 'e2e', importMs: 100, testsMs: 900, tests: [] }],
  };
  return { shard, result };
}

const failure = (alone: Failure['alone'], name = 'waits'): Failure => ({
  file: 'a.test.ts',
  name,
  reason: 'Error: no',
  command: 'npx vitest',
  alone,
});

it('ends with 0 if all passed, 2 if something was flaky, 1 if something failed or did not run', () => {
  const [passed, flake] = [outcome('a', 'passed'), outcome('b', 'flake')];
  expect(exitCodeOf([passed])).toBe(0);
  expect(exitCodeOf([passed, flake])).toBe(2);
  expect(exitCodeOf([flake, outcome('c', 'failed')])).toBe(1);
  expect(exitCodeOf([flake, outcome('c', null)])).toBe(1);
});

it('prints a row for each kind, failures and flakes by name, and the most expensive files', () => {
  const failures = [failure('failed'), failure('passed', 'is flaky'), failure('not run', 'eleventh')];
  const text = outcomeText('abc', [
    outcome('e2e/a', 'passed'),
    outcome('e2e/b', 'failed', failures),
    outcome('e2e/c', null),
  ]);
  const row = text.split('\n').find((line) => line.startsWith('e2e '))!;
  expect(row.split(/ +/)).toEqual(['e2e', '3', '1', '1', '0', '1', '9', '2', '25']);
  expect(text).toContain('FAILED  failed, failed alone: a.test.ts > waits\n  Error: no\n  again: npx vitest');
  expect(text).toContain('FLAKE   failed, passed alone: a.test.ts > is flaky');
  expect(text).toContain('FAILED  not run again: a.test.ts > eleventh');
  expect(text).toContain('a.test.ts (e2e)');
  expect(text).toContain('Not passed: 2 failures and 1 flake in 3 shards, of which 1 did not run.');
  expect(outcomeText('abc', [outcome('e2e/a', 'passed')])).toContain('Passed: 1 shard.');
});

it('says in how many runs each test failed, and how busy the machine was', () => {
  const run = (exitCode: number, ...titles: string[]) => ({
    exitCode,
    counts: { passed: 5, failed: titles.length, skipped: 0 },
    seconds: 7,
    loads: [2.24, 11.5, 6],
    failures: titles.map((title, index) => ({ title, reason: `Error: ${index}` })),
  });
  const loads = ['2.2', '6.0', '11.5'];
  const text = repeatText(4, [run(0), run(1, 'a > b', 'a > b', 'c'), run(1, 'a > b')]);
  expect(text).toContain('failed in 2 of 3 runs: a > b: Error: 1');
  expect(text).toContain('failed in 1 of 3 runs: c: Error: 2');
  expect(text).toContain('1 of 4 runs passed, 1 did not run.');
  expect(text.split('\n')[2]!.trim().split(/ +/)).toEqual(['2', 'FAILED', '5', '3', '0', '3', '7', ...loads]);
});
