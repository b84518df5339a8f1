/** The console in Chromium as someone who is signed in, and follows the changes of their organization. */

import type { Page } from 'playwright-core';
import type { TestGateway } from '../support/gateway.ts';
import { openPage, type PageRecord, type TestBrowser } from './browser.ts';
import { untilSettled } from './console-checks.ts';
import { type PersonRole, signInAs } from './console-person.ts';

export interface ConsoleRecord extends PageRecord {
  /** Whether the gateway has confirmed that the open page gets all changes from now on. */
  readonly isFollowing: () => boolean;
}

const RECEIPT = 'visitor';

/** A new tab of the console; nothing is opened in it yet. */
export async function visitConsole(
  browser: TestBrowser,
  gateway: TestGateway,
  role: PersonRole = 'admin',
): Promise<ConsoleRecord> {
  const record = await openPage(browser);
  const { page } = record;
  let isFollowing = false;
  await signInAs(page, gateway, role);
  await page.routeWebSocket(`${gateway.apiUrl.replace('http', 'ws')}/websocket`, (socket) => {
    isFollowing = false;
    const server = socket.connectToServer();
    socket.onMessage((frame) => server.send(withReceipt(String(frame))));
    server.onMessage((frame) => {
      if (String(frame).startsWith('RECEIPT')) isFollowing = true;
      else socket.send(frame);
    });
  });
  return { ...record, isFollowing: () => isFollowing };
}

/** A frame of the page's STOMP client; its subscription is to be confirmed. */
function withReceipt(frame: string): string {
  return frame.replace(/^SUBSCRIBE\n/, `SUBSCRIBE\nreceipt:${RECEIPT}\n`);
}

/**
 * Opens a page of the console, and waits until it stands still: a click while parts still come hits what moved there.
 * `path`: as in web/console/pages.ts.
 */
export async function openConsole(page: Page, gateway: TestGateway, path: string): Promise<void> {
  await page.goto(`${gateway.apiUrl}/console/${path}`);
  await page.locator('main h1').first().waitFor();
  await untilSettled(page);
}
