/**
 * The console's list of very many shares: what it reads and draws. With more of them:
 * `SLUICE_SHARES=10000 npx vitest run test/web/console-share-scale.test.ts`.
 */

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { openConsolePage } from './console-page.ts';
import { fillShares, measureShareList } from './share-list-scale.ts';

const SHARES = Number(process.env.SLUICE_SHARES ?? 1_000);
const DESKTOP = { width: 1440, height: 900 };
/** A page of rows is about 70 kB before compression. */
const MAX_LIST_BYTES = 120_000;
const MAX_ELEMENTS = 1_500;
/** The scroll passes each page of 100 rows at most once. */
const MAX_CALLS = Math.ceil(SHARES / 100) + 1;

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({ cameras: [{ name: 'Front desk', rtsp: camera.url }] });
  await fillShares(gateway, 'Front desk', SHARES);
  browser = await startBrowser();
}, 600_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
});

test('the list reads one page to open, and draws what is near the screen', async () => {
  const { page, problems } = await openConsolePage(browser, gateway);
  await page.setViewportSize(DESKTOP);
  const scale = await measureShareList(page, gateway);
  expect(scale.listCalls).toBe(1);
  expect(scale.listBytes).toBeLessThan(MAX_LIST_BYTES);
  expect(scale.elements).toBeLessThan(MAX_ELEMENTS);
  expect(scale.elementsAfterScroll).toBeLessThan(MAX_ELEMENTS);
  expect(scale.callsWhileScrolling).toBeLessThanOrEqual(MAX_CALLS);
  expect(problems).toEqual([]);
});
