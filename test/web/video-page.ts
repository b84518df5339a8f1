/** A page of the gateway's own origin with nothing but a video element, which plays a file as it is. */

import type { Page } from 'playwright-core';
import type { TestGateway } from '../support/gateway.ts';
import { openPage, type TestBrowser } from './browser.ts';
import { watchFrames } from './frame-watch.ts';

/** `src`: path and query at the media listener. The page keeps its frames (frame-watch.ts). */
export async function openVideo(browser: TestBrowser, gateway: TestGateway, src: string): Promise<Page> {
  const { page } = await openPage(browser);
  await watchFrames(page);
  const url = `${gateway.mediaUrl}/player.html`;
  const body = '<!doctype html><video muted playsinline></video>';
  await page.route(url, (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto(url);
  await page.evaluate((from) => {
    document.querySelector('video')!.src = from;
  }, src);
  return page;
}
