/** The OpenID Connect providers of an organization, next to the one that the configuration has for the whole gateway. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import {
  type Resource,
  type ResourceKind,
  type ResourceRepository,
  resourceKind,
} from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import type { AccessRules } from './access-rules.ts';
import { OIDC_ERRORS } from './errors.ts';
import type { OidcSettings } from './oidc-settings.ts';
import { checkedDomains, type SignInDomains } from './sign-in-domains.ts';

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** What an admin decides. */
export interface OidcProviderSettings {
  readonly isEnabled: boolean;
  /** In lower case. */
  readonly domains: readonly string[];
  readonly scopes: readonly string[];
  /** Whether an email address counts of which the provider says nothing about having verified it. */
  readonly acceptsUnverifiedEmail: boolean;
  /** The claim is the attribute. */
  readonly access: AccessRules;
}

export interface OidcProviderBody extends OidcProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
}

/** Its name is the label of the button, its secret the client secret. */
export type OidcProvider = Resource<OidcProviderBody>;

/** How the gateway is known at the provider. */
export interface OidcClientIdentity {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface OidcProviderChanges extends Partial<OidcProviderSettings>, Partial<OidcClientIdentity> {
  readonly label?: string;
}

export const OIDC_PROVIDERS: ResourceKind<OidcProviderBody> = resourceKind('oidcProvider');

export interface OidcProvidersOptions {
  readonly store: Pick<Store, 'resources'>;
  readonly domains: SignInDomains;
  /** Reads the provider's metadata. Fails OIDC_ISSUER_REFUSED, OIDC_DISCOVERY_FAILED, OIDC_BUSY. */
  readonly discover: (provider: OidcProvider) => Promise<void>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

export class OidcProviders {
  readonly #options: OidcProvidersOptions;
  readonly #rows: ResourceRepository<OidcProviderBody>;

  constructor(options: OidcProvidersOptions) {
    this.#options = options;
    this.#rows = options.store.resources.of(OIDC_PROVIDERS);
  }

  /** In the order in which they were added. */
  list(orgUuid: Ruuid): Promise<OidcProvider[]> {
    return this.#rows.list(orgUuid);
  }

  /** Fails OIDC_PROVIDER_NOT_FOUND. */
  async find(orgUuid: Ruuid, uuid: Ruuid): Promise<OidcProvider> {
    const provider = await this.#rows.find(orgUuid, uuid);
    if (provider === null) throw notFound();
    return provider;
  }

  /** One that people can use now, of any organization. Fails OIDC_NOT_SET_UP. */
  async findWorking(uuid: Ruuid): Promise<OidcProvider> {
    const provider = await this.#rows.findEverywhere(uuid);
    if (provider === null || !provider.body.isEnabled) throw new GatewayError(OIDC_ERRORS.OIDC_NOT_SET_UP);
    return provider;
  }

  /** The provider of a domain, of any organization; null: there is none that works. */
  async ofDomain(domain: string): Promise<OidcProvider | null> {
    const holder = await this.#options.domains.holderOf(domain);
    const provider = holder === null ? null : await this.#rows.find(holder.orgUuid, holder.uuid);
    return provider?.body.isEnabled === true ? provider : null;
  }

  /** Fails OIDC_ISSUER_INVALID, TOO_MANY_OIDC_PROVIDERS, like `discover`, and like the domains. */
  async add(
    orgUuid: Ruuid,
    label: string,
    { issuer, clientId, clientSecret }: OidcClientIdentity,
    settings: OidcProviderSettings,
  ): Promise<OidcProvider> {
    const { clock, domains, discover } = this.#options;
    const nowMs = clock.epochMs();
    const provider: OidcProvider = {
      uuid: newRuuid(),
      orgUuid,
      name: label,
      parentUuid: null,
      secret: new Secret(clientSecret),
      body: {
        ...settings,
        domains: checkedDomains(settings.domains),
        issuer: checkedIssuer(issuer),
        clientId,
      },
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    await discover(provider);
    await domains.claim(provider, provider.body.domains);
    try {
      await this.#rows.change(orgUuid, provider.uuid, () => provider, {
        atMost: LIMITS.oidcProviders.perOrganization,
        within: 'organization',
        full: () => new GatewayError(OIDC_ERRORS.TOO_MANY_OIDC_PROVIDERS),
      });
    } catch (thrown) {
      await domains.release(provider, provider.body.domains);
      throw thrown;
    }
    return provider;
  }

  /**
   * Absent fields stay as they are. A secret never goes to another issuer than the one that it was given for. Fails like `add`,
   * OIDC_PROVIDER_NOT_FOUND, and OIDC_SECRET_MISSING.
   */
  async update(orgUuid: Ruuid, uuid: Ruuid, changes: OidcProviderChanges): Promise<OidcProvider> {
    const { clock, domains: claims, discover } = this.#options;
    const before = await this.find(orgUuid, uuid);
    const { label, clientSecret, ...settings } = changes;
    const domains = checkedDomains(settings.domains ?? before.body.domains);
    const issuer = checkedIssuer(settings.issuer ?? before.body.issuer);
    const isElsewhere = issuer !== before.body.issuer;
    if (isElsewhere && clientSecret === undefined) throw new GatewayError(OIDC_ERRORS.OIDC_SECRET_MISSING);
    const next = (known: OidcProvider): OidcProvider => ({
      ...known,
      name: label ?? known.name,
      secret: clientSecret === undefined ? known.secret : new Secret(clientSecret),
      body: { ...known.body, ...settings, domains, issuer },
      updatedAtMs: clock.epochMs(),
    });
    if (isElsewhere) await discover(next(before));
    await claims.claim(before, domains);
    const { after } = await this.#rows.change(orgUuid, uuid, (known) => {
      if (known === null) throw notFound();
      // Someone else moved it in the meantime: their secret is for their issuer.
      if (clientSecret === undefined && known.body.issuer !== issuer) {
        throw new GatewayError(OIDC_ERRORS.OIDC_SECRET_MISSING);
      }
      return next(known);
    });
    await claims.release(
      before,
      before.body.domains.filter((domain) => !domains.includes(domain)),
    );
    return after!;
  }

  /** Fails OIDC_PROVIDER_NOT_FOUND. */
  async remove(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    await this.#options.domains.releaseAll({ orgUuid, uuid });
    if (!(await this.#rows.remove(orgUuid, uuid))) throw notFound();
  }
}

/** What a client for the provider needs. */
export function settingsOfProvider({ name: label, secret, body }: OidcProvider): OidcSettings {
  const { issuer, clientId, scopes, domains: allowedDomains, acceptsUnverifiedEmail } = body;
  const clientSecret = secret?.reveal() ?? '';
  return {
    issuer,
    clientId,
    clientSecret,
    scopes,
    label,
    allowedDomains,
    roles: null,
    acceptsUnverifiedEmail,
  };
}

/** https, or http on this machine. Fails OIDC_ISSUER_INVALID. */
function checkedIssuer(text: string): string {
  const url = URL.parse(text.trim());
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname));
  if (url === null || !isSafe || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new GatewayError(OIDC_ERRORS.OIDC_ISSUER_INVALID);
  }
  return text.trim();
}

function notFound(): GatewayError {
  return new GatewayError(OIDC_ERRORS.OIDC_PROVIDER_NOT_FOUND);
}
