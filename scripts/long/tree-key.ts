/** Names the tested tree: a commit, or a commit with changes that are not committed. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const MAX_OUTPUT_BYTES = 1 << 28;

export interface TreeKey {
  /** The first twelve digits of the commit; with changes, `+dirty-` and eight digits of their hash follow. */
  readonly name: string;
  readonly isDirty: boolean;
}

export function readTreeKey(root: string): TreeKey {
  const commit = git(root, 'rev-parse', '--short=12', 'HEAD').trim();
  const changes = git(root, 'diff', '--binary', 'HEAD');
  const added = lines(git(root, 'ls-files', '--others', '--exclude-standard'));
  if (changes === '' && added.length === 0) return { name: commit, isDirty: false };
  const hash = createHash('sha256').update(changes);
  for (const file of added) {
    hash.update(`\0${file}\0`);
    if (lstatSync(join(root, file)).isFile()) hash.update(readFileSync(join(root, file)));
  }
  return { name: `${commit}+dirty-${hash.digest('hex').slice(0, 8)}`, isDirty: true };
}

/** All files of the work tree that git does not ignore. */
export function trackedFiles(root: string): string[] {
  return lines(git(root, 'ls-files', '--cached', '--others', '--exclude-standard'));
}

export interface Change {
  /** The commit with which `files` are compared. */
  readonly base: string;
  readonly files: readonly string[];
}

/**
 * Files that changed since `base`, committed or not. Default: since the branch left `main`, and on `main` itself since the
 * commit before.
 */
export function changedFiles(root: string, base: string | null): Change {
  const head = git(root, 'rev-parse', 'HEAD').trim();
  const main = base ?? git(root, 'merge-base', 'main', 'HEAD').trim();
  const from = base === null && main === head ? 'HEAD~1' : main;
  const files = new Set([
    ...lines(git(root, 'diff', '--name-only', '--no-renames', from)),
    ...lines(git(root, 'ls-files', '--others', '--exclude-standard')),
  ]);
  return { base: git(root, 'rev-parse', '--short=12', from).trim(), files: [...files].sort() };
}

export function git(root: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: MAX_OUTPUT_BYTES });
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
