/** A logout at a provider ends the console sessions that began there, and voids the proofs in viewers' browsers. */

import type { Ruuid } from '../core/ruuid.ts';
import type { EndedSignIns, ProviderLogouts } from '../oidc/provider-logouts.ts';
import type { ConsoleSessions } from './console-sessions.ts';

export interface ProviderSignOutOptions {
  readonly sessions: ConsoleSessions;
  readonly logouts: Pick<ProviderLogouts, 'note'>;
}

export class ProviderSignOut {
  readonly #options: ProviderSignOutOptions;

  constructor(options: ProviderSignOutOptions) {
    this.#options = options;
  }

  /**
   * Resolves with how many console sessions have ended. The logout is noted before, so that a sign-in that is on its way
   * either finds the note or is found here. If the note fails, the sessions end all the same. Fails OIDC_TOO_MANY_LOGOUTS.
   */
  async end(orgUuid: Ruuid, logout: EndedSignIns): Promise<number> {
    const { sessions, logouts } = this.#options;
    const [noted] = await Promise.allSettled([logouts.note(orgUuid, logout)]);
    const endedCount = await sessions.endByProvider(orgUuid, logout.ended, logout.issuedAtSec);
    if (noted.status === 'rejected') throw noted.reason;
    return endedCount;
  }
}
