/**
 * How many requests a caller may send. An organization has a bucket, and each of its credentials a smaller one, so that a
 * flood with one of them leaves room for the others; pages and devices, whose credentials leave the organization's hands, have
 * small ones. What ends access, and what administrators do in the console, has a reserve for each credential.
 */

import { type Caller, credentialOf } from '../accounts/caller.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { RateLimit } from '../core/limits/shared-limit.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { subscriberOf } from '../core/subscriber.ts';
import type { CreateRateLimiter, RateLimiter, RateVerdict } from '../counters/rate-limiter.ts';

/** The names of the limits in `RateLimit-Policy`. */
export type QuotaPolicy = 'organization' | 'credential' | 'reserve' | 'address';

export interface Quota {
  readonly policy: QuotaPolicy;
  readonly verdict: RateVerdict;
}

/** Operations whose names (docs/spec/conventions.md) say that they may end access. */
const ENDING_OPERATION =
  /^(?:block|bulkUpdate|cancel|change|delete|disable|end|lock|pause|remove|revoke|set|signOut|unassign|update)(?![a-z])/;

/** Whether access can end with a call of the endpoint at `path`. */
export function mayEndAccess(path: string): boolean {
  return ENDING_OPERATION.test(path.slice(path.lastIndexOf('/') + 1));
}

export class RequestLimits {
  readonly #organizations: RateLimiter;
  readonly #credentials: RateLimiter;
  readonly #weakCredentials: RateLimiter;
  readonly #reserves: RateLimiter;
  readonly #addresses: RateLimiter;
  readonly #provisioning: RateLimiter;
  readonly #provisioningTokens: RateLimiter;

  /** `perOrganization`: replaces the registry's limit; the other limits are scaled alike. */
  constructor(create: CreateRateLimiter, perOrganization: RateLimit) {
    const { levels, reserve } = LIMITS.apiRequests;
    const scaled = ({ burst, perSec }: RateLimit): RateLimit => ({
      burst: Math.max(1, Math.ceil((burst * perOrganization.burst) / levels.organization.burst)),
      perSec: (perSec * perOrganization.perSec) / levels.organization.perSec,
    });
    this.#organizations = create('organization', perOrganization);
    this.#credentials = create('credential', scaled(levels.credential));
    this.#weakCredentials = create('weak-credential', scaled(levels.weakCredential));
    this.#reserves = create('reserve', scaled(reserve));
    this.#addresses = create('open', scaled(levels.address));
    const scim = LIMITS.scimRequests.levels;
    this.#provisioning = create('provisioning', scaled(scim.organization));
    this.#provisioningTokens = create('provisioning-token', scaled(scim.credential));
  }

  /** `isReserved`: the request ends access, and the caller may send it. */
  async take(caller: Caller, isReserved: boolean): Promise<Quota> {
    // A partner's key has a bucket in each client organization that it acts for.
    const credential = `${caller.orgUuid} ${credentialOf(caller)}`;
    const quota = await this.#takeOf(caller.orgUuid, credential, isWeak(caller));
    if (quota.verdict.isAllowed || !(isReserved || isAdministrator(caller))) return quota;
    const verdict = await this.#reserves.take(credential);
    return verdict.isAllowed ? { policy: 'reserve', verdict } : quota;
  }

  /** An application that requests a token. */
  takeForApplication(orgUuid: Ruuid, applicationUuid: Ruuid): Promise<Quota> {
    return this.#takeOf(orgUuid, applicationUuid, false);
  }

  /** A directory that provisions people; `tokenUuid`: of its token. */
  async takeForProvisioning(orgUuid: Ruuid, tokenUuid: Ruuid): Promise<Quota> {
    const own = await this.#provisioningTokens.take(tokenUuid);
    if (!own.isAllowed) return { policy: 'credential', verdict: own };
    return { policy: 'organization', verdict: await this.#provisioning.take(orgUuid) };
  }

  /** Someone without credentials. */
  async takeForAddress(address: string): Promise<Quota> {
    return { policy: 'address', verdict: await this.#addresses.take(subscriberOf(address)) };
  }

  /** The credential's first: a request that it has no token for takes none of its organization's. */
  async #takeOf(orgUuid: Ruuid, credential: string, weak: boolean): Promise<Quota> {
    const own = await (weak ? this.#weakCredentials : this.#credentials).take(credential);
    if (!own.isAllowed) return { policy: 'credential', verdict: own };
    const all = await this.#organizations.take(orgUuid);
    const isOwnLess = all.isAllowed && own.remaining < all.remaining;
    return isOwnLess ? { policy: 'credential', verdict: own } : { policy: 'organization', verdict: all };
  }
}

function isWeak({ principal, scheme }: Caller): boolean {
  return principal.kind === 'page' || scheme === 'device';
}

function isAdministrator({ principal, role }: Caller): boolean {
  return principal.kind === 'person' && role === 'admin';
}
