/** Talking from the page of a link in Chromium: GStreamer's ONVIF server plays what the browser's microphone records. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { TestGateway } from '../support/gateway.ts';
import { type GstSpeaker, startGstSpeaker } from '../support/gst-speaker.ts';
import { until } from '../support/until.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { DESKTOP, PHONE, type WindowSize } from './console-suite.ts';

/** Its microphone beeps. */
const MICROPHONE = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];
/** Of 32768. */
const LOUD = 1_000;

let speaker: GstSpeaker;
let gateway: TestGateway;
let browser: TestBrowser;
let otherBrowser: TestBrowser;
const pages: Page[] = [];

beforeAll(async () => {
  speaker = await startGstSpeaker('PCMU');
  gateway = await TestGateway.start({ demo: false, cameras: [{ name: 'Door', rtsp: speaker.url }] });
  browser = await startBrowser(MICROPHONE);
  otherBrowser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await otherBrowser?.close();
  await gateway?.dispose();
  await speaker?.stop();
});
afterEach(async () => {
  for (const page of pages.splice(0)) await page.close();
});

/** `prepare`: before the page loads. */
async function open(
  pageUrl: string,
  { within = browser, size = DESKTOP, prepare = async (_page: Page): Promise<unknown> => undefined } = {},
): Promise<Page> {
  const { page } = await openPage(within);
  pages.push(page);
  await page.setViewportSize(size);
  await prepare(page);
  await page.goto(pageUrl);
  await page.waitForFunction(() => document.querySelector('video')!.currentTime > 0);
  return page;
}

const talk = (page: Page) => page.getByRole('region', { name: 'Talk', exact: true });
const button = (page: Page) => talk(page).getByRole('button');
const isMuted = (page: Page) => page.evaluate(() => document.querySelector('video')!.muted);
const loudBuffers = () =>
  speaker.heard().filter(({ samples }) => samples.some((sample) => Math.abs(sample) > LOUD)).length;
const someone = (page: Page) => talk(page).getByText('Someone is talking through this camera.');

/** Nothing of it is outside of the window, and the button is large enough for a thumb. */
async function expectRoom(page: Page, { width, height }: WindowSize): Promise<void> {
  const panel = (await talk(page).boundingBox())!;
  expect(panel.x).toBeGreaterThanOrEqual(0);
  expect(panel.x + panel.width).toBeLessThanOrEqual(width);
  expect(panel.y + panel.height).toBeLessThanOrEqual(height);
  expect((await button(page).boundingBox())!.height).toBeGreaterThanOrEqual(44);
}

test.each([
  ['a phone', PHONE],
  ['a desktop', DESKTOP],
])(
  'viewers of a link that allows it are heard from %s, and muted pages show that someone talks',
  async (_name, size) => {
    const { uuid, pageUrl } = await gateway.share('Door', { talk: true });
    const page = await open(pageUrl, { size });
    const other = await open(pageUrl, { within: otherBrowser });
    await expectRoom(page, size);
    expect(await isMuted(other)).toBe(true);
    await page.evaluate(() => {
      document.querySelector('video')!.muted = false;
    });
    const before = loudBuffers();
    await button(page).hover();
    await page.mouse.down();
    await until('sound at the speaker', () => loudBuffers() >= before + 10);
    await talk(page).getByText('You are talking. Let go to stop.').waitFor();
    await page.waitForFunction(() => document.querySelector('meter')!.value > 0.2);
    // An echo would come back to the camera.
    expect(await isMuted(page)).toBe(true);
    await someone(other).waitFor();
    await page.mouse.up();
    await someone(other).waitFor({ state: 'detached' });
    await page.waitForFunction(() => !document.querySelector('video')!.muted);

    await talk(page).getByLabel('Talk without holding the button').check();
    await talk(page).getByRole('button', { name: 'Start talking' }).click();
    await someone(other).waitFor();
    await gateway.call('camera/deleteSharedLiveVideoStream', { uuid });
    await talk(page).waitFor({ state: 'hidden' });
  },
);

test('pages of other links have no button', async () => {
  const page = await open((await gateway.share('Door')).pageUrl);
  expect(await talk(page).count()).toBe(0);
});

test('the page says why nobody can talk: a microphone that is refused, a page without https', async () => {
  const { pageUrl } = await gateway.share('Door', { talk: true });
  const refused = await open(pageUrl, { within: otherBrowser });
  await button(refused).hover();
  await refused.mouse.down();
  await talk(refused)
    .getByText(/^(?:The browser does not let this page|No microphone was found)/)
    .waitFor();
  await refused.mouse.up();
  const plain = await open(pageUrl, {
    prepare: (page) =>
      page.addInitScript("Object.defineProperty(window, 'isSecureContext', { value: false })"),
  });
  await talk(plain)
    .getByText(/pages with https/)
    .waitFor();
  expect(await button(plain).isDisabled()).toBe(true);
});
