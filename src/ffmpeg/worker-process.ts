/** A worker as the system sees it, and the two ways to start one: from this process, or by a spawner (spawner.ts). */

import { type ChildProcess, spawn } from 'node:child_process';
import { Readable, type Writable } from 'node:stream';
import { GatewayError } from '../core/errors.ts';
import { FFMPEG_ERRORS } from './errors.ts';
import type { JailedCommand } from './jail.ts';

export type WorkerSignal = 'SIGTERM' | 'SIGKILL';

/** One of both is null. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface WorkerProcess {
  /** The operating system's ID of the process, and of its group. */
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Descriptor 3; null unless requested. */
  readonly extra: Readable | null;
  /** To its whole group; nothing happens if that is gone. */
  signal(signal: WorkerSignal): void;
  /** Resolves when the process is gone and its outputs are closed; never rejects. */
  readonly ended: Promise<ProcessEnd>;
}

export interface ProcessStarter {
  /** `hasExtra`: with a pipe on descriptor 3 that the worker writes to. Fails FFMPEG_START_FAILED. */
  start(jailed: JailedCommand, hasExtra: boolean): Promise<WorkerProcess>;
}

/** A worker's whole environment; the launcher empties it once more. */
const WORKER_ENVIRONMENT = { LANG: 'C', MALLOC_ARENA_MAX: '2' };

/** Starts workers as children of this process, which is blocked while the kernel copies its page tables. */
export const forkStarter: ProcessStarter = {
  start: async (jailed, hasExtra) => new ForkedProcess(jailed, hasExtra),
};

class ForkedProcess implements WorkerProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly extra: Readable | null;
  readonly ended: Promise<ProcessEnd>;
  readonly #child: ChildProcess;
  #isGone = false;

  constructor({ command, args }: JailedCommand, hasExtra: boolean) {
    const child = spawn(command, args, {
      cwd: '/',
      env: WORKER_ENVIRONMENT,
      // The leader of a group from the start.
      detached: true,
      stdio: hasExtra ? ['pipe', 'pipe', 'pipe', 'pipe'] : ['pipe', 'pipe', 'pipe'],
    });
    if (child.pid === undefined) {
      // No file, process or descriptor left: `error` repeats it later, and nothing else listens.
      child.once('error', () => undefined);
      throw new GatewayError(FFMPEG_ERRORS.FFMPEG_START_FAILED, { command });
    }
    this.#child = child;
    this.stdin = child.stdin!;
    this.stdout = child.stdout!;
    this.stderr = child.stderr!;
    const extra = child.stdio[3];
    this.extra = extra instanceof Readable ? extra : null;
    this.ended = new Promise((resolve) => {
      // Without the launcher, part of the group could survive and hold the pipes open.
      child.once('exit', () => this.signal('SIGKILL'));
      child.once('close', (code, signal) => {
        this.#isGone = true;
        resolve({ code, signal });
      });
    });
  }

  get pid(): number {
    return this.#child.pid!;
  }

  signal(signal: WorkerSignal): void {
    if (this.#isGone) return;
    try {
      process.kill(-this.pid, signal);
    } catch {
      // ESRCH: the group is already gone.
    }
  }
}
