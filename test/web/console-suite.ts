/** A gateway and a browser for the tests of one page of the console, at the sizes that matter. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type TestConfig, TestGateway } from '../support/gateway.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, smallTargets, tooWide } from './console-page.ts';
import { openConsole, visitConsole } from './console-visitor.ts';

export interface WindowSize {
  readonly width: number;
  readonly height: number;
}

export const DESKTOP: WindowSize = { width: 1_440, height: 900 };
export const PHONE: WindowSize = { width: 390, height: 844 };
export const NARROWEST: WindowSize = { width: 320, height: 640 };
const MIN_TARGET_PX = 40;

export interface ConsoleSuite {
  readonly gateway: TestGateway;
  /** As an administrator who is new; closed after the test. */
  open(path: string, size: WindowSize): Promise<Page>;
}

/** Started before the first test of the file that calls it, and ended after the last one. */
export function consoleSuite(config: TestConfig): ConsoleSuite {
  let gateway: TestGateway;
  let browser: TestBrowser;
  const pages: Page[] = [];
  beforeAll(async () => {
    gateway = await TestGateway.start({ demo: false, ...config });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.dispose();
  });
  afterEach(async () => {
    for (const page of pages.splice(0)) await page.close();
  });
  return {
    get gateway() {
      return gateway;
    },
    async open(path, size) {
      const { page } = await visitConsole(browser, gateway, 'admin');
      pages.push(page);
      await page.setViewportSize(size);
      await openConsole(page, gateway, path);
      return page;
    },
  };
}

/** Fits, is accessible, and has targets for fingers, at each size. */
export async function inspect(page: Page, state: string): Promise<void> {
  for (const size of [NARROWEST, PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await expectAccessible(page, `${state} at ${size.width}`);
    expect(await tooWide(page), `${state} at ${size.width}`).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX), `${state} at ${size.width}`).toEqual([]);
  }
}
