/** Wires up sign-ins at providers: what both protocols share, and the providers of organizations. */

import { randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { machineTextRecords } from '../names/machine-names.ts';
import { OidcClients } from '../oidc/oidc-clients.ts';
import { type OidcProvider, OidcProviders } from '../oidc/oidc-providers.ts';
import type { OidcSettings } from '../oidc/oidc-settings.ts';
import { boundedProviderFetch } from '../oidc/provider-fetch.ts';
import type { ProviderFetch } from '../oidc/provider-keys.ts';
import { ProviderLogouts } from '../oidc/provider-logouts.ts';
import { ATTEMPT_MS } from '../oidc/sign-in-attempt.ts';
import { SignInDomains, type SignInDomainsOptions } from '../oidc/sign-in-domains.ts';
import { metadataFetch, type ReadMetadata } from '../saml/metadata-fetch.ts';
import { SamlClient } from '../saml/saml-client.ts';
import { SamlKeyStore } from '../saml/saml-key-store.ts';
import { SamlProviders } from '../saml/saml-providers.ts';
import { UsedIds } from '../saml/used-ids.ts';
import type { Store } from '../store/store.ts';
import type { Confirmation } from './confirmation.ts';
import type { ConsoleSessions } from './console-sessions.ts';
import { OidcAdministration } from './oidc-administration.ts';
import type { People } from './people.ts';
import { ProviderSessions } from './provider-sessions.ts';
import { type HasRightsOfGroups, ProviderSignIn } from './provider-sign-in.ts';
import { ProviderSignOut } from './provider-sign-out.ts';
import { SamlAdministration } from './saml-administration.ts';
import { SamlSignIn } from './saml-sign-in.ts';
import type { SignIn, SignInAudit } from './sign-in.ts';
import { SignInProviders } from './sign-in-providers.ts';
import { StoredOidcSignIn } from './stored-oidc-sign-in.ts';

const KEY_BYTES = 32;

export interface ProviderServices {
  readonly providerSignIn: ProviderSignIn;
  readonly providerSignOut: ProviderSignOut;
  readonly samlProviders: SamlProviders;
  readonly samlKeys: SamlKeyStore;
  readonly samlClient: SamlClient;
  readonly samlSignIn: SamlSignIn;
  readonly samlAdministration: SamlAdministration;
  readonly signInDomains: SignInDomains;
  readonly oidcProviders: OidcProviders;
  readonly oidcClients: OidcClients;
  readonly oidcAdministration: OidcAdministration;
  readonly storedOidcSignIn: StoredOidcSignIn;
  readonly providerSessions: ProviderSessions;
  readonly signInProviders: SignInProviders;
}

export interface ProviderOptions {
  /** The configured OpenID Connect provider. Default: there is none. */
  readonly oidc?: Pick<OidcSettings, 'label' | 'allowedDomains'> | null | undefined;
  /** Seals sign-ins that wait in browsers. Absent: one of this process. */
  readonly sealingKey?: Uint8Array | undefined;
  /** How long viewers can use a sign-in. Default: they cannot. */
  readonly viewerProofMs?: number | undefined;
  /** Whether one of several organizations proves by DNS that a domain is its own. Default: `dns`. */
  readonly domainProof?: 'dns' | 'none' | undefined;
  /** TXT records of a name. Default: from the machine's name servers. */
  readonly textsOf?: SignInDomainsOptions['textsOf'] | undefined;
  /** As for webhooks: whether providers can be in private networks. */
  readonly allowPrivateNetworks?: boolean | undefined;
  /** Reads metadata. Default: HTTPS. */
  readonly readMetadata?: ReadMetadata | undefined;
  /** Reaches OpenID Connect providers of organizations. Default: HTTPS. */
  readonly fetchFromProvider?: ProviderFetch | undefined;
  /** Of our keys for SAML. Default: 3072. */
  readonly samlKeyBits?: number | undefined;
}

export interface ProviderServiceParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly people: People;
  readonly sessions: ConsoleSessions;
  readonly signIn: SignIn;
  readonly confirmation: Confirmation;
  readonly audit: Pick<SignInAudit, 'as'>;
  readonly publicApiUrl: string;
  readonly options: ProviderOptions;
  readonly hasRightsOfGroups?: HasRightsOfGroups | undefined;
}

export function createProviderServices(parts: ProviderServiceParts): ProviderServices {
  const { store, clock, log, sessions, confirmation, publicApiUrl, options } = parts;
  const { sealingKey = randomBytes(KEY_BYTES), viewerProofMs = 0, allowPrivateNetworks = false } = options;
  // A proof is made after its ID token.
  const logouts = new ProviderLogouts({ store, clock, keptMs: viewerProofMs + ATTEMPT_MS });
  const providerSignIn = new ProviderSignIn({ ...parts, logouts });
  const providerSignOut = new ProviderSignOut({ sessions, logouts });
  const fetchMetadata = metadataFetch({ clock, allowPrivateNetworks, call: options.readMetadata });
  const domains = new SignInDomains({
    store,
    isProofNeeded: async () =>
      options.domainProof !== 'none' && (await store.organizations.list()).length > 1,
    textsOf: options.textsOf ?? machineTexts(),
    clock,
    log,
  });
  const samlProviders = new SamlProviders({ store, domains, fetchMetadata, clock, log });
  const { hostname: host } = new URL(publicApiUrl);
  const samlKeys = new SamlKeyStore({ store, clock, host, keyBits: options.samlKeyBits });
  const samlClient = new SamlClient({
    providers: samlProviders,
    keys: samlKeys,
    usedIds: new UsedIds({ store, clock }),
    sealingKey,
    publicApiUrl,
    clock,
    log,
  });
  const [providers, keys, client] = [samlProviders, samlKeys, samlClient];
  const fetch = options.fetchFromProvider ?? boundedProviderFetch({ clock, allowPrivateNetworks });
  const oidcClients = new OidcClients({ fetch, sealingKey, publicApiUrl, clock, log });
  const discover = (provider: OidcProvider) => oidcClients.discover(provider);
  const oidcProviders = new OidcProviders({ store, domains, discover, clock });
  const providerSessions = new ProviderSessions({ store, sessions });
  return {
    providerSignIn,
    providerSignOut,
    samlProviders,
    samlKeys,
    samlClient,
    samlAdministration: new SamlAdministration({
      store,
      providers,
      keys,
      sessions: providerSessions,
      confirmation,
    }),
    signInProviders: new SignInProviders({
      saml: samlProviders,
      client,
      oidcProviders,
      oidcClients,
      oidc: options.oidc ?? null,
      publicApiUrl,
    }),
    signInDomains: domains,
    oidcProviders,
    oidcClients,
    oidcAdministration: new OidcAdministration({
      store,
      providers: oidcProviders,
      sessions: providerSessions,
      confirmation,
    }),
    storedOidcSignIn: new StoredOidcSignIn({
      signIn: providerSignIn,
      providers: oidcProviders,
      domains,
      sessions,
    }),
    providerSessions,
    samlSignIn: new SamlSignIn({ store, domains, signIn: providerSignIn, signOut: providerSignOut, clock }),
  };
}

function machineTexts(): SignInDomainsOptions['textsOf'] {
  const records = machineTextRecords();
  return (name, organization) => records.textsOf(name, organization);
}
