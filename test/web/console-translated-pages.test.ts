/** Every page of the console (web/console/pages.ts) in German and in Spanish, on a phone, a small phone, and a desktop. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PAGES } from '../../web/console/pages.ts';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { untilSettled } from './console-checks.ts';
import { type ConsoleOrganization, startConsoleOrganization } from './console-organization.ts';
import { tooWide } from './console-page.ts';
import { signInAs } from './console-person.ts';

const SIZES = { desktop: [1280, 800], phone: [390, 844], 'small phone': [320, 568] } as const;
const SCREENSHOTS = process.env.PAGE_SCREENSHOTS;

let organization: ConsoleOrganization;
beforeAll(async () => {
  organization = await startConsoleOrganization();
});
afterAll(() => organization?.close());

describe.each(['de', 'es'])('in %s', (language) => {
  let browser: TestBrowser;
  let record: PageRecord;
  beforeAll(async () => {
    browser = await startBrowser([], { locale: language });
    record = await openPage(browser);
    await signInAs(record.page, organization.gateway, 'admin');
  });
  afterAll(() => browser?.close());

  test.each([...PAGES.map(({ path }) => path), 'share'])('the page "%s" fits', async (path) => {
    const { page, problems } = record;
    const { gateway, addressOf, shareUuid } = organization;
    const address = path === 'share' ? `shares?share=${shareUuid}` : addressOf(path);
    for (const [size, [width, height]] of Object.entries(SIZES)) {
      await page.setViewportSize({ width, height });
      if (size === 'desktop') {
        await page.goto('about:blank');
        await page.goto(`${gateway.apiUrl}/console/${address}`);
        await page.locator('h1').first().waitFor();
        if (path === 'share') await page.locator('dialog[open]').waitFor();
        await untilSettled(page);
        expect(await page.getAttribute('html', 'lang')).toBe(language);
      }
      if (SCREENSHOTS !== undefined) {
        const name = `${language}-${path.replaceAll(/\W+/g, '-')}-${width}.png`;
        await page.screenshot({ path: `${SCREENSHOTS}/${name}` });
      }
      expect(await tooWide(page), size).toEqual([]);
      expect(await cutOffMenu(page), size).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), size).toBeLessThanOrEqual(
        width,
      );
    }
    expect(problems).toEqual([]);
  });
});

/** Items of the menu whose text does not fit, which an ellipsis would hide. */
function cutOffMenu(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.menu span:not(.off-screen)')]
      .filter((text) => text.checkVisibility() && text.scrollWidth > text.clientWidth && text.clientWidth > 0)
      .map(({ textContent }) => textContent),
  );
}
