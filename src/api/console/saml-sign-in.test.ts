/** Signing in by SAML through the routes: who gets in, with which rights, and what is refused. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PROVIDER_IDENTITIES } from '../../accounts/provider-sign-in.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { readSentRequest } from '../../saml/fake-provider-fixture.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';
import { addPerson, ConsoleTester, PASSWORD } from '../console-fixture.ts';
import { SamlTester, SETTINGS } from '../saml-fixture.ts';
import { SignInBrowser } from '../sign-in-browser-fixture.ts';

let fixture: ApiFixture;
let saml: SamlTester;
let browser: SignInBrowser;

beforeEach(async () => {
  fixture = await openApiFixture();
  saml = await SamlTester.open(fixture);
  browser = new SignInBrowser(fixture);
});
afterEach(() => fixture.close());

const own = () => fixture.own.organization.uuid;

/** A next sign-in has another assertion. */
function later(): void {
  fixture.clock.advance(1_000);
}

describe('signing in by SAML', () => {
  it('leads to the provider, back, and into the console', async () => {
    await saml.add();
    const { location, status } = await browser.visit(
      `/console/saml/${saml.providerUuid}/start?returnTo=/console/cameras`,
    );
    expect([status, new URL(location).origin]).toEqual([303, 'https://login.example']);
    const { id, xml } = readSentRequest(location);
    expect(xml).toContain(`AssertionConsumerServiceURL="${saml.own.acsUrl.replaceAll('/', '/')}"`);
    expect(new URL(location).searchParams.has('Signature')).toBe(true);
    const response = saml.idp.signed(saml.wanted({ inResponseTo: id }));
    expect(await saml.finish(browser, response)).toBe('/console/cameras');
    expect(await browser.person()).toMatchObject({ email: 'ada@example.com', role: 'operator' });
    expect(await browser.call('console/getSession')).toMatchObject({ session: { signInMethod: 'SAML' } });
  });

  it('is found by the domain of any email address, known or not', async () => {
    await saml.add();
    const found = {
      protocol: 'SAML',
      label: 'Example Login',
      startUrl: saml.own.acsUrl.replace('/acs', '/start'),
    };
    for (const email of ['ada@example.com', 'nobody@EXAMPLE.com', 'example.com']) {
      expect(await browser.call('console/findSignInProvider', { email })).toMatchObject({ provider: found });
    }
    const other = await browser.call('console/findSignInProvider', { email: 'ada@sub.example.com' });
    expect(other.provider).toBeUndefined();
  });

  it('works with an encrypted assertion, by the key in our metadata', async () => {
    await saml.add({ requiresEncryption: true });
    const { body } = await browser.visit(`/console/saml/${saml.providerUuid}/metadata`);
    const [, bare] = /use="encryption".*?X509Certificate>([^<]+)</s.exec(body)!;
    const certificatePem = `-----BEGIN CERTIFICATE-----\n${bare}\n-----END CERTIFICATE-----`;
    const wanted = saml.wanted({ inResponseTo: await saml.begin(browser) });
    expect(await saml.finish(browser, await saml.idp.encrypted(wanted, { certificatePem }))).toBe(
      '/console/',
    );
    expect(await browser.person()).toMatchObject({ email: 'ada@example.com' });
  });

  it('does not work twice with one response, in any browser', async () => {
    await saml.add();
    const inResponseTo = await saml.begin(browser);
    const cookies = new Map(browser.cookies);
    const xml = saml.idp.signed(saml.wanted({ inResponseTo }));
    expect(await saml.finish(browser, xml)).toBe('/console/');
    const thief = new SignInBrowser(fixture);
    for (const [name, value] of cookies) thief.cookies.set(name, value);
    expect(await saml.finish(thief, xml)).toBe('/console/?signIn=SAML_REPLAYED');
    expect(await thief.person()).toBeNull();
  });

  it('does not work twice with one address of the last step', async () => {
    await saml.add();
    const inResponseTo = await saml.begin(browser);
    const cookies = new Map(browser.cookies);
    const { location } = await browser.visit(`/console/saml/${saml.providerUuid}/acs`, {
      SAMLResponse: Buffer.from(saml.idp.signed(saml.wanted({ inResponseTo }))).toString('base64'),
    });
    expect((await browser.visit(location)).location).toBe('/console/');
    const thief = new SignInBrowser(fixture);
    for (const [name, value] of cookies) thief.cookies.set(name, value);
    expect((await thief.visit(location)).location).toBe('/console/?signIn=SAML_REPLAYED');
  });

  it('does not work in another browser than the one that began', async () => {
    await saml.add();
    const inResponseTo = await saml.begin(browser);
    const xml = saml.idp.signed(saml.wanted({ inResponseTo }));
    expect(await saml.finish(new SignInBrowser(fixture), xml)).toBe('/console/?signIn=SAML_REQUEST_UNKNOWN');
    later();
    const another = new SignInBrowser(fixture);
    await saml.begin(another);
    const second = saml.idp.signed(saml.wanted({ inResponseTo }));
    expect(await saml.finish(another, second)).toBe('/console/?signIn=SAML_REQUEST_UNKNOWN');
  });

  it('cannot begin at the provider, unless that is turned on', async () => {
    await saml.add();
    const unsolicited = () => saml.idp.signed(saml.wanted({ inResponseTo: null }));
    expect(await saml.finish(browser, unsolicited())).toBe('/console/?signIn=SAML_UNSOLICITED');
    await fixture.call('/api/console/updateSamlProvider', {
      providerUuid: saml.providerUuid,
      settings: { ...(await shownSettings()), allowsUnsolicited: true },
    });
    later();
    expect(await saml.finish(browser, unsolicited(), { RelayState: '/console/walls' })).toBe(
      '/console/walls',
    );
    expect(await browser.person()).not.toBeNull();
  });

  it.each(['https://evil.example/', '//evil.example', '/console/../api', 'javascript:alert(1)'])(
    'never leads to %s',
    async (target) => {
      await saml.add({ allowsUnsolicited: true });
      const xml = saml.idp.signed(saml.wanted({ inResponseTo: null }));
      expect(await saml.finish(browser, xml, { RelayState: target })).toBe('/console/');
      later();
      const query = `?returnTo=${encodeURIComponent(target)}`;
      const inResponseTo = await saml.begin(browser, query);
      expect(await saml.finish(browser, saml.idp.signed(saml.wanted({ inResponseTo })))).toBe('/console/');
    },
  );

  it('gives no one in whom no rule names, and others what the default says', async () => {
    await saml.add();
    const attributes = { groups: ['cooks'] };
    expect(await saml.signIn(browser, { attributes })).toBe('/console/?signIn=OIDC_NO_ROLE');
    const settings = { ...(await shownSettings()), defaultRole: 'viewer' };
    await fixture.call('/api/console/updateSamlProvider', { providerUuid: saml.providerUuid, settings });
    later();
    expect(await saml.signIn(browser, { attributes })).toBe('/console/');
    expect(await browser.person()).toMatchObject({ role: 'viewer' });
  });

  it('refuses people of other domains', async () => {
    await saml.add();
    expect(await saml.signIn(browser, { nameId: 'eve@else.example' })).toBe(
      '/console/?signIn=OIDC_DOMAIN_NOT_ALLOWED',
    );
    later();
    expect(await saml.signIn(browser, { nameId: 'ada' })).toBe('/console/?signIn=OIDC_EMAIL_UNVERIFIED');
  });

  it('changes rights with the attributes of the next sign-in, and cuts what they no longer allow', async () => {
    const scope = { locationUuids: [fixture.own.locationUuid], cameraUuids: [] };
    await saml.add({
      roleRules: [
        { value: 'guards', role: 'operator' },
        { value: 'north', role: 'viewer', scope },
      ],
    });
    await saml.signIn(browser);
    const person = await browser.person();
    expect([person?.role, person?.scope]).toEqual(['operator', undefined]);
    later();
    const second = new SignInBrowser(fixture);
    await saml.signIn(second, { attributes: { groups: ['north', 'other'] } });
    // The same person, also in the browser from before.
    for (const each of [browser, second]) {
      expect(await each.person()).toMatchObject({ personUuid: person!.personUuid, role: 'viewer', scope });
    }
    later();
    expect(await saml.signIn(second, { attributes: { groups: [] } })).toBe('/console/?signIn=OIDC_NO_ROLE');
    expect(await browser.person()).toBeNull();
  });

  it('leaves out sites that were removed since the rule was written', async () => {
    const { locationUuid } = fixture.own;
    const { uuid: gone } = await fixture.call('/api/location/createLocation', {
      location: { name: 'Old harbour', tz: 'UTC' },
    });
    const scope = { locationUuids: [locationUuid, gone], cameraUuids: [] };
    await saml.add({ roleRules: [{ value: 'guards', role: 'viewer', scope }] });
    await fixture.store.locations.remove(own(), gone as Ruuid);
    expect(await saml.signIn(browser)).toBe('/console/');
    expect(await browser.person()).toMatchObject({ scope: { locationUuids: [locationUuid] } });
  });

  it('keeps out a person who was disabled', async () => {
    await saml.add();
    await saml.signIn(browser);
    const { personUuid } = (await browser.person())!;
    await fixture.call('/api/console/updatePerson', { personUuid, disabled: true });
    later();
    expect(await saml.signIn(browser)).toBe('/console/?signIn=OIDC_PERSON_DISABLED');
  });

  it('links a person who is known here, and no administrator without their own sign-in', async () => {
    await saml.add({ roleRules: [{ value: 'guards', role: 'admin' }] });
    await addPerson(fixture, fixture.own, 'admin', { email: 'other-admin@example.com' });
    const viewer = await addPerson(fixture, fixture.own, 'viewer', { email: 'Vic@Example.com' });
    await saml.signIn(browser, { nameId: 'vic@example.com' });
    expect(await browser.person()).toMatchObject({ personUuid: viewer.uuid, role: 'admin' });
    later();
    const admin = await addPerson(fixture, fixture.own, 'admin', { email: 'ada@example.com' });
    const other = new SignInBrowser(fixture);
    expect(await saml.signIn(other)).toBe('/console/?signIn=SAML_ADMIN_NOT_LINKED');
    later();
    const console = new ConsoleTester(fixture);
    await console.call('signIn', { email: 'ada@example.com', password: PASSWORD });
    const [name = '', value = ''] = console.cookie!.split('=');
    other.cookies.set(name, value);
    expect(await saml.signIn(other)).toBe('/console/');
    expect(await other.person()).toMatchObject({ personUuid: admin.uuid });
    // From now on it is linked.
    later();
    const fresh = new SignInBrowser(fixture);
    expect(await saml.signIn(fresh)).toBe('/console/');
  });

  it('never signs in a person of another organization', async () => {
    const stranger = await addPerson(fixture, fixture.foreign, 'viewer', { email: 'ada@example.com' });
    await saml.add();
    await saml.signIn(browser);
    const person = await browser.person();
    expect(person?.personUuid).not.toBe(stranger.uuid);
    expect(await browser.call('console/getSession')).toMatchObject({ organization: { uuid: own() } });
  });

  it('takes a response of one provider for no other', async () => {
    await saml.add();
    const first = saml.own;
    const { samlProvider } = await fixture.call(
      '/api/console/addSamlProvider',
      {
        label: 'Theirs',
        metadata: { metadataXml: saml.idp.metadata() },
        settings: { ...(await shownSettings()), domains: ['else.example'] },
      },
      { 'x-auth-apikey': fixture.foreign.apiKey },
    );
    saml.providerUuid = (samlProvider as { providerUuid: string }).providerUuid;
    const inResponseTo = await saml.begin(browser);
    const xml = saml.idp.signed(saml.wanted({ inResponseTo, own: first }));
    expect(await saml.finish(browser, xml)).toBe('/console/?signIn=SAML_RECIPIENT_WRONG');
  });

  it('ends when the provider is turned off, or removed', async () => {
    await saml.add();
    await saml.signIn(browser);
    const { providerUuid } = saml;
    const settings = { ...(await shownSettings()), isEnabled: false };
    await fixture.call('/api/console/updateSamlProvider', { providerUuid, settings });
    expect(await browser.person()).toBeNull();
    const { location } = await browser.visit(`/console/saml/${providerUuid}/start`);
    expect(location).toBe('/console/?signIn=SAML_NOT_SET_UP');
    expect(
      (await browser.call('console/findSignInProvider', { email: 'a@example.com' })).provider,
    ).toBeUndefined();
    await fixture.call('/api/console/deleteSamlProvider', { providerUuid });
    expect((await browser.visit(`/console/saml/${providerUuid}/metadata`)).status).toBe(404);
  });

  it('ends the sessions of the provider that is turned off or removed, and of no other', async () => {
    const nameIds = { first: 'ada@example.com', second: 'eve@two.example', third: 'kim@three.example' };
    const browsers = new Map<string, SignInBrowser>();
    const uuids = new Map<string, string>();
    for (const [name, nameId] of Object.entries(nameIds)) {
      const domains = [nameId.slice(nameId.indexOf('@') + 1)];
      uuids.set(name, await saml.add({ domains }));
      browsers.set(name, new SignInBrowser(fixture));
      await saml.signIn(browsers.get(name)!, { nameId });
      later();
    }
    const signedIn = async () => {
      const people = await Promise.all([...browsers.values()].map((each) => each.person()));
      return people.map((person) => person?.email ?? null);
    };
    expect(await signedIn()).toEqual(Object.values(nameIds));
    await fixture.call('/api/console/deleteSamlProvider', { providerUuid: uuids.get('first') });
    expect(await signedIn()).toEqual([null, nameIds.second, nameIds.third]);
    const settings = { ...SETTINGS, domains: ['two.example'], isEnabled: false };
    await fixture.call('/api/console/updateSamlProvider', { providerUuid: uuids.get('second'), settings });
    expect(await signedIn()).toEqual([null, null, nameIds.third]);
  });

  it('notes the provider of a person whom an earlier version linked, at the next sign-in', async () => {
    const links = fixture.store.resources.of(PROVIDER_IDENTITIES);
    const first = await saml.add();
    await saml.signIn(browser);
    const [link] = await links.list(own());
    const { providerUuid: _, ...earlier } = link!.body;
    await links.save({ ...link!, body: earlier });
    later();
    await saml.signIn(browser);
    expect((await links.list(own())).map(({ body }) => body.providerUuid)).toEqual([first]);
    await links.save({ ...link!, body: earlier });
    // Where its session began is not known, so it ends.
    const providerUuid = await saml.add({ domains: ['two.example'] });
    await fixture.call('/api/console/deleteSamlProvider', { providerUuid });
    expect(await browser.person()).toBeNull();
  });

  it('can be tested: an admin reads what arrived, and no one is signed in', async () => {
    const providerUuid = await saml.add();
    const test = async (changes: object) => {
      const { testUrl } = await fixture.call('/api/console/beginSamlTest', { providerUuid });
      const { location } = await browser.visit(testUrl as string);
      const inResponseTo = readSentRequest(location).id;
      const xml = saml.idp.signed(saml.wanted({ inResponseTo, ...changes }));
      expect(await saml.finish(browser, xml)).toBe(`/console/sign-in-providers?tested=${providerUuid}`);
      later();
      return (await fixture.call('/api/console/getSamlTestReport', { providerUuid })).report;
    };
    expect(await test({})).toMatchObject({
      person: {
        nameId: 'ada@example.com',
        email: 'ada@example.com',
        role: 'operator',
        attributes: [{ name: 'groups', values: ['guards'] }],
      },
    });
    expect(await test({ attributes: { groups: ['cooks'] } })).toMatchObject({ code: 'OIDC_NO_ROLE' });
    expect(await test({ audience: 'https://else.example' })).toMatchObject({
      code: 'SAML_AUDIENCE_WRONG',
      reason: 'the audience is https://else.example',
    });
    expect(await browser.person()).toBeNull();
    expect(await fixture.store.people.list(own())).toEqual([]);
    const forged = await browser.visit(`/console/saml/${providerUuid}/start?test=forged`);
    expect(forged.location).toBe('/console/?signIn=SAML_REQUEST_UNKNOWN');
  });
});

async function shownSettings() {
  const { samlProviders } = await fixture.call('/api/console/getSamlProviders');
  const [{ providerUuid: _, ...shown }] = samlProviders as [Record<string, unknown>];
  const kept = ['isEnabled', 'domains', 'signed', 'requiresEncryption', 'allowsUnsolicited', 'clockSkewSec'];
  return Object.fromEntries(
    Object.entries(shown).filter(([name]) => [...kept, 'roleAttribute', 'roleRules'].includes(name)),
  );
}
