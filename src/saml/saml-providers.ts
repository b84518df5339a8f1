/** The SAML providers of an organization: what admins set, and what is known from metadata. */

import type { Clock } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { AccessRules } from '../oidc/access-rules.ts';
import { checkedDomains, type SignInDomains } from '../oidc/sign-in-domains.ts';
import {
  type Resource,
  type ResourceKind,
  type ResourceRepository,
  resourceKind,
} from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { SAML_ERRORS } from './errors.ts';
import { type FetchMetadata, metadataUrl } from './metadata-fetch.ts';
import { readProviderMetadata } from './provider-metadata.ts';
import { checkedCertificate } from './saml-keys.ts';
import type { ProviderParty, SignedParts } from './saml-party.ts';

/** How often metadata are read again. */
export const METADATA_REFRESH_MS = 6 * 3_600_000;
/** After a failure, and after a signature that no known certificate made, metadata are read again, but not more often than this. */
const REREAD_MS = 60_000;

/** What an admin decides. */
export interface SamlProviderSettings {
  readonly isEnabled: boolean;
  /** In lower case. */
  readonly domains: readonly string[];
  readonly signed: SignedParts;
  readonly requiresEncryption: boolean;
  /** Whether the provider can begin a sign-in. */
  readonly allowsUnsolicited: boolean;
  readonly clockSkewSec: number;
  /** The attribute with the email address; null: the NameID is one. */
  readonly emailAttribute: string | null;
  /** null: the name is the email address until someone changes it. */
  readonly nameAttribute: string | null;
  readonly access: AccessRules;
}

export interface SamlProviderBody extends SamlProviderSettings {
  readonly party: ProviderParty;
  /** null: metadata were pasted. */
  readonly metadataUrl: string | null;
  /** In PEM; null: metadata count without a signature, as their address is https. */
  readonly pinnedCertificate: string | null;
  readonly readAtMs: number;
  /** The last try to read them, successful or not. */
  readonly triedAtMs: number;
  /** The code of the last failure to read them again; null: none since. */
  readonly metadataFault: string | null;
}

/** Its name is the label of the button. */
export type SamlProvider = Resource<SamlProviderBody>;

/** Metadata in one of two ways. */
export type GivenMetadata =
  | { readonly url: string; readonly pinnedCertificate: string | null; readonly entityId: string | null }
  | { readonly xml: string; readonly pinnedCertificate: string | null; readonly entityId: string | null };

export interface SamlProviderChanges extends Partial<SamlProviderSettings> {
  readonly label?: string;
  readonly metadata?: GivenMetadata;
}

export const SAML_PROVIDERS: ResourceKind<SamlProviderBody> = resourceKind('samlProvider');
/** What the last test of a provider brought, its parent. */
export const SAML_TESTS: ResourceKind<object> = resourceKind('samlTest');

export interface SamlProvidersOptions {
  readonly store: Pick<Store, 'resources'>;
  readonly domains: SignInDomains;
  readonly fetchMetadata: FetchMetadata;
  readonly clock: Pick<Clock, 'epochMs'>;
  readonly log: Log;
}

export class SamlProviders {
  readonly #options: SamlProvidersOptions;
  readonly #rows: ResourceRepository<SamlProviderBody>;
  readonly #domains: SignInDomains;

  constructor(options: SamlProvidersOptions) {
    this.#options = options;
    this.#rows = options.store.resources.of(SAML_PROVIDERS);
    this.#domains = options.domains;
  }

  /** In the order in which they were added. */
  list(orgUuid: Ruuid): Promise<SamlProvider[]> {
    return this.#rows.list(orgUuid);
  }

  /** Fails SAML_PROVIDER_NOT_FOUND. */
  async find(orgUuid: Ruuid, uuid: Ruuid): Promise<SamlProvider> {
    const provider = await this.#rows.find(orgUuid, uuid);
    if (provider === null) throw notFound();
    return provider;
  }

  /** One that people can use now, of any organization. Fails SAML_NOT_SET_UP. */
  async findWorking(uuid: Ruuid): Promise<SamlProvider> {
    const provider = await this.#rows.findEverywhere(uuid);
    if (provider === null || !provider.body.isEnabled) throw new GatewayError(SAML_ERRORS.SAML_NOT_SET_UP);
    return provider;
  }

  /** The provider of a domain, of any organization; null: there is none that works. */
  async ofDomain(domain: string): Promise<SamlProvider | null> {
    const holder = await this.#domains.holderOf(domain);
    const provider = holder === null ? null : await this.#rows.find(holder.orgUuid, holder.uuid);
    return provider?.body.isEnabled === true ? provider : null;
  }

  /** Fails like the reading of metadata, SIGN_IN_DOMAIN_INVALID, SIGN_IN_DOMAIN_TAKEN, TOO_MANY_SAML_PROVIDERS. */
  async add(
    orgUuid: Ruuid,
    label: string,
    metadata: GivenMetadata,
    settings: SamlProviderSettings,
  ): Promise<SamlProvider> {
    const known = await this.#read(orgUuid, metadata);
    const nowMs = this.#options.clock.epochMs();
    const provider: SamlProvider = {
      uuid: newRuuid(),
      orgUuid,
      name: label,
      parentUuid: null,
      secret: null,
      body: { ...settings, domains: checkedDomains(settings.domains), ...known },
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    await this.#domains.claim(provider, provider.body.domains);
    try {
      await this.#rows.change(orgUuid, provider.uuid, () => provider, {
        atMost: LIMITS.samlProviders.perOrganization,
        within: 'organization',
        full: () => new GatewayError(SAML_ERRORS.TOO_MANY_SAML_PROVIDERS),
      });
    } catch (thrown) {
      await this.#domains.release(provider, provider.body.domains);
      throw thrown;
    }
    return provider;
  }

  /** Absent fields stay as they are. Fails like `add`, and SAML_PROVIDER_NOT_FOUND. */
  async update(
    orgUuid: Ruuid,
    uuid: Ruuid,
    { label, metadata, ...settings }: SamlProviderChanges,
  ): Promise<SamlProvider> {
    const before = await this.find(orgUuid, uuid);
    const known = metadata === undefined ? {} : await this.#read(orgUuid, metadata);
    const domains = checkedDomains(settings.domains ?? before.body.domains);
    await this.#domains.claim(before, domains);
    const changed = await this.#change(orgUuid, uuid, (provider) => ({
      ...provider,
      name: label ?? provider.name,
      body: { ...provider.body, ...settings, domains, ...known },
    }));
    await this.#domains.release(
      before,
      before.body.domains.filter((domain) => !domains.includes(domain)),
    );
    return changed;
  }

  /** Fails SAML_PROVIDER_NOT_FOUND. */
  async remove(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    await this.#domains.releaseAll({ orgUuid, uuid });
    const tests = this.#options.store.resources.of(SAML_TESTS);
    for (const test of await tests.listByParent(orgUuid, uuid)) await tests.remove(orgUuid, test.uuid);
    if (!(await this.#rows.remove(orgUuid, uuid))) throw notFound();
  }

  /** Reads its metadata again, if they have an address. Fails like the reading, which the provider then shows. */
  async refresh(orgUuid: Ruuid, uuid: Ruuid): Promise<SamlProvider> {
    const provider = await this.find(orgUuid, uuid);
    const { metadataUrl: url, pinnedCertificate, party } = provider.body;
    if (url === null) return provider;
    try {
      const known = await this.#read(orgUuid, { url, pinnedCertificate, entityId: party.entityId });
      return await this.#change(orgUuid, uuid, (now) =>
        // An admin gave another address in the meantime.
        now.body.metadataUrl === url ? { ...now, body: { ...now.body, ...known } } : now,
      );
    } catch (thrown) {
      const { code } = toGatewayError(thrown);
      this.#options.log.warn({ orgUuid, providerUuid: uuid, code }, 'SAML metadata not refreshed');
      const triedAtMs = this.#options.clock.epochMs();
      await this.#change(orgUuid, uuid, (now) => ({
        ...now,
        body: { ...now.body, metadataFault: code, triedAtMs },
      }));
      throw thrown;
    }
  }

  /** After a signature of an unknown key: the provider may have changed it. Resolves with whether there is anything new. */
  async refreshCertificates({ orgUuid, uuid, body }: SamlProvider): Promise<SamlProvider | null> {
    const { metadataUrl: url, triedAtMs, party } = body;
    if (url === null || this.#options.clock.epochMs() - triedAtMs < REREAD_MS) return null;
    const now = await this.refresh(orgUuid, uuid).catch(() => null);
    const isNew = now?.body.party.certificates.some((each) => !party.certificates.includes(each));
    return isNew === true ? now : null;
  }

  /** All whose metadata are old. A failure is noted with the provider, and does not hold up the others. */
  async refreshDue(): Promise<void> {
    const nowMs = this.#options.clock.epochMs();
    for (const { orgUuid, uuid, body } of await this.#rows.listEverywhere()) {
      const isOld = nowMs - body.readAtMs >= METADATA_REFRESH_MS && nowMs - body.triedAtMs >= REREAD_MS;
      const isDue = body.metadataUrl !== null && isOld;
      if (isDue && body.isEnabled) await this.refresh(orgUuid, uuid).catch(() => undefined);
    }
  }

  async #read(orgUuid: Ruuid, given: GivenMetadata) {
    const { clock, fetchMetadata } = this.#options;
    const pinned = given.pinnedCertificate === null ? null : checkedCertificate(given.pinnedCertificate);
    const text = 'xml' in given ? given.xml : await fetchMetadata(orgUuid, metadataUrl(given.url).href);
    const nowMs = clock.epochMs();
    const { entityId } = given;
    return {
      party: await readProviderMetadata(text, { pinnedCertificate: pinned, entityId, nowMs }),
      metadataUrl: 'xml' in given ? null : metadataUrl(given.url).href,
      pinnedCertificate: pinned,
      readAtMs: nowMs,
      triedAtMs: nowMs,
      metadataFault: null,
    };
  }

  async #change(
    orgUuid: Ruuid,
    uuid: Ruuid,
    next: (provider: SamlProvider) => SamlProvider,
  ): Promise<SamlProvider> {
    const { after } = await this.#rows.change(orgUuid, uuid, (known) => {
      if (known === null) throw notFound();
      return { ...next(known), updatedAtMs: this.#options.clock.epochMs() };
    });
    return after!;
  }
}

function notFound(): GatewayError {
  return new GatewayError(SAML_ERRORS.SAML_PROVIDER_NOT_FOUND);
}
