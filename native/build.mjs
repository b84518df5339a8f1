/**
 * Builds the jail launcher: `node native/build.mjs` makes native/build/sluice-jail. Plain JavaScript, because it
 * runs before a current Node.js is installed. Needs a C compiler and the kernel's headers, and no other library.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const OUTPUT_FOLDER = join(FOLDER, 'build');
const FLAGS = ['-std=c11', '-O2', '-Wall', '-Wextra', '-Werror', '-fstack-protector-strong', '-fPIE', '-pie'];

/**
 * Compiles the .c files of `sources` unless the output is newer than all of them. Returns whether the output exists
 * afterwards.
 */
function build(program, sources) {
  const output = join(OUTPUT_FOLDER, program);
  const inputs = sources.map((name) => join(FOLDER, name));
  if (existsSync(output) && inputs.every((input) => statSync(input).mtimeMs <= statSync(output).mtimeMs)) {
    return true;
  }
  mkdirSync(OUTPUT_FOLDER, { recursive: true });
  const compiler = process.env.CC ?? 'cc';
  const result = spawnSync(
    compiler,
    [...FLAGS, '-o', output, ...inputs.filter((name) => name.endsWith('.c'))],
    { stdio: 'inherit' },
  );
  return result.status === 0;
}

/** Builds the launcher. Returns whether it exists. */
export function buildJail() {
  return build('sluice-jail', [
    ...['sluice-jail.c', 'landlock.c', 'seccomp.c', 'privileges.c', 'worker-network.c', 'camera-relay.c'],
    ...['jail.h', 'camera-relay.h', 'seccomp-syscalls.h'],
  ]);
}

/** Builds the program with which the tests try to break out. Returns whether it exists. */
export function buildJailProbe() {
  return build('jail-probe', ['jail-probe.c']);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = buildJail() ? 0 : 1;
