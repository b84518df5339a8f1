/** What each page of the console has to satisfy, asked in Chromium. */

import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { until } from '../support/until.ts';

const MIN_TARGET_PX = 40;

/** Counts what a look now and then could miss. */
export async function watchFlashes(page: Page): Promise<void> {
  await page.evaluate(() => {
    const counted = globalThis as unknown as { flashes: number };
    counted.flashes = 0;
    new MutationObserver((records) => {
      for (const { addedNodes } of records) {
        for (const node of addedNodes) {
          if (node instanceof Element && node.classList.contains('flash-frame')) counted.flashes += 1;
        }
      }
    }).observe(document.body, { childList: true, subtree: true });
  });
}

/** And none is on. */
export async function untilFlashes(page: Page, count: number): Promise<void> {
  await until(`${count} flashes`, () =>
    page.evaluate(
      (wanted) =>
        (globalThis as unknown as { flashes: number }).flashes === wanted &&
        document.querySelector('.flash-frame') === null,
      count,
    ),
  );
}

/** Nothing that is read is still on its way. */
export async function untilSettled(page: Page): Promise<void> {
  await until('nothing to load', async () => (await page.locator('.loading').count()) === 0);
}

/** What axe finds wrong with the open page, as it is now. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations: found } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(document, { resultTypes: ['violations'] }),
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}

/** Buttons and fields that a finger misses. */
export function smallTargets(page: Page): Promise<string[]> {
  return page.locator('main :is(button, select, input, summary)').evaluateAll(
    (elements, minPx) =>
      elements
        .map((element) => element.closest('label.check') ?? element)
        .filter((element) => element.getBoundingClientRect().height > 0)
        .filter((element) => element.getBoundingClientRect().height < minPx)
        .map((element) => element.outerHTML.slice(0, 120)),
    MIN_TARGET_PX,
  );
}
