/** Links whose viewers sign in at a real OpenID provider, in Chromium, and what attackers try. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { CLIENT, TestProvider } from '../support/oidc-provider.ts';
import { startCamera } from '../support/synthetic.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, tooWide } from './console-page.ts';
import { signInAs } from './console-person.ts';
import { expectNoPicture, waitForMotion } from './page-probes.ts';
import { signInAtProvider } from './provider-person.ts';

let camera: SyntheticCamera;
let gateway: TestGateway;
let provider: TestProvider;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    demo: false,
    hls: { idleStop: '5m' },
    cameras: [{ name: 'Dock', rtsp: camera.url }],
  });
  provider = await TestProvider.start([`${gateway.mediaUrl}/sso/callback`]);
  provider.accounts.set('ada', { email: 'ada@example.com', email_verified: true, name: 'Ada' });
  provider.accounts.set('eve', { email: 'eve@evil.example', email_verified: true, name: 'Eve' });
  provider.accounts.set('mallory', { email: 'mallory@example.com', email_verified: false, name: 'M' });
  const refused = await gateway.call('camera/createSharedLiveVideoStream', {
    cameraUuid: await gateway.cameraUuid('Dock'),
    ssoProtected: true,
  });
  expect(refused.errorMsg).toMatch(/^ssoProtected: .*Set oidc\.issuer.*oidc\.allowedDomains/);
  await gateway.configure({
    demo: false,
    hls: { idleStop: '5m' },
    cameras: [{ name: 'Dock', rtsp: camera.url }],
    oidc: {
      issuer: provider.issuer,
      ...CLIENT,
      label: 'Harbour Login',
      allowedDomains: ['example.com'],
    },
  });
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

const guarded = (fields: object = {}) => gateway.share('Dock', { ssoProtected: true, ...fields });

async function enter(share: TestShare, login: string): Promise<void> {
  await page.goto(share.pageUrl);
  await page.getByRole('link', { name: 'Continue with Harbour Login' }).click();
  await signInAtProvider(page, login);
}

const says = (text: RegExp) => page.locator('#message-text').filter({ hasText: text }).waitFor();
const cookieNamed = async (name: string) =>
  (await page.context().cookies()).filter((cookie) => cookie.name === name);
const isRefused = async () => {
  await page.getByRole('link', { name: 'Continue with Harbour Login' }).waitFor();
  await expectNoPicture(page);
};

/** The callback of a sign-in that was carried out at the provider, and the cookie that it needs: never used together. */
async function heldCallback(share: TestShare) {
  await page.goto(`${share.pageUrl}/sign-in`);
  await page.locator('input[name=login]').waitFor();
  const cookies = await cookieNamed('sluice_sign_in');
  expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Lax', path: '/' }]);
  await page.context().clearCookies({ name: 'sluice_sign_in' });
  const callback = page.waitForRequest(/\/sso\/callback/);
  await signInAtProvider(page, 'ada');
  await page.getByText('in another browser').waitFor();
  return { callback: (await callback).url(), cookies };
}

test('a viewer signs in, comes back to the link, watches, and is named in the trail', async () => {
  const share = await guarded();
  await page.goto(share.pageUrl);
  await page.getByRole('heading', { name: 'Sign in to watch' }).waitFor();
  await expectAccessible(page, 'sign-in of a viewer');
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await tooWide(page)).toEqual([]);
  await expectNoPicture(page);
  await enter(share, 'ada');
  await waitForMotion(page);
  expect(page.url()).toBe(share.pageUrl);
  const path = new URL(share.pageUrl).pathname;
  expect(await cookieNamed('sluice_viewer')).toMatchObject([{ httpOnly: true, sameSite: 'Lax', path }]);
  await expect
    .poll(async () => JSON.stringify(await gateway.call('report/getAuditFeed')))
    .toContain('ada@example.com');
  await gateway.revoke(share);
  await page.getByRole('heading', { name: 'This link has been turned off' }).waitFor();
  await expectNoPicture(page);
});

test('switching the rule off and on ends the view and the proof', async () => {
  const share = await guarded();
  await enter(share, 'ada');
  await waitForMotion(page);
  const { uuid } = share;
  for (const ssoProtected of [false, true]) {
    const response = await gateway.call('camera/updateSharedLiveVideoStream', {
      uuid,
      ssoProtected,
      ssoProtectedUpdated: true,
    });
    expect(response.sharedLiveVideoStream.ssoProtected).toBe(ssoProtected);
  }
  await page.reload();
  await isRefused();
});

test('players and calls without a proof are refused in words', async () => {
  const share = await guarded();
  const mpd = share.m3u8Url.replace('file.m3u8', 'manifest.mpd');
  for (const url of [share.m3u8Url, `${share.m3u8Url}?password=x`]) {
    const bare = await fetch(url);
    expect(bare.status).toBe(401);
    expect(bare.headers.get('www-authenticate')).toBeNull();
    expect(await bare.json()).toMatchObject({
      reason: 'sign-in-needed',
      errorMsg: expect.stringMatching(/sign in first.*browser/),
    });
  }
  for (const url of [mpd, share.m3u8Url.replace('file.m3u8', 'poster.jpg')]) {
    expect((await fetch(url)).status).not.toBe(200);
  }
  const opened = await fetch(`${share.pageUrl}/open`, { method: 'POST' });
  expect(opened.status).toBe(401);
  expect(await opened.json()).toMatchObject({ signInLabel: 'Harbour Login' });
});

test('other domains and unverified addresses stay outside', async () => {
  const share = await guarded();
  await enter(share, 'eve');
  await says(/Accounts with your email address can’t watch/);
  await isRefused();
  await page.context().clearCookies();
  await enter(share, 'mallory');
  await says(/hasn’t verified/);
  await isRefused();
  expect(await cookieNamed('sluice_viewer')).toEqual([]);
});

test('a callback works in the browser that began, once, and for its link alone', async () => {
  const [share, other] = [await guarded(), await guarded()];
  const { callback, cookies } = await heldCallback(share);
  await page.context().clearCookies();
  await page.goto(callback);
  await page.getByText('in another browser').waitFor();
  await page.context().addCookies(cookies);
  const forged = new URL(callback);
  forged.searchParams.set('state', 'stolen');
  await page.goto(forged.href);
  await isRefused();
  expect(await cookieNamed('sluice_viewer')).toEqual([]);
  await page.context().addCookies(cookies);
  await page.goto(`${callback}&returnTo=https://evil.example/&share=x`);
  await waitForMotion(page);
  expect(page.url()).toBe(share.pageUrl);
  const [proof] = await cookieNamed('sluice_viewer');
  await page.context().clearCookies();
  await page.context().addCookies(cookies);
  await page.goto(callback);
  await says(/already used/);
  await page.context().addCookies([{ ...proof!, path: new URL(other.pageUrl).pathname }]);
  await page.goto(other.pageUrl);
  await isRefused();
});

test('a link that this gateway did not make begins no sign-in', async () => {
  const { pageUrl } = await guarded();
  const open = await gateway.share('Dock');
  for (const url of [`${pageUrl.slice(0, -1)}/sign-in`, `${open.pageUrl}/sign-in`]) {
    const response = await fetch(url, { redirect: 'manual' });
    expect([response.status, response.headers.get('set-cookie')]).toEqual([302, null]);
    expect(response.headers.get('location')).toBe(new URL(url.replace(/\/sign-in$/, '')).pathname);
  }
});

test('in the page of someone else, the link opens in a new window', async () => {
  const { pageUrl } = await guarded();
  const around = `${gateway.mediaUrl}/around`;
  await page.route(around, (route) =>
    route.fulfill({ contentType: 'text/html', body: `<iframe src="${pageUrl}" title="Live"></iframe>` }),
  );
  await page.goto(around);
  const link = page.frameLocator('iframe').getByRole('link', { name: 'Continue with Harbour Login' });
  expect(await link.getAttribute('target')).toBe('_blank');
});

test('the console shares with one check box', async () => {
  await signInAs(page, gateway, 'operator');
  await page.goto(`${gateway.apiUrl}/console/shares`);
  await page.getByRole('link', { name: 'New share' }).click();
  await page.getByLabel(/^Name/).fill('Guarded dock');
  await page.getByLabel(/Viewers sign in with Harbour Login/).check();
  await page.getByRole('button', { name: 'Create link' }).click();
  await expect
    .poll(async () => {
      const response = await gateway.call('camera/findSharedLiveVideoStreams', {
        cameraUuid: await gateway.cameraUuid('Dock'),
      });
      return JSON.stringify(response);
    })
    .toMatch(/"name":"Guarded dock".*"ssoProtected":true/);
});
