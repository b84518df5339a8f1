/** Talking from a camera's page in Chromium: GStreamer's ONVIF server plays what the browser's microphone records. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { type GstSpeaker, startGstSpeaker } from '../support/gst-speaker.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { PERSON_NAME, type PersonRole } from './console-person.ts';
import { DESKTOP, inspect } from './console-suite.ts';
import { openConsole, visitConsole } from './console-visitor.ts';

/** Its microphone beeps. */
const MICROPHONE = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];
/** Of 32768. */
const LOUD = 1_000;

let speaker: GstSpeaker;
let mute: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let otherBrowser: TestBrowser;
const pages: Page[] = [];

beforeAll(async () => {
  speaker = await startGstSpeaker('PCMU');
  mute = await startCamera();
  gateway = await TestGateway.start({
    demo: false,
    cameras: [
      { name: 'Door', rtsp: speaker.url },
      { name: 'Mute', rtsp: mute.url },
    ],
  });
  browser = await startBrowser(MICROPHONE);
  otherBrowser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await otherBrowser?.close();
  await gateway?.dispose();
  await speaker?.stop();
  await mute?.close();
});
afterEach(async () => {
  for (const page of pages.splice(0)) await page.close();
});

async function open(name: string, role: PersonRole, within = browser): Promise<Page> {
  const { page } = await visitConsole(within, gateway, role);
  pages.push(page);
  await page.setViewportSize(DESKTOP);
  await openConsole(page, gateway, `cameras/${await gateway.cameraUuid(name)}`);
  return page;
}

const talk = (page: Page) => page.getByRole('region', { name: 'Talk', exact: true });
const button = (page: Page) => talk(page).getByRole('button');
const levelOf = (page: Page) =>
  talk(page)
    .getByRole('meter')
    .evaluate((meter) => (meter as HTMLMeterElement).value);
const loudBuffers = () =>
  speaker.heard().filter(({ samples }) => samples.some((sample) => Math.abs(sample) > LOUD)).length;

const someone = (listener: Page) => listener.getByText(/is talking through this camera/);

/** The gateway has ended the talk: a second ago, the last of it arrived. */
async function untilEnded(listener: Page): Promise<void> {
  await someone(listener).waitFor({ state: 'detached' });
}

test('is heard at the camera while the button is held, and not afterwards', async () => {
  const page = await open('Door', 'operator');
  const listener = await open('Door', 'viewer', otherBrowser);
  expect(await button(listener).count()).toBe(0);
  const sound = listener.getByRole('button', { name: 'Turn on sound' });
  await sound.click();
  await inspect(page, 'talk');
  await page.setViewportSize(DESKTOP);

  await button(page).scrollIntoViewIfNeeded();
  await button(page).hover();
  await page.mouse.down();
  await until('sound at the speaker', async () => {
    expect(await talk(page).textContent()).toContain('You are talking. Let go to stop.');
    return loudBuffers() >= 10;
  });
  // A beep is short.
  await page.waitForFunction(() => document.querySelector('meter')!.value > 0.2);
  expect(await button(page).getAttribute('aria-pressed')).toBe('true');
  await listener.getByText(`${PERSON_NAME} is talking through this camera.`).waitFor();
  await page.mouse.up();
  await untilEnded(listener);
  expect(await button(page).getAttribute('aria-pressed')).toBe('false');
  expect(await levelOf(page)).toBe(0);
  const heard = speaker.heard().length;
  // The microphone beeps on for seconds.
  await inspect(page, 'after a talk');
  await page.setViewportSize(DESKTOP);
  expect(speaker.heard().length).toBe(heard);

  await button(page).focus();
  await page.keyboard.down('Space');
  await someone(listener).waitFor();
  await until('sound at the speaker', () => speaker.heard().length > heard);
  await page.keyboard.up('Space');
  await untilEnded(listener);
});

test('needs no finger if that is chosen, and ends when the page is left', async () => {
  const page = await open('Door', 'operator');
  const listener = await open('Door', 'viewer', otherBrowser);
  await listener.getByRole('button', { name: 'Turn on sound' }).click();
  await page.getByRole('button', { name: 'Turn on sound' }).click();
  await talk(page).getByLabel('Talk without holding the button').check();
  for (const end of [() => button(page).click(), () => page.goto('about:blank')]) {
    const before = speaker.heard().length;
    await page.getByRole('button', { name: 'Mute', exact: true }).waitFor();
    await talk(page).getByRole('button', { name: 'Start talking' }).click();
    await talk(page).getByRole('button', { name: 'Stop talking' }).waitFor();
    await someone(listener).waitFor();
    // An echo would come back to the camera.
    await page.getByRole('button', { name: 'Turn on sound' }).waitFor();
    await until('sound at the speaker', () => speaker.heard().length > before);
    await end();
    await untilEnded(listener);
  }
});

test('says why nobody hears: a camera without a speaker, a microphone that is refused', async () => {
  const page = await open('Mute', 'operator');
  await button(page).hover();
  await page.mouse.down();
  await talk(page).getByText('This camera has no speaker that can be used.').waitFor();
  await page.mouse.up();
  expect(await button(page).getAttribute('aria-pressed')).toBe('false');
  const refused = await open('Mute', 'operator', otherBrowser);
  await refused.context().clearPermissions();
  await button(refused).hover();
  await refused.mouse.down();
  await talk(refused)
    .getByText(/^(?:The browser does not let this page|No microphone was found)/)
    .waitFor();
  await refused.mouse.up();
});

test('whether viewers of a link may talk is chosen for the link, if it has sound', async () => {
  const share = await gateway.share('Door', { name: 'Reception' });
  await gateway.share('Door', { name: 'Silent', includeAudio: false });
  const page = await open('Door', 'operator', otherBrowser);
  const dialog = page.getByRole('dialog');
  await openConsole(page, gateway, 'shares');
  await page.getByRole('button', { name: 'Silent', exact: true }).click();
  await dialog.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByRole('button', { name: 'Save' }).waitFor();
  expect(await dialog.getByLabel('Viewers can talk').count()).toBe(0);
  await openConsole(page, gateway, 'shares');
  await page.getByRole('button', { name: 'Reception', exact: true }).click();
  await dialog.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Viewers can talk').check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Viewers can talk to people at the camera').waitFor();
  const { sharedLiveVideoStreams } = await gateway.call('camera/findAllSharedLiveVideoStreams');
  expect(sharedLiveVideoStreams.find(({ uuid }: Json) => uuid === share.uuid).talk).toBe(true);
});
