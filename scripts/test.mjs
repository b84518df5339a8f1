/**
 * `npm test`: installs what is missing and runs everything: formatting and lint, types, stale documents, unit
 * tests, end-to-end tests with real peers, and the short front-door benchmark with its budget. Ends at the first step
 * that fails. `npm run unit` is the quick loop beside it, `npm run long` the long one.
 */

import { spawnSync } from 'node:child_process';
import {
  ensureDebianPackages,
  ensureJail,
  ensureNodeModules,
  nodeBinary,
  ROOT,
  toolEnvironment,
} from './setup.mjs';

ensureNodeModules();
ensureDebianPackages('test');
ensureJail();

const node = nodeBinary();
/** By the Node.js that runs Sluice: the tests start gateways with the one that runs them. */
const vitest = (...projects) => [
  node,
  ['node_modules/vitest/vitest.mjs', 'run', ...projects.flatMap((project) => ['--project', project])],
];
const steps = [
  ['lint and format', 'biome', ['check', '.']],
  ['types', 'tsc', ['--noEmit']],
  ['types of the viewer page', 'tsc', ['--noEmit', '-p', 'web']],
  ["types of the viewer page's tests", 'tsc', ['--noEmit', '-p', 'test/web']],
  ['generated documents', node, ['scripts/generate-docs.ts', '--check']],
  ['unit tests', ...vitest('unit')],
  ['reports and policy alerts over PostgreSQL', ...vitest('postgres')],
  ['end-to-end tests', ...vitest('e2e', 'steady', 'alone')],
  ['front-door budget', node, ['bench/run.ts', 'front-door', '--short', '--check']],
];

const seconds = (sinceMs) => `${((performance.now() - sinceMs) / 1_000).toFixed(0).padStart(4)} s`;
const startedMs = performance.now();
const summary = [];
let failed = null;
for (const [title, command, args] of steps) {
  process.stdout.write(`\n── ${title}\n`);
  const stepMs = performance.now();
  const { status } = spawnSync(command, args, { cwd: ROOT, env: toolEnvironment(), stdio: 'inherit' });
  summary.push(`${status === 0 ? 'passed' : 'FAILED'} ${seconds(stepMs)}  ${title}`);
  if (status === 0) continue;
  failed = title;
  break;
}
const skipped = steps.slice(summary.length).map(([title]) => `not run         ${title}`);
process.stdout.write(`\n${[...summary, ...skipped].join('\n')}\n`);
process.stdout.write(
  `\n${failed === null ? 'All steps passed' : `Failed: ${failed}`} after ${seconds(startedMs).trim()}\n`,
);
process.exit(failed === null ? 0 : 1);
