/**
 * `npm run bench [-- NAME…] [--short] [--check]`: runs the benchmarks, prints a table for each and writes
 * `bench/results/<name>.json`. `--check` fails if a figure is outside `bench/budgets.json`.
 */

import { parseArgs } from 'node:util';
import { ensureBuilt } from '../scripts/built.mjs';
import { type BenchOptions, type BenchResult, brokenBudgets, printTable, writeResult } from './report.ts';

/** Checked with the types of browsers, by test/web/tsconfig.json. */
const IN_BROWSERS: string = './macro/console.ts';

const BENCHES: Readonly<Record<string, (options: BenchOptions) => Promise<BenchResult>>> = {
  'front-door': async (options) => (await import('./macro/front-door.ts')).run(options),
  fleet: async (options) => (await import('./macro/fleet.ts')).run(options),
  recording: async (options) => (await import('./macro/recording.ts')).run(options),
  playback: async (options) => (await import('./macro/playback.ts')).run(options),
  api: async (options) => (await import('./macro/api.ts')).run(options),
  reports: async (options) => (await import('./macro/reports.ts')).run(options),
  hostile: async (options) => (await import('./macro/hostile.ts')).run(options),
  cores: async (options) => (await import('./macro/cores.ts')).run(options),
  swarm: async (options) => (await import('./macro/swarm.ts')).run(options),
  cdn: async (options) => (await import('./macro/cdn.ts')).run(options),
  behaviours: async (options) => (await import('./macro/behaviours.ts')).run(options),
  stills: async (options) => (await import('./macro/stills.ts')).run(options),
  drift: async (options) => (await import('./macro/drift.ts')).run(options),
  sound: async (options) => (await import('./macro/sound.ts')).run(options),
  fickle: async (options) => (await import('./macro/fickle.ts')).run(options),
  mirror: async (options) => (await import('./macro/mirror.ts')).run(options),
  kills: async (options) => (await import('./macro/kills.ts')).run(options),
  console: async (options) => (await import(IN_BROWSERS)).run(options),
  delays: async (options) => (await import('./macro/delays.ts')).run(options),
  mobile: async (options) => (await import('./macro/mobile.ts')).run(options),
  abuse: async (options) => (await import('./macro/abuse.ts')).run(options),
  neighbors: async (options) => (await import('./macro/neighbors.ts')).run(options),
  cold: async (options) => (await import('./macro/cold.ts')).run(options),
  start: async (options) => (await import('./macro/start.ts')).run(options),
  limited: async (options) => (await import('./macro/limited.ts')).run(options),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { short: { type: 'boolean', default: false }, check: { type: 'boolean', default: false } },
});
const names = positionals.length > 0 ? positionals : Object.keys(BENCHES);
const unknown = names.filter((name) => BENCHES[name] === undefined);
if (unknown.length > 0) {
  process.stderr.write(
    `Unknown benchmark ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}.\n`,
  );
  process.exit(2);
}

if (!ensureBuilt(process.execPath)) process.exit(1);
const broken: string[] = [];
for (const name of names) {
  const options = { isShort: values.short };
  const result = await BENCHES[name]!(options);
  printTable(result);
  process.stdout.write(`  written to ${writeResult(result, options)}\n`);
  broken.push(...brokenBudgets(result));
}
for (const sentence of broken) process.stdout.write(`Budget broken: ${sentence}\n`);
process.exit(values.check && broken.length > 0 ? 1 : 0);
