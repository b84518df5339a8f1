/**
 * `npm test`: installs what is missing and runs everything: formatting and lint, types, stale documents, unit
 * tests, the OpenAPI document's lint, end-to-end tests with real peers, and the short front-door benchmark with its budget.
 */

import { spawnSync } from 'node:child_process';
import { installApiTools } from './api-tools.mjs';
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

// They come over the network while the first steps run, and are awaited before the step that needs them.
const apiTools = installApiTools().catch((error) => error);
const node = nodeBinary();
const steps = [
  ['lint and format', 'biome', ['check', '.']],
  ['types', 'tsc', ['--noEmit']],
  ['types of the viewer page', 'tsc', ['--noEmit', '-p', 'web']],
  ["types of the viewer page's tests", 'tsc', ['--noEmit', '-p', 'test/web']],
  ['generated documents', node, ['scripts/generate-docs.ts', '--check']],
  ['unit tests', 'vitest', ['run', '--project', 'unit']],
  ['reports and policy alerts over PostgreSQL', 'vitest', ['run', '--project', 'postgres']],
  ['OpenAPI document', node, ['scripts/lint-openapi.ts'], apiTools],
  ['end-to-end tests', 'vitest', ['run', '--project', 'e2e']],
  ['front-door budget', node, ['bench/run.ts', 'front-door', '--short', '--check']],
];

const startedAt = Date.now();
for (const [title, command, args, needs] of steps) {
  process.stdout.write(`\n── ${title}\n`);
  const failure = await needs;
  if (failure !== undefined) {
    process.stdout.write(`\nFailed: ${title}: ${failure.message}\n`);
    process.exit(1);
  }
  const { status } = spawnSync(command, args, { cwd: ROOT, env: toolEnvironment(), stdio: 'inherit' });
  if (status !== 0) {
    process.stdout.write(`\nFailed: ${title}\n`);
    process.exit(1);
  }
}
process.stdout.write(`\nAll steps passed in ${Math.round((Date.now() - startedAt) / 1000)} s\n`);
