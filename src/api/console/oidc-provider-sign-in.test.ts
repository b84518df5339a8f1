/** Signing in at OpenID Connect providers of organizations through the routes: who gets in, where, and when that ends. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FakeProvider } from '../../oidc/fake-provider-fixture.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';
import { addPerson, ConsoleTester, PASSWORD } from '../console-fixture.ts';
import { LOCAL_PROVIDERS } from '../local-providers-fixture.ts';
import { FakeProviders, OidcTester, SETTINGS } from '../oidc-provider-fixture.ts';
import { SamlTester } from '../saml-fixture.ts';
import { SignInBrowser } from '../sign-in-browser-fixture.ts';

let fixture: ApiFixture;
let providers: FakeProviders;
let login: FakeProvider;
let oidc: OidcTester;
let browser: SignInBrowser;

beforeEach(async () => {
  providers = new FakeProviders();
  login = providers.open('https://login.example');
  const overrides = { providers: { ...LOCAL_PROVIDERS, fetchFromProvider: providers.fetch } };
  fixture = await openApiFixture({ overrides });
  oidc = new OidcTester(fixture, login);
  browser = new SignInBrowser(fixture);
});
afterEach(() => fixture.close());

const own = () => fixture.own.organization.uuid;
const update = (changes: object) =>
  fixture.call('/api/console/updateOidcProvider', { providerUuid: oidc.providerUuid, ...changes });
const remove = () => fixture.call('/api/console/deleteOidcProvider', { providerUuid: oidc.providerUuid });

describe('signing in at a provider of the organization', () => {
  it('is found by the domain, leads to the provider, back, and into the console', async () => {
    await oidc.add();
    const { provider } = await browser.call('console/findSignInProvider', { email: 'ada@EXAMPLE.com' });
    const startUrl = `http://api.example/console/oidc/${oidc.providerUuid}/start`;
    expect(provider).toEqual({ protocol: 'OIDC', label: 'Example Login', startUrl });
    const callback = await oidc.begin(browser, '?returnTo=/console/shares');
    expect(callback.pathname).toBe(`/console/oidc/${oidc.providerUuid}/callback`);
    expect((await browser.visit(callback.href)).location).toBe('/console/shares');
    expect(await browser.person()).toMatchObject({ email: 'ada@example.com', role: 'operator' });
    expect(await browser.call('console/getSession')).toMatchObject({ session: { signInMethod: 'OIDC' } });
  });

  it('gives the rights of the claim at each sign-in, and ends those of someone without any', async () => {
    await oidc.add();
    expect(await oidc.signIn(browser)).toBe('/console/');
    const narrower = new SignInBrowser(fixture);
    login.claims = { groups: ['staff', 'cooks'] };
    expect(await oidc.signIn(narrower)).toBe('/console/');
    expect(await browser.person()).toMatchObject({ role: 'viewer' });
    login.claims = { groups: 'cooks' };
    expect(await oidc.signIn(new SignInBrowser(fixture))).toBe('/console/?signIn=OIDC_NO_ROLE');
    expect([await browser.person(), await narrower.person()]).toEqual([null, null]);
    await update({ settings: { ...SETTINGS, defaultRole: 'viewer' } });
    expect(await oidc.signIn(browser)).toBe('/console/');
  });

  it.each([
    ['another domain', { email: 'ada@other.example' }, 'OIDC_DOMAIN_NOT_ALLOWED'],
    ['an address that the provider has not verified', { email_verified: false }, 'OIDC_EMAIL_UNVERIFIED'],
    ['an address of which it says nothing', { email_verified: undefined }, 'OIDC_EMAIL_UNVERIFIED'],
  ])('refuses %s', async (_name, claims, code) => {
    await oidc.add();
    login.claims = { groups: ['guards'], ...claims };
    expect(await oidc.signIn(browser)).toBe(`/console/?signIn=${code}`);
  });

  it('accepts an address of which the provider says nothing if that is set, but none that is not verified', async () => {
    await oidc.add({ acceptsUnverifiedEmail: true });
    login.claims = { groups: ['guards'], email_verified: false };
    expect(await oidc.signIn(browser)).toBe('/console/?signIn=OIDC_EMAIL_UNVERIFIED');
    login.claims = { groups: ['guards'], email_verified: undefined };
    expect(await oidc.signIn(browser)).toBe('/console/');
  });

  it('links no administrator by the address alone, but in a browser in which they are signed in', async () => {
    await oidc.add();
    await addPerson(fixture, fixture.own, 'admin', { email: 'ada@example.com' });
    expect(await oidc.signIn(browser)).toBe('/console/?signIn=SAML_ADMIN_NOT_LINKED');
    const page = new ConsoleTester(fixture);
    await page.call('signIn', { email: 'ada@example.com', password: PASSWORD });
    const [name = '', value = ''] = page.cookie!.split('=');
    browser.cookies.set(name, value);
    login.claims = {};
    await update({ settings: { ...SETTINGS, defaultRole: 'admin' } });
    expect(await oidc.signIn(browser)).toBe('/console/');
    expect(await oidc.signIn(new SignInBrowser(fixture))).toBe('/console/');
  });

  it('finishes at the provider where it began, in the browser that began it, once', async () => {
    await oidc.add();
    const other = new OidcTester(fixture, providers.open('https://other.example'));
    await other.add({ domains: ['other.example'] });
    const callback = await oidc.begin(browser);
    const elsewhere = callback.href.replace(oidc.providerUuid, other.providerUuid);
    expect((await browser.visit(elsewhere)).location).toBe('/console/?signIn=OIDC_ATTEMPT_INVALID');
    const again = await oidc.begin(browser);
    expect((await new SignInBrowser(fixture).visit(again.href)).location).toMatch(/OIDC_ATTEMPT_INVALID$/);
    const cookies = new Map(browser.cookies);
    expect((await browser.visit(again.href)).location).toBe('/console/');
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    expect((await browser.visit(again.href)).location).toBe('/console/?signIn=OIDC_ATTEMPT_INVALID');
  });

  it.each(['nonsense', 'nXZ0bPqUQm2pYwqVbq4cyg'])('knows no provider %s', async (uuid) => {
    for (const path of ['start', 'callback?code=x&state=y']) {
      const { location } = await browser.visit(`/console/oidc/${uuid}/${path}`);
      expect(location).toBe('/console/?signIn=OIDC_NOT_SET_UP');
    }
  });
});

describe('two organizations with the same issuer', () => {
  it('each have their own person, domains, and sessions', async () => {
    await oidc.add();
    const headers = { 'x-auth-apikey': fixture.foreign.apiKey };
    const theirs = new OidcTester(fixture, login);
    expect((await theirs.add({}, headers)).errorMsg).toMatch(/has the domain/);
    await theirs.add({ domains: ['quarry.example'] }, headers);
    const elsewhere = new SignInBrowser(fixture);
    expect(await oidc.signIn(browser)).toBe('/console/');
    expect(await theirs.signIn(elsewhere)).toBe('/console/?signIn=OIDC_DOMAIN_NOT_ALLOWED');
    login.claims = { groups: ['staff'], email: 'ada@quarry.example' };
    expect(await theirs.signIn(elsewhere)).toBe('/console/');
    const [here, there] = [await browser.person(), await elsewhere.person()];
    expect([here?.role, there?.role]).toEqual(['operator', 'viewer']);
    expect(here?.personUuid).not.toBe(there?.personUuid);
    // What one organization does ends nothing of the other one.
    await fixture.call('/api/console/deleteOidcProvider', { providerUuid: theirs.providerUuid }, headers);
    expect([(await browser.person())?.role, await elsewhere.person()]).toEqual(['operator', null]);
    const stranger = { providerUuid: oidc.providerUuid, label: 'Mine' };
    const refused = await fixture.call('/api/console/updateOidcProvider', stranger, headers);
    expect(refused.errorMsg).toMatch(/no such sign-in provider/);
  });
});

describe('sessions at a provider', () => {
  async function twoSessions(): Promise<SignInBrowser> {
    await oidc.add();
    expect(await oidc.signIn(browser)).toBe('/console/');
    const other = new OidcTester(fixture, providers.open('https://other.example'));
    await other.add({ domains: ['other.example'] });
    other.provider.claims = { groups: ['staff'], email: 'bea@other.example', sub: 'bea' };
    const elsewhere = new SignInBrowser(fixture);
    expect(await other.signIn(elsewhere)).toBe('/console/');
    return elsewhere;
  }

  it.each<[string, () => Promise<unknown>]>([
    ['removed', remove],
    ['turned off', () => update({ settings: { ...SETTINGS, isEnabled: false } })],
    [
      'moved to another issuer',
      () => update({ issuer: providers.open('https://next.example').issuer, clientSecret: 'x' }),
    ],
  ])('end when it is %s, and no others', async (_name, act) => {
    const elsewhere = await twoSessions();
    expect(await act()).toMatchObject({ error: false });
    expect([await browser.person(), (await elsewhere.person())?.role]).toEqual([null, 'viewer']);
  });

  it('do not begin after it was removed, and its people are unknown to the next one', async () => {
    await oidc.add();
    const callback = await oidc.begin(browser);
    await remove();
    expect((await browser.visit(callback.href)).location).toBe('/console/?signIn=OIDC_NOT_SET_UP');
    await oidc.add();
    expect(await oidc.signIn(browser)).toBe('/console/');
    await remove();
    expect(await fixture.store.resources.of({ name: 'oidcIdentity' }).list(own())).toEqual([]);
    expect(await fixture.store.resources.of({ name: 'signInDomain' }).list(own())).toEqual([]);
  });

  it('end when someone signs out here, and lead to the provider', async () => {
    await oidc.add();
    await oidc.signIn(browser);
    const providerEndPath = `/console/oidc/${oidc.providerUuid}/end`;
    expect(await browser.call('console/signOut')).toMatchObject({
      continuesAtProvider: true,
      providerEndPath,
    });
    const end = new URL((await browser.visit(providerEndPath)).location);
    expect(end.origin).toBe('https://login.example');
    expect(end.searchParams.get('post_logout_redirect_uri')).toBe('http://api.example/console/');
  });

  it('end with a logout token of that provider', async () => {
    const nowSec = Math.floor(fixture.clock.epochMs() / 1_000);
    login.claims = { groups: ['guards'], iat: nowSec, sid: 'one' };
    await oidc.add();
    expect(await oidc.signIn(browser)).toBe('/console/');
    const post = (providerUuid: string, token: string) =>
      fixture.api.inject({
        method: 'POST',
        url: `/console/oidc/${providerUuid}/logout`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({ logout_token: token }).toString(),
      });
    const token = () => login.logoutToken({ iat: nowSec, exp: nowSec + 120 });
    const other = new OidcTester(fixture, providers.open('https://other.example'));
    await other.add({ domains: ['other.example'] });
    expect((await post(other.providerUuid, token())).statusCode).toBe(400);
    expect((await browser.person())?.role).toBe('operator');
    expect((await post(oidc.providerUuid, token())).statusCode).toBe(200);
    expect(await browser.person()).toBeNull();
  });
});

describe('the setup', () => {
  it('never returns the client secret, and sends it to no other issuer than the one it was given for', async () => {
    const added = await oidc.add();
    const listed = await fixture.call('/api/console/getOidcProviders');
    const renamed = await update({ label: 'Login' });
    expect(JSON.stringify([added, listed, renamed])).not.toContain('the-client-secret');
    const thief = providers.open('https://thief.example');
    const refused = await update({ issuer: thief.issuer });
    expect(refused.errorMsg).toMatch(/client secret/);
    expect(await oidc.signIn(browser)).toBe('/console/');
    expect(thief.tokenRequests).toEqual([]);
    expect(login.tokenRequests).toHaveLength(1);
  });

  it.each([
    ['http://login.example', /https address/],
    ['https://user:secret@login.example', /https address/],
    ['login.example', /https address/],
    ['https://nowhere.example', /could not be read/],
  ])('refuses the issuer %s, and keeps nothing', async (issuer, sentence) => {
    const tester = new OidcTester(fixture, Object.assign(providers.open('https://x.example'), { issuer }));
    expect((await tester.add()).errorMsg).toMatch(sentence);
    expect((await fixture.call('/api/console/getOidcProviders')).oidcProviders).toEqual([]);
    expect((await oidc.add()).error).toBe(false);
  });

  it('gives a domain to one provider of either protocol', async () => {
    const saml = await SamlTester.open(fixture);
    await oidc.add();
    const settings = { settings: { ...SETTINGS, domains: ['next.example'] } };
    const { samlProvider } = await fixture.call('/api/console/addSamlProvider', {
      label: 'SAML',
      metadata: { metadataXml: saml.idp.metadata() },
      settings: {
        ...settings.settings,
        domains: ['saml.example'],
        signed: 'EITHER',
        requiresEncryption: false,
        allowsUnsolicited: false,
        clockSkewSec: 60,
      },
    });
    expect(samlProvider).toMatchObject({ domains: ['saml.example'] });
    const taken = await update({ settings: { ...SETTINGS, domains: ['saml.example'] } });
    expect(taken.errorMsg).toMatch(/has the domain/);
    await update(settings);
    const found = await browser.call('console/findSignInProvider', { email: 'a@example.com' });
    expect(found.provider).toBeUndefined();
    const there = await browser.call('console/findSignInProvider', { email: 'a@next.example' });
    expect(there.provider).toMatchObject({ protocol: 'OIDC' });
  });
});
