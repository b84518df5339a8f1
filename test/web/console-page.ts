/** A page of the console of a test gateway, with someone signed in, and what it is checked for. */

import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TestGateway } from '../support/gateway.ts';
import { openPage, type PageRecord, type TestBrowser } from './browser.ts';
import { type PersonRole, signInAs } from './console-person.ts';

export async function openConsolePage(
  browser: TestBrowser,
  gateway: TestGateway,
  role: PersonRole = 'admin',
): Promise<PageRecord> {
  const record = await openPage(browser);
  await signInAs(record.page, gateway, role);
  return record;
}

/** Fails with what axe-core finds, in light and in dark. */
export async function expectAccessible(page: Page, state: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await violations(page), `${state}, ${colorScheme}`).toEqual([]);
  }
}

/** One line for each place. The page's policy forbids scripts of others, so axe-core comes by the debugger. */
async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations: found } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
      resultTypes: ['violations'],
    });
    return found.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  });
}

/** Parts that reach beyond the screen, or beyond what they are in without being cut off; dialogs that scroll sideways. */
export function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const widthPx = document.documentElement.clientWidth;
    const isCutOff = (element: Element): boolean => {
      const { parentElement: around } = element;
      if (around === null || around === document.body) return false;
      return getComputedStyle(around).overflowX !== 'visible' || isCutOff(around);
    };
    const scrolled = [...document.querySelectorAll('dialog[open]')].filter(
      ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
    );
    const wide = [
      ...document.querySelectorAll<HTMLElement>(
        'main, main *:not(.week-hours), dialog, dialog *:not(.week-hours)',
      ),
    ]
      .filter((element) => element.checkVisibility())
      .filter((element) => {
        const isBeyond = element.getBoundingClientRect().right > widthPx + 0.5 && !isCutOff(element);
        const isSpilling =
          element.clientWidth > 1 &&
          element.scrollWidth > element.clientWidth + 1 &&
          getComputedStyle(element).overflowX === 'visible';
        return isBeyond || isSpilling;
      });
    return [...wide, ...scrolled].map(({ tagName, className }) => `${tagName} ${className}`);
  });
}

/** Controls in sight that are too small for a finger. */
export function smallTargets(page: Page, minPx: number): Promise<string[]> {
  return page.evaluate(async (least) => {
    // A dialog that is still opening is smaller than it will be.
    const motions = document
      .getAnimations()
      .filter((each) => each.effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(motions.map((each) => each.finished));
    const scope = document.querySelector('dialog[open]') ?? document;
    const controls = scope.querySelectorAll<HTMLElement>(
      'button, select, input:not([type="radio"], [type="checkbox"]), a.button, .chip, .check, .menu a',
    );
    return [...controls]
      .filter((control) => control.checkVisibility() && !control.classList.contains('open'))
      .filter((control) => {
        const { width, height } = control.getBoundingClientRect();
        return Math.min(width, height) < least;
      })
      .map(({ outerHTML }) => outerHTML.slice(0, 120));
  }, minPx);
}
