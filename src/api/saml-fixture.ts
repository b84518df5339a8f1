/** Signing in by SAML through the routes, with a provider of the test. */

import {
  base64,
  FakeSamlProvider,
  PROVIDER_ENTITY_ID,
  readSentRequest,
  type Signing,
  sharedProviderKey,
  type WantedResponse,
} from '../saml/fake-provider-fixture.ts';
import type { OwnParty } from '../saml/saml-party.ts';
import type { ApiFixture } from './api-fixture.ts';
import type { SignInBrowser } from './sign-in-browser-fixture.ts';

export interface SamlSettings {
  readonly [name: string]: unknown;
}

export const SETTINGS: SamlSettings = {
  isEnabled: true,
  domains: ['example.com'],
  signed: 'EITHER',
  requiresEncryption: false,
  allowsUnsolicited: false,
  clockSkewSec: 60,
  roleAttribute: 'groups',
  roleRules: [
    { value: 'guards', role: 'operator' },
    { value: 'staff', role: 'viewer' },
  ],
};

export class SamlTester {
  readonly fixture: ApiFixture;
  readonly idp: FakeSamlProvider;
  providerUuid = '';

  constructor(fixture: ApiFixture, idp: FakeSamlProvider) {
    this.fixture = fixture;
    this.idp = idp;
  }

  static async open(fixture: ApiFixture): Promise<SamlTester> {
    return new SamlTester(fixture, new FakeSamlProvider(await sharedProviderKey()));
  }

  async add(changes: SamlSettings = {}, headers?: Record<string, string>): Promise<string> {
    const { samlProvider } = await this.fixture.call(
      '/api/console/addSamlProvider',
      {
        label: 'Example Login',
        metadata: { metadataXml: this.idp.metadata() },
        settings: { ...SETTINGS, ...changes },
      },
      headers,
    );
    const { providerUuid } = samlProvider as { providerUuid: string };
    this.providerUuid = providerUuid;
    return providerUuid;
  }

  get own(): OwnParty {
    const base = `http://api.example/console/saml/${this.providerUuid}`;
    return { entityId: `${base}/metadata`, acsUrl: `${base}/acs`, logoutUrl: `${base}/logout` };
  }

  /** Begins a sign-in, and returns the ID of the request. */
  async begin(browser: SignInBrowser, query = ''): Promise<string> {
    const { location } = await browser.visit(`/console/saml/${this.providerUuid}/start${query}`);
    return readSentRequest(location).id;
  }

  wanted(changes: Partial<WantedResponse> = {}): WantedResponse {
    const assertionId = `_${Math.trunc(this.fixture.clock.epochMs())}${changes.inResponseTo ?? ''}${changes.nameId ?? ''}`;
    const attributes = { groups: ['guards'] };
    return { own: this.own, nowMs: this.fixture.clock.epochMs(), assertionId, attributes, ...changes };
  }

  /** Posts a response, and follows it to the end. Resolves with where that leads. */
  async finish(
    browser: SignInBrowser,
    xml: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const form = { SAMLResponse: base64(xml), ...more };
    const taken = await browser.visit(`/console/saml/${this.providerUuid}/acs`, form);
    if (!taken.location.startsWith('/console/saml/finish')) return taken.location;
    return (await browser.visit(taken.location)).location;
  }

  /** A whole sign-in. Resolves with where it leads. */
  async signIn(
    browser: SignInBrowser,
    changes: Partial<WantedResponse> = {},
    signing: Signing = 'assertion',
  ): Promise<string> {
    const inResponseTo = await this.begin(browser);
    return this.finish(browser, this.idp.signed(this.wanted({ inResponseTo, ...changes }), signing));
  }
}

export { PROVIDER_ENTITY_ID };
