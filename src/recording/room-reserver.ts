/**
 * Reserves room on the disk with `fallocate` of util-linux, because Node has no call for it. One shell starts it each time: when
 * our own process starts another one, the kernel copies the page tables of all its memory first. That took 21 ms with 1 GB, per
 * file, and as much again in the process that was started.
 */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** A line in: bytes and path. A line out: the exit status, and the error output. */
const SCRIPT = `while IFS= read -r line; do
  said=$(timeout 10 fallocate --length "\${line%% *}" -- "\${line#* }" 2>&1)
  printf '%s %s\\n' "$?" "$(printf %s "$said" | tr '\\n' ' ')"
done`;
/** Exit statuses of `timeout` and the shell: the command cannot be started, or is missing. */
const COMMAND_MISSING = new Set([126, 127]);

type Shell = ChildProcessByStdio<Writable, Readable, null>;

export class RoomReserver {
  #shell: Shell | null = null;
  /** In the order of the requests. */
  #waiting: (() => void)[] = [];
  #isAble = process.platform === 'linux';

  /**
   * Reserves room for a file that may be written meanwhile, and does not change its content. Resolves when it is done, with or
   * without success.
   */
  reserve(path: string, byteLength: number): Promise<void> {
    if (!this.#isAble || path.includes('\n')) return Promise.resolve();
    this.#shell ??= this.#start();
    const { stdin, stdout } = this.#shell;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      (stdout as Socket).ref();
      stdin.write(`${byteLength} ${path}\n`);
    });
  }

  #start(): Shell {
    const shell = spawn('/bin/sh', ['-c', SCRIPT], { stdio: ['pipe', 'pipe', 'ignore'] });
    shell.on('error', () => this.#ended(shell, false));
    shell.on('exit', () => this.#ended(shell, this.#isAble));
    shell.stdin.on('error', () => undefined);
    createInterface(shell.stdout).on('line', (line) => this.#responded(shell, line));
    // It ends with us, and only a request keeps us running.
    shell.unref();
    (shell.stdin as Socket).unref();
    return shell;
  }

  #responded(shell: Shell, line: string): void {
    // Late lines of a shell that has ended do not answer the next shell's requests.
    if (this.#shell !== shell) return;
    const status = Number.parseInt(line, 10);
    // This file system cannot, and will not be able to later.
    if (COMMAND_MISSING.has(status) || /not supported/i.test(line)) this.#isAble = false;
    this.#waiting.shift()?.();
    if (this.#waiting.length === 0) (shell.stdout as Socket).unref();
  }

  #ended(shell: Shell, isAble: boolean): void {
    if (this.#shell !== shell) return;
    this.#shell = null;
    this.#isAble = isAble;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
