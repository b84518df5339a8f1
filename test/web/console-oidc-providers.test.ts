/** Two organizations with an OpenID Connect provider each (oidc-provider), added in the console, in Chromium. */

import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { loadSecrets } from '../../src/app/config/secrets.ts';
import { systemClock } from '../../src/core/clock.ts';
import { hashApiKey } from '../../src/store/api-key-hash.ts';
import { openStore } from '../../src/store/open-store.ts';
import { sampleApiKey, sampleOrganization } from '../../src/store/sample-entities-fixture.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { CLIENT, TestProvider } from '../support/oidc-provider.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, openConsolePage, tooWide } from './console-page.ts';
import { signOut } from './console-person.ts';
import { signInAtProvider } from './provider-person.ts';

const OTHER_KEY = 'key-of-the-other-organization';
const SCREENSHOTS = process.env.PAGE_SCREENSHOTS;

const CONFIG = { demo: false, webhooks: { allowPrivateNetworks: true } };

let gateway: TestGateway;
let provider: TestProvider;
let other: TestProvider;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  [provider, other] = await Promise.all([TestProvider.start([]), TestProvider.start([])]);
  gateway = await TestGateway.start({ ...CONFIG, signIn: { domainProof: 'none' } });
  await gateway.end();
  await addOrganization();
  await gateway.run();
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await Promise.all([provider?.close(), other?.close()]);
});
beforeEach(async () => {
  ({ page } = await openPage(browser));
  await page.context().clearCookies();
});
afterEach(() => page.close());

async function addOrganization(): Promise<void> {
  const data = join(gateway.folder, 'data');
  const { fieldKey } = loadSecrets(data, {});
  const path = join(data, 'sluice.db');
  const store = await openStore({ kind: 'sqlite', path, fieldKey, clock: systemClock });
  const organization = sampleOrganization({ name: 'Quarry' });
  await store.organizations.save(organization);
  await store.apiKeys.save(sampleApiKey(organization.uuid, { keyHash: hashApiKey(OTHER_KEY) }));
  await store.close();
}

function register(peer: TestProvider, { ownCallbackUrl, ownSignedOutUrl, ownLogoutUrl }: Json): void {
  peer.register([ownCallbackUrl], [ownSignedOutUrl], ownLogoutUrl);
}

async function enter(login: string, email: string, label: string): Promise<void> {
  await page.goto(`${gateway.apiUrl}/console/`);
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: `Continue with ${label}` }).click();
  await signInAtProvider(page, login);
}

const cameras = () => page.getByRole('heading', { name: 'Cameras', level: 1 }).waitFor();
const people = async (key?: string) => (await gateway.call('console/getPeople', {}, key)).people as Json[];
const sessions = async (key?: string) =>
  (await gateway.call('console/getSessions', { everyone: true }, key)).sessions as Json[];

test('an administrator adds a provider, and someone signs in there by their address, and out', async () => {
  const { page: admin } = await openConsolePage(browser, gateway);
  await admin.goto(`${gateway.apiUrl}/console/people`);
  await admin.getByRole('link', { name: 'Single sign-on' }).click();
  await admin.getByRole('button', { name: 'Add an OpenID Connect provider' }).click();
  const dialog = admin.getByRole('dialog');
  await dialog.getByLabel('Name on the button').fill('Harbour Login');
  await dialog.getByLabel('Issuer').fill('https://login.invalid');
  await dialog.getByLabel('Client ID').fill(CLIENT.clientId);
  await dialog.getByLabel('Client secret').fill(CLIENT.clientSecret);
  await dialog.getByLabel('Domains').fill('harbour.example');
  await dialog.getByRole('button', { name: 'Add a rule' }).click();
  await dialog.getByLabel('Value 1').fill('guards');
  await dialog.getByLabel('Role 1').selectOption('operator');
  await expectAccessible(admin, 'the dialog of an OpenID Connect provider');
  if (SCREENSHOTS !== undefined) await admin.screenshot({ path: `${SCREENSHOTS}/oidc-dialog.png` });
  await dialog.getByRole('button', { name: 'Add provider' }).click();
  await dialog.getByRole('alert').filter({ hasText: 'could not be read' }).waitFor();
  await dialog.getByLabel('Issuer').fill(provider.issuer);
  await dialog.getByRole('button', { name: 'Add provider' }).click();
  const part = admin.getByRole('region', { name: 'Harbour Login' });
  const ownCallbackUrl = await part.getByLabel('Redirect address').inputValue();
  const ownSignedOutUrl = await part.getByLabel('Address after signing out').inputValue();
  const ownLogoutUrl = await part.getByLabel('Back-channel logout').inputValue();
  await expectAccessible(admin, 'the page of sign-in providers');
  for (const width of [1_280, 390, 320]) {
    await admin.setViewportSize({ width, height: 844 });
    expect(await tooWide(admin)).toEqual([]);
    if (SCREENSHOTS !== undefined)
      await admin.screenshot({ path: `${SCREENSHOTS}/oidc-providers-${width}.png`, fullPage: true });
  }
  await admin.close();
  register(provider, { ownCallbackUrl, ownSignedOutUrl, ownLogoutUrl });
  const ada = { email: 'ada@harbour.example', email_verified: true, name: 'Ada', groups: ['guards'] };
  provider.accounts.set('ada', ada);
  await page.context().clearCookies();
  await enter('ada', 'ada@harbour.example', 'Harbour Login');
  await cameras();
  expect(await people()).toContainEqual(expect.objectContaining({ name: 'Ada', role: 'operator' }));
  expect(await sessions()).toContainEqual(expect.objectContaining({ signInMethod: 'OIDC' }));
  await signOut(page);
  await page.getByRole('button', { name: 'Yes, sign me out' }).click();
  await page.getByLabel('Email').waitFor();
  expect(page.url()).toBe(`${gateway.apiUrl}/console/`);
  expect((await sessions()).filter(({ signInMethod }) => signInMethod === 'OIDC')).toEqual([]);
});

test('the other organization has its own provider and people; signing out there, or its removal, ends them', async () => {
  const { oidcProvider } = await gateway.call(
    'console/addOidcProvider',
    {
      label: 'Quarry Login',
      issuer: other.issuer,
      ...CLIENT,
      settings: {
        isEnabled: true,
        domains: ['quarry.example'],
        scopes: ['email', 'profile'],
        acceptsUnverifiedEmail: false,
        roleRules: [],
        defaultRole: 'viewer',
      },
    },
    OTHER_KEY,
  );
  register(other, oidcProvider);
  const quinn = { email: 'quinn@quarry.example', email_verified: true, name: 'Quinn' };
  other.accounts.set('quinn', quinn);
  await enter('quinn', 'quinn@quarry.example', 'Quarry Login');
  await cameras();
  expect((await people(OTHER_KEY)).map(({ name }) => name)).toEqual(['Quinn']);
  expect((await people()).map(({ name }) => name)).not.toContain('Quinn');

  const tab = await page.context().newPage();
  await tab.goto(`${other.issuer}/session/end`);
  await tab.getByRole('button', { name: 'Yes, sign me out' }).click();
  await page.getByLabel('Email').waitFor();
  expect(await sessions(OTHER_KEY)).toEqual([]);
  await tab.close();

  await enter('quinn', 'quinn@quarry.example', 'Quarry Login');
  await cameras();
  const { providerUuid } = oidcProvider;
  const strangers = await gateway.call('console/deleteOidcProvider', { providerUuid });
  expect(strangers.errorMsg).toMatch(/no such sign-in provider/);
  await gateway.call('console/deleteOidcProvider', { providerUuid }, OTHER_KEY);
  await page.getByLabel('Email').waitFor();
  expect(await sessions(OTHER_KEY)).toEqual([]);
  await page.getByLabel('Email').fill('quinn@quarry.example');
  // The other kind of provider is found, so the lookup has happened when its button is there.
  await page.getByLabel('Email').fill('ada@harbour.example');
  await page.getByRole('button', { name: 'Continue with Harbour Login' }).waitFor();
  expect(await page.getByRole('button', { name: 'Continue with Quarry Login' }).count()).toBe(0);
});

test('a domain that needs a proof says which record it waits for', async () => {
  await gateway.configure(CONFIG);
  await gateway.restart();
  const { oidcProvider } = await gateway.call('console/addOidcProvider', {
    label: 'Depot Login',
    issuer: provider.issuer,
    ...CLIENT,
    settings: {
      isEnabled: true,
      domains: ['depot.invalid'],
      scopes: [],
      acceptsUnverifiedEmail: false,
      roleRules: [],
    },
  });
  const { page: admin } = await openConsolePage(browser, gateway);
  await admin.goto(`${gateway.apiUrl}/console/sign-in-providers`);
  const part = admin.getByRole('region', { name: 'Depot Login' });
  await part.getByText('Show that depot.invalid is yours').waitFor();
  expect(await part.getByLabel('Name of the TXT record').inputValue()).toBe('_sluice-domain.depot.invalid');
  expect(await part.getByLabel('Text of the TXT record').inputValue()).toMatch(/^sluice-domain=[\w-]{22}$/);
  await part.getByRole('button', { name: 'Check now' }).click();
  await part
    .getByRole('alert')
    .filter({ hasText: /was not found|did not respond/ })
    .waitFor();
  await expectAccessible(admin, 'a domain that waits for its proof');
  for (const width of [1_280, 390, 320]) {
    await admin.setViewportSize({ width, height: 844 });
    expect(await tooWide(admin)).toEqual([]);
    if (SCREENSHOTS !== undefined)
      await admin.screenshot({ path: `${SCREENSHOTS}/domain-proof-${width}.png`, fullPage: true });
  }
  await gateway.call('console/deleteOidcProvider', { providerUuid: oidcProvider.providerUuid });
  await part.waitFor({ state: 'detached' });
  await admin.close();
});
