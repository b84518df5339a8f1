/** What tests of the viewer page against a whole gateway start with: a browser, and a new page for each that keeps its frames. */

import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { TestGateway } from '../support/gateway.ts';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { watchFrames } from './frame-watch.ts';

/**
 * Call it at the top of a file: it registers the hooks. Returns the running test's page, with a record of what went
 * wrong in it: each test must leave a page without errors of its own that talked to the gateway alone.
 */
export function useGatewayPage(gateway: () => TestGateway): () => PageRecord {
  let browser: TestBrowser;
  let record: PageRecord;

  beforeAll(async () => {
    browser = await startBrowser();
  });

  afterAll(() => browser?.close());

  beforeEach(async () => {
    record = await openPage(browser);
    await watchFrames(record.page);
  });

  afterEach(async () => {
    await record.page.close();
    expect(record.problems).toEqual([]);
    expect([...record.origins].filter((origin) => origin !== gateway().mediaUrl)).toEqual([]);
  });

  return () => record;
}
