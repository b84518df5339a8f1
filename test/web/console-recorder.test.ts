/** A video recorder of 16 channels in the console: found, asked once, shown with pictures, and added in one act. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Secret } from '../../src/core/secret.ts';
import { FakeOnvifDevice } from '../../src/devices/onvif/fake-onvif-device.ts';
import type { FakeProfile } from '../../src/devices/onvif/fake-onvif-responses.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { countClicks } from './clicks.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';

const SIZES = { desktop: { width: 1_440, height: 900 }, phone: { width: 390, height: 844 } };
const MIN_TARGET_PX = 40;
/** Sixteen channels, two at a time, each until its first key frame. */
const PICTURES_MS = 100_000;
const MOST_CLICKS = 8;
const LOGIN = { username: 'admin', password: 'p@s:s/w?o#r%d é' };
const CHANNELS = Array.from({ length: 16 }, (_, index) => index + 1);
/** Its camera is unplugged. */
const DEAD = 16;

let streams: SyntheticCamera[];
let recorder: FakeOnvifDevice;
let gateway: TestGateway;
let browser: TestBrowser;
let record: PageRecord;
let page: Page;

beforeAll(async () => {
  const { username } = LOGIN;
  const credentials = { username, password: new Secret(LOGIN.password), algorithm: 'MD5' } as const;
  streams = [];
  for (const channel of CHANNELS) if (channel !== DEAD) streams.push(await startCamera(0, { credentials }));
  const urlOf = (channel: number) => streams[channel - 1]?.url ?? 'rtsp://127.0.0.1:9/stream';
  const profilesOf = (channel: number): [string, FakeProfile][] => [
    [`sub${channel}`, { uri: `${urlOf(channel)}?sub`, size: [640, 360], source: `video${channel}` }],
    [`main${channel}`, { uri: `${urlOf(channel)}?main`, size: [1_920, 1_080], source: `video${channel}` }],
  ];
  recorder = await FakeOnvifDevice.open({
    login: LOGIN,
    clockEpochMs: Date.now(),
    identity: { name: 'NVR', hardware: 'NVR-16', manufacturer: 'Example', model: 'NVR-16' },
    media2: 'works',
    streams: Object.fromEntries(CHANNELS.flatMap(profilesOf)),
    overlays: Object.fromEntries(CHANNELS.map((channel) => [`video${channel}`, `Aisle ${channel}`])),
  });
  gateway = await TestGateway.start({
    demo: false,
    sources: { onvifProbes: [`127.0.0.1:${recorder.discoveryPort}`] },
  });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await recorder?.close();
  for (const stream of streams ?? []) await stream.close();
});
beforeEach(async () => {
  record = await openConsolePage(browser, gateway, 'admin');
  ({ page } = record);
});
afterEach(async () => {
  await page.close();
  expect(record.problems).toEqual([]);
});

const card = (channel: number) => page.getByRole('listitem', { name: `Channel ${channel}`, exact: true });

async function cameras(): Promise<Json[]> {
  return (await gateway.call('camera/getMinimalCameraStateList')).cameraStates as Json[];
}

async function removeAll(): Promise<void> {
  for (const { uuid } of await cameras()) await gateway.call('camera/delete', { cameraUuid: uuid });
  const { nvrstates } = await gateway.call('relay/getMinimalNVRStateList');
  for (const { uuid } of nvrstates as Json[]) await gateway.call('relay/unregister', { nvruuid: uuid });
}

async function expectFits(state: string): Promise<void> {
  await expectAccessible(page, state);
  expect(await tooWide(page), state).toEqual([]);
  expect(await smallTargets(page, MIN_TARGET_PX), state).toEqual([]);
}

test.each(Object.entries(SIZES))('16 channels are one act on a %s', async (name, size) => {
  await removeAll();
  await page.setViewportSize(size);
  await page.goto(`${gateway.apiUrl}/console/`);
  const clicks = await countClicks(page);
  await page
    .getByRole('link', { name: /^Add (?:cameras|the first one)/ })
    .first()
    .click();
  await page.getByRole('link', { name: 'A video recorder (NVR)' }).click();
  await page.getByRole('radio', { name: /^NVR/ }).click();
  await page.getByLabel('User name').fill(LOGIN.username);
  await page.getByLabel('Password', { exact: true }).fill(LOGIN.password);
  const loginsBefore = recorder.requested.filter((operation) => operation === 'GetDeviceInformation').length;
  await page.getByRole('button', { name: 'Show its channels' }).click();
  await page.getByRole('heading', { name: '16 channels at' }).waitFor();
  for (const channel of CHANNELS.slice(0, -1)) {
    await card(channel).getByRole('img').waitFor({ timeout: PICTURES_MS });
  }
  await card(DEAD).getByText('Connection refused').or(card(DEAD).locator('.trouble')).first().waitFor();
  // Nothing is on the last channel, so it is not chosen on its own.
  await page.getByRole('button', { name: 'Add 15 cameras' }).waitFor();
  expect(await card(3).getByLabel('Name of channel 3').inputValue()).toBe('Aisle 3');
  await expectFits(`channels, ${name}`);
  await page.getByRole('button', { name: 'Add 15 cameras' }).click();
  await page.getByText('15 of 16 channels added.').waitFor();
  await page.getByRole('link', { name: 'Done' }).click();
  await page.getByText('Aisle 1', { exact: true }).first().waitFor();
  expect(clicks.since()).toBeLessThanOrEqual(MOST_CLICKS);

  const logins = recorder.requested.filter((operation) => operation === 'GetDeviceInformation').length;
  expect(logins - loginsBefore).toBe(1);
  const stored = await cameras();
  expect(stored.map((camera) => camera.name).sort()).toEqual(
    CHANNELS.slice(0, -1)
      .map((channel) => `Aisle ${channel}`)
      .sort(),
  );
  const { source, nvrUuid } = await gateway.call('camera/getCameraSource', {
    cameraUuid: await gateway.cameraUuid('Aisle 7'),
  });
  expect(source).toMatchObject({
    mainUrl: `${streams[6]!.url}?main`,
    substreamUrl: `${streams[6]!.url}?sub`,
    hasPassword: true,
  });
  const { nvrstates } = await gateway.call('relay/getMinimalNVRStateList');
  expect(nvrstates).toMatchObject([{ uuid: nvrUuid, name: 'NVR', numThirdPartyCamerasAssigned: 15 }]);
});

test('what is there already is recognized, and a channel that comes later joins the same NVR', async () => {
  await page.setViewportSize(SIZES.desktop);
  await page.goto(`${gateway.apiUrl}/console/cameras/add?way=recorder`);
  await page.getByRole('radio', { name: /^NVR/ }).click();
  await page.getByLabel('User name').fill(LOGIN.username);
  await page.getByLabel('Password', { exact: true }).fill('wrong');
  await page.getByLabel('Password', { exact: true }).press('Enter');
  await page.getByText('Wrong user name or password.').waitFor();
  await page.waitForFunction(() => {
    const { activeElement: field } = document;
    return field instanceof HTMLInputElement && field.name === 'password' && field.selectionEnd === 5;
  });
  expect(await page.getByLabel('User name').inputValue()).toBe(LOGIN.username);
  await expectFits('wrong password');
  await page.getByLabel('Password', { exact: true }).fill(LOGIN.password);
  await page.getByLabel('Password', { exact: true }).press('Enter');
  await card(1).getByText('Already added.').waitFor();
  await card(15).getByText('Already added.').waitFor();
  await card(DEAD).getByRole('button', { name: 'Try again: channel 16' }).waitFor({ timeout: PICTURES_MS });
  await card(DEAD).getByRole('button', { name: 'Try again: channel 16' }).click();
  await card(DEAD).locator('.trouble').waitFor({ timeout: PICTURES_MS });
  await card(DEAD).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Add 1 camera' }).click();
  await page.getByText('1 of 16 channels added.').waitFor();
  const { nvrstates } = await gateway.call('relay/getMinimalNVRStateList');
  expect(nvrstates).toMatchObject([{ numThirdPartyCamerasAssigned: 16 }]);
});
