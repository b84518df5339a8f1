/** How the console's list of shares behaves with very many: calls, bytes, elements. The benchmark `console` has times. */

import type { Page, Response } from 'playwright-core';
import type { TestGateway } from '../support/gateway.ts';

export interface ShareListScale {
  /** Until the first row, and what their bodies were. */
  readonly listCalls: number;
  readonly listBytes: number;
  /** In the whole document, at the top and after the scroll. */
  readonly elements: number;
  readonly elementsAfterScroll: number;
  readonly callsWhileScrolling: number;
}

const AT_ONCE = 8;
const SCROLL_FRAMES = 180;
const LIST = '/camera/findSharedStreams';

export async function fillShares(gateway: TestGateway, camera: string, count: number): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let i = next++; i < count; i = next++) await gateway.share(camera, { name: `Share ${i}` });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** `page`: someone is signed in. */
export async function measureShareList(page: Page, gateway: TestGateway): Promise<ShareListScale> {
  const url = `${gateway.apiUrl}/console/shares`;
  const firstRow = page.locator('.shares .open').first();
  await page.goto(url);
  await firstRow.waitFor();
  const responses: Response[] = [];
  page.on('response', (response) => {
    if (response.url().endsWith(LIST)) responses.push(response);
  });
  await page.goto(url);
  await firstRow.waitFor();
  // Those until the first row alone: the list may read on at any time.
  const toOpen = [...responses];
  const elements = await elementsIn(page);
  const bodies = await Promise.all(toOpen.map((response) => response.body()));
  const listBytes = bodies.reduce((sum, body) => sum + body.length, 0);
  await scrollThrough(page);
  await page.locator('.shares .row:not(.head) .open').first().waitFor();
  return {
    listCalls: toOpen.length,
    listBytes,
    elements,
    elementsAfterScroll: await elementsIn(page),
    callsWhileScrolling: responses.length - toOpen.length,
  };
}

function elementsIn(page: Page): Promise<number> {
  return page.evaluate(() => document.querySelectorAll('*').length);
}

/** A step with each frame, down to the end. */
function scrollThrough(page: Page): Promise<void> {
  return page.evaluate(
    (frames) =>
      new Promise<void>((resolve) => {
        const { documentElement: root } = document;
        const stepPx = (root.scrollHeight - innerHeight) / frames;
        let steps = 0;
        const step = () => {
          if (steps++ === frames) resolve();
          else {
            scrollBy(0, stepPx);
            requestAnimationFrame(step);
          }
        };
        requestAnimationFrame(step);
      }),
    SCROLL_FRAMES,
  );
}
