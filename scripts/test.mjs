/**
 * `npm test`: installs what is missing and runs everything: formatting and lint, types, stale documents, unit
 * tests, end-to-end tests with real peers, and the front-door benchmark with its budget.
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
const steps = [
  ['lint and format', 'biome', ['check', '.']],
  ['types', 'tsc', ['--noEmit']],
  ['types of the viewer page', 'tsc', ['--noEmit', '-p', 'web']],
  ["types of the viewer page's tests", 'tsc', ['--noEmit', '-p', 'test/web']],
  ['generated documents', node, ['scripts/generate-docs.ts', '--check']],
  ['unit tests', 'vitest', ['run', '--project', 'unit']],
  ['reports and policy alerts over PostgreSQL', 'vitest', ['run', '--project', 'postgres']],
  ['end-to-end tests', 'vitest', ['run', '--project', 'e2e']],
  ['front-door budget', node, ['bench/run.ts', 'front-door', '--check']],
];

const startedAt = Date.now();
for (const [title, command, args] of steps) {
  process.stdout.write(`\n── ${title}\n`);
  const { status } = spawnSync(command, args, { cwd: ROOT, env: toolEnvironment(), stdio: 'inherit' });
  if (status !== 0) {
    process.stdout.write(`\nFailed: ${title}\n`);
    process.exit(1);
  }
}
process.stdout.write(`\nAll steps passed in ${Math.round((Date.now() - startedAt) / 1000)} s\n`);
