/** Sites, NVRs, and where cameras are, in the console: created, renamed, moved, and deleted, as an installer does it. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Json, TestGateway } from '../support/gateway.ts';
import { type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { countClicks } from './clicks.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';

const SIZES = [
  { width: 390, height: 844 },
  { width: 320, height: 700 },
  { width: 1_440, height: 900 },
];
const MIN_TARGET_PX = 40;
const HOSTILE = '<img src=x onerror=alert(1)>';
const RTSP = 'rtsp://127.0.0.1:9/none';

let gateway: TestGateway;
let browser: TestBrowser;
let record: PageRecord;
let page: Page;

beforeAll(async () => {
  gateway = await TestGateway.start({ demo: false });
  for (const name of ['Alpha', 'Beta', 'Gamma', HOSTILE]) {
    await gateway.call('camera/createCamera', { name, mainUrl: RTSP });
  }
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
});
beforeEach(async () => {
  record = await openConsolePage(browser, gateway, 'admin');
  ({ page } = record);
  await page.setViewportSize(SIZES.at(-1)!);
});
afterEach(async () => {
  await page.close();
  expect(record.problems).toEqual([]);
});

const visit = (path: string) => page.goto(`${gateway.apiUrl}/console/${path}`);
const dialog = () => page.getByRole('dialog');
const row = (name: string) => page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });

async function expectFits(state: string): Promise<void> {
  for (const size of SIZES) {
    await page.setViewportSize(size);
    await expectAccessible(page, `${state}, ${size.width} px`);
    expect(await tooWide(page), `${state}, ${size.width} px`).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX), `${state}, ${size.width} px`).toEqual([]);
  }
}

async function sourceOf(name: string): Promise<Json> {
  return gateway.call('camera/getCameraSource', { cameraUuid: await gateway.cameraUuid(name) });
}

async function siteOf(name: string): Promise<string | undefined> {
  const { locations } = await gateway.call('location/getLocationsV2');
  const { locationUuid } = await sourceOf(name);
  return (locations as Json[]).find(({ uuid }) => uuid === locationUuid)?.name as string | undefined;
}

test('the first site takes three clicks, with the browser’s own time zone', async () => {
  await visit('');
  const clicks = await countClicks(page);
  await page.getByRole('link', { name: 'Sites' }).click();
  await page.getByText('4 cameras are at no site').waitFor();
  await expectFits('no sites');
  await page.setViewportSize(SIZES.at(-1)!);
  await page.getByRole('button', { name: 'Create the first one' }).click();
  const own = await page.evaluate(() => new Intl.DateTimeFormat().resolvedOptions().timeZone);
  await dialog()
    .getByRole('button', { name: `Time zone: ${own.replaceAll('_', ' ')}` })
    .waitFor();
  await dialog().getByText('It is').waitFor();
  await dialog().getByLabel('Name').fill('Harbor');
  await dialog().getByRole('button', { name: 'Create site' }).click();
  await row('Harbor').waitFor();
  expect(clicks.since()).toBeLessThanOrEqual(3);
});

async function chooseZone(typed: string): Promise<void> {
  await dialog()
    .getByRole('button', { name: /^Time zone/ })
    .click();
  await page.getByRole('combobox', { name: 'Find: Time zone' }).fill(typed);
  await page.locator('[role="option"]').first().click();
}

test('a site’s time zone is found by typing, and only one that exists can be chosen', async () => {
  await visit('sites');
  await page.getByRole('button', { name: 'Edit Harbor' }).click();
  await dialog()
    .getByRole('button', { name: /^Time zone/ })
    .click();
  await page.getByRole('combobox', { name: 'Find: Time zone' }).fill('Mars/Olympus');
  await page.getByText('Nothing has this name.').waitFor();
  await expectFits('unknown zone');
  await page.setViewportSize(SIZES.at(-1)!);
  await page.keyboard.press('Escape');
  await chooseZone('new york');
  await dialog().getByLabel('Name').fill(HOSTILE);
  await dialog().getByRole('button', { name: 'Save' }).click();
  await row(HOSTILE).getByText('America/New_York').waitFor();
  await page.getByRole('button', { name: `Edit ${HOSTILE}` }).click();
  await dialog().getByLabel('Name').fill('Harbor');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await row('Harbor').waitFor();
});

test('a share by schedule says in which zone it runs, and puts a camera without a site at one', async () => {
  const { scheduleUuid } = await gateway.call('schedule/createWeeklySchedule', {
    schedule: { name: '9 to 17', intervalList: [{ minuteOfWeekStart: 540, minuteOfWeekStop: 1_020 }] },
  });
  await visit('shares?new');
  await dialog().getByLabel('What to share').selectOption({ label: 'Alpha' });
  await dialog()
    .getByLabel('Schedule')
    .selectOption(scheduleUuid as string);
  await dialog().getByText('This camera is at no site: the schedule runs in UTC').waitFor();
  await expectFits('schedule without a site');
  await page.setViewportSize(SIZES.at(-1)!);
  await dialog().getByLabel('Set its site now').selectOption({ label: 'Harbor (America/New_York)' });
  await dialog().getByText('America/New_York, where it is').waitFor();
  await dialog().getByText('at no site').waitFor({ state: 'detached' });
  expect(await siteOf('Alpha')).toBe('Harbor');
});

test('a recording by schedule says so, too', async () => {
  await visit(`cameras/${await gateway.cameraUuid('Gamma')}`);
  await page.getByRole('radio', { name: 'By schedule' }).click();
  await dialog().getByText('This camera is at no site: the schedule runs in UTC').waitFor();
  await dialog().getByLabel('Set its site now').selectOption({ label: 'Harbor (America/New_York)' });
  await dialog().getByText('America/New_York, where it is').waitFor();
});

test('several cameras are moved, renamed, and deleted in one step each', async () => {
  await visit('');
  await page.getByRole('button', { name: 'Table' }).click();
  for (const name of ['Beta', 'Gamma']) {
    await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check();
  }
  const clicks = await countClicks(page);
  await page.getByRole('button', { name: 'Move…' }).click();
  await dialog().getByLabel('Site').selectOption({ label: 'Harbor' });
  await dialog().getByRole('button', { name: 'Move' }).click();
  await dialog().getByText('2 of 2 done.').waitFor();
  expect(clicks.since()).toBeLessThanOrEqual(3);
  await expectFits('moved');
  await page.setViewportSize(SIZES.at(-1)!);
  await dialog().getByRole('button', { name: 'Close' }).last().click();
  expect(await siteOf('Gamma')).toBe('Harbor');

  await page.getByRole('button', { name: 'Rename…' }).click();
  await dialog().getByLabel('Beta').fill('Beta 2');
  await dialog().getByLabel('Gamma').fill(' ');
  await dialog().getByText('Enter a name.').waitFor();
  expect(await dialog().getByRole('button', { name: 'Rename 2 cameras' }).isDisabled()).toBe(true);
  await expectFits('rename');
  await page.setViewportSize(SIZES.at(-1)!);
  await dialog().getByLabel('Gamma').fill('Gamma 2');
  await dialog().getByRole('button', { name: 'Rename 2 cameras' }).click();
  await dialog().getByText('2 of 2 done.').waitFor();
  await dialog().getByRole('button', { name: 'Close' }).last().click();

  await page.getByRole('checkbox', { name: 'Select Beta 2', exact: true }).uncheck();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await dialog().getByText('They are not shared.').waitFor();
  await dialog().getByRole('button', { name: 'Delete 1 camera' }).click();
  await dialog().getByText('1 of 1 done.').waitFor();
  await expect(gateway.cameraUuid('Gamma 2')).rejects.toThrow();
  expect(await siteOf('Beta 2')).toBe('Harbor');
});

test('an NVR is created, moved with its cameras, and deleted without them', async () => {
  await visit('sites');
  await page.getByRole('button', { name: 'New empty NVR' }).click();
  await dialog().getByLabel('Name').fill('Core');
  await dialog().getByLabel('Site').selectOption({ label: 'Harbor' });
  await dialog().getByRole('button', { name: 'Create NVR' }).click();
  await row('Core').waitFor();
  const { nvrstates } = await gateway.call('relay/getMinimalNVRStateList');
  const [{ uuid: nvrUuid }] = nvrstates as [Json];
  await gateway.call('camera/createCamera', { name: 'Behind', mainUrl: RTSP, nvrUuid });
  await row('Core').getByText('1 camera').waitFor();
  await page.getByRole('button', { name: 'New site' }).click();
  await dialog().getByLabel('Name').fill('Warehouse');
  await chooseZone('berlin');
  await dialog().getByRole('button', { name: 'Create site' }).click();
  await row('Warehouse').waitFor();
  await page.getByRole('button', { name: 'Edit Core' }).click();
  await dialog().getByLabel('Site').selectOption({ label: 'Warehouse' });
  await dialog().getByText('Move its 1 camera too').waitFor();
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().waitFor({ state: 'detached' });
  expect(await siteOf('Behind')).toBe('Warehouse');
  await page.getByRole('button', { name: 'Delete Core' }).click();
  await dialog().getByText('They stay at their site').waitFor();
  await expectFits('delete NVR');
  await page.setViewportSize(SIZES.at(-1)!);
  await dialog().getByRole('button', { name: 'Delete NVR' }).click();
  await page.getByText('There are no NVRs').waitFor();
  expect(await siteOf('Behind')).toBe('Warehouse');
});

test('deleting a site says first where its cameras go, and moves them', async () => {
  await visit('sites');
  await page.getByRole('button', { name: 'Delete Warehouse' }).click();
  await dialog().getByText('Their schedules then run in UTC instead of Europe/Berlin.').waitFor();
  await dialog().getByLabel('Move them to').selectOption({ label: 'Harbor' });
  await dialog().getByText('America/New_York instead of Europe/Berlin').waitFor();
  await expectFits('delete site');
  await page.setViewportSize(SIZES.at(-1)!);
  await dialog().getByRole('button', { name: 'Delete site' }).click();
  await row('Warehouse').waitFor({ state: 'detached' });
  expect(await siteOf('Behind')).toBe('Harbor');
  await expectFits('sites');
});

test('a viewer sees the sites and changes nothing', async () => {
  const viewer = await openConsolePage(browser, gateway, 'viewer');
  await viewer.page.goto(`${gateway.apiUrl}/console/sites`);
  await viewer.page.getByText('Harbor').first().waitFor();
  expect(await viewer.page.getByRole('button', { name: /Edit|Delete|New/ }).count()).toBe(0);
  expect(viewer.problems).toEqual([]);
  await viewer.page.close();
});
