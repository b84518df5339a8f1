/** Both streams of a camera, by the width of the picture. */

import type { Page } from 'playwright-core';

/** Of the main stream; the substream is half as wide. */
export const MAIN_WIDTH_PX = 1_280;
/** From opening the link to the main stream: two groups of pictures, the switch, and what a busy machine adds. */
const MAIN_WITHIN_MS = 100_000;

/** How long after opening the link the main stream was on the screen; null if it was not. */
export async function mainAfterMs(page: Page): Promise<number | null> {
  const handle = await page
    .waitForFunction(
      (px) => document.querySelector('video')!.videoWidth === px && performance.now(),
      MAIN_WIDTH_PX,
      {
        timeout: MAIN_WITHIN_MS,
        polling: 100,
      },
    )
    .catch(() => null);
  return handle === null ? null : Number(await handle.jsonValue());
}
