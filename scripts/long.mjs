/**
 * `npm run long`: the random tests with many times the runs of `npm test`, on a seed of their own. What fails says with
 * which seed: SLUICE_RANDOM_SEED repeats it. `npm run long -- 10 src/rtp` runs ten times as many, of one folder.
 */

import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureNodeModules, ROOT, toolEnvironment } from './setup.mjs';

ensureNodeModules();

const [factor = '100', folder = 'src'] = process.argv.slice(2);
const seed = process.env.SLUICE_RANDOM_SEED ?? String(Math.floor(Math.random() * 2 ** 31));
const files = globSync(`${folder}/**/*.test.ts`, { cwd: ROOT }).filter((file) =>
  readFileSync(join(ROOT, file), 'utf8').includes('randomRuns('),
);
process.stdout.write(`${factor} times the runs, SLUICE_RANDOM_SEED=${seed}, ${files.length} files\n`);
const { status } = spawnSync(
  'vitest',
  ['run', '--project', 'unit', '--testTimeout', '0', '--hookTimeout', '0', ...files],
  {
    cwd: ROOT,
    env: { ...toolEnvironment(), SLUICE_RANDOM_FACTOR: factor, SLUICE_RANDOM_SEED: seed },
    stdio: 'inherit',
  },
);
process.exit(status ?? 1);
