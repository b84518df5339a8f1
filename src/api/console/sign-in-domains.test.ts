/** One of several organizations proves that a domain is its own before people are led to its provider. */

import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../core/log.ts';
import { SignInDomains } from '../../oidc/sign-in-domains.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';
import { LOCAL_PROVIDERS } from '../local-providers-fixture.ts';
import { FakeProviders, OidcTester, SETTINGS } from '../oidc-provider-fixture.ts';
import { SamlTester } from '../saml-fixture.ts';
import { SignInBrowser } from '../sign-in-browser-fixture.ts';

interface Domain {
  readonly domain: string;
  readonly isWorking: boolean;
  readonly recordName: string;
  readonly recordText: string;
}

/** TXT records by name; an error: the name servers fail. */
let zone: Map<string, string[] | Error>;
let requested: string[];
let fixture: ApiFixture;
let providers: FakeProviders;
let theirs: Record<string, string>;

beforeEach(() => {
  zone = new Map();
  requested = [];
});

async function open(domainProof?: 'dns' | 'none'): Promise<OidcTester> {
  providers = new FakeProviders();
  const textsOf = async (name: string, organization: string) => {
    requested.push(`${name} for ${organization}`);
    const texts = zone.get(name) ?? [];
    if (texts instanceof Error) throw texts;
    return texts;
  };
  fixture = await openApiFixture({
    overrides: {
      providers: { ...LOCAL_PROVIDERS, fetchFromProvider: providers.fetch, textsOf, domainProof },
    },
  });
  onTestFinished(() => fixture.close());
  theirs = { 'x-auth-apikey': fixture.foreign.apiKey };
  return new OidcTester(fixture, providers.open('https://login.example'));
}

const domains = async (headers?: Record<string, string>) =>
  (await fixture.call('/api/console/getSignInDomains', {}, headers)).domains as Domain[];
const check = (domain: string, headers?: Record<string, string>) =>
  fixture.call('/api/console/checkSignInDomain', { domain }, headers);
const found = async (email: string) =>
  ((await new SignInBrowser(fixture).call('console/findSignInProvider', { email })).provider ?? null) as {
    startUrl: string;
  } | null;

async function publish(headers?: Record<string, string>): Promise<void> {
  for (const { recordName, recordText } of await domains(headers)) {
    zone.set(recordName, ['v=spf1 -all', recordText]);
  }
}

/** The schedule reads from the store, then asks name servers, then writes. */
async function later(ms: number): Promise<void> {
  fixture.clock.advance(ms);
  for (let turn = 0; turn < 60; turn++) await new Promise(setImmediate);
}

describe('a domain of one of several organizations', () => {
  it('leads to no provider, and lets no one in, before its record is there', async () => {
    const oidc = await open();
    await oidc.add();
    const [waiting] = await domains();
    expect(waiting).toMatchObject({ domain: 'example.com', isWorking: false });
    expect(waiting!.recordName).toBe('_sluice-domain.example.com');
    expect(await found('ada@example.com')).toBeNull();
    expect(await oidc.signIn(new SignInBrowser(fixture))).toBe('/console/?signIn=OIDC_DOMAIN_NOT_ALLOWED');
    expect((await check('example.com')).errorMsg).toMatch(/TXT record of the domain was not found/);
    zone.set(waiting!.recordName, ['sluice-domain=another', `${waiting!.recordText}x`]);
    fixture.clock.advance(10_000);
    expect((await check('example.com')).errorMsg).toMatch(/not found/);
    await publish();
    expect(await check('EXAMPLE.com')).toMatchObject({ error: false, domain: { isWorking: true } });
    expect((await found('ada@example.com'))?.startUrl).toContain(oidc.providerUuid);
    expect(await oidc.signIn(new SignInBrowser(fixture))).toBe('/console/');
    expect(requested.every((each) => each.endsWith(` for ${fixture.own.organization.uuid}`))).toBe(true);
  });

  it('is the same for a provider by SAML', async () => {
    await open();
    const saml = await SamlTester.open(fixture);
    await saml.add();
    expect(await saml.signIn(new SignInBrowser(fixture))).toBe('/console/?signIn=OIDC_DOMAIN_NOT_ALLOWED');
    await publish();
    await check('example.com');
    fixture.clock.advance(1_000);
    expect(await saml.signIn(new SignInBrowser(fixture))).toBe('/console/');
  });

  it('is not taken by those who only name it: the one who proves it has it', async () => {
    const squatter = await open();
    expect((await squatter.add({}, theirs)).error).toBe(false);
    const owner = new OidcTester(fixture, squatter.provider);
    expect((await owner.add()).error).toBe(false);
    const [own] = await domains();
    const [other] = await domains(theirs);
    expect(own!.recordText).not.toBe(other!.recordText);
    await publish();
    expect((await check('example.com', theirs)).errorMsg).toMatch(/not found/);
    await check('example.com');
    expect((await found('ada@example.com'))?.startUrl).toContain(owner.providerUuid);
    // A later proof counts more, such as after a move; the other one waits again, and does not learn who has it.
    zone.set(other!.recordName, [other!.recordText]);
    fixture.clock.advance(10_000);
    expect((await check('example.com', theirs)).error).toBe(false);
    expect((await found('ada@example.com'))?.startUrl).toContain(squatter.providerUuid);
    expect(await domains()).toMatchObject([{ isWorking: false }]);
    await fixture.audit.settled();
    const rows = await fixture.store.audit.list(fixture.own.organization.uuid, {
      fromMs: 0,
      toMs: Number.MAX_SAFE_INTEGER,
      includeActions: ['SIGN_IN_DOMAIN_CREATE', 'SIGN_IN_DOMAIN_DELETE'],
      excludeActions: [],
      limit: 100,
    });
    // Added, proven, and taken: each of the latter two is another row.
    const { name: ownName } = fixture.own.key;
    expect(rows.map(({ principal }) => principal.name).toSorted()).toEqual(
      ['Sluice', 'Sluice', ownName, ownName, ownName].toSorted(),
    );
  });

  it('is unknown to others, and to those who have no provider for it', async () => {
    const oidc = await open();
    await oidc.add();
    expect(await domains(theirs)).toEqual([]);
    expect((await check('example.com', theirs)).errorMsg).toMatch(/No sign-in provider/);
    expect(requested).toEqual([]);
  });

  it('is found without a button, and stays for a week without its record', async () => {
    const oidc = await open();
    await oidc.add();
    await publish();
    const [{ recordName, recordText }] = (await domains()) as [Domain];
    await later(600_000);
    expect(await domains()).toMatchObject([{ isWorking: true }]);
    const day = 86_400_000;
    zone.delete(recordName);
    for (let days = 0; days < 7; days++) await later(day);
    expect(await domains()).toMatchObject([{ isWorking: true }]);
    zone.set(recordName, [recordText]);
    await later(day);
    zone.delete(recordName);
    for (let days = 0; days < 7; days++) await later(day);
    expect(await domains()).toMatchObject([{ isWorking: true }]);
    await later(day);
    await later(day);
    expect(await domains()).toMatchObject([{ isWorking: false }]);
    expect(await found('ada@example.com')).toBeNull();
  });

  it('keeps its proof while name servers fail', async () => {
    const oidc = await open();
    await oidc.add();
    await publish();
    await check('example.com');
    zone.set('_sluice-domain.example.com', new Error('silent'));
    for (let days = 0; days < 20; days++) await later(86_400_000);
    expect(await domains()).toMatchObject([{ isWorking: true }]);
    await update(oidc, ['example.com', 'next.example']);
    zone.set('_sluice-domain.next.example', new Error('silent'));
    const failed = await fixture.post('/api/console/checkSignInDomain', { domain: 'next.example' }, {});
    expect(failed.json().errorMsg).toMatch(/did not respond/);
  });

  it('goes with its provider, proven or not', async () => {
    const oidc = await open();
    await oidc.add({ domains: ['example.com', 'next.example'] });
    await publish();
    await check('example.com');
    await update(oidc, ['next.example']);
    expect(await domains()).toMatchObject([{ domain: 'next.example' }]);
    expect(await found('ada@example.com')).toBeNull();
    await fixture.call('/api/console/deleteOidcProvider', { providerUuid: oidc.providerUuid });
    expect(await domains()).toEqual([]);
  });
});

const update = (oidc: OidcTester, wanted: readonly string[]) =>
  fixture.call('/api/console/updateOidcProvider', {
    providerUuid: oidc.providerUuid,
    settings: { ...SETTINGS, domains: wanted },
  });

it('needs no proof where one operator sets up all organizations, and is of the first one', async () => {
  const oidc = await open('none');
  await oidc.add();
  expect(await domains()).toMatchObject([{ isWorking: true }]);
  expect(await oidc.signIn(new SignInBrowser(fixture))).toBe('/console/');
  const other = new OidcTester(fixture, oidc.provider);
  expect((await other.add({}, theirs)).errorMsg).toMatch(/has the domain/);
  expect(requested).toEqual([]);
});

it('needs no proof while there is one organization, and keeps working when there is another one', async () => {
  await open();
  const { store, clock } = fixture;
  let isProofNeeded = false;
  const rules = { isProofNeeded: async () => isProofNeeded, textsOf: async () => [] };
  const claims = new SignInDomains({ store, clock, log: silentLog, ...rules });
  const holder = { orgUuid: fixture.own.organization.uuid, uuid: fixture.own.camera.uuid };
  await claims.claim(holder, ['example.com']);
  expect(await claims.holderOf('example.com')).toEqual(holder);
  isProofNeeded = true;
  await claims.checkDue();
  await claims.claim(holder, ['example.com', 'next.example']);
  expect(await claims.workingOf(holder)).toEqual(['example.com']);
});
