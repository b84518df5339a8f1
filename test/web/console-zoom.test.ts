/**
 * The console at 200 % zoom of a screen of 1280 × 1024: a window of 640 × 512 CSS pixels. Nothing is cut off or wider than the window, and
 * each control can be reached and is covered by nothing (WCAG 2.2, 1.4.4, 1.4.10, and 2.4.11).
 */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PAGES } from '../../web/console/pages.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { untilSettled } from './console-checks.ts';
import { type ConsoleOrganization, startConsoleOrganization } from './console-organization.ts';
import { tooWide } from './console-page.ts';
import { signInAs } from './console-person.ts';

const ZOOMED = { width: 640, height: 512 };
const SCREENSHOTS = process.env.PAGE_SCREENSHOTS;

let organization: ConsoleOrganization;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  organization = await startConsoleOrganization();
  browser = await startBrowser();
  ({ page } = await openPage(browser));
  await page.setViewportSize(ZOOMED);
  await signInAs(page, organization.gateway, 'admin');
});
afterAll(async () => {
  await browser?.close();
  await organization?.close();
});

/** Words of controls and headings that are cut off, without the dots that say so. */
function clippedWords(): Promise<string[]> {
  return page.locator('button, .button, h1, h2, h3, label, select, [role="tab"]').evaluateAll((elements) =>
    elements
      .filter((element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      .filter((element) => element.clientWidth > 1)
      .filter((element) => {
        const { overflowX, overflowY, textOverflow } = getComputedStyle(element);
        const isCutAcross = overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1;
        const isCutBelow = overflowY === 'hidden' && element.scrollHeight > element.clientHeight + 1;
        return (isCutAcross && textOverflow !== 'ellipsis') || isCutBelow;
      })
      .map((element) => element.outerHTML.slice(0, 160)),
  );
}

/** Controls with something else over their middle, where scrolling brings them into the middle of the window. */
function coveredControls(): Promise<string[]> {
  return page.locator('a[href], button, input, select, textarea, summary').evaluateAll((elements) => {
    const covered: string[] = [];
    for (const element of elements as HTMLElement[]) {
      const isSeen = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
      const shown = element.closest('label') ?? element;
      // Those that only readers of the screen find, until they have the focus.
      const isOffScreen = element.closest('.off-screen, .skip, [popover]:not(:popover-open)') !== null;
      if (!isSeen || isOffScreen || getComputedStyle(shown).pointerEvents === 'none') continue;
      shown.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      const { x, y, width, height } = shown.getBoundingClientRect();
      if (width < 2 || height < 2) continue;
      const top = document.elementFromPoint(x + width / 2, y + height / 2);
      const isFree = top !== null && (shown.contains(top) || top.contains(shown));
      if (!isFree) covered.push(`${element.outerHTML.slice(0, 120)} under ${top?.outerHTML.slice(0, 80)}`);
    }
    return covered;
  });
}

function sidewaysPx(): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

test.each(PAGES.map(({ path }) => path))(
  'zoomed to 200 percent, "%s" is whole, and nothing covers it',
  async (path) => {
    await page.goto(`${organization.gateway.apiUrl}/console/${organization.addressOf(path)}`);
    await page.locator('h1').first().waitFor();
    await untilSettled(page);
    if (SCREENSHOTS !== undefined) {
      await page.screenshot({ path: `${SCREENSHOTS}/zoom-${path.replaceAll(/[:/]+/g, '-')}.png` });
    }
    expect(await sidewaysPx()).toBeLessThanOrEqual(0);
    expect(await tooWide(page)).toEqual([]);
    expect(await clippedWords()).toEqual([]);
    expect(await coveredControls()).toEqual([]);
  },
);

test('what is too wide, cut off, or covered is found', async () => {
  await page.goto(`${organization.gateway.apiUrl}/console/people`);
  await page.getByRole('heading', { name: 'People', level: 1 }).waitFor();
  await untilSettled(page);
  await page.evaluate(() => {
    document.querySelector('h1')!.style.cssText = 'width: 30px; overflow: hidden; white-space: nowrap';
    const over = document.createElement('div');
    over.style.cssText = 'position: absolute; inset: 0 -100px 0 0; z-index: 99';
    document.body.append(over);
  });
  expect(await sidewaysPx()).toBeGreaterThan(0);
  expect(await clippedWords()).not.toEqual([]);
  expect(await coveredControls()).not.toEqual([]);
});
