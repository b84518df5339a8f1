/** Results by tree and shard, as files under `.cache/long/<tree>/<shard>.json`, and claims on shards that run. */

import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { ShardResult } from './shard.ts';

export class Results {
  readonly folder: string;

  /** `cache`: the folder of all trees. */
  constructor(cache: string, tree: string) {
    this.folder = join(cache, tree);
  }

  /** Null if the shard has not run to its end. */
  read(shard: string): ShardResult | null {
    const file = this.#file(shard, 'json');
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ShardResult) : null;
  }

  /** Whole or not at all. */
  write(result: ShardResult): void {
    const file = this.#file(result.shard, 'json');
    writeFileSync(`${file}.new`, `${JSON.stringify(result, null, 2)}\n`);
    renameSync(`${file}.new`, file);
  }

  remove(shard: string): void {
    rmSync(this.#file(shard, 'json'), { force: true });
  }

  /** An empty file for the shard's output. */
  startLog(shard: string): string {
    const file = this.#file(shard, 'log');
    writeFileSync(file, '');
    return file;
  }

  /** An empty folder for reports of Vitest. */
  reportFolder(shard: string): string {
    const folder = this.#file(shard, 'report');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    return folder;
  }

  /** False if another process runs the shard. `isRunning` says whether a process is one of `npm run long`. */
  claim(shard: string, isRunning: (pid: number) => boolean = isLongRun): boolean {
    const file = this.#file(shard, 'running');
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const pid = Number(readFileSync(file, 'utf8'));
    if (pid !== process.pid && isRunning(pid)) return false;
    // The claim belongs to a killed process.
    writeFileSync(file, String(process.pid));
    return true;
  }

  /** Gives a claim of this process to another one. */
  handOver(shard: string, pid: number): void {
    writeFileSync(this.#file(shard, 'running'), String(pid));
  }

  release(shard: string): void {
    const file = this.#file(shard, 'running');
    if (existsSync(file) && statSync(file).isFile()) unlinkSync(file);
  }

  #file(shard: string, extension: string): string {
    const file = join(this.folder, `${shard}.${extension}`);
    mkdirSync(dirname(file), { recursive: true });
    return file;
  }
}

/** Whether a process with this identifier exists and is `npm run long`, not a later one that got the same number. */
function isLongRun(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  const commandLine = `/proc/${pid}/cmdline`;
  if (existsSync('/proc/self/cmdline'))
    return existsSync(commandLine) && readFileSync(commandLine, 'utf8').includes('scripts/long');
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
