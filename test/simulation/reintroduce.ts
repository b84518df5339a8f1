/**
 * Which faults of the project's history does the simulation find? Each file in faults-of-history/ brings one back into a copy of the
 * sources; then seeds run until one fails. `node test/simulation/reintroduce.ts [seeds] [part of a name]` prints a table.
 */

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FAULTS = join(ROOT, 'test/simulation/faults-of-history');
const COPIED = ['src', 'test/simulation', 'package.json'];

interface Line {
  readonly seed: number;
  readonly failure: string | null;
}

/** The first failure among the seeds; null: none. */
function firstFailure(patch: string, seeds: string): Line | null {
  const folder = mkdtempSync(join(tmpdir(), 'reintroduced-'));
  try {
    for (const each of COPIED) cpSync(join(ROOT, each), join(folder, each), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const applied = spawnSync('patch', ['-p1', '--batch', '-i', join(FAULTS, patch)], { cwd: folder });
    if (applied.status !== 0) throw new Error(`${patch} does not apply: ${applied.stdout}`);
    const run = spawnSync(process.execPath, ['test/simulation/run-seeds.ts', '1', seeds], {
      ...{ cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 28 },
    });
    const lines = run.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    if (run.status !== 0 && lines.every(({ failure }) => failure === null)) throw new Error(run.stderr);
    return lines.find(({ failure }) => failure !== null) ?? null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [seeds = '1000', part = ''] = process.argv.slice(2);
process.stdout.write('| fault | found | first seed | invariant |\n| --- | --- | --- | --- |\n');
for (const patch of readdirSync(FAULTS).filter((name) => name.includes(part))) {
  const found = firstFailure(patch, seeds);
  const name = patch.replace('.patch', '');
  const [invariant = ''] = (found?.failure ?? '').split(':');
  process.stdout.write(
    `| ${name} | ${found === null ? 'no' : 'yes'} | ${found?.seed ?? ''} | ${invariant} |\n`,
  );
}
