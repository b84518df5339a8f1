/** The conversations with the providers of organizations. Each has addresses of its own, so no provider can answer for another one (RFC 9700 §4.4). */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { FairMap } from '../core/limits/fair-map.ts';
import { Pool } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { subscriberOf } from '../core/subscriber.ts';
import { WEBHOOK_ERRORS } from '../webhooks/errors.ts';
import { OIDC_ERRORS } from './errors.ts';
import { OidcClient } from './oidc-client.ts';
import { type OidcProvider, settingsOfProvider } from './oidc-providers.ts';
import type { ProviderFetch } from './provider-keys.ts';

/** Our addresses for a provider. */
export interface OwnOidcAddresses {
  readonly startUrl: string;
  readonly callbackUrl: string;
  readonly logoutUrl: string;
  /** Where people come back to after they signed out there. */
  readonly signedOutUrl: string;
}

export interface OidcClientsOptions {
  readonly fetch: ProviderFetch;
  readonly sealingKey: Uint8Array;
  /** Without a trailing slash. */
  readonly publicApiUrl: string;
  readonly clock: Clock;
  readonly log: Log;
}

interface KnownClient {
  /** What the client was made of. */
  readonly made: string;
  readonly client: OidcClient;
}

export class OidcClients {
  readonly #options: OidcClientsOptions;
  readonly #clients = new FairMap<KnownClient, typeof LIMITS.oidcClients>(LIMITS.oidcClients);
  readonly #visits = new Pool(LIMITS.oidcProviderVisits);

  constructor(options: OidcClientsOptions) {
    this.#options = options;
  }

  addressesFor(providerUuid: Ruuid): OwnOidcAddresses {
    const { publicApiUrl } = this.#options;
    const base = `${publicApiUrl}/console/oidc/${providerUuid}`;
    return {
      startUrl: `${base}/start`,
      callbackUrl: `${base}/callback`,
      logoutUrl: `${base}/logout`,
      signedOutUrl: `${publicApiUrl}/console/`,
    };
  }

  /** `address`: of the sender of the request. Fails OIDC_BUSY, and like `work`. */
  async visit<T>(
    provider: OidcProvider,
    address: string,
    work: (client: OidcClient) => Promise<T>,
  ): Promise<T> {
    const place = this.#visits.take({ organization: provider.orgUuid, address: subscriberOf(address) });
    if (!place.isTaken) throw new GatewayError(OIDC_ERRORS.OIDC_BUSY);
    try {
      return await work(this.#clientOf(provider));
    } finally {
      place.giveBack();
    }
  }

  /** Reads the metadata of a provider that an admin named. Fails OIDC_ISSUER_REFUSED, OIDC_DISCOVERY_FAILED, OIDC_BUSY. */
  async discover(provider: OidcProvider): Promise<void> {
    const place = this.#visits.take({ organization: provider.orgUuid, address: `admin ${provider.orgUuid}` });
    if (!place.isTaken) throw new GatewayError(OIDC_ERRORS.OIDC_BUSY);
    try {
      await this.#newClient(provider).discover();
    } catch (thrown) {
      const isRefused = hasCause(thrown, WEBHOOK_ERRORS.WEBHOOK_ADDRESS_REFUSED.code);
      throw new GatewayError(
        isRefused ? OIDC_ERRORS.OIDC_ISSUER_REFUSED : OIDC_ERRORS.OIDC_DISCOVERY_FAILED,
        {},
        thrown,
      );
    } finally {
      place.giveBack();
    }
  }

  #clientOf(provider: OidcProvider): OidcClient {
    const { uuid, orgUuid, secret, body } = provider;
    const made = JSON.stringify([body, secret?.reveal()]);
    const known = this.#clients.touch(uuid);
    if (known?.made === made) return known.client;
    const client = this.#newClient(provider);
    this.#clients.set(uuid, { organization: orgUuid }, { made, client });
    return client;
  }

  #newClient(provider: OidcProvider): OidcClient {
    const { sealingKey, fetch, clock, log } = this.#options;
    return new OidcClient({
      settings: settingsOfProvider(provider),
      sealingKey,
      purpose: `console ${provider.uuid}`,
      realm: provider.uuid,
      redirectUri: this.addressesFor(provider.uuid).callbackUrl,
      clock,
      log,
      fetch,
    });
  }
}

function hasCause(thrown: unknown, code: string): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if ((error as { readonly code?: unknown }).code === code) return true;
  }
  return false;
}
