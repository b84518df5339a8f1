/** Alerts reach people on every page of the console: badge, title, notices, sound, and what they do about them. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newRuuid } from '../../src/core/ruuid.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { countClicks } from './clicks.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';
import type { PersonRole } from './console-person.ts';

const DESK = { width: 1_440, height: 900 };
const PHONE = { width: 390, height: 844 };
const NARROWEST = { width: 320, height: 640 };
const MIN_TARGET_PX = 40;
const STORM = 1_000;

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let otherBrowser: TestBrowser;
let dock: string;
const records: PageRecord[] = [];

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    locations: [{ name: 'Harbor', tz: 'Europe/Berlin' }],
    recording: { fileSize: '4MiB', minFree: '16MiB' },
    cameras: [{ name: 'Dock', location: 'Harbor', rtsp: camera.url, recording: 'always' }],
    demo: false,
    // A storm, with several pages that follow it.
    api: { rateLimit: 1_000 },
  });
  dock = await gateway.cameraUuid('Dock');
  browser = await startBrowser();
  otherBrowser = await startBrowser();
  await until('the camera to be recorded', async () => {
    const requested = { cameraUuid: dock, timestampMs: Date.now() - 2_000 };
    return (await gateway.call('video/getExactFrameData', requested)).frameData !== undefined;
  });
});
afterAll(async () => {
  await otherBrowser?.close();
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
});
afterEach(async () => {
  for (const { page } of records) await page.close();
  expect(records.flatMap(({ problems }) => problems)).toEqual([]);
  records.length = 0;
  await acknowledgeAll();
});

async function acknowledgeAll(): Promise<void> {
  for (;;) {
    const query = { onlyUnacknowledged: true, maxResults: 200 };
    const { policyAlerts } = await gateway.call('event/getPolicyAlerts', query);
    if (policyAlerts.length === 0) return;
    const alertUuids = policyAlerts.map(({ uuid }: { uuid: string }) => uuid);
    await gateway.call('event/acknowledgePolicyAlerts', { alertUuids });
  }
}

async function open(path: string, role: PersonRole, size = DESK, inBrowser = browser): Promise<Page> {
  return opened(await openConsolePage(inBrowser, gateway, role), path, size);
}

/** Another tab of whoever is signed in. */
async function openTab(path: string): Promise<Page> {
  return opened(await openPage(browser), path, DESK);
}

async function opened(record: PageRecord, path: string, size: typeof DESK): Promise<Page> {
  records.push(record);
  const { page } = record;
  await page.setViewportSize(size);
  const isLive = page
    .waitForEvent('websocket')
    .then((socket) =>
      socket.waitForEvent('framereceived', ({ payload }) => String(payload).startsWith('CONNECTED')),
    );
  await page.goto(`${gateway.apiUrl}/console/${path}`);
  await isLive;
  return page;
}

/** Resolves with their UUIDs, in order. */
async function report(words: readonly string[], timestampMs = Date.now() - 3_000): Promise<string[]> {
  const rows = words.map((textDescription, index) => ({
    uuid: newRuuid(),
    deviceUuid: dock,
    timestampMs: timestampMs + index,
    textDescription,
    policyAlertTriggers: ['MOTION_HUMAN'],
    thumbnailLocation: { region: 'local' },
  }));
  expect(await gateway.call('ingest/policyAlerts', { rows })).toMatchObject({ rejected: [] });
  return rows.map(({ uuid }) => uuid);
}

const notices = (page: Page) => page.getByRole('region', { name: 'Notices of alerts' });
const notice = (page: Page, title: string) => notices(page).getByRole('article', { name: title });
const button = (page: Page, name: string) => notices(page).getByRole('button', { name });
const badge = (page: Page) => page.locator('.menu-badge');

async function isOpen(policyAlertUuid: string): Promise<boolean> {
  const { policyAlert } = await gateway.call('event/getPolicyAlert', { policyAlertUuid });
  return policyAlert.acknowledgement === undefined;
}

async function shoot(page: Page, name: string): Promise<void> {
  if (process.env.SHOTS === undefined) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${process.env.SHOTS}/${name}-${colorScheme}.png` });
  }
}

test.each([
  ['desk', DESK],
  ['phone', PHONE],
])(
  'a new alert is seen on any page, acknowledged by one click, and reopened by another: %s',
  async (device, size) => {
    const page = await open('schedules', 'operator', size);
    const clicks = await countClicks(page);
    const [alertUuid] = (await report(['Person at the gate'])) as [string];
    const shown = notice(page, 'Person at the gate');
    await shown.getByText('Dock · Harbor').waitFor();
    await until('its picture', () =>
      shown.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth > 0),
    );
    await page.getByRole('status').getByText('New alert: Person at the gate, Dock').waitFor();
    await until('the title to count it', async () => (await page.title()).startsWith('(1) '));
    expect(await badge(page).textContent()).toMatch(/^1/);
    expect(await badge(page).isVisible()).toBe(true);
    await expectAccessible(page, `a notice, ${device}`);
    await shoot(page, `notice-${device}`);
    if (device === 'phone') {
      expect(await smallTargets(page, MIN_TARGET_PX)).toEqual([]);
      await page.setViewportSize(NARROWEST);
      expect(await tooWide(page)).toEqual([]);
      expect(await shown.evaluate((toast) => toast.getBoundingClientRect().right <= innerWidth)).toBe(true);
      await page.setViewportSize(size);
    }

    await button(page, 'Acknowledge: Person at the gate').click();
    await shown.waitFor({ state: 'detached' });
    expect(clicks.since()).toBe(1);
    expect(await isOpen(alertUuid)).toBe(false);
    await badge(page).waitFor({ state: 'detached' });
    expect(await page.title()).not.toContain('(');
    await notices(page).getByText('1 alert acknowledged.').waitFor();
    await expectAccessible(page, `an undo, ${device}`);
    await shoot(page, `undo-${device}`);
    await button(page, 'Undo').click();
    expect(clicks.since()).toBe(1);
    await notices(page).getByText('The alert is open again.').waitFor();
    expect(await isOpen(alertUuid)).toBe(true);
    await badge(page).waitFor();
  },
);

test('“Show” opens the alert, and stays there when it is no longer open', async () => {
  const page = await open('', 'viewer');
  const [alertUuid] = (await report(['Car in the yard'])) as [string];
  expect(await button(page, 'Acknowledge: Car in the yard').count()).toBe(0);
  await notices(page).getByRole('link', { name: 'Show: Car in the yard' }).click();
  const chosen = page.getByRole('region', { name: 'The alert that you opened' });
  await chosen.getByRole('listitem', { name: 'Car in the yard' }).waitFor();
  expect(await notices(page).count()).toBe(0);
  await gateway.call('event/acknowledgePolicyAlert', { alertUuid });
  await chosen.getByText(/^Acknowledged by/).waitFor();
  await expectAccessible(page, 'a chosen alert');
  await shoot(page, 'chosen');
});

test('an alert is closed by itself, but not under the pointer, with the focus, or below a dialog', async () => {
  const page = await open('schedules', 'operator');
  await page.clock.install();
  await report(['Held']);
  await notice(page, 'Held').hover();
  await page.clock.runFor(60_000);
  expect(await notice(page, 'Held').isVisible()).toBe(true);
  await page.mouse.move(5, 5);
  await notice(page, 'Held').getByRole('link').focus();
  await page.clock.runFor(60_000);
  expect(await notice(page, 'Held').isVisible()).toBe(true);
  await page.locator('main').focus();
  await page.evaluate(() => {
    const dialog = document.createElement('dialog');
    document.body.append(dialog);
    dialog.showModal();
  });
  await page.clock.runFor(60_000);
  // Dialogs are above it.
  const { x, y } = (await notice(page, 'Held').boundingBox())!;
  const isOnTop = await page.evaluate(
    (at) => document.elementFromPoint(at.x, at.y)?.closest('.toast') !== null,
    { x: x + 40, y: y + 40 },
  );
  expect(isOnTop).toBe(false);
  await page.evaluate(() => document.querySelector('dialog')!.remove());
  expect(await notice(page, 'Held').isVisible()).toBe(true);
  await page.clock.runFor(20_000);
  await notice(page, 'Held').waitFor({ state: 'detached' });
  // It is still open: only its notice is closed.
  await badge(page).waitFor();
});

test('1,000 alerts in a minute are one notice, one sound, and one undo, with two tabs open', async () => {
  const tabs = [await open('schedules', 'operator'), await openTab('')];
  for (const tab of tabs) {
    await tab.evaluate(() => {
      const counted = globalThis as unknown as { beeps: number };
      counted.beeps = 0;
      const { start } = OscillatorNode.prototype;
      OscillatorNode.prototype.start = function counting(this: OscillatorNode, when) {
        counted.beeps += 1;
        return start.call(this, when);
      };
    });
  }
  const beeps = async () => {
    const counts = tabs.map((tab) => tab.evaluate(() => (globalThis as unknown as { beeps: number }).beeps));
    // A sound has two tones.
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0) / 2;
  };
  const [page, other] = tabs as [Page, Page];
  await other.locator('main').click({ position: { x: 5, y: 5 } });
  await page.getByRole('button', { name: 'Alert sound' }).click();
  await until('the sound that turning it on makes', async () => (await beeps()) === 1);
  expect(await other.getByRole('button', { name: 'Alert sound' }).getAttribute('aria-pressed')).toBe('true');
  for (let batch = 0; batch < 10; batch++) {
    await report(Array.from({ length: STORM / 10 }, (_, index) => `Motion ${batch * 100 + index}`));
  }
  for (const tab of tabs) {
    await notice(tab, '1,000 new alerts').waitFor();
    expect(await notices(tab).getByRole('article').count()).toBe(1);
  }
  expect(await beeps()).toBe(2);
  expect(await badge(page).textContent()).toMatch(/^99\+/);
  expect(await page.title()).toMatch(/^\(99\+\) /);
  await shoot(page, 'storm');
  const clicks = await countClicks(page);
  await button(page, 'Acknowledge: 1,000 new alerts').click();
  await notices(page).getByText('1,000 alerts acknowledged.').waitFor();
  await badge(page).waitFor({ state: 'detached' });
  await notice(other, 'new alerts').waitFor({ state: 'detached' });
  expect(clicks.since()).toBe(1);
  await button(page, 'Undo').click();
  await notices(page).getByText('1,000 alerts are open again.').waitFor();
  expect(clicks.since()).toBe(1);
});

test('others see who has taken an alert, until they release it', async () => {
  const ada = await open('alerts', 'operator');
  const bo = await open('alerts', 'operator', DESK, otherBrowser);
  await report(['Ladder at the fence']);
  const row = (page: Page) => page.getByRole('listitem', { name: 'Ladder at the fence' });
  const clicks = await countClicks(ada);
  await row(ada).getByRole('button', { name: 'More for Ladder at the fence' }).click();
  await row(ada).getByRole('button', { name: 'I’m on it' }).click();
  expect(clicks.since()).toBe(2);
  await row(ada)
    .getByText(/^You are on it/)
    .waitFor();
  await row(bo)
    .getByText(/^Ada Lovelace is on it/)
    .waitFor();
  await row(bo).getByRole('button', { name: 'More for Ladder at the fence' }).click();
  await row(bo).getByRole('button', { name: 'Save with a note' }).waitFor();
  expect(
    await row(bo)
      .getByRole('button', { name: /I’m on it|Leave it to others/ })
      .count(),
  ).toBe(0);
  await expectAccessible(bo, 'a taken alert');
  await bo.setViewportSize(PHONE);
  expect(await tooWide(bo)).toEqual([]);
  expect(await smallTargets(bo, MIN_TARGET_PX)).toEqual([]);
  await shoot(bo, 'taken-phone');
  await shoot(ada, 'taken');
  await row(ada)
    .getByRole('button', { name: /^More for/ })
    .click();
  await row(ada).getByRole('button', { name: 'Leave it to others' }).click();
  await row(bo)
    .getByRole('button', { name: /^More for/ })
    .click();
  await row(bo).getByRole('button', { name: 'I’m on it' }).waitFor();
});

test('the shown alerts are acknowledged together, and reopened by one undo', async () => {
  await report(['Fox 1', 'Fox 2', 'Fox 3', 'Truck']);
  const page = await open('alerts', 'operator', PHONE);
  await page.getByRole('searchbox').fill('fox');
  const clicks = await countClicks(page);
  await page.getByRole('button', { name: 'Acknowledge all 3' }).click();
  await notices(page).getByText('3 alerts acknowledged.').waitFor();
  await page.getByRole('searchbox').fill('');
  await page.getByRole('listitem', { name: 'Truck' }).waitFor();
  expect(await page.getByRole('listitem', { name: /^Fox/ }).count()).toBe(0);
  await shoot(page, 'bulk-phone');
  await button(page, 'Undo').click();
  await page.getByRole('listitem', { name: 'Fox 3' }).waitFor();
  expect(clicks.since()).toBe(2);
  // The same by key.
  await page.getByRole('searchbox').fill('fox');
  await page.getByRole('button', { name: 'Acknowledge all 3' }).click();
  await notices(page).getByText('3 alerts acknowledged.').waitFor();
  await page.keyboard.press('u');
  await notices(page).getByText('3 alerts are open again.').waitFor();
});
