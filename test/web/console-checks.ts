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

/** Rows of lists that show a part of a line, or of a cell. */
export function cutRows(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isCut = (element: Element) =>
      element.scrollHeight > element.clientHeight + 3 && getComputedStyle(element).overflowY !== 'visible';
    return [...document.querySelectorAll('.row:not(.head)')]
      .filter((row) => {
        const cells = [...row.querySelectorAll('*')].filter((cell) => cell.clientHeight > 1);
        return row.scrollHeight > row.clientHeight + 1 || cells.some(isCut);
      })
      .map(({ textContent }) => textContent!);
  });
}

/**
 * Codes of the API and keys of the configuration that the page shows outside of `code`, and words that only those who build a gateway know.
 */
export function internalWords(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const internal = /\b[A-Z]{2,}(?:_[A-Z\d]+)+\b|\bbootstrap\b|\b(?:Motion human|Motion car)\b/;
    const keys =
      /\b(?:public|tls|oidc|mail|recording|hls|listen|console|sources|ffmpeg|retention)\.[a-z]+[A-Za-z.]*\b/;
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found: string[] = [];
    while (texts.nextNode() !== null) {
      const { parentElement: around, textContent: text } = texts.currentNode;
      // The log, and what a key of the configuration means, are for those who write it.
      if (around === null || around.closest('code, pre, script, style, textarea, .log, .setting') !== null)
        continue;
      if (internal.test(text!) || keys.test(text!)) found.push(text!);
    }
    return found;
  });
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
