/** Signing out at a real OpenID provider, from both ends, in Chromium; and a provider that changes its keys. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { CLIENT, TestProvider } from '../support/oidc-provider.ts';
import { startCamera } from '../support/synthetic.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, tooWide } from './console-page.ts';
import { signInAs, signOut } from './console-person.ts';
import { expectNoPicture, waitForMotion } from './page-probes.ts';
import { signInAtProvider } from './provider-person.ts';

const LABEL = 'Harbour Login';

let camera: SyntheticCamera;
let gateway: TestGateway;
let provider: TestProvider;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  camera = await startCamera();
  const common = { demo: false, cameras: [{ name: 'Dock', rtsp: camera.url }] };
  gateway = await TestGateway.start(common);
  const { apiUrl, mediaUrl } = gateway;
  provider = await TestProvider.start(
    [`${apiUrl}/console/oidc/callback`, `${mediaUrl}/sso/callback`],
    [`${apiUrl}/console/`],
    `${apiUrl}/console/oidc/logout`,
  );
  for (const name of ['ada', 'bea']) {
    const email = `${name}@example.com`;
    provider.accounts.set(name, { email, email_verified: true, name });
    await gateway.call('console/invitePerson', { name, email, role: 'operator' });
  }
  const oidc = { issuer: provider.issuer, ...CLIENT, label: LABEL, allowedDomains: ['example.com'] };
  await gateway.configure({ ...common, oidc });
  await gateway.restart();
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await provider?.close();
  await camera?.close();
});
beforeEach(async () => {
  ({ page } = await openPage(browser));
  await page.context().clearCookies();
});
afterEach(() => page.close());

const entrance = (on = page) => on.getByRole('button', { name: `Continue with ${LABEL}` });
const cameras = (on = page) => on.getByRole('heading', { name: 'Cameras', level: 1 });

async function enterAs(login: string): Promise<void> {
  await page.goto(`${gateway.apiUrl}/console/`);
  await entrance().click();
  await signInAtProvider(page, login);
  await cameras().waitFor();
}

/** The person signs out at the provider, in another tab. */
async function leaveProvider(): Promise<void> {
  const other = await page.context().newPage();
  await other.goto(`${provider.issuer}/session/end`);
  await other.getByRole('button', { name: 'Yes, sign me out' }).click();
  await other.getByText('Sign-out Success').first().waitFor();
  await other.close();
}

async function sessionsOf(login: string): Promise<number> {
  const { people } = await gateway.call('console/getPeople');
  const person = people.find(({ email }: { email: string }) => email === `${login}@example.com`);
  const { sessions } = await gateway.call('console/getSessions');
  return sessions.filter(({ personUuid }: { personUuid: string }) => personUuid === person.personUuid).length;
}

test('signing out ends the session here, then leads to the provider and back to the entrance', async () => {
  await enterAs('ada');
  expect(await sessionsOf('ada')).toBe(1);
  await signOut(page);
  const sure = page.getByRole('button', { name: 'Yes, sign me out' });
  await sure.waitFor();
  expect(await sessionsOf('ada')).toBe(0);
  const there = new URL(page.url());
  expect(there.origin).toBe(provider.issuer);
  expect(Object.fromEntries(there.searchParams)).toEqual({
    client_id: CLIENT.clientId,
    post_logout_redirect_uri: `${gateway.apiUrl}/console/`,
  });
  await sure.click();
  await entrance().waitFor();
  expect(page.url()).toBe(`${gateway.apiUrl}/console/`);
  // The provider's session is over, too: it asks who is there.
  await entrance().click();
  await page.locator('input[name=login]').waitFor();
});

test('someone who signed in otherwise stays with us', async () => {
  await signInAs(page, gateway, 'viewer');
  const elsewhere: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/oidc/') || request.url().startsWith(provider.issuer))
      elsewhere.push(request.url());
  });
  await page.goto(`${gateway.apiUrl}/console/`);
  await signOut(page);
  await entrance().waitFor();
  expect(elsewhere).toEqual([]);
});

test('signing out at the provider ends the console and what is watched there, and nothing of others', async () => {
  const otherBrowser = await startBrowser();
  const bea = (await openPage(otherBrowser)).page;
  await bea.goto(`${gateway.apiUrl}/console/oidc/start`);
  await signInAtProvider(bea, 'bea');
  await cameras(bea).waitFor();
  await enterAs('ada');
  const share = await gateway.share('Dock', { ssoProtected: true });
  const viewer = await page.context().newPage();
  await viewer.goto(share.pageUrl);
  await viewer.getByRole('link', { name: `Continue with ${LABEL}` }).click();
  await waitForMotion(viewer);
  const known = provider.logouts.length;

  await leaveProvider();
  await entrance().waitFor();
  expect([await sessionsOf('ada'), await sessionsOf('bea')]).toEqual([0, 1]);
  expect(provider.logouts.length).toBe(known + 1);
  await viewer.getByRole('heading', { name: 'Sign in to watch' }).waitFor();
  await expectNoPicture(viewer);
  await viewer.goto(share.pageUrl);
  await viewer.getByRole('link', { name: `Continue with ${LABEL}` }).waitFor();
  await viewer.close();
  await bea.reload();
  await cameras(bea).waitFor();
  await otherBrowser.close();

  // Who saw the token on its way ends nothing with it again.
  const replayed = await fetch(`${gateway.apiUrl}/console/oidc/logout`, {
    method: 'POST',
    body: provider.logouts.at(-1)!,
  });
  expect([replayed.status, await replayed.json()]).toEqual([400, { error: 'invalid_request' }]);
});

test('after the provider changed its keys, the first sign-in and the first logout work', async () => {
  await enterAs('ada');
  provider.rotateKeys();
  await page.context().clearCookies();
  await enterAs('ada');
  const before = await sessionsOf('ada');
  await leaveProvider();
  await entrance().waitFor();
  expect(await sessionsOf('ada')).toBe(before - 1);
});

test('a provider that is down keeps no one signed in here, and the page says what is left', async () => {
  await enterAs('ada');
  await provider.close();
  await gateway.restart();
  await page.reload();
  await cameras().waitFor();
  const before = await sessionsOf('ada');
  await signOut(page);
  await page.getByRole('alert').filter({ hasText: 'You may still be signed in there' }).waitFor();
  expect(await sessionsOf('ada')).toBe(before - 1);
  expect(page.url()).toBe(`${gateway.apiUrl}/console/`);
  await entrance().waitFor();
  await expectAccessible(page, 'signed out here only');
  expect(await tooWide(page)).toEqual([]);
});
