/** Adding cameras in the console, in Chromium, as an installer does it: with what goes wrong first. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Secret } from '../../src/core/secret.ts';
import { FakeOnvifDevice } from '../../src/devices/onvif/fake-onvif-device.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { countClicks } from './clicks.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';
import type { PersonRole } from './console-person.ts';

const PHONE = { width: 400, height: 844 };
const DESKTOP = { width: 1_440, height: 900 };
const MIN_TARGET_PX = 40;
/** A check measures the camera for up to 15 seconds. */
const CHECK_MS = 100_000;
const PASSWORD = 'p@s:s/w?o#r%d é🔑&=+"<';
const HOSTILE = '<img src=x onerror=alert(1)>';

let camera: SyntheticCamera;
let onvif: FakeOnvifDevice;
let gateway: TestGateway;
let browser: TestBrowser;
let page: Page;
const records: PageRecord[] = [];

beforeAll(async () => {
  camera = await startCamera(0, {
    clip: await makeClip(320, 180, { gopSec: 5 }),
    credentials: { username: 'admin', password: new Secret(PASSWORD), algorithm: 'MD5' },
  });
  onvif = await FakeOnvifDevice.open({
    login: { username: 'admin', password: PASSWORD },
    clockEpochMs: Date.now(),
    streams: { main: camera.url, other: camera.url },
  });
  gateway = await TestGateway.start({
    locations: [{ name: 'Harbor', tz: 'Europe/Berlin' }],
    nvrs: [{ name: 'Core', location: 'Harbor' }],
    cameras: [{ name: 'Declared', rtsp: 'rtsp://127.0.0.1:9/none' }],
  });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await onvif?.close();
  await camera?.close();
});
beforeEach(async () => {
  page = await open('admin');
});
afterEach(async () => {
  for (const { page: opened } of records) await opened.close();
  expect(records.flatMap(({ problems }) => problems)).toEqual([]);
  records.length = 0;
});

async function open(role: PersonRole): Promise<Page> {
  const record = await openConsolePage(browser, gateway, role);
  records.push(record);
  record.page.on('dialog', (dialog) => {
    record.problems.push(`a dialog opened: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await record.page.setViewportSize(DESKTOP);
  return record.page;
}

const visit = (path: string) => page.goto(`${gateway.apiUrl}/console/${path}`);
const field = (name: string) => page.locator(`.wizard [name="${name}"]`);

async function sourceOf(name: string): Promise<Json> {
  return gateway.call('camera/getCameraSource', { cameraUuid: await gateway.cameraUuid(name) });
}

async function expectFits(state: string): Promise<void> {
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await expectAccessible(page, `${state}, ${size.width} px`);
    expect(await tooWide(page), state).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX), state).toEqual([]);
  }
}

describe('by its address', () => {
  test('a wrong password is named, and the right one leads to the camera, live', async () => {
    await visit('cameras/add');
    await page.getByRole('link', { name: 'By its address' }).click();
    const { host, pathname } = new URL(camera.url);
    await page.getByLabel('Whole address').fill(`rtsp://admin:wrong@p#ss/@${host}${pathname}`);
    await page.getByRole('button', { name: 'Take apart' }).click();
    expect(await field('username').inputValue()).toBe('admin');
    expect(await field('password').inputValue()).toBe('wrong@p#ss/');
    expect(await page.getByLabel('Whole address').inputValue()).toBe('');
    await page.getByRole('button', { name: 'Check the camera' }).click();
    await page
      .getByRole('heading', { name: 'Wrong user name or password', level: 2 })
      .waitFor({ timeout: CHECK_MS });
    await page.getByText('Cameras lock an account after several wrong ones').waitFor();
    await page.waitForFunction(() => (document.activeElement as HTMLInputElement).name === 'password');
    expect(await field('password').getAttribute('aria-invalid')).toBe('true');
    await expectFits('wrong password');
    await page.setViewportSize(DESKTOP);

    await field('password').fill(PASSWORD);
    await page.getByRole('heading', { name: 'Changed since it was checked' }).waitFor();
    await field('password').press('Enter');
    await page.getByRole('heading', { name: 'The camera works' }).waitFor({ timeout: CHECK_MS });
    await page.getByRole('img', { name: 'What the camera shows' }).waitFor();
    await page.getByText('A key frame comes every 5 s: viewers wait up to 5 s').waitFor();
    await page.getByText(/^avc1\./).waitFor();
    await page.getByText('320 × 180').waitFor();
    await page.waitForFunction(() => (document.activeElement as HTMLInputElement).name === 'name');
    await expectFits('checked');
    await page.setViewportSize(DESKTOP);
    await page.getByRole('button', { name: 'Add camera' }).click();
    await page.getByText('Enter a name for the camera.').waitFor();
    await field('name').fill(HOSTILE);
    await page.getByLabel('NVR').selectOption({ label: 'Core' });
    await page.getByRole('button', { name: 'Add camera' }).click();
    await page.getByRole('heading', { name: HOSTILE, level: 1 }).waitFor();
    expect(page.url()).toMatch(/\/console\/cameras\/[\w-]{22}$/);
    await page.frameLocator('.camera-stage iframe').locator('video').waitFor();
    const frame = page.frames().find((each) => each.url().startsWith(`${gateway.mediaUrl}/preview`))!;
    await frame.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0.5);
    const stored = await sourceOf(HOSTILE);
    expect(stored.source).toMatchObject({ mainUrl: camera.url, username: 'admin', hasPassword: true });
    expect(stored.nvrUuid).toBeTruthy();
    expect(stored.locationUuid).toBeTruthy();
  });

  test.each([
    ['desktop', DESKTOP],
    ['phone', PHONE],
  ])('with a wrong password first, it takes at most 7 clicks on a %s', async (device, size) => {
    await page.setViewportSize(size);
    await visit('');
    const clicks = await countClicks(page);
    await page.getByRole('link', { name: 'Add cameras' }).click();
    await page.getByRole('link', { name: 'By its address' }).click();
    const { host, pathname } = new URL(camera.url);
    await page.getByLabel('Whole address').fill(`rtsp://admin:wrong@${host}${pathname}`);
    await page.getByLabel('Whole address').press('Enter');
    await page.getByRole('button', { name: 'Check the camera' }).click();
    await page
      .locator('.field-error')
      .getByText('Wrong user name or password.')
      .waitFor({ timeout: CHECK_MS });
    // What is typed next replaces the wrong one; everything else is still there.
    await page.waitForFunction(() => {
      const { activeElement: shown } = document;
      return shown instanceof HTMLInputElement && shown.name === 'password' && shown.selectionEnd === 5;
    });
    expect(await field('username').inputValue()).toBe('admin');
    expect(await field('host').inputValue()).toBe('127.0.0.1');
    await page.keyboard.insertText(PASSWORD);
    expect(await field('password').inputValue()).toBe(PASSWORD);
    await page.getByRole('button', { name: 'Check the camera' }).click();
    await page.getByRole('heading', { name: 'The camera works' }).waitFor({ timeout: CHECK_MS });
    await page.waitForFunction(() => (document.activeElement as HTMLInputElement).name === 'name');
    await page.keyboard.insertText(`Gate, ${device}`);
    await page.getByRole('button', { name: 'Add camera' }).click();
    await page.getByRole('heading', { name: `Gate, ${device}`, level: 1 }).waitFor();
    expect(clicks.since()).toBeLessThanOrEqual(7);
  });

  test('is changed with the same form, which never has the stored password', async () => {
    const login = { username: 'admin', password: PASSWORD };
    await gateway.call('camera/createCamera', { name: 'Yard', mainUrl: camera.url, ...login });
    await visit(`cameras/${await gateway.cameraUuid('Yard')}/source`);
    await page.getByRole('heading', { name: 'Yard', level: 1 }).waitFor();
    expect(await field('password').inputValue()).toBe('');
    await page.getByText('A password is stored. Empty: it stays.').waitFor();
    expect(await page.content()).not.toContain('p@s:s');

    // The stored password goes nowhere else.
    await field('host').fill('127.0.0.2');
    await page.getByRole('button', { name: 'Check the camera' }).click();
    await page.getByText('Enter the password again').waitFor();
    await page.waitForFunction(() => (document.activeElement as HTMLInputElement).name === 'password');

    await field('host').fill('127.0.0.1');
    await page.getByRole('button', { name: 'Check the camera' }).click();
    await page.getByRole('heading', { name: 'The camera works' }).waitFor({ timeout: CHECK_MS });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'Yard', level: 1 }).waitFor();
    expect(await sourceOf('Yard')).toMatchObject({ source: { mainUrl: camera.url, username: 'admin' } });

    // A new name and another site have nothing to do with the stream.
    const calls: string[] = [];
    page.on('request', (request) => void calls.push(request.url().split('/').at(-1)!));
    await visit(`cameras/${await gateway.cameraUuid('Yard')}/source`);
    const save = page.getByRole('button', { name: 'Save name and site' });
    expect(await save.isDisabled()).toBe(true);
    await page.getByLabel('Name', { exact: true }).fill('Back yard');
    await page.getByLabel('Site', { exact: true }).selectOption({ label: 'Harbor' });
    await save.click();
    await page.getByRole('heading', { name: 'Back yard', level: 1 }).waitFor();
    expect(calls).toContain('updateDetailsV2');
    expect(calls.filter((each) => /^(?:probeCamera|updateCameraSource)$/.test(each))).toEqual([]);
    expect(await sourceOf('Back yard')).toMatchObject({
      locationUuid: expect.any(String),
      source: { mainUrl: camera.url, username: 'admin', hasPassword: true },
    });

    await visit(`cameras/${await gateway.cameraUuid('Back yard')}/source`);
    await page.getByRole('button', { name: 'Remove…' }).click();
    await expectFits('remove');
    await page.setViewportSize(DESKTOP);
    await page.getByRole('button', { name: 'Remove camera' }).click();
    await page.getByRole('link', { name: 'Declared', exact: true }).waitFor();
    await expect(gateway.cameraUuid('Back yard')).rejects.toThrow();
  });

  test('says that the file declares a camera, and what a wrong address is', async () => {
    await visit(`cameras/${await gateway.cameraUuid('Declared')}/source`);
    await page.getByText('The configuration file declares this camera').waitFor();
    await visit('cameras/add?way=address');
    await page.getByRole('button', { name: 'Check the camera' }).click();
    await page.getByText('Enter the address of the camera').waitFor();
    await page.waitForFunction(() => (document.activeElement as HTMLInputElement).name === 'host');
    await page.getByRole('button', { name: /^Vendor/ }).click();
    await page.getByRole('option', { name: 'Reolink' }).click();
    expect(await field('mainPath').inputValue()).toBe('/Preview_01_main');
    await page.getByLabel('Channel').fill('3');
    expect(await field('subPath').inputValue()).toBe('/Preview_03_sub');
    await field('host').fill('127.0.0.1');
    await field('port').fill('9');
    await page.getByRole('button', { name: 'Check the camera' }).click();
    await page
      .getByRole('heading', { name: 'The camera cannot be reached', level: 2 })
      .waitFor({ timeout: CHECK_MS });
    await page.waitForFunction(() => (document.activeElement as HTMLInputElement).name === 'host');
    await page.getByRole('button', { name: 'Add camera all the same' }).waitFor();
  });
});

/** The scan itself asks real networks; what it finds here are cameras of the test. */
async function respondScan(cameras: readonly Json[]): Promise<void> {
  await page.route('**/api/camera/scanOnvifCameras', (route) =>
    route.fulfill({ json: { error: false, cameras } }),
  );
}

const found = (address: string, name: string) => ({
  address,
  https: false,
  known: false,
  name,
  hardware: 'Dome-4',
});

describe('on the network', () => {
  test('several are logged in to, checked and added in one go, and each failure has its name', async () => {
    const second = await FakeOnvifDevice.open({ clockEpochMs: Date.now(), streams: { main: camera.url } });
    await respondScan([
      found(`127.0.0.1:${onvif.port}`, HOSTILE),
      found(`127.0.0.1:${second.port}`, 'Gate'),
      found('127.0.0.1:9', 'Dead'),
    ]);
    await visit('cameras/add?way=network');
    const row = (name: string) => page.getByRole('listitem', { name, exact: true });
    await row(HOSTILE).waitFor();
    await page.getByText('3 cameras', { exact: true }).waitFor();
    await expectFits('found');
    await page.setViewportSize(DESKTOP);
    // Whatever answers on a network would get the login.
    expect(await page.getByRole('button', { name: 'Check 0 cameras' }).isDisabled()).toBe(true);
    await page.getByLabel('Choose all that are new').check();
    await field('username').fill('admin');
    await field('password').fill('wrong');
    await page.getByRole('button', { name: 'Check 3 cameras' }).click();
    await row(HOSTILE).getByText('Wrong user name or password for ONVIF.').waitFor({ timeout: CHECK_MS });
    await row('Dead').locator('.trouble').waitFor({ timeout: CHECK_MS });
    await page.waitForFunction(() => (document.activeElement as HTMLInputElement).name === 'password', null, {
      timeout: CHECK_MS,
    });
    await field('password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Check 3 cameras' }).click();
    await row(HOSTILE)
      .getByText(/avc1\..*320 × 180/)
      .waitFor({ timeout: CHECK_MS });
    await row('Gate')
      .getByText(/avc1\./)
      .waitFor({ timeout: CHECK_MS });
    await row(HOSTILE).getByRole('img').waitFor();
    await row('Dead').locator('.trouble').waitFor({ timeout: CHECK_MS });
    await page.getByLabel('Site', { exact: true }).selectOption({ label: 'Harbor' });
    await page.getByRole('button', { name: 'Add 2 cameras' }).waitFor();
    await expectFits('ready');
    await page.setViewportSize(DESKTOP);
    await row('Gate').getByLabel('Name').fill('Gate east');
    await page.getByRole('button', { name: 'Add 2 cameras' }).click();
    await page.getByText('2 cameras added.').waitFor();
    await row('Gate').getByText('Added.').or(row('Gate east').getByText('Added.')).first().waitFor();
    expect(await sourceOf('Gate east')).toMatchObject({
      locationUuid: expect.any(String),
      source: {
        username: 'admin',
        hasPassword: true,
        onvifUrl: expect.stringContaining(String(second.port)),
      },
    });
    await second.close();
  });

  test('one alone leads to its page, and an address that no scan finds can be entered', async () => {
    await respondScan([]);
    await visit('cameras/add?way=network');
    await page.getByText('No camera answered').waitFor();
    await expectFits('nothing found');
    await page.setViewportSize(DESKTOP);
    await page.getByLabel('Another address').fill(`127.0.0.1:${onvif.port}`);
    await page.getByRole('button', { name: 'Put on the list' }).click();
    await field('username').fill('admin');
    await field('password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Check 1 camera' }).click();
    await page
      .getByRole('button', { name: 'Add 1 camera' })
      .and(page.locator(':enabled'))
      .click({ timeout: CHECK_MS });
    await page.getByRole('heading', { name: 'Example & Sons Dome 4', level: 1 }).waitFor();
  });
});

test('a device that pushes gets a key, shown once', async () => {
  await visit('cameras/add?way=push');
  await page.getByLabel('Name').fill('Encoder');
  await page.getByRole('button', { name: 'Add camera' }).click();
  await page.getByRole('heading', { name: 'Encoder waits for its device' }).waitFor();
  expect(await page.getByLabel('Stream key').inputValue()).toMatch(/^[\w-]{20,}$/);
  await expectFits('publish key');
});

test.each(['viewer', 'operator'] as const)('tells someone who is %s who can add cameras', async (role) => {
  page = await open(role);
  await visit('cameras/add');
  await page.getByText('Only administrators can add cameras').waitFor();
  expect(await page.getByRole('link', { name: 'By its address' }).count()).toBe(0);
  await visit(`cameras/${await gateway.cameraUuid('Declared')}/source`);
  await page.getByText('Only administrators can change how a camera is opened').waitFor();
  await expectAccessible(page, role);
});

test('everyone can use the choice of ways', async () => {
  await visit('cameras/add');
  await page.getByRole('link', { name: 'Its device pushes' }).waitFor();
  await expectFits('ways');
});
