/** How admins set up OpenID Connect providers. It decides who can sign in, so a session alone is not enough (docs/design/people.md). */

import type { Ruuid } from '../core/ruuid.ts';
import type {
  OidcClientIdentity,
  OidcProvider,
  OidcProviderChanges,
  OidcProviderSettings,
  OidcProviders,
} from '../oidc/oidc-providers.ts';
import type { Store } from '../store/store.ts';
import type { Caller } from './caller.ts';
import { checkedAccessRules } from './checked-access-rules.ts';
import type { Confirmation } from './confirmation.ts';
import type { ProviderSessions } from './provider-sessions.ts';

export interface OidcAdministrationOptions {
  readonly store: Pick<Store, 'locations' | 'cameras'>;
  readonly providers: OidcProviders;
  readonly sessions: ProviderSessions;
  readonly confirmation: Pick<Confirmation, 'expectFreshCaller'>;
}

type Acting = Pick<Caller, 'orgUuid' | 'principal'>;

export class OidcAdministration {
  readonly #options: OidcAdministrationOptions;

  constructor(options: OidcAdministrationOptions) {
    this.#options = options;
  }

  /** Fails CONFIRMATION_REQUIRED, ACCESS_SCOPE_UNKNOWN, ACCESS_SCOPE_OF_ADMIN, and like OidcProviders.add. */
  async add(
    caller: Acting,
    label: string,
    identity: OidcClientIdentity,
    settings: OidcProviderSettings,
  ): Promise<OidcProvider> {
    await this.#options.confirmation.expectFreshCaller(caller);
    const { store, providers } = this.#options;
    const access = await checkedAccessRules(store, caller.orgUuid, settings.access);
    return providers.add(caller.orgUuid, label, identity, { ...settings, access });
  }

  /**
   * Ends the sessions that began there, if the provider is turned off, or is another one from now on. Fails like `add`, and like
   * OidcProviders.update.
   */
  async update(caller: Acting, uuid: Ruuid, changes: OidcProviderChanges): Promise<OidcProvider> {
    await this.#options.confirmation.expectFreshCaller(caller);
    const { orgUuid } = caller;
    const { store, providers, sessions } = this.#options;
    const { access } = changes;
    const checked = access === undefined ? {} : { access: await checkedAccessRules(store, orgUuid, access) };
    const before = await providers.find(orgUuid, uuid);
    const provider = await providers.update(orgUuid, uuid, { ...changes, ...checked });
    const isElsewhere = provider.body.issuer !== before.body.issuer;
    if (isElsewhere || !provider.body.isEnabled) await sessions.end(orgUuid, uuid);
    return provider;
  }

  /** Ends the sessions that began there. Fails CONFIRMATION_REQUIRED, OIDC_PROVIDER_NOT_FOUND. */
  async remove(caller: Acting, uuid: Ruuid): Promise<void> {
    await this.#options.confirmation.expectFreshCaller(caller);
    const { providers, sessions } = this.#options;
    await providers.remove(caller.orgUuid, uuid);
    await sessions.forget(caller.orgUuid, uuid);
  }
}
