/** A child process in a test: started, awaited by its output, and reliably ended. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { endingWithParent } from './ends-with-parent.ts';

/** Lines kept for diagnostics. */
const MAX_LINES = 5_000;

export class Child {
  readonly process: ChildProcess;
  readonly lines: string[] = [];
  readonly #watchers = new Set<(line: string | null) => void>();
  readonly exited: Promise<void>;

  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    this.process = spawn(...endingWithParent(command, args), {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.exited = once(this.process, 'close').then(() => {
      for (const watcher of this.#watchers) watcher(null);
    });
    for (const stream of [this.process.stdout!, this.process.stderr!]) {
      createInterface({ input: stream }).on('line', (line) => this.#take(line));
    }
  }

  /** The first matching line, past or future. Fails if the process ends or time runs out first. */
  async line(pattern: RegExp, timeoutMs = 60_000): Promise<string> {
    const past = this.lines.find((line) => pattern.test(line));
    if (past !== undefined) return past;
    return new Promise((resolve, reject) => {
      const finish = (outcome: () => void) => {
        clearTimeout(timer);
        this.#watchers.delete(watcher);
        outcome();
      };
      const fail = (why: string) =>
        finish(() =>
          reject(new Error(`${why} before ${pattern} was printed:\n${this.lines.slice(-30).join('\n')}`)),
        );
      const watcher = (line: string | null) => {
        if (line === null) fail('process ended');
        else if (pattern.test(line)) finish(() => resolve(line));
      };
      const timer = setTimeout(() => fail('time ran out'), timeoutMs);
      this.#watchers.add(watcher);
    });
  }

  /** Sends the signal and waits for the end; a process that ignores it for `graceMs` is killed. */
  async end(signal: NodeJS.Signals = 'SIGTERM', graceMs = 30_000): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill(signal);
    const timer = setTimeout(() => this.process.kill('SIGKILL'), graceMs);
    await this.exited;
    clearTimeout(timer);
  }

  #take(line: string): void {
    this.lines.push(line);
    if (this.lines.length > MAX_LINES) this.lines.shift();
    for (const watcher of this.#watchers) watcher(line);
  }
}
