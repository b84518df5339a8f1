/**
 * One lease per camera: who holds it may pull the camera and publish its media (docs/design/cluster.md#leases). Redis says
 * who holds it now, with an expiry; the store gives every holder a fence that never comes again.
 */

import type { Clock, TimerHandle } from '../../core/clock.ts';
import { toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { RedisLink } from '../../counters/redis-link.ts';
import type {
  ClusterLeaseRepository,
  FencedLease,
  LeaseClaim,
  NodeRun,
  RelyingRun,
} from '../../store/cluster-lease.ts';
import { COMMAND_TIMEOUT_MS, HeldLease, LEASE_MS, RENEWAL_MS } from './held-lease.ts';
import { releaseLeases, renewLeases, replaceLease, reserveLease, type StoredLease } from './lease-scripts.ts';
import type { ClusterKeys } from './redis-keys.ts';
import { RedisOpening } from './redis-opening.ts';
import { type Beat, StoreReliance } from './store-reliance.ts';

/** Leases in one script: keeps Redis from blocking others. */
const LEASES_PER_SCRIPT = 200;
/** Renewals in a row that Redis must have answered before this run stops relying on the store. */
const RENEWALS_BEFORE_RETURN = 5;
/** Ended runs that are remembered: more nodes than a cluster has. */
const MAX_SILENT_RUNS = 1_000;

export interface CameraLeasesOptions {
  /** With COMMAND_TIMEOUT_MS as the time that a command may take. */
  readonly link: Pick<RedisLink, 'run'>;
  readonly store: ClusterLeaseRepository;
  readonly keys: ClusterKeys;
  /** `address`: where other nodes reach this one. */
  readonly run: NodeRun & { readonly address: string };
  readonly clock: Clock;
  readonly log: Log;
  /** The lease has ended without a release: publish nothing more. Must not throw. */
  onLost(cameraUuid: Ruuid): void;
}

export type Acquisition =
  | {
      readonly kind: 'acquired';
      readonly fence: number;
      /** No other run owned the camera since this one did. */
      readonly isContinuation: boolean;
    }
  /** Another node holds the lease, or is about to. */
  | { readonly kind: 'taken' }
  /** Redis or the store is unavailable, or Redis has lost its data a moment ago. */
  | { readonly kind: 'unavailable' };

export type RunBeat = Pick<RelyingRun, 'runId' | keyof Beat>;

/** The silence of a run that relies on the store. */
export interface RunSilence {
  readonly forMs: number;
  /** Until its leases have ended by its own clock, if it does not beat. */
  readonly endsInMs: number;
}

const TAKEN: Acquisition = { kind: 'taken' };
const UNAVAILABLE: Acquisition = { kind: 'unavailable' };

export class CameraLeases {
  readonly #options: CameraLeasesOptions;
  readonly #held = new Map<Ruuid, HeldLease>();
  readonly #acquiring = new Map<Ruuid, Promise<Acquisition>>();
  /** Runs that rely on the store, and since when their beat is the same. */
  readonly #silentRuns = new Map<Ruuid, { readonly beat: number; readonly sinceMonoMs: number }>();
  readonly #opening: RedisOpening;
  readonly #reliance: StoreReliance;
  #isClosed = false;
  #isRenewing = false;
  #renewalsInRow = 0;
  #timer: TimerHandle | null = null;

  constructor(options: CameraLeasesOptions) {
    this.#options = options;
    this.#opening = new RedisOpening({ ...options, waitMs: LEASE_MS });
    this.#reliance = new StoreReliance({ ...options, onOwned: (...args) => this.#confirmed(...args) });
  }

  /** Begins to renew. Resolves when Redis was asked whether leases can be claimed. */
  async start(): Promise<void> {
    this.#timer = this.#options.clock.after(RENEWAL_MS, () => this.#tick());
    await this.#opening.begin();
  }

  get heldCount(): number {
    return this.#held.size;
  }

  /** Whether this node may publish media of the camera at this moment. Cheap: ask before each part. */
  isHeld(cameraUuid: Ruuid): boolean {
    const lease = this.#held.get(cameraUuid);
    return lease !== undefined && this.#options.clock.monoMs() < lease.validUntilMonoMs;
  }

  /** The lease for writes that the store must refuse once another node owns the camera; null: not held. */
  fencedLease(cameraUuid: Ruuid): FencedLease | null {
    const lease = this.#held.get(cameraUuid);
    return lease === undefined || !this.isHeld(cameraUuid) ? null : this.#fenced(lease);
  }

  /** The last beat of this run that the store has; null: it does not rely on the store. */
  get beat(): Beat | null {
    return this.#reliance.beat;
  }

  /** Whether the run has not beaten, since this was first asked, for so long that its leases have ended by its own clock. */
  hasEnded(run: RunBeat): boolean {
    return this.silenceOf(run).endsInMs <= 0;
  }

  /** How long a run that relies on the store has had this beat, as far as this node knows from any source. */
  silenceOf({ runId, beat, aliveMs }: RunBeat): RunSilence {
    const nowMonoMs = this.#options.clock.monoMs();
    const known = this.#silentRuns.get(runId);
    if (known?.beat === beat) {
      const forMs = nowMonoMs - known.sinceMonoMs;
      return { forMs, endsInMs: aliveMs - forMs };
    }
    const [oldest] = this.#silentRuns.keys();
    if (this.#silentRuns.size >= MAX_SILENT_RUNS && oldest !== undefined) this.#silentRuns.delete(oldest);
    this.#silentRuns.set(runId, { beat, sinceMonoMs: nowMonoMs });
    return { forMs: 0, endsInMs: aliveMs };
  }

  /** Redis is there again, and may have another run ID: what must be waited for then begins now, not with the first claim. */
  redisReturned(): void {
    if (!this.#isClosed) void this.#opening.begin();
  }

  /** Takes the lease if it is free, or if it was handed over to this node. Simultaneous calls for a camera share an attempt. */
  acquire(cameraUuid: Ruuid): Promise<Acquisition> {
    if (this.#isClosed) return Promise.resolve(UNAVAILABLE);
    const held = this.#held.get(cameraUuid);
    if (held !== undefined && this.isHeld(cameraUuid)) {
      return Promise.resolve({ kind: 'acquired', fence: held.fence, isContinuation: true });
    }
    if (held !== undefined) this.#lose(held);
    const underWay = this.#acquiring.get(cameraUuid);
    if (underWay !== undefined) return underWay;
    const attempt = this.#acquire(cameraUuid).finally(() => this.#acquiring.delete(cameraUuid));
    this.#acquiring.set(cameraUuid, attempt);
    return attempt;
  }

  /** The camera is free afterwards. Does nothing if the lease is not held. */
  async release(cameraUuid: Ruuid): Promise<void> {
    const lease = this.#held.get(cameraUuid);
    if (lease === undefined) return;
    this.#held.delete(cameraUuid);
    await this.#giveBack([lease]);
  }

  /**
   * Gives the lease to another run, which takes it with `acquire` and a new fence, while no third run can. This node no longer
   * holds the lease, even if false is returned: then the lease could not be handed over, and ends. While Redis is unavailable,
   * returns false, and this node keeps holding the lease.
   */
  async handOver(cameraUuid: Ruuid, to: NodeRun): Promise<boolean> {
    const { clock, link, keys } = this.#options;
    const lease = this.#held.get(cameraUuid);
    if (lease === undefined || clock.monoMs() >= lease.redisUntilMonoMs) return false;
    this.#held.delete(cameraUuid);
    const mine = this.#stored(lease.fence);
    if (!(await this.#releaseInStore([lease]))) {
      await this.#releaseInRedis([[keys.lease(cameraUuid), mine]]);
      return false;
    }
    const next = { nodeId: to.nodeId, runId: to.runId, fence: 0 };
    const moved = await link.run((client) =>
      replaceLease(client, keys.lease(cameraUuid), mine, next, LEASE_MS),
    );
    return moved === true;
  }

  /** Releases everything. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#opening.close();
    await Promise.all(this.#acquiring.values());
    const leases = [...this.#held.values()];
    this.#held.clear();
    await this.#giveBack(leases);
    await this.#reliance.close();
  }

  async #acquire(cameraUuid: Ruuid): Promise<Acquisition> {
    const { link, keys, run } = this.#options;
    const reservation = await link.run((client) => reserveLease(client, keys, cameraUuid, run, LEASE_MS));
    if (reservation === 'closed') void this.#opening.begin();
    if (reservation === null || reservation === 'closed') return UNAVAILABLE;
    if (reservation === 'taken') return TAKEN;
    const claim = await this.#claimInStore(cameraUuid);
    if (claim?.kind === 'claimed') return this.#confirm(cameraUuid, claim.fence, claim.isContinuation);
    await this.#releaseInRedis([[keys.lease(cameraUuid), this.#stored(0)]]);
    return claim === null ? UNAVAILABLE : TAKEN;
  }

  async #confirm(cameraUuid: Ruuid, fence: number, isContinuation: boolean): Promise<Acquisition> {
    const { link, keys, clock } = this.#options;
    const lease = new HeldLease(cameraUuid, fence);
    const sentMonoMs = clock.monoMs();
    const confirmed = await link.run((client) =>
      replaceLease(client, keys.lease(cameraUuid), this.#stored(0), this.#stored(fence), LEASE_MS),
    );
    lease.provedByRedis(sentMonoMs);
    if (confirmed !== true || this.#isClosed || clock.monoMs() >= lease.validUntilMonoMs) {
      await this.#giveBack([lease]);
      return UNAVAILABLE;
    }
    this.#held.set(cameraUuid, lease);
    return { kind: 'acquired', fence, isContinuation };
  }

  /** null: the store is unavailable. */
  async #claimInStore(cameraUuid: Ruuid): Promise<LeaseClaim | null> {
    const { store, run, log } = this.#options;
    try {
      const claim = await store.claim(cameraUuid, run, null);
      if (claim.kind === 'claimed' || !this.hasEnded(claim.holder)) return claim;
      return await store.claim(cameraUuid, run, claim.holder);
    } catch (thrown) {
      log.warn({ camera: cameraUuid, err: toGatewayError(thrown) }, 'lease not claimed');
      return null;
    }
  }

  #tick(): void {
    if (this.#isClosed) return;
    this.#timer = this.#options.clock.after(RENEWAL_MS, () => this.#tick());
    this.#loseExpired();
    if (!this.#isRenewing) void this.#renew();
  }

  #loseExpired(): void {
    const nowMonoMs = this.#options.clock.monoMs();
    for (const lease of [...this.#held.values()]) {
      if (nowMonoMs >= lease.validUntilMonoMs) this.#lose(lease);
    }
  }

  async #renew(): Promise<void> {
    this.#isRenewing = true;
    const leases = [...this.#held.values()];
    let isRenewed = true;
    for (let i = 0; i < leases.length && isRenewed; i += LEASES_PER_SCRIPT) {
      isRenewed = await this.#renewSome(leases.slice(i, i + LEASES_PER_SCRIPT));
    }
    this.#isRenewing = false;
    if (this.#isClosed) return;
    this.#renewalsInRow = isRenewed ? this.#renewalsInRow + 1 : 0;
    if (!isRenewed) this.#reliance.beatIfDue();
    else if (this.#reliance.isRelying) this.#returnToRedis();
  }

  /** Whether Redis has them all. */
  async #renewSome(leases: readonly HeldLease[]): Promise<boolean> {
    const { clock, link, keys } = this.#options;
    const sentMonoMs = clock.monoMs();
    const isProtected = leases.every((each) => each.storeUntilMonoMs > sentMonoMs + COMMAND_TIMEOUT_MS);
    const named = leases.map(
      ({ cameraUuid, fence }) => [keys.lease(cameraUuid), this.#stored(fence)] as const,
    );
    const outcomes = await link.run((client) =>
      renewLeases(client, keys, named, { lifeMs: LEASE_MS, isProtected }),
    );
    if (outcomes === null) return false;
    let isRenewed = true;
    leases.forEach((lease, i) => {
      if (this.#held.get(lease.cameraUuid) !== lease) return;
      if (outcomes[i] !== 'not-mine') {
        lease.provedByRedis(sentMonoMs);
        return;
      }
      isRenewed = false;
      lease.missingInRedis();
      if (clock.monoMs() >= lease.storeUntilMonoMs) this.#lose(lease);
    });
    if (outcomes.includes('restored')) void this.#opening.begin();
    return isRenewed;
  }

  #returnToRedis(): void {
    if (this.#renewalsInRow < RENEWALS_BEFORE_RETURN) {
      this.#reliance.beatIfDue();
      return;
    }
    // First: from here on, others may find that the store no longer protects these leases.
    for (const lease of this.#held.values()) lease.notProvedByStore();
    this.#reliance.stop();
  }

  #confirmed(owned: readonly FencedLease[], sentMonoMs: number, aliveMs: number): void {
    const fences = new Map(owned.map(({ cameraUuid, fence }) => [cameraUuid, fence]));
    for (const lease of [...this.#held.values()]) {
      if (fences.get(lease.cameraUuid) === lease.fence) lease.provedByStore(sentMonoMs, aliveMs);
      else lease.notProvedByStore();
    }
    // Leases from attempts that failed: no other node could claim these cameras.
    const strays = owned.filter(
      ({ cameraUuid }) => !this.#held.has(cameraUuid) && !this.#acquiring.has(cameraUuid),
    );
    if (strays.length > 0) void this.#releaseInStore(strays);
  }

  #lose(lease: HeldLease): void {
    this.#held.delete(lease.cameraUuid);
    this.#options.log.warn({ camera: lease.cameraUuid, fence: lease.fence }, 'lease lost');
    // The lease stays in the store: if no other run claims the camera before this run does, it continues.
    void this.#releaseInRedis([[this.#options.keys.lease(lease.cameraUuid), this.#stored(lease.fence)]]);
    this.#options.onLost(lease.cameraUuid);
  }

  async #giveBack(leases: readonly HeldLease[]): Promise<void> {
    if (leases.length === 0) return;
    await this.#releaseInStore(leases);
    await this.#releaseInRedis(
      leases.map(({ cameraUuid, fence }) => [this.#options.keys.lease(cameraUuid), this.#stored(fence)]),
    );
  }

  async #releaseInRedis(leases: readonly (readonly [key: string, lease: StoredLease])[]): Promise<void> {
    for (let i = 0; i < leases.length; i += LEASES_PER_SCRIPT) {
      await this.#options.link.run((client) => releaseLeases(client, leases.slice(i, i + LEASES_PER_SCRIPT)));
    }
  }

  async #releaseInStore(leases: readonly Pick<FencedLease, 'cameraUuid' | 'fence'>[]): Promise<boolean> {
    const { store, log } = this.#options;
    try {
      await store.release(leases.map((lease) => this.#fenced(lease)));
      return true;
    } catch (thrown) {
      // The next claim takes its place.
      log.warn({ err: toGatewayError(thrown) }, 'leases not released in the store');
      return false;
    }
  }

  #stored(fence: number): StoredLease {
    const { nodeId, runId } = this.#options.run;
    return { nodeId, runId, fence };
  }

  #fenced({ cameraUuid, fence }: Pick<FencedLease, 'cameraUuid' | 'fence'>): FencedLease {
    return { cameraUuid, runId: this.#options.run.runId, fence };
  }
}
