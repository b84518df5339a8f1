/** Signing in to the console at a real OpenID provider, in Chromium, and what attackers try. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { TestGateway } from '../support/gateway.ts';
import { CLIENT, TestProvider } from '../support/oidc-provider.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, tooWide } from './console-page.ts';
import { signInAtProvider } from './provider-person.ts';

let gateway: TestGateway;
let provider: TestProvider;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  gateway = await TestGateway.start({ demo: false });
  provider = await TestProvider.start([`${gateway.apiUrl}/console/oidc/callback`]);
  const oidc = { issuer: provider.issuer, ...CLIENT, label: 'Harbour Login' };
  await gateway.configure({ demo: false, oidc });
  await gateway.restart();
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await provider?.close();
});
beforeEach(async () => {
  ({ page } = await openPage(browser));
  await page.context().clearCookies();
});
afterEach(() => page.close());

async function enterAs(page: Page, login: string, path = '/console/'): Promise<void> {
  await page.goto(`${gateway.apiUrl}${path}`);
  await page.getByRole('button', { name: 'Continue with Harbour Login' }).click();
  await signInAtProvider(page, login);
}

/** The callback of a sign-in that was carried out at the provider, and the cookie that it needs: the gateway saw one without the other. */
async function heldCallback(page: Page, login: string) {
  await page.goto(`${gateway.apiUrl}/console/oidc/start`);
  await page.locator('input[name=login]').waitFor();
  const cookies = (await page.context().cookies()).filter(({ name }) => name === 'sluice_oidc');
  expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Lax', path: '/' }]);
  await page.context().clearCookies({ name: 'sluice_oidc' });
  const callback = page.waitForRequest(/\/console\/oidc\/callback/);
  await signInAtProvider(page, login);
  await says(page, /another browser/);
  return { callback: (await callback).url(), cookies };
}

const invite = (email: string, role: string) =>
  gateway.call('console/invitePerson', { name: 'Ada', email, role });
const says = (page: Page, sentence: RegExp) =>
  page.getByRole('alert').filter({ hasText: sentence }).waitFor();

test('someone invited signs in, comes back to their page, and meets the limits of the role', async () => {
  await invite('ada@example.com', 'viewer');
  provider.accounts.set('ada', {
    email: 'Ada@Example.com',
    email_verified: true,
    name: 'Ada <b>Lovelace</b>',
  });
  await page.goto(`${gateway.apiUrl}/console/`);
  await page.getByRole('button', { name: 'Continue with Harbour Login' }).waitFor();
  await expectAccessible(page, 'sign-in with single sign-on');
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await tooWide(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
  await enterAs(page, 'ada', '/console/shares');
  await page.getByRole('heading', { name: 'Shares', level: 1 }).waitFor();
  expect(page.url()).toBe(`${gateway.apiUrl}/console/shares`);
  expect(await page.locator('.who').textContent()).toContain('Ada <b>Lovelace</b>');
  expect(await page.getByRole('link', { name: 'People' }).count()).toBe(0);
  const response = await page.request.post(`${gateway.apiUrl}/api/camera/createSharedLiveVideoStream`, {
    headers: { origin: gateway.apiUrl, 'x-auth-scheme': 'console' },
    data: {},
  });
  expect(response.status()).toBe(403);
  const [session] = (await gateway.call('console/getSessions')).sessions;
  expect(session.signInMethod).toBe('OIDC');
  const { people } = await gateway.call('console/getPeople');
  const ada = people.find(({ email }: { email: string }) => /ada@/i.test(email));
  await gateway.call('console/updatePerson', { personUuid: ada.personUuid, disabled: true });
  await page.context().clearCookies();
  await enterAs(page, 'ada');
  await says(page, /turned off/);
});

test('someone who is not invited, or whose address is not verified, stays outside', async () => {
  await invite('eve@example.com', 'admin');
  provider.accounts.set('eve', { email: 'eve@example.com', email_verified: false, name: 'Eve' });
  provider.accounts.set('mallory', { email: 'mallory@example.com', email_verified: true, name: 'Mallory' });
  await enterAs(page, 'eve');
  await says(page, /has not verified/);
  expect(page.url()).toBe(`${gateway.apiUrl}/console/`);
  await page.context().clearCookies();
  await enterAs(page, 'mallory');
  await says(page, /not invited/);
});

test('a callback works in the browser that began, once', async () => {
  await invite('bob@example.com', 'operator');
  provider.accounts.set('bob', { email: 'bob@example.com', email_verified: true, name: 'Bob' });
  const { callback, cookies } = await heldCallback(page, 'bob');
  const { page: other } = await openPage(browser);
  await other.context().clearCookies();
  await other.goto(callback);
  await says(other, /another browser/);
  await page.context().clearCookies();
  await page.context().addCookies(cookies);
  await page.goto(callback);
  await page.getByRole('heading', { name: 'Cameras', level: 1 }).waitFor();
  await page.context().clearCookies();
  await page.context().addCookies(cookies);
  await page.goto(callback);
  await says(page, /already used/);
  await other.close();
});

test('a state of another attempt and a path of another site lead nowhere', async () => {
  provider.accounts.set('bob', { email: 'bob@example.com', email_verified: true, name: 'Bob' });
  const held = await heldCallback(page, 'bob');
  const callback = new URL(held.callback);
  await page.context().addCookies(held.cookies);
  callback.searchParams.set('state', 'stolen');
  await page.goto(callback.href);
  await says(page, /another browser/);
  await page.context().clearCookies();
  await page.goto(`${gateway.apiUrl}/console/oidc/start?returnTo=https://evil.example/console/`);
  await signInAtProvider(page, 'bob');
  await page.getByRole('heading', { name: 'Cameras', level: 1 }).waitFor();
  expect(page.url()).toBe(`${gateway.apiUrl}/console/`);
});
