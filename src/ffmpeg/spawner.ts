/**
 * Starts workers without stopping this process. To fork, the kernel copies the page tables of the calling process: 47 ms
 * with 1 GB of memory, in which no viewer gets a part. So the launcher runs once more, small and from the start, as the
 * parent of all workers (native/spawner.c). A worker's pipes are connections to a UNIX socket of ours. Each is opened with
 * a secret that only the spawner receives.
 */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { FFMPEG_ERRORS } from './errors.ts';
import type { JailedCommand } from './jail.ts';
import type { ProcessEnd, ProcessStarter, WorkerProcess, WorkerSignal } from './worker-process.ts';

/** Standard input, output and error; then one more. */
const STANDARD_STREAMS = 3;
const TOKEN_CHARS = 32;
/** A token, and the digit of a descriptor. */
const HEAD_BYTES = TOKEN_CHARS + 1;
/** The spawner sends it immediately; anyone else on this machine can connect as well. */
const HEAD_TIMEOUT_MS = 2_000;
const MAX_UNKNOWN_CONNECTIONS = 256;
/** A spawner that takes longer hangs, and is replaced. */
const START_TIMEOUT_MS = 10_000;

const SIGNAL_NAMES = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

type SpawnerProcess = ChildProcessByStdio<Writable, Readable, null>;

export interface SpawnerOptions {
  /** `sluice-jail`. */
  readonly launcherPath: string;
  readonly clock: Clock;
  readonly log: Log;
}

export class Spawner implements ProcessStarter {
  readonly #options: SpawnerOptions;
  readonly #server: Server;
  readonly #address: string;
  readonly #unknown = new Set<Socket>();
  /** Asked for and not gone, by the IDs that the spawner knows them by. */
  readonly #workers = new Map<number, SpawnedProcess>();
  readonly #byToken = new Map<string, SpawnedProcess>();
  #process: SpawnerProcess | null = null;
  #nextId = 1;
  #isClosed = false;

  private constructor(options: SpawnerOptions, server: Server, address: string) {
    this.#options = options;
    this.#server = server;
    this.#address = address;
    server.on('connection', (socket) => this.#connected(socket));
    this.#process = this.#launch();
  }

  /** Call it early: the spawner is started by this process, which should be small. Fails if there can be no UNIX socket. */
  static async open(options: SpawnerOptions): Promise<Spawner> {
    const address = `sluice-${randomBytes(TOKEN_CHARS / 2).toString('hex')}`;
    const server = createServer();
    server.listen({ path: `\0${address}` });
    await once(server, 'listening');
    server.unref();
    return new Spawner(options, server, address);
  }

  /** The operating system's ID of the spawner; null: it ended, and the next start replaces it. */
  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  /** Only for what the launcher runs: the spawner is one. Fails FFMPEG_START_FAILED. */
  async start({ args }: JailedCommand, hasExtra: boolean): Promise<WorkerProcess> {
    if (this.#isClosed) throw new GatewayError(FFMPEG_ERRORS.FFMPEG_START_FAILED, { reason: 'closed' });
    this.#process ??= this.#launch();
    const spawner = this.#process;
    const token = randomBytes(TOKEN_CHARS / 2).toString('hex');
    const id = this.#nextId++;
    const streams = hasExtra ? STANDARD_STREAMS + 1 : STANDARD_STREAMS;
    const worker = new SpawnedProcess(streams, (signal) => this.#send('kill', id, constants.signals[signal]));
    this.#workers.set(id, worker);
    (spawner.stdout as Socket).ref();
    this.#byToken.set(token, worker);
    const timer = this.#options.clock.after(START_TIMEOUT_MS, () => {
      // Started, but a connection is missing, perhaps for want of a descriptor: then only this worker is in vain.
      if (worker.pid === 0) spawner.kill('SIGKILL');
      else worker.signal('SIGKILL');
      worker.failed({ reason: 'it took too long' });
    });
    this.#send('start', id, streams, this.#address, token, ...args);
    try {
      await worker.started;
    } finally {
      timer.cancel();
      this.#byToken.delete(token);
    }
    return worker;
  }

  /** Ends all workers. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const spawner = this.#process;
    if (spawner !== null) {
      spawner.ref();
      const gone = once(spawner, 'exit');
      spawner.stdin.end();
      await gone;
    }
    for (const socket of this.#unknown) socket.destroy();
    this.#server.close();
  }

  #launch(): SpawnerProcess {
    const { launcherPath } = this.#options;
    const spawner = spawn(launcherPath, ['--spawner', '--parent', String(process.pid)], {
      cwd: '/',
      env: {},
      // A terminal's signals are for the gateway, which ends its workers in order.
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    spawner.on('error', () => this.#spawnerEnded(spawner));
    spawner.on('exit', () => this.#spawnerEnded(spawner));
    spawner.stdin.on('error', () => undefined);
    createInterface(spawner.stdout).on('line', (line) => this.#heard(line));
    // Only its workers keep us running.
    spawner.unref();
    (spawner.stdin as Socket).unref();
    (spawner.stdout as Socket).unref();
    return spawner;
  }

  #send(...words: readonly (string | number)[]): void {
    const body = Buffer.from(words.map((word) => `${word}\0`).join(''));
    const length = Buffer.allocUnsafe(4);
    if (new Uint8Array(Uint32Array.of(1).buffer)[0] === 1) length.writeUInt32LE(body.length);
    else length.writeUInt32BE(body.length);
    this.#process?.stdin.write(Buffer.concat([length, body]));
  }

  #heard(line: string): void {
    const [event, idText, first, second] = line.split(' ');
    const id = Number(idText);
    const worker = this.#workers.get(id);
    if (worker === undefined) return;
    if (event !== 'started') this.#forget(id);
    if (event === 'started') worker.hasPid(Number(first));
    else if (event === 'failed') worker.failed({ errno: Number(first) });
    else {
      const signal = SIGNAL_NAMES.get(Number(second)) ?? null;
      worker.isGone({ code: signal === null ? Number(first) : null, signal });
    }
  }

  #forget(id: number): void {
    this.#workers.delete(id);
    if (this.#workers.size === 0) (this.#process?.stdout as Socket | undefined)?.unref();
  }

  /** The kernel has killed its workers; the next start needs another one. */
  #spawnerEnded(spawner: SpawnerProcess): void {
    if (this.#process !== spawner) return;
    this.#process = null;
    if (!this.#isClosed) this.#options.log.warn({ workers: this.#workers.size }, 'ffmpeg spawner ended');
    for (const worker of this.#workers.values()) {
      worker.failed({ reason: 'the spawner ended' });
      worker.isGone({ code: null, signal: 'SIGKILL' });
    }
    this.#workers.clear();
  }

  #connected(socket: Socket): void {
    socket.on('error', () => undefined); // `close` follows
    if (this.#unknown.size >= MAX_UNKNOWN_CONNECTIONS) {
      socket.destroy();
      return;
    }
    this.#unknown.add(socket);
    const timer = this.#options.clock.after(HEAD_TIMEOUT_MS, () => socket.destroy());
    const known = (): void => {
      timer.cancel();
      this.#unknown.delete(socket);
      socket.off('close', known);
      socket.off('readable', read);
    };
    const read = (): void => {
      const head: Buffer | null = socket.read(HEAD_BYTES);
      if (head === null) return;
      known();
      const text = head.toString('latin1');
      const worker = this.#byToken.get(text.slice(0, TOKEN_CHARS));
      if (worker?.hasStream(Number(text[TOKEN_CHARS]), socket) !== true) socket.destroy();
    };
    socket.on('close', known);
    socket.on('readable', read);
  }
}

class SpawnedProcess implements WorkerProcess {
  /** Resolves when it runs and its streams are there. Rejects FFMPEG_START_FAILED. */
  readonly started: Promise<void>;
  readonly ended: Promise<ProcessEnd>;
  readonly signal: (signal: WorkerSignal) => void;
  readonly #streams: (Socket | null)[];
  readonly #resolveStarted: () => void;
  readonly #rejectStarted: (error: GatewayError) => void;
  readonly #resolveEnded: (end: ProcessEnd) => void;
  #pid = 0;
  #isStarted = false;
  #end: ProcessEnd | null = null;
  #openOutputs = 0;

  constructor(streamCount: number, signal: (signal: WorkerSignal) => void) {
    this.#streams = Array.from({ length: streamCount }, () => null);
    const starting = Promise.withResolvers<void>();
    this.started = starting.promise;
    this.#resolveStarted = starting.resolve;
    this.#rejectStarted = starting.reject;
    const ending = Promise.withResolvers<ProcessEnd>();
    this.ended = ending.promise;
    this.#resolveEnded = ending.resolve;
    this.signal = (name) => {
      if (this.#end === null) signal(name);
    };
  }

  get pid(): number {
    return this.#pid;
  }

  get stdin(): Socket {
    return this.#streams[0]!;
  }

  get stdout(): Socket {
    return this.#streams[1]!;
  }

  get stderr(): Socket {
    return this.#streams[2]!;
  }

  get extra(): Socket | null {
    return this.#streams[3] ?? null;
  }

  hasPid(pid: number): void {
    this.#pid = pid;
    this.#checkStarted();
  }

  /** Whether it is one of ours. */
  hasStream(descriptor: number, socket: Socket): boolean {
    if (this.#streams[descriptor] !== null) return false;
    this.#streams[descriptor] = socket;
    if (descriptor > 0) {
      this.#openOutputs++;
      socket.once('close', () => {
        this.#openOutputs--;
        this.#checkEnded();
      });
    }
    this.#checkStarted();
    return true;
  }

  /** No effect on one that has started. */
  failed(context: GatewayError['context']): void {
    if (this.#isStarted) return;
    for (const socket of this.#streams) socket?.destroy();
    this.#rejectStarted(new GatewayError(FFMPEG_ERRORS.FFMPEG_START_FAILED, context));
  }

  isGone(end: ProcessEnd): void {
    this.#end = end;
    this.#checkEnded();
  }

  #checkStarted(): void {
    if (this.#pid === 0 || this.#streams.includes(null)) return;
    this.#isStarted = true;
    this.#resolveStarted();
  }

  #checkEnded(): void {
    if (this.#end === null || this.#openOutputs > 0 || this.#streams.includes(null)) return;
    this.stdin.destroy();
    this.#resolveEnded(this.#end);
  }
}
