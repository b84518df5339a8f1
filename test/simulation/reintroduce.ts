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

/** Whether the sources as they are fail for this seed, too: then it says nothing about the fault. */
function failsAnyway(seed: number): boolean {
  return (
    spawnSync(process.execPath, ['test/simulation/run-seeds.ts', String(seed), '1'], { cwd: ROOT }).status !==
    0
  );
}

/** The first failure among the seeds that is due to the fault; null: none. */
function firstFailure(patch: string, seeds: number): Line | null {
  const folder = mkdtempSync(join(tmpdir(), 'reintroduced-'));
  try {
    for (const each of COPIED) cpSync(join(ROOT, each), join(folder, each), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const applied = spawnSync('patch', ['-p1', '--batch', '-i', join(FAULTS, patch)], { cwd: folder });
    if (applied.status !== 0) throw new Error(`${patch} does not apply: ${applied.stdout}`);
    for (let first = 1; first <= seeds; ) {
      const failed = firstAt(folder, first, seeds - first + 1);
      if (failed === null || !failsAnyway(failed.seed)) return failed;
      first = failed.seed + 1;
    }
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function firstAt(folder: string, first: number, count: number): Line | null {
  const run = spawnSync(process.execPath, ['test/simulation/run-seeds.ts', String(first), String(count)], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  const lines = run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const failed = lines.find(({ failure }) => failure !== null) ?? null;
  if (run.status !== 0 && failed === null) throw new Error(run.stderr);
  return failed;
}

const [seeds = '1000', part = ''] = process.argv.slice(2);
process.stdout.write('| fault | found | first seed | invariant |\n| --- | --- | --- | --- |\n');
for (const patch of readdirSync(FAULTS).filter((name) => name.includes(part))) {
  const found = firstFailure(patch, Number(seeds));
  const name = patch.replace('.patch', '');
  const [invariant = ''] = (found?.failure ?? '').split(':');
  process.stdout.write(
    `| ${name} | ${found === null ? 'no' : 'yes'} | ${found?.seed ?? ''} | ${invariant} |\n`,
  );
}
