/**
 * Limits the number of concurrent ffmpeg processes, and the cores that they are expected to use. A start that finds no room
 * waits in line: the most urgent first, then first come, first served (waiting-line.ts). The line has a limit, and no start
 * waits in it forever.
 *
 * Organizations share the workers (docs/design/limits.md). Each has as many as it likes while no other one wants them; then those
 * beyond an equal part give way (giving-way.ts), and the line is shared out, too.
 *
 * Some work yields: audio that is separate from video which plays without it, and conversions. It waits in lines of its own, for
 * as long as it takes, behind everything else; its worker is ended when work that does not yield needs the room. A worker that
 * many cameras share weighs more (shared-work.ts): its start waits in the line of the others, and few starts may end it.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { URGENCIES, type Urgency } from '../stream/media/urgency.ts';
import { FFMPEG_ERRORS } from './errors.ts';
import type { Jail } from './jail.ts';
import type { PoolOverview, PoolSample, WaitingEntry, WorkerEntry } from './pool-overview.ts';
import { YIELDING_RANK } from './shared-work.ts';
import type { StartRequest } from './start-request.ts';
import { type Waiting, WaitingLine } from './waiting-line.ts';
import { Worker, type WorkerSpec } from './worker.ts';
import { forkStarter, type ProcessStarter } from './worker-process.ts';
import {
  NO_ORGANIZATION,
  type Opening,
  type Prospect,
  type RoomSeeker,
  type RunningGiver,
  type Slot,
  WorkerRoom,
} from './worker-room.ts';

export interface WorkerPoolOptions {
  readonly maxWorkers: number;
  /** Limit of the expected use by all workers together. A worker that needs more runs alone. Default: no limit. */
  readonly maxCores?: number;
  /** Default: as in the registry of limits. More would wait longer than a viewer does. */
  readonly maxWaiting?: number;
  /** Longest wait for room. */
  readonly waitTimeoutMs: number;
  readonly jail: Jail;
  /** Default: this process forks. */
  readonly starter?: ProcessStarter;
  readonly clock: Clock;
}

/** A start that waits. */
interface WaitingStart extends Waiting, RoomSeeker {
  readonly cores: number;
  readonly rank: () => number;
  readonly spec: WorkerSpec;
  readonly wanted: StartRequest;
  readonly resolve: (worker: Worker) => void;
  readonly reject: (error: unknown) => void;
  /** null: waits indefinitely. */
  readonly timer: TimerHandle | null;
  readonly urgency: () => Urgency;
  readonly signal: AbortSignal;
  readonly onAbort: () => void;
  /** The last place that was reported to it. */
  ahead: number;
}

export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #maxWaiting: number;
  readonly #room: WorkerRoom;
  readonly #line: WaitingLine<WaitingStart>;
  #admitted = 0;
  #refused = 0;
  #taken = 0;
  #waitedMs = 0;
  #isClosed = false;
  /** When a worker may be ended that a start waits for. */
  #wake: TimerHandle | null = null;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#maxWaiting = options.maxWaiting ?? LIMITS.workerStarts.total;
    this.#room = new WorkerRoom(options);
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
    return { running: this.#room.slots.size, waiting: this.#waitingSize };
  }

  /** Used for metrics. */
  get sample(): PoolSample {
    const waiting = { alarm: 0, viewer: 0, recording: 0, picture: 0, yielding: this.#line.yieldingSize };
    for (const { urgency, isYielding } of this.#line.urgent()) waiting[isYielding ? 'yielding' : urgency()]++;
    return {
      waiting,
      running: this.#room.slots.size,
      cores: this.#room.cores,
      admitted: this.#admitted,
      refused: this.#refused,
      taken: this.#taken,
      waitedMs: this.#waitedMs,
      maxWorkers: this.#options.maxWorkers,
    };
  }

  /** At most `maxEntries` of each kind. */
  overview(maxEntries: number): PoolOverview {
    const nowMonoMs = this.#options.clock.monoMs();
    const { maxCores = null } = this.#options;
    const entry = ({ wanted, isYielding, sinceMonoMs }: Slot | WaitingStart, cores: number): WorkerEntry => ({
      purpose: wanted.purpose ?? 'other',
      cameraUuid: wanted.cameraUuid ?? null,
      cores,
      isYielding,
      ageMs: Math.round(nowMonoMs - sinceMonoMs),
    });
    const waiting = [...this.#line.inOrder(this.#room.prospect().shares).take(maxEntries)];
    const waitsFor = (start: WaitingStart): WaitingEntry['waitsFor'] => {
      if (this.#room.has(start)) return 'earlier';
      return this.#room.hasFreeSlot ? 'cores' : 'workers';
    };
    return {
      maxCores: maxCores === null || !Number.isFinite(maxCores) ? null : maxCores,
      running: [...this.#room.slots].slice(0, maxEntries).map((slot) => ({
        ...entry(slot, slot.cores),
        pid: slot.worker?.pid ?? null,
      })),
      waiting: waiting.map(({ start }, ahead) => ({
        ...entry(start, start.cores),
        urgency: start.urgency(),
        ahead,
        waitsFor: waitsFor(start),
      })),
    };
  }

  /**
   * Starts a worker as soon as there is room, which is free again when the process is gone. Fails FFMPEG_POOL_FULL if the
   * line is full or the wait is too long, FFMPEG_CLOSED if `signal` aborts the wait or the pool is closed, and
   * FFMPEG_START_FAILED. `signal` has no effect on a worker that has started. The pool may end it for another organization's
   * start; its exit says so.
   */
  start(spec: WorkerSpec, signal: AbortSignal, wanted: StartRequest = {}): Promise<Worker> {
    return this.#start(spec, signal, wanted, false);
  }

  /**
   * Like `start`, for work that yields: it waits until `signal` aborts, and its worker may be ended to make room. Work with
   * `shared` yields only to what outweighs it.
   * Fails FFMPEG_POOL_FULL if too many such starts are waiting, or no worker is allowed at all.
   */
  startYielding(spec: WorkerSpec, signal: AbortSignal, wanted: StartRequest = {}): Promise<Worker> {
    return this.#start(spec, signal, wanted, true);
  }

  /**
   * The expected use of a worker that serves a changing number of streams is now `cores`. Returns whether there is room for
   * it; if not, the expected use does not change. More is refused while any start waits for cores, except for an
   * organization with less than an equal part and no waiting start of its own. Less is always granted.
   */
  resize(worker: Worker, cores: number, organization: string = NO_ORGANIZATION): boolean {
    const slot = this.#room.slots.values().find((each) => each.worker === worker);
    if (slot === undefined) return false;
    const isMore = cores > slot.cores;
    if (isMore && !this.#mayGrow(cores - slot.cores, organization)) return false;
    this.#room.resize(slot, cores);
    if (!isMore) this.#settle();
    return true;
  }

  /** The work of a waiting start with `shared` has grown. */
  reconsider(): void {
    this.#settle();
  }

  /** Ends all workers and refuses waiting starts; resolves when no process is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake?.cancel();
    for (const waiting of [...this.#line.all()]) {
      this.#leaveLine(waiting);
      waiting.reject(new GatewayError(FFMPEG_ERRORS.FFMPEG_CLOSED));
    }
    for (const { worker } of this.#room.slots) void worker?.kill();
    await Promise.all(Array.from(this.#room.slots, ({ gone }) => gone));
  }

  #mayGrow(moreCores: number, organization: string): boolean {
    // With all slots taken, starts wait for one of those, and not for cores.
    const isBehind = this.#waitingSize > 0 && this.#room.hasFreeSlot;
    if (!isBehind && this.#room.has({ cores: moreCores, isYielding: true }, 1)) return true;
    const waiting = this.#waitingOrganizations();
    const { shares } = this.#room.prospect();
    return !waiting.has(organization) && shares.isWithinEqualPart(organization, moreCores, waiting);
  }

  #waitingOrganizations(): Set<string> {
    return new Set(Iterator.from(this.#line.all()).flatMap((waiting) => waiting.organizations()));
  }

  get #waitingSize(): number {
    return this.#line.size + this.#line.yieldingSize;
  }

  #start(spec: WorkerSpec, signal: AbortSignal, wanted: StartRequest, isYielding: boolean): Promise<Worker> {
    if (this.#isClosed || signal.aborted) {
      return Promise.reject(new GatewayError(FFMPEG_ERRORS.FFMPEG_CLOSED));
    }
    if (this.#options.maxWorkers === 0) return Promise.reject(this.#full('none allowed', wanted));
    const { promise, resolve, reject } = Promise.withResolvers<Worker>();
    const waiting = this.#waitingStart(spec, signal, wanted, isYielding, resolve, reject);
    if (isYielding && !waiting.isShared) this.#line.addYielding(waiting);
    else this.#line.add(waiting);
    this.#settle();
    this.#bound();
    return promise;
  }

  /** A line that is full keeps the starts of the organizations with the fewest, and of each the more urgent ones. */
  #bound(): void {
    const isFirm = ({ isYielding }: WaitingStart) => !isYielding;
    const firm = Iterator.from(this.#line.urgent()).filter(isFirm).toArray().length;
    if (firm > this.#maxWaiting) {
      this.#refuse(this.#line.lastOfGreediest(this.#room.prospect().shares, isFirm), 'too many wait');
    }
    if (this.#line.yieldingSize > LIMITS.yieldingStarts.total) {
      this.#refuse(this.#line.lastYielding(), 'too many wait');
    }
  }

  #waitingStart(
    spec: WorkerSpec,
    signal: AbortSignal,
    wanted: StartRequest,
    isYielding: boolean,
    resolve: (worker: Worker) => void,
    reject: (error: unknown) => void,
  ): WaitingStart {
    const { clock, waitTimeoutMs } = this.#options;
    const { shared, urgency = () => 'viewer', organization = NO_ORGANIZATION, cores = 0 } = wanted;
    const ownRank = isYielding ? () => YIELDING_RANK : () => URGENCIES.indexOf(urgency());
    const waiting: WaitingStart = {
      spec,
      wanted,
      resolve,
      reject,
      signal,
      isYielding,
      urgency,
      cores,
      ahead: -1,
      isShared: shared !== undefined,
      organizations: () => {
        const sharing = [...(shared?.().camerasOf?.keys() ?? [])];
        return sharing.length === 0 ? [organization] : sharing;
      },
      rank: shared === undefined ? ownRank : () => this.#room.held().take(shared(), cores),
      sinceMonoMs: clock.monoMs(),
      timer: isYielding ? null : clock.after(waitTimeoutMs, () => this.#refuse(waiting, 'waited too long')),
      onAbort: () => {
        this.#leaveLine(waiting);
        reject(new GatewayError(FFMPEG_ERRORS.FFMPEG_CLOSED));
        this.#settle();
      },
    };
    signal.addEventListener('abort', waiting.onAbort, { once: true });
    return waiting;
  }

  #refuse(waiting: WaitingStart, reason: string): void {
    const order = this.#line.inOrder(this.#room.prospect().shares).take(this.#line.size);
    const ahead = Math.max(
      0,
      order.toArray().findIndex(({ start }) => start === waiting),
    );
    this.#leaveLine(waiting);
    this.#refused++;
    waiting.reject(this.#full(reason, waiting.wanted, ahead));
    this.#settle();
  }

  #leaveLine(waiting: WaitingStart): void {
    this.#line.remove(waiting);
    waiting.timer?.cancel();
    waiting.signal.removeEventListener('abort', waiting.onAbort);
  }

  /** Starts who is next while there is room, and ends workers that give way. */
  #settle(): void {
    this.#wake?.cancel();
    this.#wake = null;
    if (this.#isClosed || this.#waitingSize === 0) return;
    const prospect = this.#room.prospect();
    // Once a start waits for a worker to end, those behind it do, too.
    let isBehind = false;
    for (const turn of this.#line.inOrder(prospect.shares)) {
      const opening = this.#room.openingFor(turn, prospect);
      if (opening === null) break;
      const { start } = turn;
      isBehind ||= opening.givers.length > 0 || !this.#fitsNow(start, opening, prospect);
      if (!isBehind) {
        this.#admit(start);
        continue;
      }
      if (opening.waitMs > 0) {
        if (Number.isFinite(opening.waitMs)) {
          this.#wake = this.#options.clock.after(opening.waitMs, () => this.#settle());
        }
        break;
      }
      if (opening.excess.size > 0) this.#room.noteTake(turn.organization);
      for (const giver of opening.givers) this.#end(giver, opening.excess.has(giver));
      prospect.freeSlots--;
      prospect.freeCores -= start.cores;
    }
    this.#tellPlaces();
  }

  #fitsNow(start: WaitingStart, { isOverdrawn }: Opening, { freeSlots }: Prospect): boolean {
    return isOverdrawn ? freeSlots === 0 : this.#room.has(start);
  }

  #end({ slot }: RunningGiver, isExcess: boolean): void {
    if (isExcess) this.#taken++;
    const { maxWorkers } = this.#options;
    const bound = isExcess ? { boundOf: 'organization' } : {};
    const context = { reason: 'gave way', maxWorkers, running: this.#room.slots.size, ...bound };
    slot.worker?.giveWay(new GatewayError(FFMPEG_ERRORS.FFMPEG_POOL_FULL, context));
  }

  async #launch(spec: WorkerSpec, wanted: StartRequest, isYielding: boolean): Promise<Worker> {
    const { cores = 0, shared } = wanted;
    const { jail, starter = forkStarter, clock } = this.#options;
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    const slot: Slot = {
      wanted,
      isYielding,
      shared: shared ?? null,
      cores,
      worker: null,
      gone,
      sinceMonoMs: clock.monoMs(),
    };
    const free = (): void => {
      this.#room.giveBack(slot);
      resolve();
      this.#settle();
    };
    this.#room.take(slot);
    try {
      slot.worker = await Worker.start(spec, jail, starter, clock);
    } catch (error) {
      free();
      throw error;
    }
    void slot.worker.exited.then(free);
    if (this.#isClosed) void slot.worker.kill();
    else this.#settle();
    return slot.worker;
  }

  #admit(start: WaitingStart): void {
    this.#leaveLine(start);
    this.#admitted++;
    this.#waitedMs += this.#options.clock.monoMs() - start.sinceMonoMs;
    this.#launch(start.spec, start.wanted, start.isYielding).then(start.resolve, start.reject);
  }

  #tellPlaces(): void {
    if (this.#line.size === 0) return;
    const running = this.#room.slots.size;
    let ahead = 0;
    let left = this.#line.size;
    for (const { start } of this.#line.inOrder(this.#room.prospect().shares)) {
      if (left === 0) break;
      if (!start.isYielding || start.isShared) left--;
      if (start.ahead !== ahead) {
        start.ahead = ahead;
        start.wanted.onWaiting?.({ ahead, running, maxWorkers: this.#options.maxWorkers });
      }
      ahead++;
    }
  }

  #full(
    reason: string,
    { organization = NO_ORGANIZATION }: StartRequest,
    ahead = this.#line.size,
  ): GatewayError {
    const { maxWorkers, waitTimeoutMs } = this.#options;
    const retryAfterSec = Math.max(1, Math.ceil(waitTimeoutMs / 1_000));
    const running = this.#room.slots.size;
    const { shares } = this.#room.prospect();
    const isBeyond = shares.isBeyondEqualPart(organization, this.#waitingOrganizations());
    return new GatewayError(FFMPEG_ERRORS.FFMPEG_POOL_FULL, {
      reason,
      maxWorkers,
      running,
      ahead,
      retryAfterSec,
      boundOf: isBeyond ? 'organization' : 'all',
    });
  }
}
