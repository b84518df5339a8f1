/**
 * One person talks to a camera at a time, at whatever node: who holds the camera's talk lease in Redis. Each node reaches the speaker with a
 * connection of its own, so nothing goes through the camera's owner. The lease of a dead node expires after LEASE_MS; a node that cannot renew
 * its lease in time has lost it, so without Redis no one talks.
 */

import type { Clock, TimerHandle } from '../../core/clock.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { RedisLink } from '../../counters/redis-link.ts';
import type { NodeRun } from '../../store/cluster-lease.ts';
import { HeldLease, LEASE_MS, RENEWAL_MS } from './held-lease.ts';
import { releaseLeases, renewLeases, reserveLease, type StoredLease } from './lease-scripts.ts';
import type { ClusterKeys } from './redis-keys.ts';

export interface TalkLeasesOptions {
  readonly link: Pick<RedisLink, 'run'>;
  readonly keys: ClusterKeys;
  readonly run: NodeRun;
  readonly clock: Clock;
}

export interface TalkLease {
  /** Idempotent. */
  giveBack(): void;
}

interface Holder {
  readonly lease: HeldLease;
  readonly onLost: () => void;
}

/** Leases in one script. */
const LEASES_PER_SCRIPT = 200;

export class TalkLeases {
  readonly #options: TalkLeasesOptions;
  /** By the number of the talk, which takes the place of a fence: no two talks of this run have one value in Redis. */
  readonly #held = new Map<number, Holder>();
  #talks = 0;
  #isRenewing = false;
  #timer: TimerHandle | null = null;

  constructor(options: TalkLeasesOptions) {
    this.#options = options;
  }

  /** `taken`: someone talks. `unavailable`: Redis is. `onLost`: it ended without `giveBack`. */
  async take(cameraUuid: Ruuid, onLost: () => void): Promise<TalkLease | 'taken' | 'unavailable'> {
    const { link, keys, clock } = this.#options;
    const lease = new HeldLease(cameraUuid, ++this.#talks);
    const sentMonoMs = clock.monoMs();
    const reservation = await link.run((client) =>
      reserveLease(client, keys, keys.talk(cameraUuid), this.#stored(lease), LEASE_MS),
    );
    if (reservation === 'taken') return 'taken';
    lease.provedByRedis(sentMonoMs);
    if (reservation !== 'reserved' || clock.monoMs() >= lease.validUntilMonoMs) {
      void this.#release([lease]);
      return 'unavailable';
    }
    this.#held.set(lease.fence, { lease, onLost });
    this.#arm();
    return { giveBack: () => this.#giveBack(lease) };
  }

  async close(): Promise<void> {
    this.#timer?.cancel();
    const leases = Array.from(this.#held.values(), ({ lease }) => lease);
    this.#held.clear();
    await this.#release(leases);
  }

  #giveBack(lease: HeldLease): void {
    if (this.#held.delete(lease.fence)) void this.#release([lease]);
  }

  #arm(): void {
    if (this.#held.size > 0) this.#timer ??= this.#options.clock.after(RENEWAL_MS, () => this.#tick());
  }

  #tick(): void {
    this.#timer = null;
    const nowMonoMs = this.#options.clock.monoMs();
    for (const { lease } of [...this.#held.values()]) {
      if (nowMonoMs >= lease.validUntilMonoMs) this.#lose(lease);
    }
    this.#arm();
    if (!this.#isRenewing) void this.#renew();
  }

  async #renew(): Promise<void> {
    const { link, keys, clock } = this.#options;
    this.#isRenewing = true;
    const leases = Array.from(this.#held.values(), ({ lease }) => lease);
    for (let at = 0; at < leases.length; at += LEASES_PER_SCRIPT) {
      const some = leases.slice(at, at + LEASES_PER_SCRIPT);
      const named = some.map((lease) => [keys.talk(lease.cameraUuid), this.#stored(lease)] as const);
      const sentMonoMs = clock.monoMs();
      const outcomes = await link.run((client) =>
        renewLeases(client, keys, named, { lifeMs: LEASE_MS, isProtected: false }),
      );
      for (const [place, lease] of some.entries()) {
        if (outcomes === null) break;
        if (outcomes[place] === 'not-mine') this.#lose(lease);
        else lease.provedByRedis(sentMonoMs);
      }
    }
    this.#isRenewing = false;
  }

  #lose(lease: HeldLease): void {
    const holder = this.#held.get(lease.fence);
    if (holder === undefined) return;
    this.#held.delete(lease.fence);
    void this.#release([lease]);
    holder.onLost();
  }

  async #release(leases: readonly HeldLease[]): Promise<void> {
    const { link, keys } = this.#options;
    for (let at = 0; at < leases.length; at += LEASES_PER_SCRIPT) {
      const some = leases.slice(at, at + LEASES_PER_SCRIPT);
      const named = some.map((lease) => [keys.talk(lease.cameraUuid), this.#stored(lease)] as const);
      await link.run((client) => releaseLeases(client, named));
    }
  }

  #stored({ fence }: HeldLease): StoredLease {
    const { nodeId, runId } = this.#options.run;
    return { nodeId, runId, fence };
  }
}
