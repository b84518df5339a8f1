/**
 * Keeps leases valid while Redis is unavailable: this run records in the store that it relies on the store, and beats. As long as
 * it does, no other node can claim its cameras. One statement at a time is under way.
 */

import type { Clock } from '../../core/clock.ts';
import { toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { ClusterLeaseRepository, FencedLease, NodeRun, RelyingRun } from '../../store/cluster-lease.ts';
import { BEAT_MS, LEASE_MS, RELIANCE_MS, STAND_IN_MS } from './held-lease.ts';

export interface StoreRelianceOptions {
  readonly store: ClusterLeaseRepository;
  readonly run: NodeRun & { readonly address: string };
  readonly clock: Clock;
  readonly log: Log;
  /** The leases that this run owns according to the store, the time of that request, and how long they hold. */
  onOwned(owned: readonly FencedLease[], sentMonoMs: number, aliveMs: number): void;
}

export type Beat = Pick<RelyingRun, 'beat' | 'aliveMs'>;

export class StoreReliance {
  readonly #options: StoreRelianceOptions;
  #beats = 0;
  #underWay: Promise<void> | null = null;
  /** null: the store knows that this run does not rely on it. */
  #sinceMonoMs: number | null = null;
  #dueMonoMs = 0;
  #newest: Beat | null = null;

  constructor(options: StoreRelianceOptions) {
    this.#options = options;
  }

  /** The store may say that this run relies on it. */
  get isRelying(): boolean {
    return this.#sinceMonoMs !== null;
  }

  /** The last one that the store has confirmed; null: it knows that this run does not rely on it. */
  get beat(): Beat | null {
    return this.#newest;
  }

  /** Called with each renewal. Does nothing while a statement is under way. */
  beatIfDue(): void {
    if (this.#options.clock.monoMs() < this.#dueMonoMs) return;
    this.#start(() => this.#beat());
  }

  /** The caller no longer uses what the store proved. */
  stop(): void {
    this.#start(() => this.#stop());
  }

  /** Resolves when nothing is under way and the store knows that this run does not rely on it, or did not answer. */
  async close(): Promise<void> {
    await this.#underWay;
    if (this.isRelying) await this.#stop();
  }

  #start(work: () => Promise<void>): void {
    if (this.#underWay !== null) return;
    this.#underWay = work().finally(() => {
      this.#underWay = null;
    });
  }

  async #beat(): Promise<void> {
    const { store, run, clock, log, onOwned } = this.#options;
    const sentMonoMs = clock.monoMs();
    if (this.#sinceMonoMs === null) log.warn({}, 'leases rely on the store');
    this.#sinceMonoMs ??= sentMonoMs;
    const standsIn = sentMonoMs < this.#sinceMonoMs + STAND_IN_MS;
    const aliveMs = standsIn ? LEASE_MS : RELIANCE_MS;
    try {
      const beat = { beat: ++this.#beats, aliveMs };
      onOwned(await store.rely({ ...run, ...beat }), sentMonoMs, aliveMs);
      this.#newest = beat;
      if (!standsIn) this.#dueMonoMs = sentMonoMs + BEAT_MS;
    } catch (thrown) {
      // Tried again with the next renewal. Until then, the last proof holds.
      log.warn({ err: toGatewayError(thrown) }, 'leases not confirmed by the store');
    }
  }

  async #stop(): Promise<void> {
    const { store, run, log } = this.#options;
    try {
      await store.stopRelying({ runId: run.runId, beat: this.#beats });
      this.#sinceMonoMs = null;
      this.#newest = null;
      this.#dueMonoMs = 0;
      log.info({}, 'leases in Redis again');
    } catch (thrown) {
      log.warn({ err: toGatewayError(thrown) }, 'leases not confirmed by the store');
    }
  }
}
