/** One ffmpeg process in its jail: started, watched by its owner, and gone without a trace when killed. */

import { type ChildProcess, spawn } from 'node:child_process';
import { Readable, type Writable } from 'node:stream';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { FfmpegCommandLine } from './command.ts';
import { FFMPEG_ERRORS } from './errors.ts';
import type { WorkerExit } from './exit-reason.ts';
import type { Jail, WorkerNetwork } from './jail.ts';
import { StderrTail } from './stderr-tail.ts';

/** Between SIGTERM and SIGKILL. */
export const TERM_GRACE_MS = 2_000;

/** A worker's whole environment; the launcher empties it once more. */
const WORKER_ENVIRONMENT = { LANG: 'C', MALLOC_ARENA_MAX: '2' };

export interface WorkerSpec {
  readonly ffmpegPath: string;
  readonly line: FfmpegCommandLine;
  /** The camera that it pulls; null: none. */
  readonly network: WorkerNetwork | null;
  /** A pipe on this descriptor, in addition to the standard ones, that the worker writes to. Must be 3. */
  readonly extraFd: number | null;
  /** Gets every line of standard error, without credentials. */
  readonly onStderrLine?: (line: string) => void;
}

export class Worker {
  readonly stdout: Readable;
  /** null unless requested with `extraFd`. */
  readonly extra: Readable | null;
  /** null if the command line has its own input. */
  readonly stdin: Writable | null;
  /** Resolves when the process is gone and its output has been read; never rejects. */
  readonly exited: Promise<WorkerExit>;
  readonly #process: ChildProcess;
  readonly #clock: Clock;
  readonly #stderr: StderrTail;
  #isGone = false;
  #killTimer: TimerHandle | null = null;

  /** Fails FFMPEG_START_FAILED if the system has no process or descriptor left. */
  constructor(spec: WorkerSpec, jail: Jail, clock: Clock) {
    const keepFds = spec.extraFd === null ? [] : [spec.extraFd];
    const jailed = jail.wrap(spec.ffmpegPath, spec.line.args, { network: spec.network, keepFds });
    this.#clock = clock;
    this.#stderr = new StderrTail(spec.onStderrLine);
    this.#process = spawnGroup(jailed.command, jailed.args, spec.extraFd !== null);
    const extra = this.#process.stdio[3];
    this.extra = extra instanceof Readable ? extra : null;
    this.stdout = this.#process.stdout!;
    this.exited = this.#watch();
    this.stdin = this.#feed(spec.line.stdin);
  }

  /** The operating system's ID of the process, and of its group. */
  get pid(): number {
    return this.#process.pid!;
  }

  /** `kill` was called, and the process may still be there. */
  get isEnding(): boolean {
    return this.#killTimer !== null;
  }

  /**
   * Asks the process to end, then insists. Idempotent; resolves when the process is gone. Output is discarded in
   * the meantime.
   */
  async kill(): Promise<void> {
    if (!this.#isGone && this.#killTimer === null) {
      this.stdout.resume();
      this.extra?.resume();
      // A reader of a pipe sees no signal before the pipe ends.
      this.stdin?.destroy();
      this.#signal('SIGTERM');
      this.#killTimer = this.#clock.after(TERM_GRACE_MS, () => this.#signal('SIGKILL'));
    }
    await this.exited;
  }

  #watch(): Promise<WorkerExit> {
    const child = this.#process;
    child.stderr!.on('data', (chunk: Buffer) => this.#stderr.push(chunk));
    // A pipe of a process that ended is not news: `close` reports it.
    for (const stream of [child.stdout!, child.stderr!, child.stdin!, this.extra]) {
      stream?.on('error', () => undefined);
    }
    return new Promise((resolve) => {
      const finish = (code: number | null, signal: string | null): void => {
        this.#isGone = true;
        this.#killTimer?.cancel();
        this.#stderr.end();
        resolve({ code, signal, stderr: this.#stderr.lines });
      };
      // Without the launcher, part of the group could survive and hold the pipes open.
      child.once('exit', () => this.#signal('SIGKILL'));
      child.once('close', finish);
    });
  }

  #feed(text: string | null): Writable | null {
    const stdin = this.#process.stdin!;
    if (text === null) return stdin;
    stdin.end(text);
    return null;
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.#isGone) return;
    try {
      process.kill(-this.pid, signal);
    } catch {
      // ESRCH: the group is already gone.
    }
  }
}

/** `detached` makes the process the leader of a group from the start. */
function spawnGroup(command: string, args: readonly string[], hasExtra: boolean): ChildProcess {
  const child = spawn(command, args, {
    cwd: '/',
    env: WORKER_ENVIRONMENT,
    detached: true,
    stdio: hasExtra ? ['pipe', 'pipe', 'pipe', 'pipe'] : ['pipe', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined) return child;
  // No file, process or descriptor left: `error` repeats it later, and no one else listens.
  child.once('error', () => undefined);
  throw new GatewayError(FFMPEG_ERRORS.FFMPEG_START_FAILED, { command });
}
