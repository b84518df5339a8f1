/**
 * The domains of email addresses whose people sign in at a provider, by OpenID Connect or by SAML. A domain leads to one provider of the
 * whole gateway, so that no organization can send the people of another one to a page of its own.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import {
  type Resource,
  type ResourceKind,
  type ResourceRepository,
  resourceKind,
} from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { OIDC_ERRORS } from './errors.ts';

/** Of one provider. */
export const MAX_DOMAINS = 20;
const DOMAIN = /^(?=.{3,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/;

/** Its UUID is derived from the domain, its name; its parent is the provider. */
const DOMAINS: ResourceKind<object> = resourceKind('signInDomain');

/** A provider of an organization. */
export interface DomainHolder {
  readonly orgUuid: Ruuid;
  readonly uuid: Ruuid;
}

export interface SignInDomainsOptions {
  readonly store: Pick<Store, 'resources'>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

export class SignInDomains {
  readonly #clock: Pick<Clock, 'epochMs'>;
  readonly #rows: ResourceRepository<object>;

  constructor({ store, clock }: SignInDomainsOptions) {
    this.#clock = clock;
    this.#rows = store.resources.of(DOMAINS);
  }

  /** The provider of a domain, of any organization; null: there is none. */
  async holderOf(domain: string): Promise<DomainHolder | null> {
    const row = await this.#rows.findEverywhere(domainUuid(domain.toLowerCase()));
    return row?.parentUuid == null ? null : { orgUuid: row.orgUuid, uuid: row.parentUuid };
  }

  /** `domains`: checked. Fails SIGN_IN_DOMAIN_TAKEN. Of two who claim a domain at the same time, the earlier one has it. */
  async claim(holder: DomainHolder, domains: readonly string[]): Promise<void> {
    const { orgUuid, uuid: parentUuid } = holder;
    const nowMs = this.#clock.epochMs();
    if ((await this.#heldByOthers(holder, domains)).length > 0) throw taken();
    const added: string[] = [];
    for (const name of domains) {
      const uuid = domainUuid(name);
      const times = { createdAtMs: nowMs, updatedAtMs: nowMs };
      const { before } = await this.#rows.change(orgUuid, uuid, (known) => {
        if (known !== null) return 'unchanged';
        return { uuid, orgUuid, name, parentUuid, secret: null, body: {}, ...times };
      });
      if (before === null) added.push(name);
    }
    const others = await this.#heldByOthers(holder, domains);
    if (!others.some((other) => other.createdAtMs < nowMs || other.orgUuid <= orgUuid)) return;
    await this.release(holder, added);
    throw taken();
  }

  /** Those that the provider has of them. */
  async release({ orgUuid, uuid }: DomainHolder, domains: readonly string[]): Promise<void> {
    for (const domain of domains) {
      const row = await this.#rows.find(orgUuid, domainUuid(domain));
      if (row?.parentUuid === uuid) await this.#rows.remove(orgUuid, row.uuid);
    }
  }

  /** All of a provider that is being removed. */
  async releaseAll({ orgUuid, uuid }: DomainHolder): Promise<void> {
    for (const row of await this.#rows.listByParent(orgUuid, uuid)) {
      await this.#rows.remove(orgUuid, row.uuid);
    }
  }

  async #heldByOthers(
    { orgUuid, uuid }: DomainHolder,
    domains: readonly string[],
  ): Promise<Resource<object>[]> {
    const wanted = new Set(domains.map(domainUuid));
    const all = await this.#rows.listEverywhere();
    return all.filter((row) => wanted.has(row.uuid) && (row.orgUuid !== orgUuid || row.parentUuid !== uuid));
  }
}

/** Each once, in lower case. Fails SIGN_IN_DOMAIN_INVALID. */
export function checkedDomains(domains: readonly string[]): string[] {
  const checked = [...new Set(domains.map((domain) => domain.trim().toLowerCase().replace(/^@/, '')))];
  const wrong = checked.find((domain) => !DOMAIN.test(domain));
  if (wrong !== undefined) throw new GatewayError(OIDC_ERRORS.SIGN_IN_DOMAIN_INVALID);
  return checked;
}

/** The text is older than providers of OpenID Connect. */
function domainUuid(domain: string): Ruuid {
  return deriveRuuid('saml domain', domain);
}

function taken(): GatewayError {
  return new GatewayError(OIDC_ERRORS.SIGN_IN_DOMAIN_TAKEN);
}
