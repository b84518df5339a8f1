/** `npm run long`: see `options.ts` for its options, CONTRIBUTING.md for how to use it. */

import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { installSchemathesis } from '../api-tools.mjs';
import { ensureDebianPackages, ensureJail, ROOT } from '../setup.mjs';
import { removeOwnTree, startInBackground } from './background.ts';
import { reachedShards } from './changed.ts';
import { importGraph } from './import-graph.ts';
import { type Inventory, readInventory } from './inventory.ts';
import { fuzzFactorOf, type LongOptions, longOptions, USAGE } from './options.ts';
import { GATE_PROJECTS, planShards } from './plan.ts';
import { repeatSet } from './repeat.ts';
import { Results } from './results.ts';
import { runShard } from './run-shard.ts';
import { selectShards } from './select.ts';
import type { Shard } from './shard.ts';
import { counted, exitCodeOf, outcomeText, resultLine } from './table.ts';
import { changedFiles, readTreeKey, trackedFiles } from './tree-key.ts';
import { Turns } from './turns.ts';

const INTERRUPTED = 130;
const say = (line: string) => process.stdout.write(`${line}\n`);

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    say(USAGE);
    return 0;
  }
  const options = longOptions(args);
  const inventory = readInventory(ROOT);
  if (options.mode === 'repeat') return repeat(options, inventory);
  const shards = chosenShards(options, inventory);
  if (options.mode === 'list') {
    for (const { name, work } of shards) {
      say(
        work.type === 'vitest'
          ? `${name}  ${counted(work.files.length, 'file')}`
          : `${name}  ${work.args.join(' ')}`,
      );
    }
    say(counted(shards.length, 'shard'));
    return 0;
  }
  const tree = readTreeKey(ROOT);
  const results = new Results(cacheFolder(), tree.name);
  if (options.mode === 'table') return report(shards, results, tree.name);
  if (options.mode === 'background') return background(options, shards, results);
  return run(options, shards, results);
}

/** Shards that the options choose; prints what `--changed` found. */
function chosenShards(options: LongOptions, inventory: Inventory): Shard[] {
  const { fuzz, changed } = options;
  const shards = planShards(inventory, {
    fuzzFactor: fuzzFactorOf(options),
    fuzzFolder: fuzz?.folder ?? null,
  });
  const named = selectShards(shards, options);
  if (changed === null) return named;
  const change = changedFiles(ROOT, changed.since);
  const files = trackedFiles(ROOT);
  const textOf = (file: string) =>
    existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), 'utf8') : '';
  const graph = importGraph({ files, textOf, withTypes: false });
  const roots = ['src/app/main.ts', ...Object.values(inventory.projects).flat()];
  const known = importGraph({ files, textOf, withTypes: true }).reach([
    ...roots,
    ...shards.flatMap(({ entries }) => entries),
  ]);
  const { shards: reached, everythingBy } = reachedShards(change.files, named, graph, known);
  const why = everythingBy.length === 0 ? '' : `; everything, because of ${everythingBy.join(', ')}`;
  const changes = `${counted(change.files.length, 'file')} changed since ${change.base}`;
  say(`${changes}: ${reached.length} of ${counted(named.length, 'shard')}${why}`);
  return [...reached];
}

async function run(options: LongOptions, shards: readonly Shard[], results: Results): Promise<number> {
  const { jobs, niceness } = options;
  const tree = readTreeKey(ROOT);
  if (tree.isDirty)
    say(`Some changes are not committed: results are those of ${tree.name}, and of no commit.`);
  // People who choose a seed want to see it run.
  const isSeeded = process.env.SLUICE_RANDOM_SEED !== undefined;
  const isWanted = ({ name, kind }: Shard) =>
    options.isAgain || (isSeeded && kind === 'fuzz') || results.read(name) === null;
  const waiting = shards.filter(isWanted);
  say(`${waiting.length} of ${counted(shards.length, 'shard')} to run; results in ${results.folder}`);
  if (niceness > 0) setPriority(niceness);
  await install(waiting);
  const seed = process.env.SLUICE_RANDOM_SEED ?? String(Math.floor(Math.random() * 2 ** 31));
  const controller = onInterruption();
  const { signal } = controller;
  const shared = { tree: tree.name, results, turns: new Turns(), niceness, seed, signal };
  const queue = [...waiting];
  let hasChanged = false;
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined && !signal.aborted; next = queue.shift()) {
      if (!results.claim(next.name)) {
        say(`another run has  ${next.name}`);
        continue;
      }
      try {
        results.remove(next.name);
        const result = await runShard(next, shared);
        if (result === null) continue;
        hasChanged = readTreeKey(ROOT).name !== tree.name;
        if (hasChanged) {
          say(`The work tree changed while ${next.name} ran: no result is stored, and no other shard runs.`);
          controller.abort();
        } else {
          results.write(result);
          say(resultLine(result));
        }
      } finally {
        results.release(next.name);
      }
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  const exitCode = report(shards, results, tree.name);
  removeOwnTree(ROOT);
  return signal.aborted && !hasChanged ? INTERRUPTED : exitCode;
}

function report(shards: readonly Shard[], results: Results, tree: string): number {
  const outcomes = shards.map((shard) => ({ shard, result: results.read(shard.name) }));
  process.stdout.write(`\n${outcomeText(tree, outcomes)}`);
  return exitCodeOf(outcomes);
}

function background(options: LongOptions, shards: readonly Shard[], results: Results): number {
  const tree = readTreeKey(ROOT);
  const next = shards.find(
    ({ name }) => (options.isAgain || results.read(name) === null) && results.claim(name),
  );
  if (next === undefined) {
    say('Each of these shards has a result, or runs.');
    return report(shards, results, tree.name);
  }
  const { fuzz, isAgain } = options;
  const args = [
    ...(fuzz === null ? [] : ['--fuzz', String(fuzz.factor)]),
    ...(fuzz === null || fuzz.folder === null ? [] : [fuzz.folder]),
    ...(isAgain ? ['--again'] : []),
  ];
  const started = startInBackground({ root: ROOT, cache: cacheFolder(), tree, shard: next.name, args });
  results.handOver(next.name, started.pid);
  say(`${next.name} runs as process ${started.pid}; its output: ${started.log}`);
  return 0;
}

async function repeat({ repeat: wanted, only }: LongOptions, { projects }: Inventory): Promise<number> {
  const { times, isStress, set } = wanted!;
  const named = set.filter((text) => projects[text] !== undefined);
  const files = set.filter((text) => projects[text] === undefined);
  const inGate = GATE_PROJECTS.filter((project) => projects[project]!.length > 0);
  const ofFiles = Object.keys(projects).filter((project) =>
    projects[project]!.some((file) => files.some((text) => file.startsWith(text))),
  );
  const chosen = [...only, ...named].length > 0 ? [...only, ...named] : files.length > 0 ? ofFiles : inGate;
  if (chosen.length === 0) throw new Error(`No test file begins with ${files.join(' or ')}.`);
  await install([]);
  const stamp = new Date().toISOString().replaceAll(':', '').slice(0, 17);
  const name = `${isStress ? 'stress' : 'repeat'}-${stamp}`;
  const folder = join(cacheFolder(), readTreeKey(ROOT).name, name);
  const { signal } = onInterruption();
  const isPassed = await repeatSet({ times, isStress, projects: chosen, files, folder, signal });
  return signal.aborted ? INTERRUPTED : isPassed ? 0 : 1;
}

/** Leaves out the tools that tests install themselves. */
async function install(shards: readonly Shard[]): Promise<void> {
  ensureDebianPackages('long');
  ensureJail();
  if (shards.some(({ name }) => name.includes('schemathesis'))) await installSchemathesis();
}

/** Aborted by the first signal; a second one ends this process, and with it its child processes. */
function onInterruption(): AbortController {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(INTERRUPTED);
      say('Interrupted: what runs is ended, and has no result.');
      controller.abort();
    });
  return controller;
}

/** The folder of all results, by its real path: a work tree made for a shard has a link to it. */
function cacheFolder(): string {
  const folder = join(ROOT, '.cache', 'long');
  mkdirSync(folder, { recursive: true });
  return realpathSync(folder);
}

// Its reader may have enough, such as head.
process.stdout.on('error', () => undefined);
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
