/** A camera that is offline: why, in the list, and another try, which finds it when it is back. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { freePort } from '../support/ports.ts';
import { startCamera } from '../support/synthetic.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';

const MIN_TARGET_PX = 40;
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1_440, height: 900 };
const TWO_LINES_PX = 40;

let gateway: TestGateway;
let browser: TestBrowser;
let port: number;
let camera: SyntheticCamera | null = null;

beforeAll(async () => {
  port = await freePort();
  const { url, close } = await startCamera(port);
  await close();
  // The gateway checks the camera once, and not again by itself while this runs.
  gateway = await TestGateway.start({ demo: false, sources: { checkInterval: '1h' } });
  await gateway.call('camera/createCamera', { name: 'Gate', mainUrl: url });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
});
beforeEach(async () => {
  await camera?.close();
  camera = null;
});

async function open(path: string, size: typeof DESK, role: 'admin' | 'viewer' = 'admin'): Promise<Page> {
  const { page } = await openConsolePage(browser, gateway, role);
  await page.setViewportSize(size);
  await page.goto(`${gateway.apiUrl}/console/${path}`);
  return page;
}

async function inspect(page: Page, state: string): Promise<void> {
  await expectAccessible(page, state);
  expect(await tooWide(page)).toEqual([]);
  expect(await smallTargets(page, MIN_TARGET_PX)).toEqual([]);
}

test.each([
  ['Pictures', DESK],
  ['Pictures', PHONE],
  ['Table', DESK],
] as const)(
  'says why in two lines, and all of it with the pointer or the focus (%s)',
  async (layout, size) => {
    const page = await open('', size);
    if (size === PHONE) await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('button', { name: layout }).click();
    const again = page.getByRole('button', { name: 'Gate: Try again' });
    await again.waitFor();
    const why = page.locator('.why-box .why');
    expect(await why.textContent()).toMatch(/^The camera cannot be reached\. /);
    const heightOf = async () => (await why.boundingBox())!.height;
    await page.mouse.move(0, 0);
    expect(await heightOf()).toBeLessThanOrEqual(TWO_LINES_PX);
    const isWhole = () => why.evaluate((text) => text.scrollHeight <= text.clientHeight + 1);
    await again.focus();
    await expect.poll(isWhole).toBe(true);
    await page.getByRole('heading', { name: 'Cameras', level: 1 }).click();
    await why.hover({ force: true });
    await expect.poll(isWhole).toBe(true);
    await inspect(page, layout);
    await page.close();
  },
);

test('tries again on request: first in vain, then it is there', async () => {
  const page = await open('', DESK);
  await page.getByRole('button', { name: 'Pictures' }).click();
  const card = page.getByRole('listitem', { name: 'Gate' });
  const again = card.getByRole('button', { name: 'Try again' });
  await again.click();
  await card.getByText('Tried just now: The camera cannot be reached.').waitFor();
  await inspect(page, 'tried');
  camera = await startCamera(port);
  await again.click();
  await card.getByText(/^(?:Ready|Streaming)/).waitFor();
  expect(await again.count()).toBe(0);
  await page.getByText('Your camera is fine').waitFor();
  await page.close();
});

test('the page of a camera offers the same, to administrators', async () => {
  const uuid = await gateway.cameraUuid('Gate');
  for (const role of ['viewer', 'admin'] as const) {
    const page = await open(`cameras/${uuid}`, PHONE, role);
    const trouble = page.locator('.trouble');
    await trouble.getByText('The camera cannot be reached').first().waitFor();
    const again = trouble.getByRole('button', { name: 'Gate: Try again' });
    expect(await again.count()).toBe(role === 'admin' ? 1 : 0);
    if (role === 'admin') {
      camera = await startCamera(port);
      await again.click();
      await trouble.waitFor({ state: 'detached' });
    }
    await page.close();
  }
});
