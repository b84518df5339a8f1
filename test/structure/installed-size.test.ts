/** What a gateway is installed with is as much as the guide says at most: a package that grows, or brings others, is noticed. */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const GUIDE = 'docs/guide/running.md';
/** The guide's bounds. */
const BOUNDS = /at most (\d+) npm packages, which take (\d+) MB/;
const BYTES_PER_MB = 1_000_000;

interface LockedPackage {
  readonly dev?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

/** Folders of the packages that running needs on Linux with glibc, x64, including optional ones that npm may leave out. */
function runtimePackages(): string[] {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  return Object.entries(lock.packages)
    .filter(([folder, { dev = false }]) => folder !== '' && !dev)
    .filter(([, { os = ['linux'] }]) => os.includes('linux'))
    .filter(([, { cpu = ['x64'] }]) => cpu.includes('x64'))
    .filter(([, { libc = ['glibc'] }]) => libc.includes('glibc'))
    .map(([folder]) => folder);
}

/** Without packages inside it, which are on the list themselves. */
function sizeBytes(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return sizeBytes(path);
      return entry.isFile() ? statSync(path).size : 0;
    })
    .reduce((sum, bytes) => sum + bytes, 0);
}

it('has no more packages and bytes than the guide says', () => {
  const [, packages, megabytes] = BOUNDS.exec(readFileSync(join(ROOT, GUIDE), 'utf8').replaceAll('\n', ' '))!;
  // npm leaves out optional packages of other platforms.
  const installed = runtimePackages()
    .map((folder) => join(ROOT, folder))
    .filter((folder) => existsSync(folder));
  const bytes = installed.map(sizeBytes).reduce((sum, size) => sum + size, 0);
  expect(installed.length).toBeGreaterThan(300);
  expect(installed.length).toBeLessThanOrEqual(Number(packages));
  expect(bytes).toBeLessThanOrEqual(Number(megabytes) * BYTES_PER_MB);
});
