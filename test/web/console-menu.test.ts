/** The menu on a desk: it marks where one is, says that it goes on below, and single sign-on is in one place. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { TestGateway } from '../support/gateway.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, openConsolePage, tooWide } from './console-page.ts';

const DESK = { width: 1_440, height: 900 };
const LOW = { width: 1_440, height: 420 };
const PHONE = { width: 390, height: 844 };

let gateway: TestGateway;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  gateway = await TestGateway.start({ demo: false });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
});
beforeEach(async () => {
  ({ page } = await openConsolePage(browser, gateway));
});
afterEach(() => page.close());

async function open(path: string, size = DESK): Promise<void> {
  await page.setViewportSize(size);
  await page.goto(`${gateway.apiUrl}/console/${path}`);
  await page.locator('h1').first().waitFor();
}

const marked = () => page.locator('.menu [aria-current], .account[aria-current]');

test.each([
  ['activity/webhooks', 'Integrations'],
  ['sign-in-providers', 'People'],
  ['map', 'Sites'],
  ['service-levels', 'Viewing quality'],
  ['mail/alarm-centers', 'Mail'],
  ['cameras/add', 'Cameras'],
])('marks one entry while "%s" is open, and shows it on a low window: %s', async (path, title) => {
  await open(path, LOW);
  expect(await marked().allTextContents()).toEqual([title]);
  const { y, height } = (await marked().boundingBox())!;
  expect(y).toBeGreaterThan(0);
  expect(y + height).toBeLessThanOrEqual(LOW.height);
});

test('marks the account at the top, and nothing in the menu', async () => {
  await open('account');
  expect(await marked().count()).toBe(1);
  expect(await page.locator('.menu [aria-current]').count()).toBe(0);
});

test('says that there is more below, until that is in sight', async () => {
  await open('', LOW);
  const sign = page.locator('.menu-below');
  await sign.waitFor();
  await expectAccessible(page, 'a low window');
  await page.locator('.menu').evaluate((menu) => menu.scrollTo(0, menu.scrollHeight));
  await sign.waitFor({ state: 'detached' });
  await page.setViewportSize({ width: 1_440, height: 1_200 });
  expect(await sign.count()).toBe(0);
});

test('has both kinds of single sign-on on one page, where the settings lead', async () => {
  await open('settings');
  await page.getByRole('link', { name: /^Single sign-on/ }).click();
  await page.getByRole('heading', { name: 'Single sign-on', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Add a SAML provider' }).waitFor();
  const part = page.getByRole('region', { name: 'The provider of this gateway' });
  expect(await part.getByLabel('Redirect address').inputValue()).toMatch(/\/console\/oidc\/callback$/);
  await part
    .getByLabel(/Issuer/)
    .first()
    .fill('https://login.example.com');
  await part.getByRole('button', { name: 'Save 1 change' }).waitFor();
  for (const size of [DESK, PHONE]) {
    await page.setViewportSize(size);
    await expectAccessible(page, `single sign-on at ${size.width}`);
    expect(await tooWide(page)).toEqual([]);
  }
});
