/** Signing in to the console at real SAML providers (pysaml2), in Chromium: two organizations with a provider each. */

import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { loadSecrets } from '../../src/app/config/secrets.ts';
import { systemClock } from '../../src/core/clock.ts';
import { hashApiKey } from '../../src/store/api-key-hash.ts';
import { openStore } from '../../src/store/open-store.ts';
import { sampleApiKey, sampleOrganization } from '../../src/store/sample-entities-fixture.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { TestSamlProvider } from '../support/saml-provider.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { countClicks } from './clicks.ts';
import { expectAccessible, openConsolePage, tooWide } from './console-page.ts';

const OTHER_KEY = 'key-of-the-other-organization';
const CAMERAS = [
  { name: 'North gate', location: 'North', rtsp: 'rtsp://127.0.0.1:9/north' },
  { name: 'South gate', location: 'South', rtsp: 'rtsp://127.0.0.1:9/south' },
];

let gateway: TestGateway;
let provider: TestSamlProvider;
let other: TestSamlProvider;
let browser: TestBrowser;
let page: Page;
let ours: Json;
let theirs: Json;

beforeAll(async () => {
  [provider, other] = await Promise.all([TestSamlProvider.start(), TestSamlProvider.start()]);
  gateway = await TestGateway.start({
    demo: false,
    webhooks: { allowPrivateNetworks: true },
    // Organizations of one operator.
    signIn: { domainProof: 'none' },
    locations: [
      { name: 'North', tz: 'UTC' },
      { name: 'South', tz: 'UTC' },
    ],
    cameras: CAMERAS,
  });
  await gateway.end();
  await addOrganization();
  await gateway.run();
  const { locations } = await gateway.call('location/getLocationsV2');
  const { uuid: north } = locations.find(({ name }: Json) => name === 'North');
  const scope = { locationUuids: [north], cameraUuids: [] };
  const roleRules = [
    { value: 'guards', role: 'operator' },
    { value: 'north', role: 'viewer', scope },
  ];
  ours = await connect(provider, 'Harbour Login', { domains: ['harbour.example'], roleRules });
  theirs = await connect(
    other,
    'Quarry Login',
    { domains: ['quarry.example'], roleRules: [{ value: 'guards', role: 'viewer' }] },
    OTHER_KEY,
  );
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
  const store = await openStore({
    kind: 'sqlite',
    path: join(data, 'sluice.db'),
    fieldKey,
    clock: systemClock,
  });
  const organization = sampleOrganization({ name: 'Quarry' });
  await store.organizations.save(organization);
  await store.apiKeys.save(sampleApiKey(organization.uuid, { keyHash: hashApiKey(OTHER_KEY) }));
  await store.close();
}

/** As an admin does: their metadata here, our metadata there. */
async function connect(peer: TestSamlProvider, label: string, settings: Json, key?: string): Promise<Json> {
  const { samlProvider, errorMsg } = await gateway.call(
    'console/addSamlProvider',
    {
      label,
      metadata: { metadataUrl: peer.metadataUrl },
      settings: {
        isEnabled: true,
        signed: 'ASSERTION',
        requiresEncryption: false,
        allowsUnsolicited: false,
        clockSkewSec: 60,
        roleAttribute: 'groups',
        ...settings,
      },
    },
    key,
  );
  expect(errorMsg).toBeUndefined();
  const metadata = await (await fetch(samlProvider.ownEntityId)).text();
  await peer.set({ metadata: [metadata] });
  return samlProvider;
}

async function enter(email: string, label: string, path = '/console/'): Promise<void> {
  await page.goto(`${gateway.apiUrl}${path}`);
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: `Continue with ${label}` }).click();
}

const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
const says = (sentence: RegExp) => page.getByRole('alert').filter({ hasText: sentence }).waitFor();
const sessions = async (key?: string) =>
  (await gateway.call('console/getSessions', { everyone: true }, key)).sessions;

test('someone types their address, signs in at the provider, and signs out there too', async () => {
  await provider.set({ user: 'ada@harbour.example', attributes: { groups: ['guards'] } });
  await page.goto(`${gateway.apiUrl}/console/`);
  await page.getByLabel('Email').fill('ada@harbour.example');
  await page.getByRole('button', { name: 'Continue with Harbour Login' }).waitFor();
  await expectAccessible(page, 'sign-in with a SAML provider');
  await page.setViewportSize({ width: 320, height: 700 });
  expect(await tooWide(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
  await enter('ada@harbour.example', 'Harbour Login', '/console/shares');
  await heading('Shares');
  expect(new URL(page.url()).pathname).toBe('/console/shares');
  expect(await sessions()).toMatchObject([{ signInMethod: 'SAML' }]);
  await page.locator('.who').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Email').waitFor();
  expect(new URL(page.url()).pathname).toBe('/console/');
  expect(await sessions()).toEqual([]);
  const logouts = await fetch(`${provider.url}/state`).then((response) => response.json());
  expect(logouts).toMatchObject({ logouts: 1 });
});

test('an encrypted assertion, a new key of the provider, and a new key of ours work', async () => {
  const { providerUuid } = ours;
  await provider.set({ user: 'ada@harbour.example', attributes: { groups: ['guards'] }, encrypt: true });
  await enter('ada@harbour.example', 'Harbour Login');
  await heading('Cameras');
  await page.context().clearCookies();
  await provider.set({ renew: true });
  const { samlProvider } = await gateway.call('console/refreshSamlProvider', { providerUuid });
  expect(samlProvider.certificates).not.toEqual(ours.certificates);
  await enter('ada@harbour.example', 'Harbour Login');
  await heading('Cameras');
  await page.context().clearCookies();
  await gateway.call('console/renewSamlKey');
  // The provider still has our old certificate.
  await enter('ada@harbour.example', 'Harbour Login');
  await heading('Cameras');
  await page.context().clearCookies();
  await provider.set({ metadata: [await (await fetch(ours.ownEntityId)).text()] });
  await gateway.call('console/finishSamlKeyRenewal');
  await provider.set({ metadata: [await (await fetch(ours.ownEntityId)).text()] });
  await enter('ada@harbour.example', 'Harbour Login');
  await heading('Cameras');
  await provider.set({ encrypt: false });
});

test('someone with one site sees only that, and each organization has its own people', async () => {
  await provider.set({ user: 'nora@harbour.example', attributes: { groups: ['north'] } });
  await enter('nora@harbour.example', 'Harbour Login');
  await heading('Cameras');
  await page.getByText('North gate').first().waitFor();
  expect(await page.getByText('South gate').count()).toBe(0);
  const { data } = await request('camera/getMinimalCameraStateList');
  expect(data.cameraStates.map(({ name }: Json) => name)).toEqual(['North gate']);
  const southUuid = await gateway.cameraUuid('South gate');
  const refused = await request('camera/createPreviewGrant', { cameraUuid: southUuid });
  const unknown = await request('camera/createPreviewGrant', { cameraUuid: 'AAAAAAAAAAAAAAAAAAAAAA' });
  expect([refused.status, refused.data.error]).toEqual([unknown.status, true]);
  await page.context().clearCookies();
  await other.set({ user: 'quinn@quarry.example', attributes: { groups: ['guards'] } });
  await enter('quinn@quarry.example', 'Quarry Login');
  await heading('Cameras');
  expect(await page.getByText('North gate').count()).toBe(0);
  expect(await sessions(OTHER_KEY)).toMatchObject([{ signInMethod: 'SAML' }]);
  const { people } = await gateway.call('console/getPeople', {}, OTHER_KEY);
  expect(people.map(({ email }: Json) => email)).toEqual(['quinn@quarry.example']);
  // A provider speaks for its own domains alone.
  await page.context().clearCookies();
  await other.set({ user: 'ada@harbour.example' });
  await enter('quinn@quarry.example', 'Quarry Login');
  await says(/Accounts with your email address cannot sign in here/);
  expect(theirs.domains).toEqual(['quarry.example']);
});

test('someone without a role stays outside', async () => {
  await provider.set({ user: 'bo@harbour.example', attributes: { groups: ['cooks'] } });
  await enter('bo@harbour.example', 'Harbour Login');
  await says(/has no role/);
});

/** A call of the page's own session. */
async function request(
  operation: string,
  body: Json = {},
): Promise<{ readonly status: number; readonly data: Json }> {
  const response = await page.request.post(`${gateway.apiUrl}/api/${operation}`, {
    headers: { origin: gateway.apiUrl, 'x-auth-scheme': 'console' },
    data: body,
  });
  return { status: response.status(), data: (await response.json()) as Json };
}

test('an administrator adds a provider, gives it our metadata, tests it, and reads what arrived', async () => {
  const third = await TestSamlProvider.start();
  try {
    const { page } = await openConsolePage(browser, gateway);
    const clicks = await countClicks(page);
    await page.goto(`${gateway.apiUrl}/console/people`);
    await page.getByRole('link', { name: 'Single sign-on' }).click();
    await page.getByRole('button', { name: 'Add a SAML provider' }).click();
    await page.getByLabel('Name on the button').fill('Depot Login');
    await page.getByLabel(/Metadata of the provider/).fill(third.metadataUrl);
    await page.getByRole('dialog').getByLabel('Domains').fill('depot.example');
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByLabel('Value 1').fill('drivers');
    await expectAccessible(page, 'the dialog of a SAML provider');
    await page.getByRole('button', { name: 'Add provider' }).click();
    const part = page.getByRole('region', { name: 'Depot Login' });
    const ownMetadata = await part.getByLabel('Entity ID, and the address of our metadata').inputValue();
    await third.set({
      metadata: [await (await fetch(ownMetadata)).text()],
      user: 'dee@depot.example',
      attributes: { groups: ['drivers'] },
    });
    await part.getByRole('button', { name: 'Test sign-in' }).click();
    await page.getByRole('heading', { name: 'The test worked' }).waitFor();
    expect(clicks.since()).toBe(5);
    await page.getByText('dee@depot.example').first().waitFor();
    await expectAccessible(page, 'the page of SAML providers');
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await tooWide(page)).toEqual([]);
    }
    // What else the API has, with the keyboard alone.
    await part.getByRole('button', { name: 'Change' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('What must be signed, and more').press('Enter');
    await dialog.getByLabel('How far the clocks may differ, in seconds').fill('120');
    await dialog.getByLabel('Certificate that must have signed the metadata').fill('no certificate');
    await dialog.getByLabel('Everyone else').selectOption('viewer');
    await dialog.getByText('Sites and cameras of everyone else').press('Enter');
    await dialog.getByLabel('The whole organization').last().uncheck();
    await dialog.getByRole('option', { name: /North/ }).first().click();
    await expectAccessible(page, 'all fields of a SAML provider');
    expect(await tooWide(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).press('Enter');
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Certificate that must have signed the metadata').fill('');
    await dialog.getByRole('button', { name: 'Save' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const { samlProviders } = await gateway.call('console/getSamlProviders');
    const depot = (samlProviders as Json[]).find(({ label }) => label === 'Depot Login')!;
    expect(depot).toMatchObject({ clockSkewSec: 120, isMetadataPinned: false, defaultRole: 'viewer' });
    expect(depot.defaultScope.locationUuids).toHaveLength(1);
    // What someone else changes is there without a reload.
    await gateway.call('console/updateSamlProvider', { providerUuid: depot.providerUuid, label: 'Depot' });
    await page.getByRole('region', { name: 'Depot', exact: true }).waitFor();
    await page.close();
  } finally {
    await third.close();
  }
});
