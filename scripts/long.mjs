/**
 * `npm run long`: the random tests with many times the runs of `npm test`, on a seed of their own. What fails says with
 * which seed: SLUICE_RANDOM_SEED repeats it. `npm run long -- 10 src/rtp` runs ten times as many, of one folder. Without a folder,
 * end-to-end tests that take longer in a long run (`isLongRun`) follow.
 */

import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureNodeModules, ROOT, toolEnvironment } from './setup.mjs';

ensureNodeModules();

const [factor = '100', folder] = process.argv.slice(2);
const seed = process.env.SLUICE_RANDOM_SEED ?? String(Math.floor(Math.random() * 2 ** 31));
const filesWith = (folder, word) =>
  globSync(`${folder}/**/*.test.ts`, { cwd: ROOT }).filter((file) =>
    readFileSync(join(ROOT, file), 'utf8').includes(word),
  );
const files = filesWith(folder ?? 'src', 'randomRuns(');
process.stdout.write(`${factor} times the runs, SLUICE_RANDOM_SEED=${seed}, ${files.length} files\n`);

/** `env`: besides that of the tools. Exits if a test fails. */
function run(project, tested, env) {
  const { status } = spawnSync(
    'vitest',
    ['run', '--project', project, '--testTimeout', '0', '--hookTimeout', '0', ...tested],
    { cwd: ROOT, env: { ...toolEnvironment(), ...env }, stdio: 'inherit' },
  );
  if (status !== 0) process.exit(status ?? 1);
}

run('unit', files, { SLUICE_RANDOM_FACTOR: factor, SLUICE_RANDOM_SEED: seed });
// Gateways refuse variables that they do not know.
if (folder === undefined)
  run('e2e', filesWith('test/e2e', 'isLongRun'), { TEST_LONG_RUN: '1', SLUICE_RANDOM_SEED: undefined });
