/** Whether a CDN serves the video of a share, in the console: in Chromium, against a whole gateway. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1440, height: 900 };
/** For a finger. */
const MIN_TARGET_PX = 40;

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let record: PageRecord;
let page: Page;

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({ cameras: [{ name: 'Front desk', rtsp: camera.url }] });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
});

beforeEach(async () => {
  record = await openConsolePage(browser, gateway);
  page = record.page;
  await page.setViewportSize(DESKTOP);
});

afterEach(async () => {
  await page.close();
  expect(record.problems).toEqual([]);
});

const dialog = () => page.getByRole('dialog');
const field = () => dialog().getByLabel('Video through a CDN');

async function cdnOf(uuid: string): Promise<boolean | undefined> {
  const { sharedLiveVideoStreams } = await gateway.call('camera/findAllSharedLiveVideoStreams');
  return sharedLiveVideoStreams.find((share: Json) => share.uuid === uuid).cdn;
}

/** Opens the share and changes the setting. */
async function choose(title: string): Promise<void> {
  await dialog().getByRole('button', { name: 'Edit' }).click();
  await field().selectOption({ label: title });
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().getByRole('button', { name: 'Edit' }).waitFor();
}

test('a share says so, says not, and leaves it to the gateway again', async () => {
  const share = await gateway.share('Front desk', { name: 'Visitors' });
  expect(await cdnOf(share.uuid)).toBeUndefined();
  await page.goto(`${gateway.apiUrl}/console/shares`);
  await page.getByRole('button', { name: 'Visitors', exact: true }).click();
  await dialog().getByRole('button', { name: 'Edit' }).waitFor();
  expect(await dialog().getByText('CDN', { exact: true }).count()).toBe(0);

  await choose('Yes: viewers share its addresses');
  await until('the change', async () => (await cdnOf(share.uuid)) === true);
  await dialog().getByText('Can serve the video').waitFor();

  await dialog().getByRole('button', { name: 'Edit' }).click();
  expect(await field().inputValue()).toBe('on');
  await dialog().getByText('for one rotation').waitFor();
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await expectAccessible(page, `editing at ${size.width}`);
    expect(await tooWide(page)).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX)).toEqual([]);
  }
  await dialog().getByRole('button', { name: 'Back' }).click();

  await choose('No: each viewer has their own');
  await until('the change', async () => (await cdnOf(share.uuid)) === false);
  await dialog().getByText('Does not serve the video').waitFor();
  await choose('As the gateway is configured');
  await until('the change', async () => (await cdnOf(share.uuid)) === undefined);
});
