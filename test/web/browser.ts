/**
 * Debian's Chromium for page tests: a new profile each time, and nothing that talks to anyone but the page's
 * server.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium';
const ARGUMENTS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface TestBrowser {
  readonly context: BrowserContext;
  close(): Promise<void>;
}

/**
 * `more`: further arguments of its command line. `locale`: what its person reads. `serviceWorkers`: pages that one has loaded are out
 * of reach of Playwright's routes, so tests of other things block it.
 */
export async function startBrowser(
  more: readonly string[] = [],
  {
    locale = 'en-GB',
    serviceWorkers = 'block',
  }: { readonly locale?: string; readonly serviceWorkers?: 'allow' | 'block' } = {},
): Promise<TestBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'sluice-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: EXECUTABLE,
    headless: false, // the argument above chooses the new headless mode; playwright would choose the old one
    args: [...ARGUMENTS, ...more],
    serviceWorkers,
    viewport: { width: 390, height: 844 },
    locale,
    timezoneId: 'Europe/Berlin',
  });
  return {
    context,
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}

/** What went wrong unexpectedly in a page, and which origins it talked to. */
export interface PageRecord {
  readonly page: Page;
  /** Uncaught errors and console errors, except for the browser's own lines about unsuccessful responses. */
  readonly problems: string[];
  /** The browser's own lines about unsuccessful responses. */
  readonly failedLoads: string[];
  readonly origins: Set<string>;
}

/** A new tab that records its errors and the origins it contacts. */
export async function openPage(browser: TestBrowser): Promise<PageRecord> {
  const page = await browser.context.newPage();
  // Only ends a test that hangs.
  page.setDefaultTimeout(100_000);
  const record: PageRecord = { page, problems: [], failedLoads: [], origins: new Set() };
  page.on('pageerror', (error) => record.problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    const isFailedLoad = /^(?:Failed to load resource|WebSocket connection to \S+ failed)/.test(
      message.text(),
    );
    (isFailedLoad ? record.failedLoads : record.problems).push(message.text());
  });
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:') record.origins.add(origin);
  });
  return record;
}
