/** Reads the metadata of providers again and again: keys change there, and no one tells us. */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { SamlProviders } from './saml-providers.ts';

/** How often it looks for metadata that are old. */
const LOOK_MS = 10 * 60_000;

export class MetadataSchedule {
  readonly #providers: Pick<SamlProviders, 'refreshDue'>;
  readonly #clock: Clock;
  readonly #log: Log;
  #timer: TimerHandle | null = null;
  #isClosed = false;

  constructor(providers: Pick<SamlProviders, 'refreshDue'>, { clock, log }: { clock: Clock; log: Log }) {
    this.#providers = providers;
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
    this.#timer = this.#clock.after(LOOK_MS, () => {
      void this.#providers
        .refreshDue()
        .catch((thrown: unknown) =>
          this.#log.warn({ code: toGatewayError(thrown).code }, 'SAML metadata not looked at'),
        )
        .finally(() => this.#wait());
    });
  }
}
