/** How admins set up SAML providers. It decides who can sign in, so a session alone is not enough (docs/design/people.md). */

import type { Ruuid } from '../core/ruuid.ts';
import type { SamlKeyStore } from '../saml/saml-key-store.ts';
import type { SamlKeys } from '../saml/saml-party.ts';
import type {
  GivenMetadata,
  SamlProvider,
  SamlProviderChanges,
  SamlProviderSettings,
  SamlProviders,
} from '../saml/saml-providers.ts';
import type { Store } from '../store/store.ts';
import type { Caller } from './caller.ts';
import { checkedAccessRules } from './checked-access-rules.ts';
import type { Confirmation } from './confirmation.ts';
import type { ProviderSessions } from './provider-sessions.ts';

export interface SamlAdministrationOptions {
  readonly store: Pick<Store, 'locations' | 'cameras'>;
  readonly providers: SamlProviders;
  readonly keys: SamlKeyStore;
  readonly sessions: Pick<ProviderSessions, 'endSaml'>;
  readonly confirmation: Pick<Confirmation, 'expectFreshCaller'>;
}

type Acting = Pick<Caller, 'orgUuid' | 'principal'>;

export class SamlAdministration {
  readonly #options: SamlAdministrationOptions;

  constructor(options: SamlAdministrationOptions) {
    this.#options = options;
  }

  /** Fails CONFIRMATION_REQUIRED, ACCESS_SCOPE_UNKNOWN, ACCESS_SCOPE_OF_ADMIN, and like SamlProviders.add. */
  async add(
    caller: Acting,
    label: string,
    metadata: GivenMetadata,
    settings: SamlProviderSettings,
  ): Promise<SamlProvider> {
    await this.#options.confirmation.expectFreshCaller(caller);
    const access = await checkedAccessRules(this.#options.store, caller.orgUuid, settings.access);
    return this.#options.providers.add(caller.orgUuid, label, metadata, { ...settings, access });
  }

  /** Turning a provider off ends the sessions that began there. Fails like `add`, and SAML_PROVIDER_NOT_FOUND. */
  async update(caller: Acting, uuid: Ruuid, changes: SamlProviderChanges): Promise<SamlProvider> {
    await this.#options.confirmation.expectFreshCaller(caller);
    const { orgUuid } = caller;
    const { access } = changes;
    const { store } = this.#options;
    const checked = access === undefined ? {} : { access: await checkedAccessRules(store, orgUuid, access) };
    const provider = await this.#options.providers.update(orgUuid, uuid, { ...changes, ...checked });
    if (!provider.body.isEnabled) await this.#options.sessions.endSaml(orgUuid, uuid);
    return provider;
  }

  /** Ends the sessions that began there. Fails CONFIRMATION_REQUIRED, SAML_PROVIDER_NOT_FOUND. */
  async remove(caller: Acting, uuid: Ruuid): Promise<void> {
    await this.#options.confirmation.expectFreshCaller(caller);
    await this.#options.providers.remove(caller.orgUuid, uuid);
    await this.#options.sessions.endSaml(caller.orgUuid, uuid);
  }

  /** Fails CONFIRMATION_REQUIRED, SAML_KEY_BEING_RENEWED. */
  async renewKey(caller: Acting): Promise<SamlKeys> {
    await this.#options.confirmation.expectFreshCaller(caller);
    return this.#options.keys.renew(caller.orgUuid);
  }

  /** Fails CONFIRMATION_REQUIRED, SAML_KEY_NOT_RENEWED. */
  async finishKeyRenewal(caller: Acting): Promise<SamlKeys> {
    await this.#options.confirmation.expectFreshCaller(caller);
    return this.#options.keys.finishRenewal(caller.orgUuid);
  }
}
