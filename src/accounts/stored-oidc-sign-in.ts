/** Signs in people whom an OpenID Connect provider of their organization has authenticated. */

import type { Ruuid } from '../core/ruuid.ts';
import { accessOf } from '../oidc/access-rules.ts';
import type { ProviderIdentity } from '../oidc/oidc-client.ts';
import type { OidcProvider, OidcProviders } from '../oidc/oidc-providers.ts';
import type { SignInDomains } from '../oidc/sign-in-domains.ts';
import type { ConsoleClient, ConsoleSessions } from './console-sessions.ts';
import type { ProviderSignIn } from './provider-sign-in.ts';
import type { SignedIn } from './sign-in.ts';

const MAX_CLAIM_VALUES = 1_000;

export interface StoredOidcSignInOptions {
  readonly signIn: Pick<ProviderSignIn, 'enter'>;
  readonly providers: Pick<OidcProviders, 'findWorking'>;
  readonly domains: Pick<SignInDomains, 'workingOf'>;
  readonly sessions: Pick<ConsoleSessions, 'endByToken'>;
}

export class StoredOidcSignIn {
  readonly #options: StoredOidcSignInOptions;

  constructor(options: StoredOidcSignInOptions) {
    this.#options = options;
  }

  /** `personUuid`: who was signed in to the browser before; null: no one. Fails OIDC_NOT_SET_UP, and like ProviderSignIn.enter. */
  async enter(
    { uuid: providerUuid, orgUuid, body }: OidcProvider,
    identity: ProviderIdentity,
    personUuid: Ruuid | null,
    client: ConsoleClient,
  ): Promise<SignedIn> {
    const { signIn, providers, sessions } = this.#options;
    const { access } = body;
    // Without any domain, all who have a role may enter. People of a domain that is not proven may not.
    const domains =
      body.domains.length === 0
        ? null
        : await this.#options.domains.workingOf({ orgUuid, uuid: providerUuid });
    const rules = { method: 'oidc', orgUuid, providerUuid, domains, linksAdmins: false } as const;
    const given = access.attribute === null ? new Map() : valuesOf(identity.claims, access.attribute);
    const wanted = { person: identity, rules, access: accessOf(given, access), personUuid };
    const begun = await signIn.enter(wanted, client);
    try {
      // Someone removed it in the meantime, and looked for its sessions before there was this one.
      await providers.findWorking(providerUuid);
    } catch (thrown) {
      await sessions.endByToken(begun.token.reveal());
      throw thrown;
    }
    return begun;
  }
}

function valuesOf(claims: ProviderIdentity['claims'], claim: string): ReadonlyMap<string, readonly string[]> {
  const given = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  const values = (Array.isArray(given) ? given : [given]).slice(0, MAX_CLAIM_VALUES);
  return new Map([[claim, values.filter((value) => typeof value === 'string')]]);
}
