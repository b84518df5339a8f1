/** Creates federated sessions (federated-session.ts). */

import { domainToASCII } from 'node:url';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { hashApiKey } from '../store/api-key-hash.ts';
import type { Resource, ResourceRepository } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import type { Caller } from './caller.ts';
import { ACCOUNT_ERRORS } from './errors.ts';
import { FEDERATED_SESSIONS, type FederatedSessionBody, federatedSessionUuid } from './federated-session.ts';

const MAX_SESSIONS_PER_ORG = LIMITS.federatedSessions.perOrganization;

export interface FederatedSessionsOptions {
  readonly store: Pick<Store, 'resources' | 'cameras' | 'nvrs'>;
  readonly clock: Clock;
}

export interface WantedSession {
  /** A host or an origin whose pages can use it; null: any. */
  readonly domain: string | null;
  /** The one device that it can read; null: all. */
  readonly deviceUuid: Ruuid | null;
  readonly durationSec: number;
}

export class FederatedSessions {
  readonly #sessions: ResourceRepository<FederatedSessionBody>;
  readonly #store: FederatedSessionsOptions['store'];
  readonly #clock: Clock;

  constructor({ store, clock }: FederatedSessionsOptions) {
    this.#store = store;
    this.#sessions = store.resources.of(FEDERATED_SESSIONS);
    this.#clock = clock;
  }

  /**
   * Resolves with the token, which is not stored. Fails FEDERATED_SESSION_NEEDS_KEY, FEDERATED_SESSION_DOMAIN_INVALID,
   * FEDERATED_SESSION_DEVICE_NOT_FOUND, TOO_MANY_FEDERATED_SESSIONS.
   */
  async create({ orgUuid, principal }: Caller, wanted: WantedSession): Promise<Ruuid> {
    if (principal.kind !== 'key') throw new GatewayError(ACCOUNT_ERRORS.FEDERATED_SESSION_NEEDS_KEY);
    const { key } = principal;
    const domain = wanted.domain === null ? null : hostOf(wanted.domain);
    const { deviceUuid } = wanted;
    if (deviceUuid !== null) await this.#checkDevice(orgUuid, deviceUuid);
    const nowMs = this.#clock.epochMs();
    await this.#removeExpired(orgUuid, nowMs);
    const token = newRuuid();
    const session: Resource<FederatedSessionBody> = {
      uuid: federatedSessionUuid(hashApiKey(token)),
      orgUuid,
      parentUuid: null,
      secret: null,
      name: domain ?? '',
      body: {
        keyUuid: key.uuid,
        keyOrgUuid: key.orgUuid,
        domain,
        deviceUuid,
        expiresAtMs: nowMs + wanted.durationSec * 1_000,
      },
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    await this.#sessions.change(orgUuid, session.uuid, () => session, {
      atMost: MAX_SESSIONS_PER_ORG,
      within: 'organization',
      full: () => new GatewayError(ACCOUNT_ERRORS.TOO_MANY_FEDERATED_SESSIONS),
    });
    return token;
  }

  async #checkDevice(orgUuid: Ruuid, deviceUuid: Ruuid): Promise<void> {
    const { cameras, nvrs } = this.#store;
    const device = (await cameras.find(orgUuid, deviceUuid)) ?? (await nvrs.find(orgUuid, deviceUuid));
    if (device !== null && !device.mummified) return;
    throw new GatewayError(ACCOUNT_ERRORS.FEDERATED_SESSION_DEVICE_NOT_FOUND, { device: deviceUuid });
  }

  async #removeExpired(orgUuid: Ruuid, nowMs: number): Promise<void> {
    const sessions = await this.#sessions.list(orgUuid);
    const expired = sessions.filter(({ body }) => body.expiresAtMs <= nowMs);
    for (const { uuid } of expired) await this.#sessions.remove(orgUuid, uuid);
  }
}

/** As browsers write it in `Origin`. Also accepts a whole origin, which is what pages have. */
function hostOf(domain: string): string {
  const host = URL.canParse(domain) ? new URL(domain).hostname : domainToASCII(domain);
  if (host === '') throw new GatewayError(ACCOUNT_ERRORS.FEDERATED_SESSION_DOMAIN_INVALID);
  return host;
}
