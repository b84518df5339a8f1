/**
 * Logouts at the provider, remembered for as long as a sign-in from before could still be used: by a callback that is on
 * its way, and by what viewers' browsers keep.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import type { SessionAtProvider } from '../store/person.ts';
import { type Resource, type ResourceKind, resourceKind } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { OIDC_ERRORS } from './errors.ts';
import type { ProviderLogout } from './provider-logout.ts';

/** Beyond these, a logout is refused: forgetting one would let someone in again. */
export const MAX_PROVIDER_LOGOUTS = 10_000;

export interface LogoutBody {
  /** The subject or the session. */
  readonly ended: Ruuid;
  /** The last one, by the provider's clock. */
  readonly issuedAtSec: number;
  readonly untilMs: number;
}

/** Its UUID is derived from the ended subject or session. */
export const PROVIDER_LOGOUTS: ResourceKind<LogoutBody> = resourceKind('oidcLogout');

/** What a logout of any protocol ends. */
export type EndedSignIns = Pick<ProviderLogout, 'ended' | 'issuedAtSec'>;

export interface ProviderLogoutsOptions {
  readonly store: Pick<Store, 'resources'>;
  readonly clock: Pick<Clock, 'epochMs'>;
  /** How long a sign-in can be used without another. */
  readonly keptMs: number;
}

export class ProviderLogouts {
  readonly #options: ProviderLogoutsOptions;

  constructor(options: ProviderLogoutsOptions) {
    this.#options = options;
  }

  /** Forgets those that are over. Fails OIDC_TOO_MANY_LOGOUTS. */
  async note(orgUuid: Ruuid, { ended, issuedAtSec }: EndedSignIns): Promise<void> {
    const { store, clock, keptMs } = this.#options;
    const logouts = store.resources.of(PROVIDER_LOGOUTS);
    const nowMs = clock.epochMs();
    for (const { uuid, body } of await logouts.list(orgUuid)) {
      if (body.untilMs <= nowMs) await logouts.remove(orgUuid, uuid);
    }
    const room = {
      atMost: MAX_PROVIDER_LOGOUTS,
      within: 'organization' as const,
      full: () => new GatewayError(OIDC_ERRORS.OIDC_TOO_MANY_LOGOUTS, { limit: MAX_PROVIDER_LOGOUTS }),
    };
    for (const each of ended) {
      const next = (known: Resource<LogoutBody> | null): Resource<LogoutBody> => ({
        uuid: logoutUuid(each),
        orgUuid,
        name: '',
        parentUuid: null,
        secret: null,
        body: {
          ended: each,
          // One that comes late must not take back a later one.
          issuedAtSec: Math.max(issuedAtSec, known?.body.issuedAtSec ?? 0),
          untilMs: nowMs + keptMs,
        },
        createdAtMs: known?.createdAtMs ?? nowMs,
        updatedAtMs: nowMs,
      });
      await logouts.change(orgUuid, logoutUuid(each), next, room, 'vital');
    }
  }

  /** Whether the sign-in was ended at the provider. */
  async isOver(orgUuid: Ruuid, session: SessionAtProvider): Promise<boolean> {
    const logouts = this.#options.store.resources.of(PROVIDER_LOGOUTS);
    for (const uuid of logoutUuidsOf(session)) {
      const logout = await logouts.find(orgUuid, uuid);
      if (logout !== null && isBefore(session, logout.body)) return true;
    }
    return false;
  }
}

/** The logouts that can have ended the session. */
export function logoutUuidsOf({ subject, session }: SessionAtProvider): readonly Ruuid[] {
  return [logoutUuid(subject), logoutUuid(session)];
}

/** Within the same second, the order is unknown: then the person signs in once more. */
export function isBefore(session: SessionAtProvider, logout: Pick<LogoutBody, 'issuedAtSec'>): boolean {
  return session.issuedAtSec <= logout.issuedAtSec;
}

function logoutUuid(ended: Ruuid): Ruuid {
  return deriveRuuid('oidc logout', ended);
}
