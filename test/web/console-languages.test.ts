/** A German browser gets a German console; people switch language, theme, and time zone there. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { TestGateway } from '../support/gateway.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, tooWide } from './console-page.ts';
import { signInAs } from './console-person.ts';

const PHONE = { width: 390, height: 844 };
const SMALL_PHONE = { width: 320, height: 700 };
const DESKTOP = { width: 1280, height: 800 };
/** Addresses with the most text. */
const PAGES = [
  '',
  'account',
  'cameras/add',
  'settings',
  'system',
  'people',
  'service-levels',
  'sites',
  'start',
];

let gateway: TestGateway;
let browser: TestBrowser;
let page: Page;
let problems: readonly string[];

beforeAll(async () => {
  gateway = await TestGateway.start();
  browser = await startBrowser([], { locale: 'de-AT' });
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
});
beforeEach(async () => {
  ({ page, problems } = await openPage(browser));
  await signInAs(page, gateway, 'admin');
  await page.setViewportSize(DESKTOP);
});
afterEach(async () => {
  await page.goto(`${gateway.apiUrl}/console/account`);
  await page.evaluate(() => localStorage.clear());
  await page.close();
});

const goTo = (path: string) => page.goto(`${gateway.apiUrl}/console/${path}`);
const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
const languageOf = () => page.evaluate(() => document.documentElement.lang);
/** The exact time in the first tooltip of a time. */
const timeOf = async () => {
  // Rows far below the screen are not in the document.
  await page.locator('main section').last().scrollIntoViewIfNeeded();
  return page.locator('main time').first().getAttribute('title');
};

test('speaks German to a German browser, and Spanish once someone chooses it', async () => {
  await goTo('account');
  await heading('Ihr Konto');
  expect(await languageOf()).toBe('de');
  expect(await page.title()).toBe('Ihr Konto · Sluice');
  // As people in Austria write it.
  expect(await timeOf()).toMatch(/^\d{1,2}\. [A-ZÄ][a-zä]{2,4}\.? \d{4}, \d{2}:\d{2}:\d{2}$/);
  expect(await page.locator('main time').first().textContent()).toMatch(/^(?:jetzt|vor \d)/);
  await page.getByRole('radio', { name: 'Español' }).check();
  await heading('Su cuenta');
  expect(await languageOf()).toBe('es');
  expect(await timeOf()).toMatch(/^\d{1,2} [a-z]{3,4} \d{4}, \d{1,2}:\d{2}:\d{2}$/);
  await page.getByRole('radio', { name: 'English' }).check();
  await heading('Your account');
  expect(await languageOf()).toBe('en');
  await page.getByRole('radio', { name: 'Deutsch' }).check();
  await heading('Ihr Konto');
  expect(problems).toEqual([]);
});

test('says refusals of the gateway in its language, with their values, and speaks it in players', async () => {
  await goTo('account');
  await page.getByLabel('Aktuelles Passwort').fill('falsch');
  await page.getByLabel('Neues Passwort').fill('lang genug und gut');
  await page.getByRole('button', { name: 'Passwort ändern' }).click();
  await page.getByText('Das aktuelle Passwort ist falsch.').waitFor();
  await page.route('**/api/console/changePassword', (route) =>
    route.fulfill({
      status: 200,
      headers: {
        'x-error-code': 'PERSON_PASSWORD_TOO_LONG',
        'x-error-fields': encodeURIComponent('{"limit":128}'),
      },
      json: { error: true, errorMsg: 'The password must have at most 128 characters.' },
    }),
  );
  await page.getByRole('button', { name: 'Passwort ändern' }).click();
  await page.getByText('Das Passwort darf höchstens 128 Zeichen haben.').waitFor();
  await page.getByRole('radio', { name: 'Español' }).check();
  await heading('Su cuenta');
  const [{ uuid }] = (await gateway.call('camera/getMinimalCameraStateList')).cameraStates;
  await goTo(`cameras/${uuid}`);
  const player = page.frameLocator('main iframe').first();
  await player.locator('html[lang="es"]').waitFor({ state: 'attached' });
});

test('shows times in the chosen zone', async () => {
  await goTo('account');
  const hours = async () => Number(/(\d{2}):\d{2}:\d{2}$/.exec((await timeOf())!)![1]);
  const inBerlin = await hours();
  await page.getByRole('button', { name: /^Zeitzone/ }).click();
  const find = page.getByRole('combobox', { name: /Zeitzone/ });
  await find.fill('tokyo');
  await Promise.all([page.waitForEvent('load'), find.press('Enter')]);
  await heading('Ihr Konto');
  // Seven hours ahead, or eight in summer, and the minute may have ended an hour.
  expect([7, 8, 9]).toContain((24 + (await hours()) - inBerlin) % 24);
});

test('keeps the chosen theme from the first paint on, whatever the system prefers', async () => {
  await page.emulateMedia({ colorScheme: 'light' });
  await goTo('account');
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.getByRole('radio', { name: 'Dunkel' }).check();
  await page.locator('html[data-theme="dark"]').waitFor();
  await heading('Ihr Konto');
  expect(await background()).not.toBe(light);
  // The script of the theme, and no module, decides.
  await page.route('**/assets/main.*', (route) => route.abort());
  await page.reload();
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
});

test('cuts off no German text on a phone, and stays accessible', async () => {
  for (const path of PAGES) {
    await page.setViewportSize(PHONE);
    await goTo(path);
    await page.locator('main h1').first().waitFor();
    await page.waitForFunction(() => !/Wird geladen/.test(document.body.textContent));
    expect(await tooWide(page), `${path}, phone`).toEqual([]);
    await page.setViewportSize(SMALL_PHONE);
    const beyondPx = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(await beyondPx(), `${path}, 320 px`).toBeLessThanOrEqual(0);
  }
  await goTo('account');
  await page.setViewportSize(PHONE);
  await expectAccessible(page, 'account, German');
  await page.getByRole('button', { name: 'Mehr' }).click();
  await expectAccessible(page, 'menu, German');
});
