/** Evaluates a shard's runs of Vitest or of a program. */

import type { TestFailure, TestReport } from './report.ts';
import type { Failure, ShardResult, Status } from './shard.ts';

/** Limit on reruns of failed tests in one shard. More failures cannot be accidents. */
export const MAX_RERUNS = 10;

/** A rerun of a test, or of a whole file if a hook, an import or its process failed. */
export interface Rerun {
  readonly file: string;
  /** Null for the whole file. */
  readonly name: string | null;
  readonly reason: string;
}

export function countsOf(reports: readonly TestReport[]): ShardResult['counts'] {
  const states = reports.flatMap(({ files }) =>
    files.flatMap(({ tests }) => tests.map(({ state }) => state)),
  );
  const count = (...wanted: readonly string[]) => states.filter((state) => wanted.includes(state)).length;
  return { passed: count('passed'), failed: count('failed', 'pending'), skipped: count('skipped') };
}

/**
 * Reruns after a run that ended with `exitCode`. An error outside of tests, or a failed run without any failure, repeats
 * all `files`.
 */
export function rerunsOf(
  reports: readonly TestReport[],
  exitCode: number,
  files: readonly string[],
): readonly Rerun[] {
  const failures = reports.flatMap((report) => report.failures);
  const found = new Map<string, Rerun>();
  const add = (rerun: Rerun) => {
    const key = `${rerun.file}\0${rerun.name ?? ''}`;
    if (!found.has(key)) found.set(key, rerun);
  };
  for (const failure of failures) for (const rerun of rerunsOfFailure(failure, files)) add(rerun);
  if (failures.length === 0 && exitCode !== 0)
    for (const file of files)
      add({ file, name: null, reason: `ended with ${exitCode} and named no failure` });
  const whole = new Set([...found.values()].filter(({ name }) => name === null).map(({ file }) => file));
  return [...found.values()].filter(({ file, name }) => name === null || !whole.has(file));
}

function rerunsOfFailure({ kind, file, name, reason }: TestFailure, files: readonly string[]): Rerun[] {
  if (kind === 'outside') return files.map((one) => ({ file: one, name: null, reason }));
  const isTest = kind === 'test' || kind === 'retried';
  return [
    { file, name: isTest ? name : null, reason: isTest || name === '' ? reason : `${name}: ${reason}` },
  ];
}

/** Whether the rerun passed: it ended well, and the test ran. */
export function hasPassed({ name }: Rerun, exitCode: number, reports: readonly TestReport[]): boolean {
  if (exitCode !== 0 || reports.some(({ failures }) => failures.length > 0)) return false;
  return reports.some(({ files }) =>
    files.some(({ tests }) =>
      tests.some((test) => test.state === 'passed' && (name === null || test.name === name)),
    ),
  );
}

/** `flake` only if each failure passed alone. */
export function statusOf(failures: readonly Failure[]): Status {
  if (failures.length === 0) return 'passed';
  return failures.every(({ alone }) => alone === 'passed') ? 'flake' : 'failed';
}

/** A program's own reason, such as a budget that it breaks; otherwise its last line. */
export function reasonIn(output: string, exitCode: number): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const broken = lines.filter((line) => line.startsWith('Budget broken: '));
  if (broken.length > 0) return broken.map((line) => line.slice('Budget broken: '.length)).join('; ');
  return `ended with ${exitCode}: ${lines.at(-1)?.trim() ?? 'no output'}`;
}

/** The pattern of Vitest's `-t` that fits this test alone. */
export function patternOf(name: string): string {
  return `^${name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`;
}
