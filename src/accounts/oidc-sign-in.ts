/**
 * Signs in people whom the configured OpenID Connect provider has authenticated. An identity is an issuer and a subject. The email address
 * only links them to a person once, and only if the provider has verified it.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { ProviderIdentity } from '../oidc/oidc-client.ts';
import type { OidcSettings, RoleMapping } from '../oidc/oidc-settings.ts';
import { ROLES, type Role } from '../store/person.ts';
import type { ConsoleClient } from './console-sessions.ts';
import type { ProviderSignIn } from './provider-sign-in.ts';
import type { SignedIn } from './sign-in.ts';

const MAX_CLAIM_VALUES = 1_000;

export interface OidcSignInOptions {
  readonly signIn: ProviderSignIn;
  readonly settings: OidcSettings;
  /** Whether groups of a directory decide what the person may do: then no value of the provider does. */
  readonly hasRightsOfGroups?: (orgUuid: Ruuid, personUuid: Ruuid) => Promise<boolean>;
  /** The organization of the console. */
  readonly orgUuid: Ruuid;
}

export class OidcSignIn {
  readonly #options: OidcSignInOptions;

  constructor(options: OidcSignInOptions) {
    this.#options = options;
  }

  /** Fails like ProviderSignIn.enter. */
  enter(identity: ProviderIdentity, client: ConsoleClient): Promise<SignedIn> {
    const { signIn, settings, orgUuid } = this.#options;
    const { allowedDomains, roles } = settings;
    const domains = allowedDomains.length === 0 ? null : allowedDomains;
    const role = roles === null ? undefined : roleOf(identity.claims, roles);
    // Who runs the gateway chose the provider: it may sign in administrators, too.
    const rules = { method: 'oidc', orgUuid, domains, linksAdmins: true } as const;
    const access = role === undefined ? undefined : role === null ? null : { role };
    return signIn.enter({ person: identity, rules, access, personUuid: null }, client);
  }
}

/** The highest role that a value of the claim has; null: none. */
function roleOf(claims: ProviderIdentity['claims'], { claim, values }: RoleMapping): Role | null {
  const given = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  const words = new Set((Array.isArray(given) ? given : [given]).slice(0, MAX_CLAIM_VALUES));
  return ROLES.toReversed().find((role) => values[role].some((value) => words.has(value))) ?? null;
}
