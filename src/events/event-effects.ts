/**
 * Makes reported events take effect: runs lockdown rules, calls webhooks. The queue is in the store: an event is unfinished from the commit
 * that its reporter learns of until its effects are on their way. So a gateway that is killed in between continues with it at the next
 * start. If several gateways share a database, one of them claims each event. If that one is killed or paused, another takes over when the
 * claim has expired. Organizations take turns, so none waits for the events of another, however many it reports and whatever times it gives
 * them.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { StoredEvent } from '../store/event.ts';
import { LEASE_MS, TAKEOVER_INTERVAL_MS } from '../store/held-lease.ts';
import type { Store } from '../store/store.ts';

/**
 * One kind of effect. It may see an event again if the gateway ended before all effects were done, and then does nothing
 * twice. Resolves with how many of the events, in their order, it got to; without a number: all. One that takes long for an event
 * stops when `isTurnOver`, after one event at the earliest. Rejects only if trying again can help.
 */
export type EventEffect = (
  events: readonly StoredEvent[],
  isTurnOver: () => boolean,
) => Promise<number> | Promise<void>;

/**
 * Whether it may work later: the store is unavailable. Anything else would fail again and hold up everything after it.
 */
export function isPassing(thrown: unknown): boolean {
  return toGatewayError(thrown).kind === 'unavailable';
}

export interface EventEffectsOptions {
  readonly store: Pick<Store, 'events' | 'leases'>;
  readonly effects: readonly EventEffect[];
  readonly clock: Clock;
  readonly log: Log;
}

/** A small number, because an interrupted batch is processed again. */
const EVENTS_TOGETHER = 100;
/** An alarm of another organization waits for it. */
const TURN_MS = 50;
const RETRY_PAUSE_MS = 5_000;

export class EventEffects {
  readonly #options: EventEffectsOptions;
  readonly #unfollow: () => void;
  #state: 'idle' | 'running' | 'closed' = 'idle';
  /** There may be events that the current turn has not seen. */
  #isBehind = false;
  #underWay: Promise<void> = Promise.resolve();
  #retry: TimerHandle | null = null;
  #takeover: TimerHandle | null = null;
  /** The organization that had the last turn. */
  #served: Ruuid | null = null;
  readonly #claim = { owner: newRuuid(), ttlMs: LEASE_MS };

  /** Starts to apply reported events. */
  constructor(options: EventEffectsOptions) {
    this.#options = options;
    this.#unfollow = options.store.events.follow(() => this.wake());
    if (options.store.leases.isShared) this.#armTakeover();
  }

  /** Starts on unfinished events, including those that an earlier run of the gateway left. */
  wake(): void {
    this.#isBehind = true;
    if (this.#state !== 'idle') return;
    this.#state = 'running';
    this.#underWay = this.#run();
  }

  /** Resolves when the effects of the events reported so far are on their way. */
  settled(): Promise<void> {
    return this.#underWay;
  }

  /** Unfinished events are left to the next start. */
  async close(): Promise<void> {
    this.#unfollow();
    this.#state = 'closed';
    this.#retry?.cancel();
    this.#takeover?.cancel();
    await this.#underWay;
    // If the store cannot be reached, the claims expire.
    await this.#options.store.events.releaseClaims(this.#claim.owner).catch(() => undefined);
  }

  /** Looks for events that another gateway reported and did not finish. */
  #armTakeover(): void {
    this.#takeover = this.#options.clock.after(TAKEOVER_INTERVAL_MS, () => {
      this.wake();
      this.#armTakeover();
    });
  }

  async #run(): Promise<void> {
    try {
      while (this.#isBehind && this.#state === 'running') {
        this.#isBehind = false;
        await this.#finishAll();
      }
    } catch (thrown) {
      const { clock, log } = this.#options;
      log.error({ err: toGatewayError(thrown) }, 'events not applied, trying again');
      this.#retry?.cancel();
      if (this.#state === 'running') this.#retry = clock.after(RETRY_PAUSE_MS, () => this.wake());
    }
    if (this.#state === 'running') this.#state = 'idle';
  }

  async #finishAll(): Promise<void> {
    const { store, clock } = this.#options;
    const failures = new Map<Ruuid, unknown>();
    for (;;) {
      // The claims begin later than this, so they end later, too.
      const claimedMonoMs = clock.monoMs();
      const events = await store.events.claimUnfinished(EVENTS_TOGETHER, this.#claim, this.#served);
      const [first] = events;
      if (first === undefined) return;
      // All others have had their turns.
      if (failures.has(first.orgUuid)) throw failures.get(first.orgUuid);
      this.#served = first.orgUuid;
      try {
        const done = await this.#apply(events, claimedMonoMs);
        await store.events.finish(done, this.#claim.owner);
        // Events are claimed for the next turn only, so the store can say whether all of them still are.
        if (done.length < events.length) await store.events.releaseClaims(this.#claim.owner);
      } catch (thrown) {
        failures.set(first.orgUuid, thrown);
      }
      if (this.#state === 'closed') return;
    }
  }

  /**
   * Resolves with the events, in their order, that all effects got to; the others are claimed again. None: it took too long, and
   * another gateway has some of them.
   */
  async #apply(events: readonly StoredEvent[], claimedMonoMs: number): Promise<readonly StoredEvent[]> {
    const { store, effects, clock, log } = this.#options;
    const endMonoMs = clock.monoMs() + TURN_MS;
    let done = events;
    let keptMonoMs = claimedMonoMs;
    for (const effect of effects) {
      const nowMonoMs = clock.monoMs();
      if (nowMonoMs - keptMonoMs >= LEASE_MS / 2) {
        if (!(await store.events.keepClaims(events, this.#claim))) {
          log.warn({ events: events.length }, 'events taken over by another gateway');
          return [];
        }
        keptMonoMs = nowMonoMs;
      }
      const count = await effect(done, () => clock.monoMs() >= endMonoMs);
      if (typeof count === 'number') done = done.slice(0, count);
    }
    return done;
  }
}
