/** `--repeat N` and `--stress N`: one set of tests many times, to find those that do not always pass. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { readReports } from '../expensive-tests.mjs';
import { ROOT, toolEnvironment } from '../setup.mjs';
import { type Guarded, runGuarded } from './guarded.ts';
import { countsOf } from './outcome.ts';
import { vitestArguments } from './run-shard.ts';
import { tableLines } from './table.ts';

const BUSY_LOOPS = 4;
const SPIN = 'for (;;);';
const LOAD_EVERY_MS = 10_000;

export interface RepeatOptions {
  readonly times: number;
  /** Next to busy loops. */
  readonly isStress: boolean;
  readonly projects: readonly string[];
  /** Files and folders of these projects; all if empty. */
  readonly files: readonly string[];
  /** Folder for logs and the table. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

export interface RepeatedRun {
  readonly exitCode: number;
  readonly counts: { readonly passed: number; readonly failed: number; readonly skipped: number };
  readonly seconds: number;
  /** Processes that ran or waited for a core, its own included: average of the last minute, every 10 s. */
  readonly loads: readonly number[];
  /** Never empty if the run failed. */
  readonly failures: readonly { readonly title: string; readonly reason: string }[];
}

/** Prints a table and returns whether all runs passed. */
export async function repeatSet(options: RepeatOptions): Promise<boolean> {
  const { times, isStress, folder, signal, projects, files } = options;
  mkdirSync(folder, { recursive: true });
  const what = `${[...projects, ...files].join(' ')}${isStress ? `, next to ${BUSY_LOOPS} busy loops` : ''}`;
  process.stdout.write(`${times} runs of ${what}; logs in ${folder}\n`);
  const loops = isStress ? Array.from({ length: BUSY_LOOPS }, () => spin()) : [];
  const runs: RepeatedRun[] = [];
  try {
    while (runs.length < times && !signal.aborted) {
      const run = await runOnce(options, runs.length + 1);
      if (!signal.aborted) runs.push(run);
      process.stdout.write(`  run ${runs.length}: ended with ${run.exitCode} after ${run.seconds} s\n`);
      writeFileSync(join(folder, 'table.txt'), repeatText(times, runs));
    }
  } finally {
    for (const loop of loops) loop.end();
    await Promise.all(loops.map(({ ended }) => ended));
  }
  process.stdout.write(`\n${repeatText(times, runs)}`);
  return runs.length === times && runs.every(({ exitCode }) => exitCode === 0);
}

/** A row for each run, then each failure with the number of runs in which it occurred. */
export function repeatText(times: number, runs: readonly RepeatedRun[]): string {
  const rows = runs.map(({ exitCode, counts, seconds, failures, loads }, index) => [
    String(index + 1),
    exitCode === 0 ? 'passed' : 'FAILED',
    String(counts.passed),
    String(counts.failed),
    String(counts.skipped),
    String(failures.length),
    seconds.toFixed(0),
    loadsText(loads),
  ]);
  const head = [
    'run',
    'result',
    'passed',
    'failed',
    'skipped',
    'failures',
    'seconds',
    'load (least, median, most)',
  ];
  const occurrences = Map.groupBy(
    runs.flatMap(({ failures }) => [
      ...new Map(failures.map((failure) => [failure.title, failure])).values(),
    ]),
    ({ title }) => title,
  );
  const passed = runs.filter(({ exitCode }) => exitCode === 0).length;
  return [
    ...tableLines([head, ...rows]),
    ...[...occurrences].map(
      ([title, all]) => `failed in ${all.length} of ${runs.length} runs: ${title}: ${all[0]!.reason}`,
    ),
    `${passed} of ${times} runs passed${runs.length < times ? `, ${times - runs.length} did not run` : ''}.`,
    '',
  ].join('\n');
}

async function runOnce(
  { projects, files, folder, signal }: RepeatOptions,
  number: number,
): Promise<RepeatedRun> {
  const reports = join(folder, `run-${number}`);
  mkdirSync(reports, { recursive: true });
  const env = { ...toolEnvironment(), TEST_REPORT_FOLDER: reports };
  const logFile = join(folder, `run-${number}.log`);
  const start = performance.now();
  const command = [process.execPath, ...vitestArguments(projects), ...files];
  const guarded = runGuarded(command, { cwd: ROOT, env, logFile, niceness: 0 });
  const loads = [loadavg()[0]!];
  const sampling = setInterval(() => loads.push(loadavg()[0]!), LOAD_EVERY_MS);
  const onAbort = () => guarded.end();
  signal.addEventListener('abort', onAbort);
  const exitCode = await guarded.ended;
  clearInterval(sampling);
  signal.removeEventListener('abort', onAbort);
  const read = readReports([reports]);
  const failures = read.flatMap((report) =>
    report.failures.map(({ file, name, reason }) => ({ title: titleOf(file, name), reason })),
  );
  if (exitCode !== 0 && failures.length === 0)
    failures.push({ title: titleOf('', ''), reason: `ended with ${exitCode}: ${logFile}` });
  return {
    exitCode,
    counts: countsOf(read),
    failures,
    loads,
    seconds: Math.round((performance.now() - start) / 1_000),
  };
}

function loadsText(loads: readonly number[]): string {
  const sorted = loads.toSorted((one, other) => one - other);
  return [sorted[0]!, sorted[sorted.length >> 1]!, sorted.at(-1)!].map((load) => load.toFixed(1)).join(' ');
}

function titleOf(file: string, name: string): string {
  return [file, name].filter((part) => part !== '').join(' > ') || 'outside of tests';
}

function spin(): Guarded {
  const command = [process.execPath, '-e', SPIN];
  return runGuarded(command, { cwd: ROOT, env: process.env, logFile: null, niceness: 0 });
}
