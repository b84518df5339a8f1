/** Someone signs in to the console in Chromium and shares a camera; the link opens on a phone, and is turned off again. */

import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { expectInOrder } from '../support/frame-order.ts';
import { PATIENT, TestGateway } from '../support/gateway.ts';
import { FRAMES_PER_SEC, startCamera } from '../support/synthetic.ts';
import { startBrowser, type TestBrowser } from '../web/browser.ts';
import { tooWide } from '../web/console-page.ts';
import { joinAndSignIn } from '../web/console-person.ts';
import { cardTitled, takePictures, watchFrames } from '../web/frame-watch.ts';
import { expectNoPicture } from '../web/page-probes.ts';

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1_440, height: 900 };
const PICTURES = 25;
const WAIT_MS = 90_000;

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
const contexts: BrowserContext[] = [];
const errors: Error[] = [];

/** Ends all of it, the newest first, also what was started before something failed. */
const started = new AsyncDisposableStack();
afterAll(() => started.disposeAsync());

beforeAll(async () => {
  camera = started.adopt(await startCamera(), (one) => one.close());
  gateway = started.adopt(
    await TestGateway.start({
      demo: false,
      sources: PATIENT,
      hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
      locations: [{ name: 'Harbor', tz: 'UTC' }],
      cameras: [{ name: 'Front desk', location: 'Harbor', rtsp: camera.url }],
    }),
    (one) => one.dispose(),
  );
  browser = started.adopt(await startBrowser(), (one) => one.close());
});

afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
  expect(errors.splice(0)).toEqual([]);
});

/** A browser of its own, without anyone's cookies. */
async function newBrowser(viewport: { width: number; height: number }): Promise<Page> {
  const context = await browser.context.browser()!.newContext({ viewport, locale: 'en-GB' });
  contexts.push(context);
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  page.on('pageerror', (error) => errors.push(error));
  return page;
}

it('leads from the sign-in to a link that opens, until it is turned off there', async () => {
  const page = await newBrowser(DESKTOP);
  await joinAndSignIn(page, gateway, 'operator');
  await page.goto(`${gateway.apiUrl}/console/shares`);
  await page.getByRole('link', { name: 'New share' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What to share').selectOption({ label: 'Front desk' });
  await dialog.getByLabel('Name', { exact: true }).fill('Visitors');
  await dialog.getByRole('button', { name: 'Create link' }).click();
  await dialog.getByRole('heading', { name: 'The link of Visitors is ready' }).waitFor();
  const link = await dialog.getByLabel('Link', { exact: true }).inputValue();

  const phone = await newBrowser(PHONE);
  await watchFrames(phone);
  await phone.goto(link);
  await phone.waitForSelector('#live[data-state="live"]');
  const shown = await takePictures(phone, PICTURES);
  expectInOrder(shown, { fps: FRAMES_PER_SEC, clipFrames: 64 * FRAMES_PER_SEC });
  expect(await tooWide(phone)).toEqual([]);

  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Visitors', exact: true }).click();
  await dialog.getByText('127.0.0.1', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'End the view from 127.0.0.1' }).click();
  await dialog.getByRole('button', { name: 'End view' }).click();
  await dialog.getByText('Ended 1 view from 127.0.0.1.').waitFor();
  await cardTitled(phone, 'Your view was ended');
  await expectNoPicture(phone);
});
