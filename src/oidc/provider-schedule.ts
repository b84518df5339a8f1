/** Looks at providers again and again: metadata change there, records of domains appear and go, and no one tells us. */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';

const LOOK_MS = 10 * 60_000;

export class ProviderSchedule {
  readonly #looks: readonly (() => Promise<void>)[];
  readonly #clock: Clock;
  readonly #log: Log;
  #timer: TimerHandle | null = null;
  #isClosed = false;

  /** `looks`: one after the other. */
  constructor(looks: readonly (() => Promise<void>)[], { clock, log }: { clock: Clock; log: Log }) {
    this.#looks = looks;
    this.#clock = clock;
    this.#log = log;
    this.#wait();
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #wait(): void {
    if (this.#isClosed) return;
    this.#timer = this.#clock.after(LOOK_MS, () => void this.#lookAtAll().finally(() => this.#wait()));
  }

  async #lookAtAll(): Promise<void> {
    for (const look of this.#looks) {
      await look().catch((thrown: unknown) =>
        this.#log.warn({ code: toGatewayError(thrown).code }, 'sign-in providers not looked at'),
      );
    }
  }
}
