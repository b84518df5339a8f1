/** One ffmpeg process in its jail: started, watched by its owner, and gone without a trace when killed. */

import type { Readable, Writable } from 'node:stream';
import type { Clock, TimerHandle } from '../core/clock.ts';
import type { GatewayError } from '../core/errors.ts';
import type { FfmpegCommandLine } from './command.ts';
import type { WorkerExit } from './exit-reason.ts';
import type { Jail, WorkerNetwork } from './jail.ts';
import { StderrTail } from './stderr-tail.ts';
import type { ProcessStarter, WorkerProcess } from './worker-process.ts';

/** Between SIGTERM and SIGKILL. */
export const TERM_GRACE_MS = 2_000;

export interface WorkerSpec {
  readonly ffmpegPath: string;
  readonly line: FfmpegCommandLine;
  /** The camera that it pulls; null: none. */
  readonly network: WorkerNetwork | null;
  /** A pipe on this descriptor, in addition to the standard ones, that the worker writes to. Must be 3. */
  readonly extraFd: number | null;
  /** As in WrapOptions. */
  readonly isPictureServer?: boolean;
  readonly cpuSec?: number;
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
  readonly #process: WorkerProcess;
  readonly #clock: Clock;
  readonly #stderr: StderrTail;
  #isGone = false;
  #gaveWay: GatewayError | null = null;
  #killTimer: TimerHandle | null = null;

  private constructor(spec: WorkerSpec, started: WorkerProcess, clock: Clock) {
    this.#clock = clock;
    this.#stderr = new StderrTail(spec.onStderrLine);
    this.#process = started;
    this.extra = started.extra;
    this.stdout = started.stdout;
    this.exited = this.#watch();
    this.stdin = this.#feed(spec.line.stdin);
  }

  /** Fails FFMPEG_START_FAILED if the system has no process or descriptor left. */
  static async start(spec: WorkerSpec, jail: Jail, starter: ProcessStarter, clock: Clock): Promise<Worker> {
    const keepFds = spec.extraFd === null ? [] : [spec.extraFd];
    const { network, isPictureServer = false, cpuSec } = spec;
    const limits = cpuSec === undefined ? {} : { cpuSec };
    const options = { network, keepFds, isPictureServer, ...limits };
    const jailed = jail.wrap(spec.ffmpegPath, spec.line.args, options);
    return new Worker(spec, await starter.start(jailed, spec.extraFd !== null), clock);
  }

  /** The operating system's ID of the process, and of its group. */
  get pid(): number {
    return this.#process.pid;
  }

  /** `kill` was called, and the process may still be there. */
  get isEnding(): boolean {
    return this.#killTimer !== null;
  }

  /** Ends it for the sake of another one, which is why it ended then. */
  giveWay(reason: GatewayError): void {
    if (!this.isEnding) this.#gaveWay = reason;
    void this.kill();
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
      this.#process.signal('SIGTERM');
      this.#killTimer = this.#clock.after(TERM_GRACE_MS, () => this.#process.signal('SIGKILL'));
    }
    await this.exited;
  }

  async #watch(): Promise<WorkerExit> {
    const { stdin, stdout, stderr, extra, ended } = this.#process;
    stderr.on('data', (chunk: Buffer) => this.#stderr.push(chunk));
    // A pipe of a process that ended is not news: `ended` reports it.
    for (const stream of [stdin, stdout, stderr, extra]) stream?.on('error', () => undefined);
    const { code, signal } = await ended;
    this.#isGone = true;
    this.#killTimer?.cancel();
    this.#stderr.end();
    const exit = { code, signal, stderr: this.#stderr.lines };
    return this.#gaveWay === null ? exit : { ...exit, gaveWay: this.#gaveWay };
  }

  #feed(text: string | null): Writable | null {
    const { stdin } = this.#process;
    if (text === null) return stdin;
    stdin.end(text);
    return null;
  }
}
