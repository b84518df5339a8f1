/**
 * Every page of the console (web/console/pages.ts) as the guide shows it: phone and desktop, light and dark. A page renders,
 * fits, is accessible, and has its pictures. `npm run console-pictures` makes those, and the part of the guide that shows them.
 */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FakeOnvifDevice } from '../../src/devices/onvif/fake-onvif-device.ts';
import type { FakeProfile } from '../../src/devices/onvif/fake-onvif-responses.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { PAGES } from '../../web/console/pages.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { cutRows, internalWords, untilSettled } from './console-checks.ts';
import { type ConsoleOrganization, startConsoleOrganization } from './console-organization.ts';
import { expectAccessible, tooWide } from './console-page.ts';
import { signInAs } from './console-person.ts';
import {
  guidePart,
  keepPicture,
  PICTURES,
  pictureName,
  readGuide,
  SCHEMES,
  SIZES,
  writeGuide,
} from './console-pictures.ts';
import { arrangeScene, SCENE_MS, untilStill } from './console-scene.ts';

const IS_WRITING = process.env.CONSOLE_PICTURES === 'write';

/** What the registry does not name: the way in, and dialogs that are pages of their own to those who use them. */
interface Other {
  readonly path: string;
  readonly title: string;
  /** Below the console's base, with the parameters of pages. */
  readonly address: string;
  /** Opens it there. */
  readonly act: (page: Page) => Promise<void>;
}

const dialogOf = (page: Page) => page.locator('dialog[open]');
const press = (page: Page, name: string) => page.getByRole('button', { name }).first().click();
/** Of the recorder that is found. */
const LOGIN = { username: 'admin', password: 'harbor 42' };
const CHANNELS = ['Aisle 1', 'Aisle 2', 'Cash desk', 'Back door', 'Cold store', 'Ramp'];

const OTHERS: readonly Other[] = [
  { path: 'sign-in', title: 'Signing in', address: '', act: async () => undefined },
  {
    path: 'share',
    title: 'One share',
    address: 'shares?share=:shareUuid',
    act: (page) => dialogOf(page).waitFor(),
  },
  {
    path: 'new-share',
    title: 'Sharing a camera',
    address: 'cameras/:cameraUuid',
    act: async (page) => {
      await page.locator('.stage-deeds').getByRole('button', { name: 'Share' }).click();
      await dialogOf(page).waitFor();
    },
  },
  {
    path: 'record-by-schedule',
    title: 'Recording by schedule',
    address: 'cameras/:cameraUuid',
    act: async (page) => {
      await page.getByRole('radio', { name: 'By schedule' }).click();
      await dialogOf(page).getByRole('button', { name: '18:00 to 6:00' }).click();
    },
  },
  {
    path: 'open-in-emergency',
    title: 'Opening cameras in an emergency',
    address: 'cameras/:cameraUuid',
    act: async (page) => {
      await press(page, 'Emergency…');
      await dialogOf(page).getByLabel('Reason').fill('Fire at the dock');
      // The gateway of the pictures has no mail server.
      await dialogOf(page).getByText('County dispatch is not notified.').waitFor();
    },
  },
  {
    path: 'invite',
    title: 'Inviting someone',
    address: 'people',
    act: async (page) => {
      await press(page, 'Invite someone');
      await dialogOf(page).getByLabel('Name').fill('Katherine Johnson');
      await dialogOf(page).getByLabel('Email').fill('katherine@harbor.example');
    },
  },
  {
    path: 'recorder-found',
    title: 'Adding the cameras of a recorder',
    address: 'cameras/add?way=recorder',
    act: async (page) => {
      await page.getByRole('radio', { name: /^NVR/ }).click();
      await page.getByLabel('User name').fill(LOGIN.username);
      await page.getByLabel('Password', { exact: true }).fill(LOGIN.password);
      await press(page, 'Show its channels');
      await page.getByRole('button', { name: `Add ${CHANNELS.length} cameras` }).waitFor();
      await until('a picture of each channel', async () => {
        return (await page.locator('.channel img').count()) === CHANNELS.length;
      });
      // Where recorders are.
      await page.getByRole('heading', { name: /^6 channels at/ }).evaluate((heading) => {
        heading.textContent = heading.textContent!.replace(/127[.\d]+:\d+/, '192.0.2.60');
      });
    },
  },
  {
    path: 'cut-a-clip',
    title: 'Cutting a clip',
    // When someone is at the gate.
    address: `timeline?camera=:cameraUuid&at=${SCENE_MS - 30 * 60_000}&span=600000`,
    act: async (page) => {
      await press(page, 'Cut a clip');
      await page.getByRole('form', { name: 'New clip' }).scrollIntoViewIfNeeded();
    },
  },
];
/** Where the heading is that of another page. */
const OWN_TITLES: ReadonlyMap<string, string> = new Map([
  ['cameras/:cameraUuid/details', 'Details of a camera'],
  ['cameras/:cameraUuid/masks', 'Privacy masks'],
  ['cameras/:cameraUuid/source', 'How a camera is opened'],
  ['activity/webhooks', 'Webhooks'],
  ['sites/:siteUuid', 'A site with its floor plan'],
  ['walls/:uuid/watch', 'A wall on the whole window'],
  ['watch', 'Chosen cameras on the whole window'],
]);
const PATHS: readonly string[] = [...PAGES.map(({ path }) => path), ...OTHERS.map(({ path }) => path)];

let recorder: FakeOnvifDevice;
let stream: SyntheticCamera;
let organization: ConsoleOrganization;
let browser: TestBrowser;
let page: Page;
/** Of each page, as its heading says. */
const titles = new Map<string, string>();

beforeAll(async () => {
  stream = await startCamera();
  recorder = await openRecorder(stream.url);
  const config = { sources: { onvifProbes: [`127.0.0.1:${recorder.discoveryPort}`] } };
  organization = await startConsoleOrganization(undefined, { startEpochMs: SCENE_MS, config });
  browser = await startBrowser();
  ({ page } = await openPage(browser));
  await arrangeScene(page, organization.gateway);
  await signInAs(page, organization.gateway, 'admin');
});

afterAll(async () => {
  // The last page may still be asking.
  await page?.unrouteAll({ behavior: 'ignoreErrors' });
  await browser?.close();
  await organization?.close();
  await recorder?.close();
  await stream?.close();
});

/** A video recorder in the same network. */
function openRecorder(url: string): Promise<FakeOnvifDevice> {
  const sourceOf = (index: number) => `video${index + 1}`;
  return FakeOnvifDevice.open({
    login: LOGIN,
    clockEpochMs: SCENE_MS,
    identity: { name: 'NVR', hardware: 'NVR-8', manufacturer: 'Example', model: 'NVR-8' },
    media2: 'works',
    streams: Object.fromEntries(
      CHANNELS.map((_name, index): [string, FakeProfile] => [
        `main${index + 1}`,
        { uri: `${url}?channel=${index + 1}`, size: [1_920, 1_080], source: sourceOf(index) },
      ]),
    ),
    overlays: Object.fromEntries(CHANNELS.map((name, index) => [sourceOf(index), name])),
  });
}

async function open(path: string): Promise<void> {
  const { gateway, addressOf } = organization;
  const other = OTHERS.find((each) => each.path === path);
  await page.goto('about:blank');
  await page.goto(`${gateway.apiUrl}/console/${addressOf(other?.address ?? path)}`);
  await page.locator('h1').first().waitFor();
  await other?.act(page);
  await untilSettled(page);
  await untilStill(page);
}

describe.each(PATHS)('the page "%s"', (path) => {
  test.each(Object.entries(SIZES))('on a %s', async (device, size) => {
    if (path === 'sign-in') await page.context().clearCookies();
    else if (path === OTHERS[1]!.path) await signInAs(page, organization.gateway, 'admin');
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await open(path);
    titles.set(path, await titleOf(path));
    for (const colorScheme of SCHEMES) {
      const name = pictureName(path, device, colorScheme);
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await untilStill(page);
      if (IS_WRITING)
        await keepPicture(name, await page.screenshot({ animations: 'disabled', caret: 'hide' }));
      expect(existsSync(join(PICTURES, name)), `${name} is missing: npm run console-pictures`).toBe(true);
    }
    expect(await tooWide(page)).toEqual([]);
    expect(await internalWords(page), 'in words that only its makers know').toEqual([]);
    if (device === 'phone') expect(await cutRows(page), 'rows of which a part is cut off').toEqual([]);
    await expectAccessible(page, path);
  });
});

test('shares are as schedules say at the time of the pictures', async () => {
  await signInAs(page, organization.gateway, 'admin');
  await page.setViewportSize(SIZES.desktop);
  await open('shares');
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  // A Wednesday, 10:24: office hours last until 18:00.
  await expect.poll(() => row('Carrier').textContent()).toMatch(/Visible.*until 18:00/);
  await expect.poll(() => row('Neighbors').textContent()).toMatch(/Hidden now.*until 18:00/);
  await expect.poll(() => row('Carrier').textContent()).toContain('CEST');
  await expect.poll(() => row('Insurance').textContent()).toMatch(/Open.*but the camera is offline/);
  expect(await page.locator('.seen.offline').count(), 'nothing visible has a red dot').toBe(0);
  expect(await row('Harbor master').locator('.badge.warn').allTextContents()).toEqual([
    'No end',
    'No password',
  ]);
});

test('a camera of the configuration file says so, and names the line to change', async () => {
  await open('cameras/:cameraUuid');
  expect(await page.getByRole('link', { name: 'Edit name, site and address' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Managed in sluice.yaml' }).click();
  expect(await page.getByLabel('Line of this camera').inputValue()).toBe('- name: Dock 1');
  await page.getByText('/var/lib/sluice/sluice.yaml').waitFor();
});

test('walls and cases show what their cameras see', async () => {
  await page.setViewportSize(SIZES.desktop);
  await open('walls');
  await expect.poll(() => page.locator('.wall-map').first().locator('img').count()).toBe(6);
  // Those that are offline, as they were.
  expect(await page.locator('.wall-map').first().locator('img.old').count()).toBe(2);
  await open('walls/:uuid');
  await expect.poll(() => page.locator('.ordered img').count()).toBe(6);
  await open('cases/:caseUuid');
  await expect.poll(() => page.locator('.case-camera img').count()).toBe(2);
});

test('on a phone, pictures are on the first screen, filters behind one button, and an emergency is one tap', async () => {
  await page.setViewportSize(SIZES.phone);
  await open('');
  const { y, height } = (await page.locator('.card-picture').first().boundingBox())!;
  expect(y).toBeLessThan(SIZES.phone.height / 3);
  expect(y + height).toBeLessThan(SIZES.phone.height / 1.5);
  expect(await page.getByLabel('Order').count()).toBe(0);
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByLabel('Order').waitFor();
  await page.getByRole('button', { name: 'Open cameras in an emergency' }).click();
  await dialogOf(page).getByRole('heading', { name: 'Open cameras in an emergency' }).waitFor();
});

test('alerts lead to the settings of who is notified when', async () => {
  await page.setViewportSize(SIZES.desktop);
  await open('alerts');
  await page.getByRole('link', { name: 'Notifications…' }).click();
  const title = page.getByRole('heading', { name: 'Notifications of alerts' });
  await title.waitFor();
  await page.getByText('Each person chooses here how and when they are notified.').waitFor();
  expect((await title.boundingBox())!.y).toBeLessThan(SIZES.desktop.height / 2);
});

test('there are no other pictures, and the guide shows them all', () => {
  const names = PATHS.flatMap((path) =>
    Object.keys(SIZES).flatMap((device) => SCHEMES.map((scheme) => pictureName(path, device, scheme))),
  );
  const part = guidePart(PATHS.map((path) => ({ path, title: titles.get(path) ?? path })));
  if (IS_WRITING) writeGuide(part);
  // Two addresses open the list of cameras.
  expect(readdirSync(PICTURES).toSorted()).toEqual([...new Set(names)].toSorted());
  expect(readGuide()).toContain(part);
});

/** A page about one thing is called by the kind of thing. */
async function titleOf(path: string): Promise<string> {
  const own = OTHERS.find((each) => each.path === path)?.title ?? OWN_TITLES.get(path);
  if (own !== undefined) return own;
  const heading = (await page.locator('h1').first().textContent()) ?? path;
  const [, kind] = /^(\w+?)s\/:/.exec(path) ?? [];
  return kind === undefined ? heading : `One ${kind}`;
}
