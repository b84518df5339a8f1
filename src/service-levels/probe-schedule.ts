/**
 * Which share the synthetic viewer plays when, and what came of it. Runs of different shares are spread over the interval, so that they
 * do not meet.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { type LevelBooks, MAX_PROBED_SHARES } from './level-books.ts';
import { type ProbeChild, ProbeProcess } from './probe-process-link.ts';
import { FIRST_PICTURE_LIMIT_MS, type RunOutcome, type RunResult } from './probe-protocol.ts';

export interface ChosenShare {
  readonly shareUuid: Ruuid;
  readonly orgUuid: Ruuid;
  /** The name when it was chosen, for people who look at a deleted share. */
  readonly name: string;
}

/** The target of a run of the synthetic viewer. */
export interface ProbeTarget {
  readonly pageUrl: string;
  /** Has a grant that lives as long as the run. */
  readonly playlistUrl: string;
  readonly isLocal: boolean;
  /** The camera was closed, so that the run begins by waking it. */
  readonly isCold: boolean;
}

/** `lost`: the process ended in the meantime. `revoked`: there is no such share. */
export type RunEnding = RunOutcome | 'lost';
export const RUN_ENDINGS: readonly RunEnding[] = [
  ...(['played', 'refused', 'camera-offline', 'sound-only', 'failed', 'lost'] as const),
];

export interface ProbeRunRecord extends RunResult {
  readonly startedAtEpochMs: number;
  readonly isCold: boolean;
}

/** The current state of a chosen share. */
export interface ProbedShare extends ChosenShare {
  readonly isRunning: boolean;
  /** Newest first. */
  readonly runs: readonly ProbeRunRecord[];
  readonly endings: Readonly<Record<RunEnding, number>>;
}

export interface ProbePlan {
  /** The time from the beginning of a run to that of the next. If it is not longer than a run, runs follow without a pause. */
  readonly everyMs: number;
  readonly playMs: number;
}

export interface ProbeScheduleOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly launch: () => ProbeChild;
  readonly books: LevelBooks;
  readonly plan: ProbePlan;
  /** null: there is no such share. */
  readonly target: (shareUuid: Ruuid, lifetimeMs: number) => ProbeTarget | null;
}

export const MAX_KEPT_RUNS = 12;
/** A result that is not there by then will not come. */
const RESULT_GRACE_MS = 15_000;
/** The first run of a share comes soon, so that someone who just chose it sees something. */
const FIRST_RUN_SPREAD_MS = 500;

interface Entry {
  readonly chosen: ChosenShare;
  dueMonoMs: number;
  running: {
    readonly id: number;
    readonly startedAtEpochMs: number;
    readonly isCold: boolean;
    limit: TimerHandle;
  } | null;
  readonly runs: ProbeRunRecord[];
  readonly endings: Record<RunEnding, number>;
}

export class ProbeSchedule {
  readonly #options: ProbeScheduleOptions;
  readonly #process: ProbeProcess;
  readonly #entries = new Map<Ruuid, Entry>();
  #timer: TimerHandle | null = null;
  #lastId = 0;

  constructor(options: ProbeScheduleOptions) {
    this.#options = options;
    const { clock, log, launch } = options;
    this.#process = new ProbeProcess({
      clock,
      log,
      launch,
      onReady: () => this.#runDue(),
      onDone: (id, result) => this.#done(id, result),
      onBroken: (id) => {
        for (const entry of this.#entries.values()) if (entry.running?.id === id) this.#lose(entry);
        this.#runDue();
      },
      onLost: () => this.#lost(),
    });
  }

  get process(): Pick<ProbeProcess, 'state' | 'starts' | 'pid'> {
    return this.#process;
  }

  get plan(): ProbePlan {
    return this.#options.plan;
  }

  /** In the order in which they were chosen. */
  shares(): ProbedShare[] {
    return [...this.#entries.values()].map(({ chosen, running, runs, endings }) => ({
      ...chosen,
      isRunning: running !== null,
      runs,
      endings,
    }));
  }

  /** The first MAX_PROBED_SHARES of them. Measurements of others are forgotten. */
  choose(shares: readonly ChosenShare[]): void {
    const chosen = new Map(shares.slice(0, MAX_PROBED_SHARES).map((share) => [share.shareUuid, share]));
    for (const [shareUuid, entry] of this.#entries) {
      if (chosen.has(shareUuid)) continue;
      entry.running?.limit.cancel();
      this.#entries.delete(shareUuid);
      this.#options.books.forget('probe', shareUuid);
    }
    let added = 0;
    for (const share of chosen.values()) {
      if (this.#entries.has(share.shareUuid)) continue;
      const dueMonoMs = this.#options.clock.monoMs() + added++ * this.#spreadMs(chosen.size);
      const endings = Object.fromEntries(RUN_ENDINGS.map((ending) => [ending, 0])) as Entry['endings'];
      this.#entries.set(share.shareUuid, { chosen: share, dueMonoMs, running: null, runs: [], endings });
    }
    if (this.#entries.size === 0) this.#process.stop();
    else this.#process.start();
    this.#runDue();
  }

  close(): void {
    this.#timer?.cancel();
    for (const { running } of this.#entries.values()) running?.limit.cancel();
    this.#entries.clear();
    this.#process.stop();
  }

  /** A few shares begin at almost the same time; many are spread over the interval. */
  #spreadMs(shares: number): number {
    return Math.min(this.#options.plan.everyMs / shares, FIRST_RUN_SPREAD_MS * shares);
  }

  #runDue(): void {
    this.#timer?.cancel();
    this.#timer = null;
    if (this.#process.state !== 'running') return;
    const { clock } = this.#options;
    const nowMonoMs = clock.monoMs();
    let nextMonoMs = Number.POSITIVE_INFINITY;
    for (const entry of this.#entries.values()) {
      if (entry.running !== null) continue;
      if (entry.dueMonoMs <= nowMonoMs) this.#begin(entry, nowMonoMs);
      if (entry.running === null) nextMonoMs = Math.min(nextMonoMs, entry.dueMonoMs);
    }
    if (Number.isFinite(nextMonoMs)) {
      this.#timer = clock.after(Math.max(1, nextMonoMs - nowMonoMs), () => this.#runDue());
    }
  }

  #begin(entry: Entry, nowMonoMs: number): void {
    const { clock, plan, target } = this.#options;
    const lifetimeMs = FIRST_PICTURE_LIMIT_MS + plan.playMs + RESULT_GRACE_MS;
    entry.dueMonoMs = nowMonoMs + plan.everyMs;
    const wanted = target(entry.chosen.shareUuid, lifetimeMs);
    if (wanted === null) return;
    const { isCold, ...urls } = wanted;
    const id = ++this.#lastId;
    if (!this.#process.send({ kind: 'run', id, ...urls, playMs: plan.playMs })) return;
    const limit = clock.after(lifetimeMs, () => {
      if (entry.running?.id === id) this.#lose(entry);
      this.#runDue();
    });
    entry.running = { id, startedAtEpochMs: clock.epochMs(), isCold, limit };
  }

  #done(id: number, result: RunResult): void {
    for (const entry of this.#entries.values()) {
      if (entry.running?.id !== id) continue;
      const { startedAtEpochMs, isCold, limit } = entry.running;
      limit.cancel();
      entry.running = null;
      entry.endings[result.outcome]++;
      entry.runs.unshift({ ...result, delaysMs: [], startedAtEpochMs, isCold });
      entry.runs.length = Math.min(entry.runs.length, MAX_KEPT_RUNS);
      // A hidden share, or a camera that is off, does not count as a failure of the gateway.
      if (result.firstPictureMs !== null || result.outcome === 'failed') {
        this.#options.books.add('probe', entry.chosen.shareUuid, result);
      }
    }
    this.#runDue();
  }

  #lost(): void {
    for (const entry of this.#entries.values()) {
      if (entry.running === null) continue;
      this.#lose(entry);
      // It is repeated as soon as there is a process.
      entry.dueMonoMs = this.#options.clock.monoMs();
    }
  }

  #lose(entry: Entry): void {
    entry.running?.limit.cancel();
    entry.running = null;
    entry.endings.lost++;
  }
}
