/** Ends what began as a subject of a sign-in provider when the directory says that the person has left, as the provider's logout would. */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { ProviderSignOut } from './provider-sign-out.ts';

/** The provider's clock may be ahead of ours: sign-ins that it dates later count as before. */
const PROVIDER_CLOCK_AHEAD_SEC = 60;

export class SubjectSignOut {
  readonly #signOut: Pick<ProviderSignOut, 'end'>;
  readonly #clock: Pick<Clock, 'epochMs'>;

  constructor(signOut: Pick<ProviderSignOut, 'end'>, clock: Pick<Clock, 'epochMs'>) {
    this.#signOut = signOut;
    this.#clock = clock;
  }

  /** `subjects`: derived from issuer and subject (oidc/provider-logout.ts). Fails OIDC_TOO_MANY_LOGOUTS. */
  async end(orgUuid: Ruuid, subjects: readonly Ruuid[]): Promise<void> {
    const issuedAtSec = Math.floor(this.#clock.epochMs() / 1_000) + PROVIDER_CLOCK_AHEAD_SEC;
    await this.#signOut.end(orgUuid, { ended: subjects, issuedAtSec });
  }
}
