/** Ends legal holds whose time is over. Each gateway does it; the first one counts. */

import { CautiousClock } from '../core/cautious-clock.ts';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { HOLDS } from '../store/recording-hold.ts';
import type { Store } from '../store/store.ts';

export const HOLD_SWEEP_MS = 600_000;
/** A hold whose record is being stored. */
const NEW_FOR_SWEEPS = 1;

export interface HoldEndsOptions {
  readonly store: Pick<Store, 'resources' | 'recordingHolds'>;
  readonly clock: Clock;
  readonly log: Log;
}

export class HoldEnds {
  readonly #options: HoldEndsOptions;
  /** A clock that is set ahead ends no hold for a day. */
  readonly #wallClock: CautiousClock;
  /** Times without a record, and in how many sweeps. */
  #unlisted = new Map<string, number>();
  #timer: TimerHandle | null = null;
  #sweeping: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: HoldEndsOptions) {
    this.#options = options;
    this.#wallClock = new CautiousClock(options.clock);
  }

  /** Looks now, and every ten minutes. */
  begin(): void {
    this.#sweeping = this.#sweep()
      .catch((thrown) => this.#options.log.error({ err: toGatewayError(thrown) }, 'legal holds not ended'))
      .finally(() => {
        if (!this.#isClosed) this.#timer = this.#options.clock.after(HOLD_SWEEP_MS, () => this.begin());
      });
  }

  /** Resolves when the sweep in progress is done. */
  settled(): Promise<void> {
    return this.#sweeping;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#sweeping;
  }

  async #sweep(): Promise<void> {
    const { store, log } = this.#options;
    const rows = store.resources.of(HOLDS);
    const nowMs = this.#wallClock.epochMs();
    // Before the records: one that is added in between is in both.
    const times = await store.recordingHolds.list();
    const holds = await rows.listEverywhere();
    const listed = new Set<string>();
    for (const { orgUuid, uuid, body } of holds) {
      if (body.untilMs === null || body.untilMs > nowMs) {
        listed.add(uuid);
        continue;
      }
      await rows.remove(orgUuid, uuid);
      await store.recordingHolds.remove(uuid);
      log.info({ hold: uuid, orgUuid }, 'legal hold ended');
    }
    // A gateway ended between the two deletions.
    const unlisted = new Map<string, number>();
    for (const { uuid } of times) {
      if (listed.has(uuid)) continue;
      const seen = this.#unlisted.get(uuid) ?? 0;
      if (seen >= NEW_FOR_SWEEPS) await store.recordingHolds.remove(uuid);
      else unlisted.set(uuid, seen + 1);
    }
    this.#unlisted = unlisted;
  }
}
