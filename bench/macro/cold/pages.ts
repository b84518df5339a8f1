/** The page of a cold camera's link in Chromium: from the navigation to its first frame. */

import type { TestShare } from '../../../test/support/gateway.ts';
import { openPage, startBrowser } from '../../../test/web/browser.ts';
import { firstPictureMs, watchFrames } from '../../../test/web/frame-watch.ts';

export async function withColdPages<T>(
  use: (pageMs: (share: TestShare) => Promise<number>) => Promise<T>,
): Promise<T> {
  const browser = await startBrowser();
  try {
    return await use(async ({ pageUrl }) => {
      const { page } = await openPage(browser);
      try {
        await watchFrames(page);
        await page.goto(pageUrl);
        return await firstPictureMs(page);
      } finally {
        await page.close();
      }
    });
  } finally {
    await browser.close();
  }
}
