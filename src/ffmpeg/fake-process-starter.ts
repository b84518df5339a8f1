/**
 * Workers without system processes, for tests of admission. A program runs until it gets a signal or its input ends, unless
 * its path makes it end by itself.
 */

import { Readable, Writable } from 'node:stream';
import type { Jail, JailedCommand } from './jail.ts';
import type { WorkerSpec } from './worker.ts';
import type { ProcessEnd, ProcessStarter, WorkerProcess, WorkerSignal } from './worker-process.ts';

const ENDS_BY_ITSELF = 'ends by itself';

/** Wraps nothing: the command is the program's path. */
export const noJail: Jail = {
  hasPictureServer: false,
  describe: () => {
    throw new Error('not asked for');
  },
  wrap: (path) => ({ command: path, args: [] }),
};

function program(ffmpegPath: string): WorkerSpec {
  return { ffmpegPath, line: { args: [], stdin: null }, network: null, extraFd: null };
}

export const FOREVER = program('forever');
/** Ends with code 0 in the next turn of the event loop. */
export const BRIEF = program(ENDS_BY_ITSELF);

export class FakeProcessStarter implements ProcessStarter {
  readonly #alive = new Set<number>();
  #nextPid = 1_000;

  async start({ command }: JailedCommand): Promise<WorkerProcess> {
    const pid = this.#nextPid++;
    this.#alive.add(pid);
    const started = new FakeProcess(pid, () => this.#alive.delete(pid));
    if (command === ENDS_BY_ITSELF) started.end({ code: 0, signal: null });
    return started;
  }

  isAlive(pid: number): boolean {
    return this.#alive.has(pid);
  }
}

class FakeProcess implements WorkerProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout = new Readable({ read: () => undefined });
  readonly stderr = new Readable({ read: () => undefined });
  readonly extra = null;
  readonly ended: Promise<ProcessEnd>;
  readonly #onGone: () => void;
  readonly #resolve: (end: ProcessEnd) => void;
  #isEnding = false;

  constructor(pid: number, onGone: () => void) {
    this.pid = pid;
    this.#onGone = onGone;
    const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
    this.ended = promise;
    this.#resolve = resolve;
    this.stdin = new Writable({
      write: (_chunk, _encoding, done) => done(),
      final: (done) => {
        this.end({ code: 0, signal: null });
        done();
      },
    });
  }

  signal(signal: WorkerSignal): void {
    this.end({ code: null, signal });
  }

  /** It is gone in the next turn of the event loop, as a process takes its time to end. */
  end(end: ProcessEnd): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    setImmediate(() => {
      this.#onGone();
      for (const stream of [this.stdout, this.stderr]) stream.push(null);
      this.#resolve(end);
    });
  }
}
