/** Which provider signs in whom, of either protocol: the domain of the email address decides. */

import type { OidcClients } from '../oidc/oidc-clients.ts';
import type { OidcProviders } from '../oidc/oidc-providers.ts';
import { isOfDomain, type OidcSettings } from '../oidc/oidc-settings.ts';
import type { SamlClient } from '../saml/saml-client.ts';
import type { SamlProviders } from '../saml/saml-providers.ts';

export interface SignInProvider {
  readonly protocol: 'SAML' | 'OIDC';
  readonly label: string;
  /** Where the sign-in begins. */
  readonly startUrl: string;
}

export interface SignInProvidersOptions {
  readonly saml: Pick<SamlProviders, 'ofDomain'>;
  readonly client: Pick<SamlClient, 'startUrl'>;
  readonly oidcProviders: Pick<OidcProviders, 'ofDomain'>;
  readonly oidcClients: Pick<OidcClients, 'addressesFor'>;
  /** The configured OpenID Connect provider; null: there is none. */
  readonly oidc: Pick<OidcSettings, 'label' | 'allowedDomains'> | null;
  /** Without a trailing slash. */
  readonly publicApiUrl: string;
}

export class SignInProviders {
  readonly #options: SignInProvidersOptions;

  constructor(options: SignInProvidersOptions) {
    this.#options = options;
  }

  /** null: people with such an address sign in here. `email`: or its domain. */
  async ofEmail(email: string): Promise<SignInProvider | null> {
    const { saml, client, oidcProviders, oidcClients, oidc, publicApiUrl } = this.#options;
    const domain = email
      .slice(email.lastIndexOf('@') + 1)
      .trim()
      .toLowerCase();
    const provider = await saml.ofDomain(domain);
    if (provider !== null) {
      return { protocol: 'SAML', label: provider.name, startUrl: client.startUrl(provider.uuid) };
    }
    const stored = await oidcProviders.ofDomain(domain);
    if (stored !== null) {
      const { startUrl } = oidcClients.addressesFor(stored.uuid);
      return { protocol: 'OIDC', label: stored.name, startUrl };
    }
    if (oidc === null || !isOfDomain(domain, oidc.allowedDomains)) return null;
    return { protocol: 'OIDC', label: oidc.label, startUrl: `${publicApiUrl}/console/oidc/start` };
  }
}
