/** Runs one shard, and what failed in it once more alone. */

import { readFileSync, rmSync } from 'node:fs';
import { readReports } from '../expensive-tests.mjs';
import { ROOT, toolEnvironment } from '../setup.mjs';
import { type Guarded, runGuarded } from './guarded.ts';
import {
  countsOf,
  hasPassed,
  MAX_RERUNS,
  patternOf,
  type Rerun,
  reasonIn,
  rerunsOf,
  statusOf,
} from './outcome.ts';
import type { TestReport } from './report.ts';
import type { Results } from './results.ts';
import type { Failure, Shard, ShardResult } from './shard.ts';
import type { Turns } from './turns.ts';

/** Limit for the rerun of one test. */
const RERUN_LIMIT_MINUTES = 20;
const HUNG = 124;

export interface RunOptions {
  readonly tree: string;
  readonly results: Results;
  readonly turns: Turns;
  /** 0 to 19. */
  readonly niceness: number;
  /** Random tests start with it. */
  readonly seed: string;
  /** Aborts: what runs is ended, and nothing is stored. */
  readonly signal: AbortSignal;
}

interface Run {
  readonly exitCode: number;
  readonly ms: number;
  readonly reports: readonly TestReport[];
}

/** Null if `signal` aborted it. */
export async function runShard(shard: Shard, options: RunOptions): Promise<ShardResult | null> {
  const { results, turns, signal, tree } = options;
  const startedAt = new Date().toISOString();
  const env = { ...shard.env, ...(shard.kind === 'fuzz' ? { SLUICE_RANDOM_SEED: options.seed } : {}) };
  const one = { ...shard, env };
  const log = results.startLog(shard.name);
  const first = await turns.run(shard.isExclusive, () => runOnce(one, null, log, options));
  if (signal.aborted) return null;
  let { ms } = first;
  const failures: Failure[] = [];
  for (const [index, rerun] of rerunsOfShard(one, first, log).entries()) {
    const command = commandText(one, rerun);
    const failure = { file: rerun.file, name: rerun.name ?? '', reason: rerun.reason, command };
    if (index >= MAX_RERUNS) failures.push({ ...failure, alone: 'not run' });
    else {
      const again = await turns.run(true, () => runOnce(one, rerun, log, options));
      if (signal.aborted) return null;
      ms += again.ms;
      failures.push({ ...failure, alone: isGood(one, rerun, again) ? 'passed' : 'failed' });
    }
  }
  const status = statusOf(failures);
  const isTests = shard.work.type === 'vitest';
  const [passed, failed] = first.exitCode === 0 ? [1, 0] : [0, 1];
  return {
    shard: shard.name,
    kind: shard.kind,
    tree,
    status,
    failures,
    counts: isTests ? countsOf(first.reports) : { passed, failed, skipped: 0 },
    seconds: Math.round(ms / 100) / 10,
    startedAt,
    node: process.version,
    log,
    env: Object.fromEntries(
      Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
    files: first.reports.flatMap(({ files }) => files),
  };
}

function rerunsOfShard(shard: Shard, { exitCode, reports }: Run, log: string): readonly Rerun[] {
  const hung = exitCode === HUNG ? `did not end within ${shard.limitMinutes} minutes` : null;
  if (shard.work.type === 'node') {
    const reason = hung ?? reasonIn(readFileSync(log, 'utf8'), exitCode);
    return exitCode === 0 ? [] : [{ file: '', name: null, reason }];
  }
  const reruns = rerunsOf(reports, exitCode, shard.work.files);
  return hung === null ? reruns : reruns.map((rerun) => ({ ...rerun, reason: hung }));
}

function isGood({ work }: Shard, rerun: Rerun, { exitCode, reports }: Run): boolean {
  return work.type === 'node' ? exitCode === 0 : hasPassed(rerun, exitCode, reports);
}

async function runOnce(shard: Shard, rerun: Rerun | null, log: string, options: RunOptions): Promise<Run> {
  const { results, signal, niceness } = options;
  if (signal.aborted) return { exitCode: 1, ms: 0, reports: [] };
  const folder = results.reportFolder(shard.name);
  const env = { ...toolEnvironment(), ...shard.env, TEST_REPORT_FOLDER: folder };
  const command = [process.execPath, ...argumentsOf(shard, rerun)];
  const start = performance.now();
  const guarded = runGuarded(command, { cwd: ROOT, env, logFile: log, niceness });
  const exitCode = await withLimit(
    guarded,
    rerun === null ? shard.limitMinutes : RERUN_LIMIT_MINUTES,
    signal,
  );
  const reports = readReports([folder]);
  rmSync(folder, { recursive: true });
  return { exitCode, ms: performance.now() - start, reports };
}

/** The exit code, or that of something that hung. */
async function withLimit(guarded: Guarded, minutes: number, signal: AbortSignal): Promise<number> {
  let isHung = false;
  const limit = setTimeout(() => {
    isHung = true;
    guarded.end();
  }, minutes * 60_000);
  const onAbort = () => guarded.end();
  signal.addEventListener('abort', onAbort);
  const exitCode = await guarded.ended;
  clearTimeout(limit);
  signal.removeEventListener('abort', onAbort);
  return isHung ? HUNG : exitCode;
}

/** Arguments of Node.js. */
export function argumentsOf({ work }: Shard, rerun: Rerun | null): readonly string[] {
  if (work.type === 'node') return work.args;
  const files = rerun === null ? work.files : [rerun.file];
  const name = rerun?.name ?? null;
  return [
    ...vitestArguments([work.project]),
    ...work.args,
    ...(name === null ? [] : ['-t', patternOf(name)]),
    ...files,
  ];
}

/** Arguments of Node.js: Vitest with these projects, with a report, and without tests that hide others. */
export function vitestArguments(projects: readonly string[]): readonly string[] {
  return [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--allowOnly=false',
    '--reporter=default',
    ...['--reporter=./scripts/failed-tests.mjs', '--reporter=./scripts/test-report.mjs'],
    ...projects.flatMap((project) => ['--project', project]),
  ];
}

/** The command with which people reproduce a failure. */
export function commandText(shard: Shard, rerun: Rerun): string {
  const variables = Object.entries(shard.env)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${quoted(value!)} `);
  const { work } = shard;
  const args =
    work.type === 'node'
      ? ['node', ...work.args]
      : [
          'npx',
          'vitest',
          'run',
          '--project',
          work.project,
          ...work.args,
          rerun.file,
          ...(rerun.name === null ? [] : ['-t', patternOf(rerun.name)]),
        ];
  return `${variables.join('')}${args.map(quoted).join(' ')}`;
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
