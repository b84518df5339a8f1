/** Signing in at OpenID Connect providers of organizations through the routes, with a provider of the test. */

import { FakeProvider } from '../oidc/fake-provider-fixture.ts';
import type { ProviderFetch } from '../oidc/provider-keys.ts';
import type { ApiFixture } from './api-fixture.ts';
import type { SignInBrowser } from './sign-in-browser-fixture.ts';

export const SETTINGS: Readonly<Record<string, unknown>> = {
  isEnabled: true,
  domains: ['example.com'],
  scopes: ['email', 'profile'],
  acceptsUnverifiedEmail: false,
  roleClaim: 'groups',
  roleRules: [
    { value: 'guards', role: 'operator' },
    { value: 'staff', role: 'viewer' },
  ],
};

/** Providers by their issuer. */
export class FakeProviders {
  readonly #byOrigin = new Map<string, FakeProvider>();

  open(issuer: string): FakeProvider {
    const provider = FakeProvider.inMemory(issuer);
    provider.claims = { groups: ['guards'] };
    this.#byOrigin.set(new URL(issuer).origin, provider);
    return provider;
  }

  readonly fetch: ProviderFetch = (url, init) => {
    const provider = this.#byOrigin.get(new URL(url).origin);
    return provider === undefined ? Promise.reject(new TypeError('fetch failed')) : provider.fetch(url, init);
  };
}

export class OidcTester {
  readonly fixture: ApiFixture;
  readonly provider: FakeProvider;
  providerUuid = '';

  constructor(fixture: ApiFixture, provider: FakeProvider) {
    this.fixture = fixture;
    this.provider = provider;
  }

  /** Resolves with what the call returned. */
  async add(changes: object = {}, headers?: Record<string, string>): Promise<Record<string, unknown>> {
    const response = await this.fixture.call(
      '/api/console/addOidcProvider',
      {
        label: 'Example Login',
        issuer: this.provider.issuer,
        clientId: 'sluice',
        clientSecret: 'the-client-secret',
        settings: { ...SETTINGS, ...changes },
      },
      headers,
    );
    const { oidcProvider } = response as { oidcProvider?: { providerUuid: string } };
    this.providerUuid = oidcProvider?.providerUuid ?? '';
    return response;
  }

  /** Resolves with the address of the callback, as the provider leads there. */
  async begin(browser: SignInBrowser, query = ''): Promise<URL> {
    const { location } = await browser.visit(`/console/oidc/${this.providerUuid}/start${query}`);
    const { searchParams } = new URL(location);
    this.provider.nonce = searchParams.get('nonce') ?? '';
    const callback = new URL(searchParams.get('redirect_uri')!);
    callback.search = new URLSearchParams({ code: 'code', state: searchParams.get('state')! }).toString();
    return callback;
  }

  /** A whole sign-in. Resolves with where it leads. */
  async signIn(browser: SignInBrowser): Promise<string> {
    return (await browser.visit((await this.begin(browser)).href)).location;
  }
}
