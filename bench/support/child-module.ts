/**
 * Runs one part of a benchmark (servers, cameras, viewers) in its own process, so that the parts share neither an
 * event loop nor a heap, and calls functions in it. With `SLUICE_BENCH_PROF=FOLDER`, every such process leaves a
 * CPU profile there.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** Functions of a child module: one argument in, one result out, both plain data. */
export type Calls = object;

type ArgumentOf<C extends Calls, K extends keyof C> = C[K] extends (argument: infer A) => unknown ? A : never;
type ResultOf<C extends Calls, K extends keyof C> = C[K] extends (argument: never) => infer R
  ? Awaited<R>
  : never;

interface Request {
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
}

type Answer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: string };

/** Processor time and memory of a process. */
export interface ProcessUsage {
  /** User and system time since its start, all threads. */
  readonly cpuMicros: number;
  readonly rssBytes: number;
  /** `hrtimeMs` of the reading. */
  readonly atMs: number;
}

/** CLOCK_MONOTONIC in milliseconds: the same clock in every process of a machine. */
export function hrtimeMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The calling process's own. */
export function processUsage(): ProcessUsage {
  const { user, system } = process.cpuUsage();
  return { cpuMicros: user + system, rssBytes: process.memoryUsage.rss(), atMs: hrtimeMs() };
}

/** Average load between two readings, percent of one core. */
export function cpuPercent(from: ProcessUsage, to: ProcessUsage): number {
  return (to.cpuMicros - from.cpuMicros) / 10 / (to.atMs - from.atMs);
}

export class ChildModule<C extends Calls> {
  readonly #process: ChildProcess;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  #nextId = 0;

  /**
   * `file`: absolute path of a module that ends with `answerParent(calls)`. `nodeFlags`: for example `--expose-gc`.
   * `descriptors`: how many files the process can have open; the same as this one by default.
   */
  constructor(file: string, nodeFlags: readonly string[] = [], descriptors: number | null = null) {
    const profiles = process.env.SLUICE_BENCH_PROF;
    const profiling = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
    const execArgv = [...nodeFlags, ...profiling];
    const limit = `ulimit -n ${descriptors} && exec "$0" "$@"`;
    this.#process =
      descriptors === null
        ? fork(file, [], { execArgv })
        : fork(file, [], { execPath: '/bin/sh', execArgv: ['-c', limit, process.execPath, ...execArgv] });
    this.#process.on('message', (response: Answer) => this.#onResponse(response));
    this.#process.on('exit', (code) => this.#onExit(`${file} ended with exit code ${code}`));
    this.#process.on('error', (error) => this.#onExit(`${file} cannot be started: ${error.message}`));
  }

  call<K extends keyof C & string>(name: K, argument: ArgumentOf<C, K>): Promise<ResultOf<C, K>> {
    const id = this.#nextId++;
    const pending = Promise.withResolvers<unknown>();
    this.#pending.set(id, pending);
    const request: Request = { id, name, argument };
    this.#process.send(request, (error) => {
      if (error !== null) this.#onExit(error.message);
    });
    return pending.promise as Promise<ResultOf<C, K>>;
  }

  /** Resolves when the process has ended. */
  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = once(this.#process, 'exit');
    if (this.#process.connected) this.#process.disconnect();
    await exited;
  }

  #onResponse(response: Answer): void {
    const pending = this.#pending.get(response.id);
    this.#pending.delete(response.id);
    if ('failure' in response) pending?.reject(new Error(response.failure));
    else pending?.resolve(response.result);
  }

  #onExit(reason: string): void {
    for (const pending of this.#pending.values()) pending.reject(new Error(reason));
    this.#pending.clear();
  }
}

/** In the child: answers the parent's calls, which may overlap. Ends the process when the parent lets go. */
export function responseParent(calls: Calls): void {
  const functions = calls as Readonly<Record<string, (argument: unknown) => unknown>>;
  process.on('message', async ({ id, name, argument }: Request) => {
    let response: Answer;
    try {
      response = { id, result: await functions[name]!(argument) };
    } catch (thrown) {
      response = { id, failure: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) };
    }
    process.send?.(response);
  });
  process.on('disconnect', () => process.exit(0));
}

/** Runs `work` with the children and ends all of them, whatever happens. */
export async function withChildren<T>(
  children: readonly { end(): Promise<void> }[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } finally {
    await Promise.all(children.map((child) => child.end()));
  }
}
