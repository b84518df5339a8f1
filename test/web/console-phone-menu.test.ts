/** On a phone, the menu is at the bottom of the window: nothing that a finger or the focus wants stays below it. */

import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PAGES } from '../../web/console/pages.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { untilSettled } from './console-checks.ts';
import { type ConsoleOrganization, startConsoleOrganization } from './console-organization.ts';
import { signInAs } from './console-person.ts';

/** As Lighthouse has it. */
const PHONE = { width: 412, height: 823 };
const MAX_TABS = 40;

let organization: ConsoleOrganization;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  organization = await startConsoleOrganization();
  browser = await startBrowser();
  ({ page } = await openPage(browser));
  await page.setViewportSize(PHONE);
  await signInAs(page, organization.gateway, 'admin');
});
afterAll(async () => {
  await browser?.close();
  await organization?.close();
});

/** What is too small for a finger, also where it is not covered. What scrolling brings out is not. */
async function smallTargets(): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe: judge } = globalThis as unknown as { axe: typeof axe };
    const check = async (within: axe.ElementContext) => {
      const { violations } = await judge.run(within, { runOnly: ['target-size'] });
      return violations.flatMap(({ nodes }) => nodes);
    };
    const small: string[] = [];
    for (const { target, html, failureSummary } of await check(document)) {
      const element = document.querySelector(String(target[0]));
      element?.scrollIntoView({ block: 'center' });
      if (element !== null && (await check(element)).length === 0) continue;
      small.push(`${html.slice(0, 120)} ${failureSummary}`);
    }
    return small;
  });
}

/** Controls that have the focus below the menu. */
async function hiddenFocus(): Promise<string[]> {
  const hidden: string[] = [];
  await page.evaluate(() => window.scrollTo(0, 0));
  for (let i = 0; i < MAX_TABS; i++) {
    await page.keyboard.press('Tab');
    const found = await page.evaluate(() => {
      const { activeElement: focused } = document;
      const menu = document.querySelector('.shell > .menu');
      const isOfPage = focused?.closest('main') != null && focused.tagName !== 'IFRAME';
      if (!isOfPage || menu === null || !menu.checkVisibility()) return null;
      const { top, bottom, height } = focused.getBoundingClientRect();
      const edge = menu.getBoundingClientRect().top;
      // What is higher than the window shows its beginning.
      const isHidden = bottom > edge + 1 && top > edge - Math.min(height, 40);
      return isHidden ? focused.outerHTML.slice(0, 160) : null;
    });
    if (found !== null) hidden.push(found);
  }
  return hidden;
}

test.each(PAGES.map(({ path }) => path))('nothing stays below the menu on "%s"', async (path) => {
  await page.goto(`${organization.gateway.apiUrl}/console/${organization.addressOf(path)}`);
  await page.locator('h1').first().waitFor();
  await untilSettled(page);
  expect(await smallTargets()).toEqual([]);
  expect(await hiddenFocus()).toEqual([]);
});
