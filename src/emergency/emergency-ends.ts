/**
 * Closes emergencies whose time is over: writes their reports. Viewers are cut off by the access decision, whether this runs or not. Each
 * gateway does it; the first one counts.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { EMERGENCIES, type Emergency } from '../sharing/emergency-link.ts';
import { EmergencyTimes } from '../sharing/emergency-times.ts';
import type { Store } from '../store/store.ts';
import type { Emergencies } from './emergencies.ts';
import type { EmergencySender } from './emergency-sender.ts';

/** While one is open: a clock that was set ahead has ended it. */
export const EMERGENCY_SWEEP_MS = 10_000;
/** At a start, links of older emergencies are not looked for. */
const RESEND_MS = 3_600_000;

export interface EmergencyEndsOptions {
  readonly store: Pick<Store, 'resources' | 'onChange'>;
  readonly emergencies: Pick<Emergencies, 'close'>;
  readonly sender: Pick<EmergencySender, 'opened'>;
  readonly clock: Clock;
  readonly log: Log;
}

export class EmergencyEnds {
  readonly #options: EmergencyEndsOptions;
  readonly #times: EmergencyTimes;
  #unfollow: () => void = () => undefined;
  #timer: TimerHandle | null = null;
  #sweeping: Promise<void> | null = null;
  /** Something changed during the sweep. */
  #isBehind = false;
  #isClosed = false;
  /** It has looked once. */
  #hasBegun = false;

  constructor(options: EmergencyEndsOptions) {
    this.#options = options;
    this.#times = new EmergencyTimes(options.clock);
  }

  /** Looks now, whenever an emergency changes, and when one ends. */
  begin(): void {
    this.#unfollow = this.#options.store.onChange(({ entity }) => {
      if (entity === 'emergency') this.#wake();
    });
    this.#wake();
  }

  /** Resolves when the sweep in progress is done. */
  async settled(): Promise<void> {
    while (this.#sweeping !== null) await this.#sweeping;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unfollow();
    this.#timer?.cancel();
    await this.settled();
  }

  #wake(): void {
    if (this.#isClosed) return;
    this.#isBehind = true;
    this.#sweeping ??= this.#run().finally(() => {
      this.#sweeping = null;
      if (this.#isBehind) this.#wake();
    });
  }

  async #run(): Promise<void> {
    this.#isBehind = false;
    this.#timer?.cancel();
    let nextMs: number | null = EMERGENCY_SWEEP_MS;
    try {
      nextMs = await this.#sweep();
    } catch (thrown) {
      this.#options.log.error({ err: toGatewayError(thrown) }, 'emergencies not closed, trying again');
    }
    if (nextMs !== null && !this.#isClosed) {
      this.#timer = this.#options.clock.after(nextMs, () => this.#wake());
    }
  }

  /** When to look again; null: none is open. */
  async #sweep(): Promise<number | null> {
    const { store } = this.#options;
    let nextMs: number | null = null;
    for (const emergency of await store.resources.of(EMERGENCIES).listEverywhere()) {
      const leftMs = this.#times.leftMs(emergency);
      if (leftMs <= 0) {
        await this.#close(emergency);
        continue;
      }
      nextMs = Math.min(nextMs ?? EMERGENCY_SWEEP_MS, leftMs);
      if (!this.#hasBegun && emergency.createdAtMs + RESEND_MS > this.#options.clock.epochMs()) {
        // The gateway that opened it may have ended before all of it was queued. What was is not queued again.
        await this.#options.sender.opened(emergency);
      }
    }
    this.#hasBegun = true;
    return nextMs;
  }

  async #close({ orgUuid, uuid, name }: Emergency): Promise<void> {
    await this.#options.emergencies.close(orgUuid, uuid, null);
    this.#times.forget(uuid);
    this.#options.log.info({ orgUuid, emergency: uuid, name }, 'emergency closed');
  }
}
