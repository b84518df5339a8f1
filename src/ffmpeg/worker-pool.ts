/**
 * How many ffmpeg processes run at once, and how many cores they are expected to take. A start that finds no room waits in
 * line: the most urgent first, then first come, first served (waiting-line.ts). The line has a limit, and no start waits in it
 * forever.
 *
 * Some work yields: audio that is separate from video which plays without it. It waits in a line of its own, for as
 * long as it takes, behind everything else; its worker is ended when work that does not yield needs the room. A worker that
 * many cameras share weighs more (shared-work.ts): its start waits in the line of the others, and few starts may end it.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { URGENCIES, type Urgency } from '../stream/urgency.ts';
import type { WorkerWait } from '../stream/worker-wait.ts';
import { FFMPEG_ERRORS } from './errors.ts';
import type { Jail } from './jail.ts';
import { HeldRoom, type SharedWork, YIELDING_RANK } from './shared-work.ts';
import { type Waiting, WaitingLine } from './waiting-line.ts';
import { Worker, type WorkerSpec } from './worker.ts';
import { forkStarter, type ProcessStarter } from './worker-process.ts';

/** Longest line by default: more would wait longer than a viewer does. */
export const DEFAULT_MAX_WAITING = 64;
/** Waiting costs a few hundred bytes; there is at most one per stream. */
export const MAX_YIELDING_WAITING = 4_096;
/** Sums of decimal fractions are not exact. */
const CORES_TOLERANCE = 1e-6;

export interface WorkerPoolOptions {
  readonly maxWorkers: number;
  /** What all workers together are expected to take at most. One that needs more runs alone. Default: any number. */
  readonly maxCores?: number;
  readonly maxWaiting?: number;
  /** Longest wait for room. */
  readonly waitTimeoutMs: number;
  readonly jail: Jail;
  /** Default: this process forks. */
  readonly starter?: ProcessStarter;
  readonly clock: Clock;
}

/** What a start says about itself. */
export interface StartWish {
  /** Asked again whenever there is room: someone may have begun to look meanwhile. Default: `viewer`. */
  readonly urgency?: () => Urgency;
  /** Default: `other`. */
  readonly purpose?: WorkerPurpose;
  readonly cameraUuid?: Ruuid;
  /** Expected use of processor time, worker-cores.ts. Default: 0, not counted. */
  readonly cores?: number;
  /** Of work that yields and that many cameras share; asked whenever it is weighed. Default: it is for one camera. */
  readonly shared?: () => SharedWork;
  /** It has to wait, or its place in the line is another one. */
  readonly onWaiting?: (place: WorkerWait) => void;
}

/** What a worker is for. */
export type WorkerPurpose = 'camera' | 'h264' | 'sound' | 'picture' | 'clip' | 'other';

/** A worker that runs, or a start that waits. */
interface WorkerEntry {
  readonly purpose: WorkerPurpose;
  /** The camera; null: several, or none. */
  readonly cameraUuid: Ruuid | null;
  /** Expected use of processor time. */
  readonly cores: number;
  /** It gives way to all that does not. */
  readonly isYielding: boolean;
  /** For how long it has been running, or waiting. */
  readonly ageMs: number;
}

export interface WaitingEntry extends WorkerEntry {
  readonly urgency: Urgency;
  /** Starts that are admitted earlier. */
  readonly ahead: number;
  /** What it waits for: all workers are in use, or all cores, or only earlier starts. */
  readonly waitsFor: 'workers' | 'cores' | 'earlier';
}

/** For people who ask why something does not play. */
export interface PoolOverview {
  readonly maxCores: number | null;
  /** The oldest first. */
  readonly running: readonly (WorkerEntry & { readonly pid: number | null })[];
  /** In the order in which they are admitted, as far as it is known. */
  readonly waiting: readonly WaitingEntry[];
}

export interface PoolSample {
  readonly running: number;
  readonly maxWorkers: number;
  /** Expected use of the running ones. */
  readonly cores: number;
  readonly waiting: Readonly<Record<Urgency | 'yielding', number>>;
  /** Started workers and refused starts so far. */
  readonly admitted: number;
  readonly refused: number;
  /** Time that started workers waited, in all. */
  readonly waitedMs: number;
}

/** A start that waits. */
interface WaitingStart extends Waiting {
  readonly spec: WorkerSpec;
  readonly wish: StartWish;
  readonly resolve: (worker: Worker) => void;
  readonly reject: (error: unknown) => void;
  /** null: waits indefinitely. */
  readonly timer: TimerHandle | null;
  readonly isYielding: boolean;
  readonly urgency: () => Urgency;
  readonly signal: AbortSignal;
  readonly onAbort: () => void;
  /** The last place that it was told. */
  ahead: number;
}

/** Room that is taken. */
interface Slot {
  readonly wish: StartWish;
  readonly sinceMonoMs: number;
  readonly isYielding: boolean;
  readonly shared: (() => SharedWork) | null;
  cores: number;
  /** null: being started. */
  worker: Worker | null;
  /** Settles when the process is gone, or could not be started. */
  readonly gone: Promise<void>;
}

export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #maxWaiting: number;
  /** Oldest first. */
  readonly #slots = new Set<Slot>();
  readonly #line: WaitingLine<WaitingStart>;
  readonly #yieldingWaiting = new Set<WaitingStart>();
  #cores = 0;
  #admitted = 0;
  #refused = 0;
  #waitedMs = 0;
  #isClosed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#maxWaiting = options.maxWaiting ?? DEFAULT_MAX_WAITING;
    this.#line = new WaitingLine(options.waitTimeoutMs, options.clock);
  }

  /** Whether workers are allowed at all. */
  get isAllowed(): boolean {
    return this.#options.maxWorkers > 0;
  }

  /** Whether its workers can stay loaded between pictures. */
  get hasPictureServer(): boolean {
    return this.#options.jail.hasPictureServer;
  }

  get counts(): { readonly running: number; readonly waiting: number } {
    return { running: this.#slots.size, waiting: this.#line.size + this.#yieldingWaiting.size };
  }

  /** For metrics. */
  get sample(): PoolSample {
    const waiting = { alarm: 0, viewer: 0, recording: 0, picture: 0, yielding: this.#yieldingWaiting.size };
    for (const { urgency, isYielding } of this.#line.all()) waiting[isYielding ? 'yielding' : urgency()]++;
    return {
      ...{ waiting, running: this.#slots.size, cores: this.#cores, admitted: this.#admitted },
      ...{ refused: this.#refused, waitedMs: this.#waitedMs, maxWorkers: this.#options.maxWorkers },
    };
  }

  /** At most `maxEntries` of each kind. */
  overview(maxEntries: number): PoolOverview {
    const nowMonoMs = this.#options.clock.monoMs();
    const { maxCores = null, maxWorkers } = this.#options;
    const entry = ({ wish, isYielding, sinceMonoMs }: Slot | WaitingStart, cores: number): WorkerEntry => ({
      ...{ purpose: wish.purpose ?? 'other', cameraUuid: wish.cameraUuid ?? null, cores, isYielding },
      ageMs: Math.round(nowMonoMs - sinceMonoMs),
    });
    const waiting = [...this.#line.inOrder(), ...this.#yieldingWaiting].slice(0, maxEntries);
    const waitsFor = (start: WaitingStart): WaitingEntry['waitsFor'] => {
      if (this.#hasRoom(start.wish, start.isYielding)) return 'earlier';
      return this.#slots.size >= maxWorkers ? 'workers' : 'cores';
    };
    return {
      maxCores: maxCores === null || !Number.isFinite(maxCores) ? null : maxCores,
      running: [...this.#slots].slice(0, maxEntries).map((slot) => ({
        ...entry(slot, slot.cores),
        pid: slot.worker?.pid ?? null,
      })),
      waiting: waiting.map((start, ahead) => ({
        ...entry(start, start.wish.cores ?? 0),
        ...{ urgency: start.urgency(), ahead, waitsFor: waitsFor(start) },
      })),
    };
  }

  /**
   * Starts a worker as soon as there is room, which is free again when the process is gone. Fails FFMPEG_POOL_FULL if the
   * line is full or the wait is too long, FFMPEG_CLOSED if `signal` aborts the wait or the pool is closed, and
   * FFMPEG_START_FAILED. `signal` has no effect on a worker that has started.
   */
  start(spec: WorkerSpec, signal: AbortSignal, wish: StartWish = {}): Promise<Worker> {
    return this.#start(spec, signal, wish, false);
  }

  /**
   * Like `start`, for work that yields: it waits until `signal` aborts, and its worker may be ended to make room. Work with
   * `shared` yields only to what outweighs it.
   * Fails FFMPEG_POOL_FULL if MAX_YIELDING_WAITING starts are waiting, or no worker is allowed at all.
   */
  startYielding(spec: WorkerSpec, signal: AbortSignal, wish: StartWish = {}): Promise<Worker> {
    return this.#start(spec, signal, wish, true);
  }

  /**
   * The expected use of a worker that serves a changing number of streams is now `cores`. Returns whether there is room for
   * it; if not, it stays what it was. More is refused while anyone waits for cores, less is always granted.
   */
  resize(worker: Worker, cores: number): boolean {
    const slot = this.#slots.values().find((each) => each.worker === worker);
    if (slot === undefined) return false;
    const moreCores = cores - slot.cores;
    if (moreCores > 0 && !this.#canGrow(moreCores)) return false;
    slot.cores = cores;
    this.#cores += moreCores;
    if (moreCores < 0) this.#admit();
    return true;
  }

  /** What a waiting start with `shared` is for has grown. */
  reconsider(): void {
    this.#makeRoom();
    this.#admit();
  }

  /** Ends all workers and refuses waiting starts; resolves when no process is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const waiting of [...this.#line.all(), ...this.#yieldingWaiting]) {
      this.#leaveLine(waiting);
      waiting.reject(new GatewayError(FFMPEG_ERRORS.FFMPEG_CLOSED));
    }
    for (const { worker } of this.#slots) void worker?.kill();
    await Promise.all(Array.from(this.#slots, ({ gone }) => gone));
  }

  #start(spec: WorkerSpec, signal: AbortSignal, wish: StartWish, isYielding: boolean): Promise<Worker> {
    if (this.#isClosed || signal.aborted) {
      return Promise.reject(new GatewayError(FFMPEG_ERRORS.FFMPEG_CLOSED));
    }
    if (this.#options.maxWorkers === 0) return Promise.reject(this.#full('none allowed'));
    // Whoever waits already is served first.
    const isFirst = this.#line.size === 0 && (isYielding ? this.#yieldingWaiting.size === 0 : true);
    if (isFirst && this.#hasRoom(wish, isYielding)) {
      this.#admitted++;
      return this.#launch(spec, wish, isYielding);
    }
    return new Promise((resolve, reject) => {
      const waiting = this.#waitingStart(spec, signal, wish, isYielding, resolve, reject);
      if (!isYielding || wish.shared !== undefined) this.#enqueue(waiting);
      else if (this.#yieldingWaiting.size < MAX_YIELDING_WAITING) this.#yieldingWaiting.add(waiting);
      else this.#refuse(waiting, 'too many wait');
    });
  }

  /** A line that is full keeps the more urgent ones. */
  #enqueue(waiting: WaitingStart): void {
    this.#line.add(waiting);
    const firm = this.#line.inOrder().filter(({ isYielding }) => !isYielding);
    if (firm.length > this.#maxWaiting) this.#refuse(firm.at(-1)!, 'too many wait');
    this.#makeRoom();
    this.#admit();
  }

  #waitingStart(
    spec: WorkerSpec,
    signal: AbortSignal,
    wish: StartWish,
    isYielding: boolean,
    resolve: (worker: Worker) => void,
    reject: (error: unknown) => void,
  ): WaitingStart {
    const { clock, waitTimeoutMs } = this.#options;
    const { shared, urgency = () => 'viewer' } = wish;
    const waiting: WaitingStart = {
      ...{ spec, wish, resolve, reject, signal, isYielding, urgency, ahead: -1 },
      rank:
        shared === undefined
          ? () => URGENCIES.indexOf(urgency())
          : () => this.#held().take(shared(), wish.cores ?? 0),
      sinceMonoMs: clock.monoMs(),
      timer: isYielding ? null : clock.after(waitTimeoutMs, () => this.#refuse(waiting, 'waited too long')),
      onAbort: () => {
        this.#leaveLine(waiting);
        reject(new GatewayError(FFMPEG_ERRORS.FFMPEG_CLOSED));
        this.#admit();
      },
    };
    signal.addEventListener('abort', waiting.onAbort, { once: true });
    return waiting;
  }

  #refuse(waiting: WaitingStart, reason: string): void {
    const ahead = Math.max(0, this.#line.inOrder().indexOf(waiting));
    this.#leaveLine(waiting);
    this.#refused++;
    waiting.reject(this.#full(reason, ahead));
    this.#admit();
  }

  #leaveLine(waiting: WaitingStart): void {
    this.#yieldingWaiting.delete(waiting);
    this.#line.remove(waiting);
    waiting.timer?.cancel();
    waiting.signal.removeEventListener('abort', waiting.onAbort);
  }

  /** Next to shared workers that hold their room, any one start that does not yield fits: they would never let it run alone. */
  #hasRoom({ cores = 0 }: StartWish, isYielding: boolean, freeSlots = 0, freeCores = 0): boolean {
    const { maxWorkers, maxCores = Number.POSITIVE_INFINITY } = this.#options;
    const slots = this.#slots.size - freeSlots;
    if (slots === 0) return true;
    if (slots >= maxWorkers) return false;
    if (this.#cores - freeCores + cores <= maxCores + CORES_TOLERANCE) return true;
    return !isYielding && slots === this.#held().workers;
  }

  /** What running shared workers hold. `onRank`: gets the rank of each slot that may be ended for others. */
  #held(onRank?: (slot: Slot, rank: number) => void): HeldRoom {
    const { maxWorkers, maxCores = Number.POSITIVE_INFINITY } = this.#options;
    const held = new HeldRoom(maxWorkers, maxCores);
    for (const slot of this.#slots) {
      if (!slot.isYielding || slot.worker?.isEnding === true) continue;
      const rank = slot.shared === null ? YIELDING_RANK : held.take(slot.shared(), slot.cores);
      if (slot.worker !== null) onRank?.(slot, rank);
    }
    return held;
  }

  #canGrow(moreCores: number): boolean {
    const doWait = this.#line.size > 0 || this.#yieldingWaiting.size > 0;
    // With all slots taken, they wait for one of those, and not for cores.
    if (doWait && this.#slots.size < this.#options.maxWorkers) return false;
    return this.#hasRoom({ cores: moreCores }, true, 1);
  }

  /**
   * Workers that yield make room for the starts that outweigh them, by the urgency of each and not by how long it has waited;
   * the least worth first, then the newest, and no more than needed. Shared work ends no other shared work.
   */
  #makeRoom(): void {
    const ending = [...this.#slots].filter(({ worker }) => worker?.isEnding === true);
    const yielding: { readonly slot: Slot; readonly rank: number }[] = [];
    this.#held((slot, rank) => yielding.push({ slot, rank }));
    yielding.sort((a, b) => a.rank - b.rank);
    let freeSlots = ending.length;
    let freeCores = ending.reduce((sum, { cores }) => sum + cores, 0);
    for (const { wish, isYielding, rank } of this.#line.inOrder()) {
      while (!this.#hasRoom(wish, isYielding, freeSlots, freeCores)) {
        const least = yielding.at(-1);
        const mayEnd =
          least !== undefined && rank() < least.rank && !(isYielding && least.slot.shared !== null);
        if (!mayEnd) return;
        yielding.pop();
        void least.slot.worker?.kill();
        freeSlots++;
        freeCores += least.slot.cores;
      }
      freeSlots--;
      freeCores -= wish.cores ?? 0;
    }
  }

  async #launch(spec: WorkerSpec, wish: StartWish, isYielding: boolean): Promise<Worker> {
    const { cores = 0, shared } = wish;
    const { jail, starter = forkStarter, clock } = this.#options;
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    const slot: Slot = {
      ...{ wish, isYielding, shared: shared ?? null, cores, worker: null, gone },
      sinceMonoMs: clock.monoMs(),
    };
    const free = (): void => {
      this.#slots.delete(slot);
      this.#cores = this.#slots.size === 0 ? 0 : this.#cores - slot.cores;
      resolve();
      this.#admit();
    };
    this.#slots.add(slot);
    this.#cores += cores;
    try {
      slot.worker = await Worker.start(spec, jail, starter, clock);
    } catch (error) {
      free();
      throw error;
    }
    void slot.worker.exited.then(free);
    if (this.#isClosed) void slot.worker.kill();
    else if (isYielding) this.#makeRoom();
    return slot.worker;
  }

  #admit(): void {
    while (!this.#isClosed) {
      const [yielding] = this.#yieldingWaiting;
      const first = this.#line.first() ?? yielding;
      if (first === undefined || !this.#hasRoom(first.wish, first.isYielding)) break;
      this.#leaveLine(first);
      this.#admitted++;
      this.#waitedMs += this.#options.clock.monoMs() - first.sinceMonoMs;
      this.#launch(first.spec, first.wish, first.isYielding).then(first.resolve, first.reject);
    }
    this.#tellPlaces();
  }

  #tellPlaces(): void {
    const running = this.#slots.size;
    for (const [ahead, waiting] of this.#line.inOrder().entries()) {
      if (waiting.ahead === ahead) continue;
      waiting.ahead = ahead;
      waiting.wish.onWaiting?.({ ahead, running, maxWorkers: this.#options.maxWorkers });
    }
  }

  #full(reason: string, ahead = this.#line.size): GatewayError {
    const { maxWorkers, waitTimeoutMs } = this.#options;
    const retryAfterSec = Math.max(1, Math.ceil(waitTimeoutMs / 1_000));
    const running = this.#slots.size;
    return new GatewayError(FFMPEG_ERRORS.FFMPEG_POOL_FULL, {
      ...{ reason, maxWorkers, running, ahead, retryAfterSec },
    });
  }
}
