/** Passkeys in Chromium, with the virtual authenticator of its debugger: joining, coming back, adding, removing. */

import type { CDPSession, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestGateway } from '../support/gateway.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, smallTargets, tooWide } from './console-page.ts';
import { invite, PASSWORD, signOut } from './console-person.ts';

const MIN_TARGET_PX = 40;
const PHONE = { width: 390, height: 844 };

let gateway: TestGateway;
let browser: TestBrowser;
let page: Page;
let devtools: CDPSession;
let authenticatorId: string;
let consoleUrl: string;

beforeAll(async () => {
  gateway = await TestGateway.start({ demo: false });
  // Passkeys need a name.
  consoleUrl = `http://localhost:${new URL(gateway.apiUrl).port}`;
  await gateway.configure({ demo: false, public: { apiUrl: consoleUrl } });
  await gateway.restart();
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
});
beforeEach(async () => {
  ({ page } = await openPage(browser));
  await page.context().clearCookies();
  devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  ({ authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      automaticPresenceSimulation: true,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      defaultBackupEligibility: true,
      defaultBackupState: true,
    },
  }));
});
afterEach(() => page.close());

const button = (name: string | RegExp) => page.getByRole('button', { name });
const cameras = () => page.getByRole('heading', { name: 'Cameras', level: 1 }).waitFor();
const entrance = () => page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
const passkeyRows = () => page.getByRole('table', { name: 'Passkeys' }).getByRole('row');
/** A browser that offers passkeys in the field for the email address would choose the only one at once. */
const setPresence = (enabled: boolean) =>
  devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });

async function joinWithPasskey(name: string): Promise<void> {
  const { inviteUrl } = await invite(gateway, 'operator');
  await page.goto(inviteUrl);
  await page.getByLabel('Your name').fill(name);
  await button('Join with a passkey').click();
  await cameras();
}

async function openAccount(): Promise<void> {
  await page.goto(`${consoleUrl}/console/account`);
  await page.getByRole('heading', { name: 'Passkeys', exact: true }).waitFor();
}

async function sessionCookie(): Promise<string> {
  const cookies = await page.context().cookies();
  return cookies.find(({ name }) => name === 'sluice_console')!.value;
}

test('someone who is invited joins with a passkey, and comes back with it in a new session', async () => {
  await page.setViewportSize(PHONE);
  const { inviteUrl } = await invite(gateway, 'operator');
  await page.goto(inviteUrl);
  await button('Join with a passkey').waitFor();
  await expectAccessible(page, 'invitation with passkey');
  expect(await tooWide(page)).toEqual([]);
  await button('Join with a passkey').click();
  expect(await page.getByLabel('Your name').evaluate((field: HTMLInputElement) => field.validity.valid)).toBe(
    false,
  );
  await page.getByLabel('Your name').fill('Grace Hopper');
  await button('Join with a passkey').click();
  await cameras();
  const first = await sessionCookie();
  await setPresence(false);
  await signOut(page);
  await entrance();
  await button('Sign in with a passkey').waitFor();
  await expectAccessible(page, 'entrance with passkey');
  expect(await tooWide(page)).toEqual([]);
  expect(await smallTargets(page, MIN_TARGET_PX)).toEqual([]);
  await setPresence(true);
  await button('Sign in with a passkey').click();
  await cameras();
  expect(await sessionCookie()).not.toBe(first);
  const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId });
  expect(credentials).toMatchObject([{ rpId: 'localhost', isResidentCredential: true }]);
});

test('the field for the email address offers it, too', async () => {
  await joinWithPasskey('Ada');
  await signOut(page);
  // The authenticator chooses for the person.
  await cameras();
});

describe('on the account page', () => {
  test('a passkey is renamed, a second one added, and one removed; the last one stays', async () => {
    await joinWithPasskey('Katherine Johnson');
    await openAccount();
    await passkeyRows().getByText('Synced').waitFor();
    expect(await page.getByRole('link', { name: 'Set a password' }).count()).toBe(0);
    await button(/^Remove /).click();
    await button('Remove passkey').click();
    await page.getByText('This is the only way to sign in.').waitFor();
    await expectAccessible(page, 'last way');
    await button('Cancel').click();
    await button(/^Rename /).click();
    await page.getByLabel('Name', { exact: true }).fill('<img src=x onerror=alert(1)>');
    await button('Rename').last().click();
    await page.getByText('<img src=x onerror=alert(1)>').waitFor();
    await button('Add a passkey').click();
    await button('Continue').click();
    await page.getByText('This device already has a passkey').waitFor();
    await button('Cancel').click();
    const other = await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'usb',
        automaticPresenceSimulation: true,
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
      },
    });
    await devtools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
    await button('Add a passkey').click();
    await page.getByLabel('Name', { exact: true }).fill('Blue key');
    await button('Continue').click();
    await page.getByText('On one device').waitFor();
    await page.setViewportSize(PHONE);
    await expectAccessible(page, 'passkeys');
    expect(await tooWide(page)).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX)).toEqual([]);
    await button('Remove <img src=x onerror=alert(1)>').click();
    await button('Remove passkey').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await passkeyRows().getByText('<img src=x onerror=alert(1)>').waitFor({ state: 'detached' });
    expect(await button(/^Rename /).count()).toBe(1);
    await devtools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: other.authenticatorId });
  });

  test('a passkey that was removed no longer signs in', async () => {
    // Only the button asks for it: what the browser offers by itself would be refused at any time, with the same words.
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
    });
    const { inviteUrl, email } = await invite(gateway, 'viewer');
    await page.goto(inviteUrl);
    await page.getByLabel('Your name').fill('Annie Easley');
    await page.getByLabel('New password').fill(PASSWORD);
    await button('Join').first().click();
    await cameras();
    await openAccount();
    await page.getByText('You have no passkeys').waitFor();
    await expectAccessible(page, 'no passkeys');
    await button('Add a passkey').click();
    await expectAccessible(page, 'add passkey');
    await button('Continue').click();
    await button(/^Remove /).click();
    await button('Remove passkey').click();
    await page.getByText('You have no passkeys').waitFor();
    await signOut(page);
    await button('Sign in with a passkey').click();
    await page.getByRole('alert').getByText('This passkey was not accepted').waitFor();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await button('Sign in').first().click();
    // Where they were.
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
  });
});

test('a passkey that is refused late does not sign out who came in by password', async () => {
  const { inviteUrl, email } = await invite(gateway, 'viewer');
  await page.goto(inviteUrl);
  await page.getByLabel('Your name').fill('Joan Clarke');
  await page.getByLabel('New password').fill(PASSWORD);
  await button('Join').first().click();
  await cameras();
  await openAccount();
  await button('Add a passkey').click();
  await button('Continue').click();
  await button(/^Remove /).waitFor();
  const { promise: isIn, resolve: cameIn } = Promise.withResolvers<void>();
  await page.route('**/api/console/signInWithPasskey', async (route) => {
    await isIn;
    await route.fulfill({ status: 401, json: { error: true, errorMsg: 'This passkey was not accepted.' } });
  });
  // The authenticator chooses for the person.
  const requested = page.waitForRequest('**/api/console/signInWithPasskey');
  await signOut(page);
  const request = await requested;
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await button('Sign in').first().click();
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  cameIn();
  await (await request.response())!.finished();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  expect(await page.getByRole('heading', { name: 'Your account' }).isVisible()).toBe(true);
});

test('at an IP address, the entrance says why there are none, and takes a password', async () => {
  await page.goto(`${gateway.apiUrl}/console/`);
  await page.getByText('Passkeys need a host name. This address is an IP address. Use a password.').waitFor();
  expect(await button('Sign in with a passkey').count()).toBe(0);
  await expectAccessible(page, 'entrance at an IP address');
});

test('a key gets a role, and the list says what it may do', async () => {
  const { inviteUrl } = await invite(gateway, 'admin');
  await page.goto(inviteUrl);
  await page.getByLabel('Your name').fill('Mary Jackson');
  await button('Join with a passkey').click();
  await cameras();
  await page.goto(`${consoleUrl}/console/keys`);
  await button('Create key').first().click();
  await page.getByLabel('Name', { exact: true }).fill('Wall screen');
  await page.getByText('Reads and watches, and changes nothing').waitFor();
  await page.getByLabel('Role').selectOption('operator');
  await page.getByText('Also shares, cuts clips').waitFor();
  await expectAccessible(page, 'new key');
  await button('Create key').last().click();
  const apiKey = await page.getByLabel('API key', { exact: true }).inputValue();
  await button('I have copied it').click();
  const row = page.getByRole('row').filter({ hasText: 'Wall screen' });
  expect(await row.textContent()).toContain('OperatorAlso shares, cuts clips');
  await page.setViewportSize(PHONE);
  expect(await tooWide(page)).toEqual([]);
  await expectAccessible(page, 'keys');
  const refused = await gateway.call('console/getPeople', {}, apiKey);
  expect(refused.errorMsg).toBe('This needs the role admin. The caller has the role operator.');
});
