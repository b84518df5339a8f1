/** Long lists to choose from: found by typing, with the keyboard and by touch, with the rows in sight alone in the document. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { TestGateway } from '../support/gateway.ts';
import { type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { countClicks } from './clicks.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';

const CAMERAS = 1_000;
const MAX_ROWS = 40;
const MIN_TARGET_PX = 40;
const SIZES = [
  { width: 1_440, height: 900 },
  { width: 390, height: 844 },
  { width: 320, height: 640 },
];
const SIZES_OF_PHONE = { viewport: { width: 390, height: 844 } };
const SCREENSHOTS = process.env.PAGE_SCREENSHOTS;

let gateway: TestGateway;
let browser: TestBrowser;
let record: PageRecord | null = null;
let page: Page;

beforeAll(async () => {
  const sites = ['Harbor', 'Office', 'Plant'];
  gateway = await TestGateway.start({
    locations: sites.map((name) => ({ name, tz: 'Europe/Berlin' })),
    cameras: Array.from({ length: CAMERAS }, (_, i) => ({
      name: `Camera ${String(i).padStart(4, '0')}`,
      location: sites[i % sites.length]!,
      rtsp: `rtsp://127.0.0.1:9/${i}`,
    })),
  });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
});
afterEach(async () => {
  await page.close();
  expect(record?.problems ?? []).toEqual([]);
});

async function open(path: string): Promise<void> {
  record = await openConsolePage(browser, gateway, 'admin');
  ({ page } = record);
  await page.setViewportSize(SIZES[0]!);
  await page.goto(`${gateway.apiUrl}/console/${path}`);
}

const dialog = () => page.getByRole('dialog', { name: 'New share', exact: true });
const button = () => dialog().getByRole('button', { name: /^What to share/ });
const find = () => page.getByRole('combobox', { name: 'Find: What to share' });
const options = () => page.locator('.picker-panel').getByRole('option');
const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));

async function inspect(state: string): Promise<void> {
  for (const size of SIZES) {
    await page.setViewportSize(size);
    await expectAccessible(page, `${state} at ${size.width}`);
    expect(await tooWide(page), `${state} at ${size.width}`).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX), `${state} at ${size.width}`).toEqual([]);
    if (SCREENSHOTS === undefined) continue;
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${SCREENSHOTS}/picker-${state}-${size.width}-${colorScheme}.png` });
    }
  }
  await page.setViewportSize(SIZES[0]!);
}

test('with a keyboard: opened, narrowed, chosen, and left without a choice', async () => {
  await open('shares?new');
  await button().focus();
  await page.keyboard.press('ArrowDown');
  await find().waitFor();
  expect(await focused()).toBe('Find: What to share');
  expect(await options().count()).toBeLessThan(MAX_ROWS);
  expect(await options().first().getAttribute('aria-setsize')).toBe(String(CAMERAS));
  await inspect('open');

  await page.keyboard.type('harbor 0042');
  await expect.poll(() => options().allTextContents()).toEqual(['Camera 0042']);
  const active = await find().getAttribute('aria-activedescendant');
  expect(await options().first().getAttribute('id')).toBe(active);
  await page.keyboard.press('Enter');
  await find().waitFor({ state: 'detached' });
  expect(await focused()).toBe('What to share: Camera 0042');

  // Escape closes the list alone, and the choice stays.
  await page.keyboard.press('Enter');
  await find().waitFor();
  for (const key of ['PageDown', 'ArrowDown', 'ArrowUp']) await page.keyboard.press(key);
  await page.keyboard.press('Escape');
  await find().waitFor({ state: 'detached' });
  expect(await focused()).toBe('What to share: Camera 0042');
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
});

test('scrolls through all options, each under its site, and keeps few of them', async () => {
  await open('shares?new');
  await button().click();
  const list = page.getByRole('listbox', { name: 'What to share' });
  await page.getByRole('group', { name: 'Harbor' }).getByRole('option', { name: 'Camera 0000' }).waitFor();
  await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await page.getByRole('group', { name: 'Plant' }).getByRole('option', { name: 'Camera 0998' }).waitFor();
  expect(await options().count()).toBeLessThan(MAX_ROWS);
  await find().fill('nothing like this');
  await page.getByText('Nothing has this name.').waitFor();
  await page.mouse.click(5, 5);
  await find().waitFor({ state: 'detached' });
});

test('by touch: from below, in two presses, without a keyboard on the screen', async () => {
  const context = await browser.context
    .browser()!
    .newContext({ ...SIZES_OF_PHONE, hasTouch: true, isMobile: true });
  const before = page;
  await open('');
  const state = await page.context().storageState();
  await context.addCookies(state.cookies);
  await page.close();
  page = await context.newPage();
  await page.goto(`${gateway.apiUrl}/console/shares`);
  const camera = page.getByRole('button', { name: 'Camera: All cameras' });
  await camera.waitFor();
  const clicks = await countClicks(page);
  await camera.tap();
  const row = page.getByRole('option', { name: 'Camera 0003' });
  await row.waitFor();
  expect(await focused()).not.toBe('Find: Camera');
  const panel = (await page.locator('.picker-panel').boundingBox())!;
  expect(panel.y + panel.height).toBeCloseTo(SIZES_OF_PHONE.viewport.height, 0);
  await row.tap();
  await page.getByRole('button', { name: 'Camera: Camera 0003' }).waitFor();
  expect(clicks.since()).toBe(2);
  expect(new URL(page.url()).searchParams.get('camera')).not.toBeNull();
  await context.close();
  await before.close();
});

test('no page has a native list with more options than fit a phone', async () => {
  await open('');
  for (const path of [
    'cameras',
    'shares',
    'timeline',
    'alerts',
    'activity',
    'doors',
    'cameras/add',
    'sites',
  ]) {
    await page.goto(`${gateway.apiUrl}/console/${path}`);
    await page.locator('main h1').waitFor();
    await page.locator('.loading').first().waitFor({ state: 'detached' });
    const longest = await page
      .locator('select')
      .evaluateAll((all) => Math.max(0, ...all.map((one) => (one as HTMLSelectElement).options.length)));
    expect([path, longest <= 12]).toEqual([path, true]);
  }
});
