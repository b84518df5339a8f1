/** Making federated sessions (base/federated-session.ts). */

import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { hashApiKey } from '../../store/api-key-hash.ts';
import type { ApiKey } from '../../store/entities.ts';
import type { Resource, ResourceRepository } from '../../store/resource.ts';
import type { Store } from '../../store/store.ts';
import {
  FEDERATED_SESSIONS,
  type FederatedSessionBody,
  federatedSessionUuid,
} from '../base/federated-session.ts';
import { ORG_ERRORS } from './errors.ts';

const MAX_SESSIONS_PER_ORG = 1_000;

export class FederatedSessions {
  readonly #sessions: ResourceRepository<FederatedSessionBody>;
  readonly #clock: Clock;

  constructor({ store, clock }: { readonly store: Pick<Store, 'resources'>; readonly clock: Clock }) {
    this.#sessions = store.resources.of(FEDERATED_SESSIONS);
    this.#clock = clock;
  }

  /** Resolves with the token, which is not kept. Fails TOO_MANY_FEDERATED_SESSIONS. */
  async create(
    orgUuid: Ruuid,
    key: ApiKey,
    wanted: { readonly domain: string | null; readonly durationSec: number },
  ): Promise<Ruuid> {
    const nowMs = this.#clock.epochMs();
    await this.#removeExpired(orgUuid, nowMs);
    const token = newRuuid();
    const session: Resource<FederatedSessionBody> = {
      ...{ uuid: federatedSessionUuid(hashApiKey(token)), orgUuid, parentUuid: null, secret: null },
      name: wanted.domain ?? '',
      body: {
        keyUuid: key.uuid,
        keyOrgUuid: key.orgUuid,
        domain: wanted.domain,
        expiresAtMs: nowMs + wanted.durationSec * 1_000,
      },
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    await this.#sessions.change(orgUuid, session.uuid, () => session, {
      ...{ atMost: MAX_SESSIONS_PER_ORG, within: 'organisation' },
      full: () => new GatewayError(ORG_ERRORS.TOO_MANY_FEDERATED_SESSIONS),
    });
    return token;
  }

  async #removeExpired(orgUuid: Ruuid, nowMs: number): Promise<void> {
    const sessions = await this.#sessions.list(orgUuid);
    const expired = sessions.filter(({ body }) => body.expiresAtMs <= nowMs);
    for (const { uuid } of expired) await this.#sessions.remove(orgUuid, uuid);
  }
}
