/** What changes at SAML providers and here while people sign in: keys, metadata, sessions that end, several nodes. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { readSentRequest, TEST_KEY_BITS } from '../../saml/fake-provider-fixture.ts';
import { redirectUrl } from '../../saml/redirect-binding.ts';
import { createSamlKey } from '../../saml/saml-keys.ts';
import { METADATA_REFRESH_MS } from '../../saml/saml-providers.ts';
import { WEBHOOK_ERRORS } from '../../webhooks/errors.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';
import { addPerson, ConsoleTester, PASSWORD } from '../console-fixture.ts';
import { LOCAL_PROVIDERS } from '../local-providers-fixture.ts';
import { SamlTester, SETTINGS } from '../saml-fixture.ts';
import { SignInBrowser } from '../sign-in-browser-fixture.ts';

let fixture: ApiFixture;
let saml: SamlTester;
let browser: SignInBrowser;
let published: () => string;
let reads = 0;

beforeEach(async () => {
  reads = 0;
  const readMetadata = async () => {
    reads++;
    return { status: 200, retryAfter: null, contentType: null, body: published() };
  };
  fixture = await openApiFixture({ overrides: { providers: { ...LOCAL_PROVIDERS, readMetadata } } });
  saml = await SamlTester.open(fixture);
  browser = new SignInBrowser(fixture);
  published = () => saml.idp.metadata();
  const { samlProvider } = await fixture.call('/api/console/addSamlProvider', {
    label: 'Example Login',
    metadata: { metadataUrl: 'https://login.example/metadata' },
    settings: SETTINGS,
  });
  saml.providerUuid = (samlProvider as { providerUuid: string }).providerUuid;
});
afterEach(() => fixture.close());

async function shown(): Promise<Record<string, unknown>> {
  const { samlProviders } = await fixture.call('/api/console/getSamlProviders');
  return (samlProviders as Record<string, unknown>[])[0]!;
}

const newKey = () => createSamlKey('next.example', fixture.clock.epochMs(), TEST_KEY_BITS);

describe('metadata of a provider', () => {
  it('are read again when a key is unknown, at most once a minute', async () => {
    fixture.clock.advance(60_000);
    saml.idp.key = await newKey();
    expect(await saml.signIn(browser)).toBe('/console/');
    expect(reads).toBe(2);
    const { certificatePem } = saml.idp.key;
    published = () => saml.idp.metadata([certificatePem]);
    saml.idp.key = await newKey();
    for (let count = 0; count < 5; count++) {
      expect(await saml.signIn(browser)).toBe('/console/?signIn=SAML_SIGNATURE_INVALID');
    }
    expect(reads).toBe(2);
    fixture.clock.advance(60_000);
    expect(await saml.signIn(browser)).toBe('/console/?signIn=SAML_SIGNATURE_INVALID');
    expect(reads).toBe(3);
  });

  it('are read again on a schedule, and a failure leaves what was known', async () => {
    const earlier = (await shown()).certificates;
    const next = await newKey();
    published = () => saml.idp.metadata([saml.idp.key.certificatePem, next.certificatePem]);
    const later = async (ms: number) => {
      fixture.clock.advance(ms);
      // The schedule reads from the store, then from the host, then writes.
      for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    };
    await later(METADATA_REFRESH_MS);
    await later(600_000);
    expect((await shown()).certificates).toHaveLength(2);
    // Both keys count in the meantime.
    for (const key of [saml.idp.key, next]) {
      saml.idp.key = key;
      fixture.clock.advance(1_000);
      expect(await saml.signIn(new SignInBrowser(fixture))).toBe('/console/');
    }
    published = () => {
      throw new GatewayError(WEBHOOK_ERRORS.WEBHOOK_CONNECTION_FAILED);
    };
    await later(METADATA_REFRESH_MS);
    await later(600_000);
    const now = await shown();
    expect(now).toMatchObject({ metadataFault: 'SAML_METADATA_UNREACHABLE' });
    expect(now.certificates).not.toEqual(earlier);
    expect(now.certificates).toHaveLength(2);
  });

  it('are not read from an address without TLS', async () => {
    for (const metadataUrl of [
      'http://login.example/metadata',
      'file:///etc/passwd',
      'https://user:x@login.example/',
    ]) {
      const response = await fixture.call('/api/console/addSamlProvider', {
        label: 'X',
        metadata: { metadataUrl },
        settings: { ...SETTINGS, domains: ['x.example'] },
      });
      expect(response.errorMsg).toMatch(/https address/);
    }
  });
});

describe('our key', () => {
  const certificatesInMetadata = async () => {
    const { body } = await browser.visit(`/console/saml/${saml.providerUuid}/metadata`);
    return [...body.matchAll(/use="encryption".*?X509Certificate>([^<]+)</gs)].map(
      ([, bare]) => `-----BEGIN CERTIFICATE-----\n${bare}\n-----END CERTIFICATE-----`,
    );
  };
  const enterEncrypted = async (certificatePem: string) => {
    fixture.clock.advance(1_000);
    const wanted = saml.wanted({ inResponseTo: await saml.begin(browser) });
    return saml.finish(browser, await saml.idp.encrypted(wanted, { certificatePem }));
  };

  it('can be renewed, and both keys decrypt until that is finished', async () => {
    const [earlier = ''] = await certificatesInMetadata();
    const early = await fixture.call('/api/console/finishSamlKeyRenewal', {});
    expect(early.errorMsg).toMatch(/no new key/);
    await fixture.call('/api/console/renewSamlKey', {});
    expect((await fixture.call('/api/console/renewSamlKey', {})).errorMsg).toMatch(/a new key already/);
    const [first, next = ''] = await certificatesInMetadata();
    expect(first).toBe(earlier);
    for (const each of [earlier, next]) expect(await enterEncrypted(each)).toBe('/console/');
    await fixture.call('/api/console/finishSamlKeyRenewal', {});
    expect(await certificatesInMetadata()).toEqual([next]);
    expect(await enterEncrypted(next)).toBe('/console/');
    expect(await enterEncrypted(earlier)).toBe('/console/?signIn=SAML_SIGNATURE_INVALID');
  });

  it('is in no response', async () => {
    const rows = JSON.stringify(await fixture.call('/api/console/getSamlProviders'));
    expect(rows).not.toContain('PRIVATE KEY');
    const { body } = await browser.visit(`/console/saml/${saml.providerUuid}/metadata`);
    expect(body).not.toContain('PRIVATE KEY');
  });
});

describe('a person who sets up providers', () => {
  it('confirms their identity before', async () => {
    await addPerson(fixture, fixture.own, 'admin', { email: 'root@example.com' });
    const console = new ConsoleTester(fixture);
    await console.call('signIn', { email: 'root@example.com', password: PASSWORD });
    const change = () =>
      console.call('updateSamlProvider', { providerUuid: saml.providerUuid, label: 'Login' });
    expect((await change()).error).toBe(false);
    fixture.clock.advance(11 * 60_000);
    const refused = await console.post('updateSamlProvider', {
      providerUuid: saml.providerUuid,
      label: 'Eve',
    });
    expect(refused.json().errorMsg).toMatch(/confirm/i);
    expect(await shown()).toMatchObject({ label: 'Login' });
  });
});

describe('a sign-in on several nodes', () => {
  it('that was used on one node is refused by another', async () => {
    const sealingKey = Buffer.alloc(32, 7);
    const providers = { ...LOCAL_PROVIDERS, sealingKey };
    const one = await openApiFixture({ overrides: { providers } });
    const other = await openApiFixture({ overrides: { providers, store: one.store } });
    const tester = await SamlTester.open(one);
    await tester.add();
    const first = new SignInBrowser(one);
    const inResponseTo = await tester.begin(first);
    const cookies = new Map(first.cookies);
    const xml = tester.idp.signed(tester.wanted({ inResponseTo }));
    expect(await tester.finish(first, xml)).toBe('/console/');
    const second = new SignInBrowser({ ...one, api: other.api });
    for (const [name, value] of cookies) second.cookies.set(name, value);
    expect(await tester.finish(second, xml)).toBe('/console/?signIn=SAML_REPLAYED');
    await other.close();
    await one.close();
  });
});

describe('signing out', () => {
  const logoutQuery = async (sessionIndex: string | null, id = '_logout') => {
    const nowMs = fixture.clock.epochMs();
    const index = sessionIndex === null ? '' : `<samlp:SessionIndex>${sessionIndex}</samlp:SessionIndex>`;
    const xml =
      `<samlp:LogoutRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ` +
      `ID="${id}" Version="2.0" IssueInstant="${new Date(nowMs).toISOString()}" Destination="${saml.own.logoutUrl}">` +
      `<saml:Issuer>https://login.example/saml</saml:Issuer><saml:NameID>ada@example.com</saml:NameID>${index}</samlp:LogoutRequest>`;
    return redirectUrl(saml.own.logoutUrl, 'SAMLRequest', xml, saml.idp.key, 'there');
  };

  it('here leads to the provider, with a signed request for this session', async () => {
    await saml.signIn(browser);
    expect(await browser.call('console/signOut')).toMatchObject({ providerEndPath: '/console/saml/end' });
    const { location } = await browser.visit('/console/saml/end');
    expect(new URL(location).origin).toBe('https://login.example');
    const { xml } = readSentRequest(location);
    expect(xml).toMatch(/ada@example\.com<\/saml:NameID><samlp:SessionIndex>session-1</);
    // It names no one afterwards.
    expect((await browser.visit('/console/saml/end')).location).toBe('/console/');
  });

  it('at the provider ends the sessions that began there, once per request', async () => {
    await saml.signIn(browser, { sessionIndex: 'one' });
    fixture.clock.advance(1_000);
    const second = new SignInBrowser(fixture);
    await saml.signIn(second, { sessionIndex: 'two' });
    const ofOne = await logoutQuery('one');
    const { location } = await new SignInBrowser(fixture).visit(ofOne);
    expect(location).toMatch(/^https:\/\/login\.example\/slo\?SAMLResponse=.*RelayState=there.*Signature=/);
    expect([await browser.person(), await second.person()]).toEqual([null, expect.anything()]);
    const repeated = await new SignInBrowser(fixture).visit(ofOne);
    expect(repeated.location).toBe('/console/?signIn=SAML_LOGOUT_INVALID');
    fixture.clock.advance(1_000);
    await new SignInBrowser(fixture).visit(await logoutQuery(null, '_all'));
    expect(await second.person()).toBeNull();
  });

  it('with a request that is not signed ends nothing', async () => {
    await saml.signIn(browser);
    const query = (await logoutQuery(null)).replace(/&SigAlg=.*/, '');
    expect((await browser.visit(query)).location).toBe('/console/?signIn=SAML_LOGOUT_INVALID');
    expect(await browser.person()).not.toBeNull();
  });
});
