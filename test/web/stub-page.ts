/** What tests of the viewer page against a stub of the front door start with: a browser, a stub, and a new page for each. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { makeClip } from './clip-stream.ts';
import { StubGateway } from './stub-gateway.ts';

/** Valid from the first hook of the file on; `page` is the running test's. */
export interface StubPage {
  readonly browser: TestBrowser;
  readonly gateway: StubGateway;
  readonly page: Page;
  /** How often the page has asked to open the share. */
  openCalls(): number;
}

/** Call it at the top of a file: it registers the hooks. Each test must leave a page without errors of its own. */
export function useStubPage(): StubPage {
  let browser: TestBrowser;
  let gateway: StubGateway;
  let record: PageRecord;

  beforeAll(async () => {
    [browser, gateway] = await Promise.all([
      startBrowser(),
      makeClip().then((clip) => StubGateway.start(clip)),
    ]);
  });

  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  beforeEach(async () => {
    gateway.reset();
    record = await openPage(browser);
  });

  afterEach(async () => {
    await record.page.close();
    expect(record.problems).toEqual([]);
    expect([...record.origins].filter((origin) => origin !== gateway.origin)).toEqual([]);
  });

  return {
    get browser() {
      return browser;
    },
    get gateway() {
      return gateway;
    },
    get page() {
      return record.page;
    },
    openCalls: () => gateway.requests.filter((request) => request === 'POST /share/token/open').length,
  };
}
