/**
 * The bundled gateway (build.mjs): `node scripts/built.mjs` makes it unless it is current. Plain JavaScript, because it must run on the
 * Node.js that is already there.
 */

import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const SOURCE_MAIN = join(ROOT, 'src/app/main.ts');
export const BUILT_MAIN = join(ROOT, '.built/main.js');

/** Bundles the gateway, by this Node.js, if a source is newer than the bundle. Returns whether the bundle is current. */
export function ensureBuilt(node) {
  const builtMs = changedMs(BUILT_MAIN);
  const isOld = (path) => changedMs(path) > builtMs;
  const inputs = [join(ROOT, 'package-lock.json'), join(ROOT, 'scripts/build.mjs')];
  if (!inputs.some(isOld) && !filesIn(join(ROOT, 'src')).some(isOld)) return true;
  return spawnSync(node, [join(ROOT, 'scripts/build.mjs')], { stdio: 'inherit' }).status === 0;
}

/** Negative infinity if the file does not exist. */
function changedMs(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)],
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.exitCode = ensureBuilt(process.execPath) ? 0 : 1;
