/**
 * What the tests of the OpenAPI document need besides: two linters from npm, and Schemathesis from PyPI. They have
 * folders of their own, because they are larger than everything else that is installed. Plain JavaScript, as setup.mjs.
 */

import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './setup.mjs';

const LINTERS = join(ROOT, 'test', 'openapi-lint');
const SCHEMATHESIS = join(ROOT, '.cache', 'schemathesis');
const REQUIREMENTS = join(ROOT, 'test', 'schemathesis', 'requirements.txt');

/** One process for both steps: a caller that waits for programs of its own could not start the second. */
const INSTALL_IN_VENV =
  'python3 -m venv "$0" && "$0/bin/pip" install --quiet --disable-pip-version-check --requirement "$1"';

/** Installs what is missing, side by side, while the caller does other things. Fails with what cannot be installed. */
export async function installApiTools() {
  await Promise.all([installLinters(), installSchemathesis()]);
}

/** Without scripts: none of these packages needs its own, and one of them reports installations. */
async function installLinters() {
  const lock = join(LINTERS, 'package-lock.json');
  const stamp = join(LINTERS, 'node_modules', '.installed');
  if (isSame(lock, stamp)) return;
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], LINTERS);
  copyFileSync(lock, stamp);
}

async function installSchemathesis() {
  const stamp = join(SCHEMATHESIS, '.installed');
  if (isSame(REQUIREMENTS, stamp)) return;
  rmSync(SCHEMATHESIS, { recursive: true, force: true });
  await run('sh', ['-c', INSTALL_IN_VENV, SCHEMATHESIS, REQUIREMENTS], ROOT);
  copyFileSync(REQUIREMENTS, stamp);
}

/** A stamp is a copy of what was installed by it: times say little in a fresh clone. */
function isSame(file, stamp) {
  return existsSync(stamp) && readFileSync(file).equals(readFileSync(stamp));
}

function run(command, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
    const fail = (how) => reject(new Error(`${command} ${args.join(' ')} ${how}`));
    child.on('error', (error) => fail(`did not start: ${error.message}`));
    child.on('close', (code) => (code === 0 ? resolve() : fail(`ended with ${code}`)));
  });
}
