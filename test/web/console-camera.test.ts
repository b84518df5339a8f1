/** A camera's page and alerts in Chromium: what a camera did, and who sees to what happened. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newRuuid } from '../../src/core/ruuid.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { untilFlashes, watchFlashes } from './console-checks.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';
import type { PersonRole } from './console-person.ts';

const HOSTILE = '<img src=x onerror=alert(1)>';
const MIN_TARGET_PX = 40;
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1_440, height: 900 };
const DAY_MS = 86_400_000;
const SAMPLE_MS = 10_000;
const SPARE_MS = 15_000;

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
/** Another person's, with cookies of its own. */
let otherBrowser: TestBrowser;
let dock: string;
let yard: string;
const pages: Page[] = [];

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    locations: [{ name: 'Warehouse', tz: 'Europe/Berlin' }],
    recording: { fileSize: '4MiB', minFree: '16MiB' },
    cameras: [
      { name: 'Dock', location: 'Warehouse', rtsp: camera.url, recording: 'always' },
      { name: 'Yard', rtsp: 'rtsp://127.0.0.1:1/none' },
    ],
  });
  dock = await gateway.cameraUuid('Dock');
  yard = await gateway.cameraUuid('Yard');
  browser = await startBrowser();
  otherBrowser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await otherBrowser?.close();
  await gateway?.dispose();
  await camera?.close();
});
afterEach(async () => {
  for (const page of pages.splice(0)) await page.close();
});

async function open(path: string, role: PersonRole, within = browser): Promise<Page> {
  const { page } = await openConsolePage(within, gateway, role);
  pages.push(page);
  await page.setViewportSize(DESK);
  await page.goto(`${gateway.apiUrl}/console/${path}`);
  return page;
}

async function reportAlert(textDescription: string, fields: object = {}): Promise<string> {
  const uuid = newRuuid();
  const row = { uuid, deviceUuid: dock, timestampMs: Date.now(), textDescription, ...fields };
  expect(await gateway.call('ingest/policyAlerts', { rows: [row] })).toMatchObject({ rejected: [] });
  return uuid;
}

const row = (page: Page, name: string) => page.getByRole('listitem', { name, exact: true });

test('a viewer sees what the streams do and did, the uptime, recordings and shares', async () => {
  await gateway.call('camera/createSharedLiveVideoStream', { cameraUuid: dock, name: HOSTILE });
  const page = await open(`cameras/${dock}/details`, 'viewer');
  await page.getByText(/avc1\./).waitFor();
  const hour = page.getByRole('region', { name: 'Stream, the last hour' });
  // A rate takes two samples of ten seconds each, and the page asks as often.
  await until(
    'a bit rate in the plot',
    async () => /from .*bit\/s/.test((await hour.getByRole('img').first().getAttribute('aria-label')) ?? ''),
    3 * SAMPLE_MS + SPARE_MS,
  );
  await hour.getByText('As a table').first().click();
  await hour
    .getByRole('cell', { name: /bit\/s$/ })
    .first()
    .waitFor();
  const uptime = page.getByRole('region', { name: 'Uptime of 7 days' });
  await uptime.getByText(/^Up \d/).waitFor();
  await page.getByRole('link', { name: HOSTILE }).waitFor();
  const recordings = page.getByRole('region', { name: 'Recordings' });
  const recorded = recordings.getByRole('link').first();
  await until('the recording to be listed', async () => {
    if ((await recorded.count()) > 0) return true;
    await page.reload();
    await recordings
      .getByText(/Nothing was recorded/)
      .or(recorded)
      .first()
      .waitFor();
    return (await recorded.count()) > 0;
  });
  expect(await recorded.getAttribute('href')).toMatch(`/console/timeline?camera=${dock}&at=`);
  await page.getByRole('link', { name: 'Open in Activity' }).click();
  await page.waitForURL(`**/console/activity?camera=${dock}`);
  await until(
    'the camera',
    async () => (await page.getByLabel('Camera', { exact: true }).inputValue()) === dock,
  );
  await page.getByRole('row', { name: /Dock/ }).first().waitFor();
});

test('says why a camera is away and when it is tried again, as the API does', async () => {
  const page = await open(`cameras/${yard}/details`, 'viewer');
  const trouble = page.locator('.trouble');
  await trouble.getByText('DIRECT_UNREACHABLE').waitFor();
  await trouble.getByText(/Next try|Trying again now/).waitFor();
  const { cameras } = await gateway.call('camera/getCameraStreamStates', { cameraUuids: [yard] });
  await trouble.getByText(cameras[0].main.errorAdvice).waitFor();
  await page.getByText('Nothing was recorded in the last 7 days.').waitFor();
  await page.getByText('It is not shared.').waitFor();
});

test('shows when a camera goes and comes back', async () => {
  const own = await startCamera();
  const { port } = new URL(own.url);
  const other = await TestGateway.start({ cameras: [{ name: 'Gate', rtsp: own.url }] });
  const gate = await other.cameraUuid('Gate');
  let back: SyntheticCamera | null = null;
  try {
    const { page } = await openConsolePage(browser, other, 'viewer');
    pages.push(page);
    await page.goto(`${other.apiUrl}/console/cameras/${gate}/details`);
    const sign = page.locator('.stream .sign').first();
    await sign.getByText('Streaming').waitFor();
    await own.close();
    await sign.getByText('Offline').waitFor();
    await page.locator('.outages').getByText('Down').waitFor();
    back = await startCamera(Number(port));
    await sign.getByText('Streaming').waitFor();
    const states = async (): Promise<string[]> => {
      const { spans } = await other.call('camera/getUptimeHistory', { cameraUuid: gate });
      return spans.map(({ state }: { state: string }) => state);
    };
    await until('the camera to be up again', async () => (await states()).join(' ') === 'unknown up down up');
  } finally {
    await other.dispose();
    await back?.close();
  }
});

test('an alert that one person acknowledges is acknowledged for everyone', async () => {
  const ada = await open('alerts', 'operator');
  const bo = await open('alerts', 'operator', otherBrowser);
  await ada.getByLabel('Show').waitFor();
  await bo.getByLabel('Show').selectOption('All alerts');
  await reportAlert('Someone at the dock');
  await row(ada, 'Someone at the dock').waitFor();
  await row(bo, 'Someone at the dock').waitFor();
  await row(ada, 'Someone at the dock')
    .getByRole('button', { name: /^Acknowledge/ })
    .click();
  await ada.locator('dialog').getByLabel('Note').fill(HOSTILE);
  await ada.locator('dialog').getByRole('button', { name: 'Acknowledge' }).click();
  await row(ada, 'Someone at the dock').waitFor({ state: 'detached' });
  await row(bo, 'Someone at the dock')
    .getByText(/^Acknowledged by Ada Lovelace .*onerror/)
    .waitFor();
  await row(bo, 'Someone at the dock')
    .getByRole('button', { name: /^Acknowledge/ })
    .waitFor({ state: 'detached' });
  await ada.getByLabel('Show').selectOption('All alerts');
  await row(ada, 'Someone at the dock')
    .getByRole('button', { name: /^More for/ })
    .click();
  await row(ada, 'Someone at the dock').getByRole('button', { name: /^Note/ }).waitFor();
  const { auditEvents } = await gateway.call('report/getAuditFeed', {
    includeActions: ['ALERT_ACKNOWLEDGEMENT_CREATE'],
  });
  expect(auditEvents).toMatchObject([{ targetName: 'Someone at the dock', principalName: 'Ada Lovelace' }]);
});

test('the second one is told who was first', async () => {
  const alertUuid = await reportAlert('Two at once');
  const page = await open('alerts', 'operator');
  await row(page, 'Two at once')
    .getByRole('button', { name: /^Acknowledge/ })
    .click();
  const dialog = page.locator('dialog');
  await dialog.getByLabel('Note').fill('Mine');
  await gateway.call('event/acknowledgePolicyAlert', { alertUuid, note: 'Theirs' });
  await dialog.getByRole('button', { name: 'Acknowledge' }).click();
  await dialog.getByText('Someone else was first').waitFor();
  await dialog.getByText('“Theirs”').waitFor();
  await dialog.getByText('Your note was not saved.').waitFor();
});

test('is acknowledged by a key, which ends its flash', async () => {
  const page = await open('alerts', 'operator');
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await watchFlashes(page);
  await page.getByLabel('Flash').check();
  await untilFlashes(page, 1);
  await page.locator('.flash-frame').waitFor({ state: 'detached' });
  await reportAlert('Chosen by keys');
  await untilFlashes(page, 2);
  await row(page, 'Chosen by keys').focus();
  await page.keyboard.press('a');
  await row(page, 'Chosen by keys').waitFor({ state: 'detached' });
  await page.locator('.flash-frame').waitFor({ state: 'detached' });
  await until('the title not to count it', async () => (await page.title()) === 'Alerts · Sluice');
});

test('plays what was recorded, and says so if nothing was', async () => {
  const timestampMs = Date.now();
  await reportAlert('Recorded', { timestampMs });
  await reportAlert('Long ago', { timestampMs: timestampMs - DAY_MS });
  const page = await open('alerts', 'viewer');
  await row(page, 'Recorded').getByRole('button', { name: /^Play/ }).click();
  const video = page.locator('dialog video');
  await video.waitFor();
  await until('the recording to play', () =>
    video.evaluate((shown: HTMLVideoElement) => shown.videoWidth > 0 && shown.currentTime > 0.2),
  );
  await expectAccessible(page, 'a playing alert');
  await page.locator('dialog footer').getByRole('button', { name: 'Close' }).click();
  await row(page, 'Long ago').getByRole('button', { name: /^Play/ }).click();
  await page
    .locator('dialog')
    .getByText(/^Nothing was recorded at this time/)
    .waitFor();
});

test('a viewer acknowledges nothing', async () => {
  const alertUuid = await reportAlert('Only to look at');
  const page = await open('alerts', 'viewer');
  await row(page, 'Only to look at').waitFor();
  expect(await page.getByRole('button', { name: /^Acknowledge/ }).count()).toBe(0);
  await row(page, 'Only to look at').focus();
  await page.keyboard.press('a');
  const response = await page.request.post(`${gateway.apiUrl}/api/event/acknowledgePolicyAlert`, {
    headers: { origin: gateway.apiUrl, 'x-auth-scheme': 'console' },
    data: { alertUuid },
  });
  expect(response.status()).toBe(403);
  const { policyAlert } = await gateway.call('event/getPolicyAlertDetails', { policyAlertUuid: alertUuid });
  expect(policyAlert?.acknowledgement).toBeUndefined();
});

test.each([
  ['phone', PHONE],
  ['desk', DESK],
])('everyone can use them on a %s', async (_device, size) => {
  await reportAlert('For everyone');
  for (const path of [`cameras/${dock}/details`, `cameras/${yard}/details`, 'alerts']) {
    const page = await open(path, 'operator');
    await page.setViewportSize(size);
    if (path === 'alerts') await row(page, 'For everyone').first().waitFor();
    else await page.getByRole('link', { name: 'Open in Activity' }).waitFor();
    await expectAccessible(page, path);
    expect(await tooWide(page), path).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX), path).toEqual([]);
    for (const scheme of ['light', 'dark'] as const) {
      if (process.env.SHOTS === undefined) continue;
      await page.emulateMedia({ colorScheme: scheme });
      const name = `${path.replace('/', '-').slice(0, 12)}-${_device}-${scheme}.png`;
      await page.screenshot({ path: `${process.env.SHOTS}/${name}`, fullPage: true });
    }
  }
});
