/**
 * IDs of assertions and logouts that were used, so that none works twice, on any node: they are in the database until the message could no
 * longer be used anyway.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Secret } from '../core/secret.ts';
import {
  type Resource,
  type ResourceKind,
  type ResourceRepository,
  resourceKind,
} from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { SAML_ERRORS } from './errors.ts';

interface UsedIdBody {
  readonly untilMs: number;
}

/** Its UUID is derived from the provider and the ID. */
export const SAML_USED_IDS: ResourceKind<UsedIdBody> = resourceKind('samlUsedId');
/** How many expired ones each new one removes: more than are added. */
const REMOVED_PER_USE = 8;

export class UsedIds {
  readonly #ids: ResourceRepository<UsedIdBody>;
  readonly #clock: Pick<Clock, 'epochMs'>;

  constructor({
    store,
    clock,
  }: { readonly store: Pick<Store, 'resources'>; readonly clock: Pick<Clock, 'epochMs'> }) {
    this.#ids = store.resources.of(SAML_USED_IDS);
    this.#clock = clock;
  }

  /**
   * Of several uses at the same time, one succeeds. `kept`: what `take` returns once. Resolves with the UUID for that. Fails SAML_REPLAYED,
   * SAML_BUSY.
   */
  async use(
    { orgUuid, uuid: providerUuid }: Pick<Resource<object>, 'orgUuid' | 'uuid'>,
    id: string,
    untilMs: number,
    kept: Secret | null = null,
  ): Promise<Ruuid> {
    const nowMs = this.#clock.epochMs();
    await this.#removeExpired(orgUuid, nowMs);
    const uuid = deriveRuuid('saml used id', JSON.stringify([orgUuid, providerUuid, id]));
    const decide = (known: unknown) => {
      if (known !== null) throw new GatewayError(SAML_ERRORS.SAML_REPLAYED);
      const times = { createdAtMs: nowMs, updatedAtMs: nowMs };
      return { uuid, orgUuid, name: '', parentUuid: providerUuid, secret: kept, body: { untilMs }, ...times };
    };
    await this.#ids.change(orgUuid, uuid, decide, {
      atMost: LIMITS.samlUsedIds.perOrganization,
      within: 'organization',
      full: () => new GatewayError(SAML_ERRORS.SAML_BUSY),
    });
    return uuid;
  }

  /** What was kept with it, once, on any node; null: nothing, or it was taken. */
  async take(orgUuid: Ruuid, uuid: Ruuid): Promise<Secret | null> {
    const nowMs = this.#clock.epochMs();
    const { before, after } = await this.#ids.change(orgUuid, uuid, (known) =>
      known === null || known.secret === null ? 'unchanged' : { ...known, secret: null, updatedAtMs: nowMs },
    );
    return before === after ? null : before!.secret;
  }

  /** The oldest first: they are used for minutes, so those are nearly in the order of their ends. */
  async #removeExpired(orgUuid: Ruuid, nowMs: number): Promise<void> {
    const oldest = await this.#ids.page(orgUuid, { after: null, limit: REMOVED_PER_USE });
    for (const { uuid, body } of oldest) {
      if (body.untilMs <= nowMs) await this.#ids.remove(orgUuid, uuid);
    }
  }
}
