/** The table that `npm run long` prints at its end. */

import { expensiveTests, expensiveText } from '../expensive-tests.mjs';
import { type Failure, KINDS, type Shard, type ShardResult, type Status } from './shard.ts';

export interface Outcome {
  readonly shard: Shard;
  /** Null if it did not run. */
  readonly result: ShardResult | null;
}

const HEAD = ['kind', 'shards', 'passed', 'failed', 'flake', 'not run', 'tests', 'skipped', 'seconds'];

/** 0: all passed. 1: something failed or did not run. 2: something failed once and passed alone, and nothing else failed. */
export function exitCodeOf(outcomes: readonly Outcome[]): 0 | 1 | 2 {
  if (outcomes.some(({ result }) => result === null || result.status === 'failed')) return 1;
  return outcomes.some(({ result }) => result?.status === 'flake') ? 2 : 0;
}

/** A row for each kind, each failure and flake by its name, and the most expensive tests. */
export function outcomeText(tree: string, outcomes: readonly Outcome[]): string {
  const kinds = KINDS.filter((kind) => outcomes.some(({ shard }) => shard.kind === kind));
  const rows = kinds.map((kind) =>
    rowOf(
      kind,
      outcomes.filter(({ shard }) => shard.kind === kind),
    ),
  );
  const results = outcomes.flatMap(({ result }) => (result === null ? [] : [result]));
  const lines = [`Results of ${tree}`, ...tableLines([HEAD, ...rows, rowOf('all', outcomes)])];
  for (const result of results)
    for (const failure of result.failures) lines.push(...failureLines(result, failure));
  return `${lines.join('\n')}\n\n${expensiveText(expensiveTests(results))}\n${conclusion(outcomes)}\n`;
}

/** Columns of the same width, the first to the left, the others to the right. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  '),
  );
}

/** The result of a shard in one line. */
export function resultLine({ status, shard, seconds, counts, log }: ShardResult): string {
  const word = { passed: 'passed', failed: 'FAILED', flake: 'FLAKE ' }[status];
  const tests = `${counts.passed} passed, ${counts.failed} failed`;
  return `${word} ${seconds.toFixed(0).padStart(5)} s  ${shard}: ${tests}${status === 'passed' ? '' : `, ${log}`}`;
}

function rowOf(title: string, outcomes: readonly Outcome[]): string[] {
  const results = outcomes.flatMap(({ result }) => (result === null ? [] : [result]));
  const withStatus = (status: Status) => results.filter((result) => result.status === status).length;
  const sum = (of: (result: ShardResult) => number) =>
    results.reduce((total, result) => total + of(result), 0);
  const figures = [
    outcomes.length,
    withStatus('passed'),
    withStatus('failed'),
    withStatus('flake'),
    outcomes.length - results.length,
    sum(({ counts }) => counts.passed + counts.failed),
    sum(({ counts }) => counts.skipped),
    Math.round(sum(({ seconds }) => seconds)),
  ];
  return [title, ...figures.map(String)];
}

function failureLines({ shard, log }: ShardResult, failure: Failure): string[] {
  const { file, name, reason, alone, command } = failure;
  const title = [file, name].filter((part) => part !== '').join(' > ');
  const how = {
    passed: 'FLAKE   failed, passed alone',
    failed: 'FAILED  failed, failed alone',
    'not run': 'FAILED  not run again',
  }[alone];
  return [
    '',
    `${how}: ${title === '' ? shard : title}`,
    `  ${reason}`,
    `  again: ${command}`,
    `  log: ${log}`,
  ];
}

function conclusion(outcomes: readonly Outcome[]): string {
  const failures = outcomes.flatMap(({ result }) => result?.failures ?? []);
  const flakes = failures.filter(({ alone }) => alone === 'passed').length;
  const left = outcomes.filter(({ result }) => result === null).length;
  const shards = counted(outcomes.length, 'shard');
  if (failures.length + left === 0) return `Passed: ${shards}.`;
  const failed = counted(failures.length - flakes, 'failure');
  return `Not passed: ${failed} and ${counted(flakes, 'flake')} in ${shards}, of which ${left} did not run.`;
}

/** `1 shard`, `2 shards`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
