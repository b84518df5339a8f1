/**
 * `--background`: one shard in a process of its own, at low priority. If everything is committed, the shard runs in a work
 * tree of its own under `.cache/long`, so you can continue your work: a result counts only if the tree has not changed in
 * the meantime.
 */

import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { git, type TreeKey } from './tree-key.ts';

/** The lowest priority. */
const NICENESS = '19';
/** Names the checkout to which the work tree of a shard belongs; that work tree is removed at the end. */
const OWNER_VARIABLE = 'LONG_SHARD_OWNER';

export interface BackgroundOptions {
  readonly root: string;
  /** The folder of all results. */
  readonly cache: string;
  readonly tree: TreeKey;
  readonly shard: string;
  /** Arguments of `npm run long`, in addition to the shard. */
  readonly args: readonly string[];
}

/** Starts it and returns its process and the file with its output. */
export function startInBackground(options: BackgroundOptions): {
  readonly pid: number;
  readonly log: string;
} {
  const { root, cache, tree, shard, args } = options;
  const folder = join(cache, tree.name);
  mkdirSync(folder, { recursive: true });
  const log = join(folder, 'background.log');
  const cwd = tree.isDirty ? root : addTree(root, cache, tree.name, shard);
  const output = openSync(log, 'a');
  const command = ['scripts/long.mjs', '--shard', shard, '--jobs', '1', '--nice', NICENESS, ...args];
  const child = spawn(process.execPath, command, {
    cwd,
    detached: true,
    stdio: ['ignore', output, output],
    env: { ...process.env, ...(tree.isDirty ? {} : { [OWNER_VARIABLE]: root }) },
  });
  closeSync(output);
  child.unref();
  return { pid: child.pid!, log };
}

/** Removes the work tree `root` if it was made for a shard. Afterwards, nothing can be read from it. */
export function removeOwnTree(root: string): void {
  const owner = process.env[OWNER_VARIABLE];
  if (owner !== undefined) git(owner, 'worktree', 'remove', '--force', root);
}

function addTree(root: string, cache: string, commit: string, shard: string): string {
  const trees = join(cache, 'trees');
  mkdirSync(trees, { recursive: true });
  const folder = join(trees, `${commit}-${shard.replaceAll('/', '-')}`);
  // The folder of a killed process: no other process runs this shard.
  if (existsSync(folder)) git(root, 'worktree', 'remove', '--force', folder);
  git(root, 'worktree', 'add', '--force', '--detach', '--quiet', folder, 'HEAD');
  for (const name of ['node_modules', '.cache'])
    if (existsSync(join(root, name))) symlinkSync(realpathSync(join(root, name)), join(folder, name));
  return folder;
}
