/**
 * Walls, notification settings, and mail without a mouse: each control gets the focus by Tab, shows that it has it, and does not keep it;
 * Escape closes what is open, and the focus returns.
 */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newRuuid } from '../../src/core/ruuid.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { TestSmtpServer } from '../support/smtp-server.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { untilSettled } from './console-checks.ts';
import { openConsolePage } from './console-page.ts';

const DESKTOP = { width: 1_440, height: 900 };
const NAMES = ['Dock', 'Gate', 'Yard', 'Lobby', 'Roof'];
/** More than any page has. */
const MAX_TABS = 200;

let camera: SyntheticCamera;
let smtp: TestSmtpServer;
let gateway: TestGateway;
let browser: TestBrowser;
let page: Page;
const uuids: string[] = [];

beforeAll(async () => {
  camera = await startCamera();
  smtp = await TestSmtpServer.open();
  gateway = await TestGateway.start({
    demo: false,
    hls: { idleStop: '5m' },
    mail: { host: '127.0.0.1', port: smtp.port, tls: 'none', from: 'alarms@example.com' },
    locations: [{ name: 'Harbor', tz: 'UTC' }],
    cameras: NAMES.map((name) => ({ name, rtsp: camera.url, location: 'Harbor' })),
  });
  for (const name of NAMES) uuids.push(await gateway.cameraUuid(name));
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await smtp?.close();
  await camera?.close();
});
afterEach(async () => {
  await page?.close();
});

async function open(path: string, role: 'admin' | 'operator' = 'admin'): Promise<void> {
  ({ page } = await openConsolePage(browser, gateway, role));
  await page.setViewportSize(DESKTOP);
  await page.goto(`${gateway.apiUrl}/console/${path}`);
  await page.locator('h1').first().waitFor();
  await untilSettled(page);
}

const press = (key: string) => page.keyboard.press(key);
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const focused = () =>
  page.evaluate(() => {
    const { activeElement: element } = document;
    return element?.getAttribute('aria-label') ?? element?.textContent ?? '';
  });

/** Where the focus is, and what is wrong with it; null: it left the page. */
function lookAtFocus(): Promise<{ readonly control: string; readonly fault: string } | null> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLElement | null;
    if (element === null || element === document.body || element.tagName === 'MAIN') return null;
    const numbered = globalThis as unknown as { numbers?: WeakMap<Element, number>; count?: number };
    numbered.numbers ??= new WeakMap();
    if (!numbered.numbers.has(element)) {
      numbered.count = (numbered.count ?? 0) + 1;
      numbered.numbers.set(element, numbered.count);
    }
    // What shows the focus: the control, its label, or the row that it opens.
    const shown = [element, element.closest('label'), element.closest('.row'), element.nextElementSibling];
    const isShown = shown.some((one) => one !== null && getComputedStyle(one).outlineStyle !== 'none');
    const { top, bottom, left, right } = (element.closest('label') ?? element).getBoundingClientRect();
    const isInSight = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
    const fault = [isShown ? '' : 'shows no focus', isInSight ? '' : 'is out of sight'].join(' ').trim();
    element.dataset.hadFocus = 'true';
    return { control: `${numbered.numbers.get(element)} ${element.outerHTML.slice(0, 120)}`, fault };
  });
}

/** Presses Tab until the focus is where it was before. What is wrong: no focus to see, or a control in `within` without it. */
async function tabFaults(within: string): Promise<string[]> {
  const seen = new Set<string>();
  const faults: string[] = [];
  let tabs = 0;
  for (; tabs < MAX_TABS; tabs++) {
    await press('Tab');
    const at = await lookAtFocus();
    if (at === null) continue;
    if (seen.has(at.control.split(' ')[0]!)) break;
    seen.add(at.control.split(' ')[0]!);
    if (at.fault !== '') faults.push(`${at.control} ${at.fault}`);
  }
  if (tabs === MAX_TABS) faults.push('the focus never returns');
  const missed = await page
    .locator(within)
    .locator('a[href], button, input, select, textarea, summary, [tabindex="0"]')
    .evaluateAll((elements) =>
      (elements as HTMLElement[])
        .filter((element) => element.checkVisibility() && !element.matches(':disabled, [tabindex="-1"]'))
        // One of several: arrows reach the others.
        .filter((element) => {
          const { type, name } = element as HTMLInputElement;
          const others = [...document.querySelectorAll<HTMLElement>(`input[type="radio"][name="${name}"]`)];
          return type !== 'radio' || !others.some(({ dataset }) => dataset.hadFocus === 'true');
        })
        .filter(({ dataset }) => dataset.hadFocus !== 'true')
        .map((element) => `${element.outerHTML.slice(0, 120)} gets no focus`),
    );
  return [...faults, ...missed];
}

/** Its heading takes the focus shortly after a dialog appears. */
async function dialogOpened(): Promise<void> {
  await page.getByRole('dialog').waitFor();
  await until('the heading has the focus', () =>
    page.evaluate(() => document.activeElement?.matches('dialog h2') === true),
  );
}

/** Presses Tab until the control has the focus. */
async function tabTo(name: string | RegExp): Promise<void> {
  const isIt = (text: string) => (typeof name === 'string' ? text.trim() === name : name.test(text));
  for (let tabs = 0; tabs < MAX_TABS; tabs++) {
    await press('Tab');
    if (isIt(await focused())) return;
  }
  throw new Error(`No Tab reaches ${name}`);
}

async function reportAlert(deviceUuid: string, textDescription: string): Promise<void> {
  const row = { uuid: newRuuid(), deviceUuid, timestampMs: Date.now(), durationSec: 1, textDescription };
  await gateway.call('ingest/policyAlerts', { rows: [{ ...row, policyAlertTriggers: ['MOTION_HUMAN'] }] });
}

test('a wall is built, watched, toured, and left', async () => {
  await open('walls');
  expect(await tabFaults('main')).toEqual([]);
  await tabTo(/^\s*New wall$/);
  await press('Enter');
  await page.getByRole('heading', { name: 'New wall', level: 1 }).waitFor();
  await page.getByLabel('Name').focus();
  await page.keyboard.type('By keys');
  await press('Tab');
  await page.getByRole('combobox', { name: 'Cameras' }).focus();
  for (const name of NAMES) {
    await page.keyboard.type(name);
    await press('Enter');
    for (let i = 0; i < name.length; i++) await press('Backspace');
    await page.getByText(name, { exact: true }).first().waitFor();
  }
  expect(await tabFaults('main')).toEqual([]);
  await page.getByLabel('Layout').focus();
  await page.keyboard.type('2');
  expect(await page.getByLabel('Layout').inputValue()).toBe('TWO_BY_TWO');
  await tabTo('Create wall');
  await press('Enter');
  await page.getByRole('heading', { name: 'By keys', level: 1 }).waitFor();
  await tabTo(/^\s*Watch$/);
  await press('Enter');
  await page.locator('.watch-bar').waitFor();
  await page.locator('.watch-tile').nth(3).waitFor();
  expect(await tabFaults('.watch')).toEqual([]);
  await tabTo('Start the tour');
  await press('Enter');
  await until('the tour', async () => (await focused()) === 'Stop the tour');
  await press('Enter');
  await until('no tour', async () => (await focused()) === 'Start the tour');
  await tabTo(/^Dock\. .*Bring forward$/);
  await press('Enter');
  await page.getByRole('heading', { name: 'Dock', level: 1 }).waitFor();
  await press('Escape');
  await page.getByRole('heading', { name: 'By keys', level: 1 }).waitFor();
  await tabTo('Full screen');
  await press('Enter');
  await until('full screen', () => page.evaluate(() => document.fullscreenElement !== null));
  expect(await tabFaults('.watch')).toEqual([]);
  await press('f');
  await until('no full screen', () => page.evaluate(() => document.fullscreenElement === null));
  await tabTo('Leave');
  await press('Enter');
  await page.getByRole('heading', { name: 'By keys', level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).not.toContain('watch');
});

test('an alert on a wall is acknowledged, and that is undone', async () => {
  const { uuid } = await gateway.call('camera/createVideoWall', {
    videoWall: { displayName: 'Alerts', deviceList: uuids.slice(0, 3) },
  });
  await open(`walls/${uuid}/watch`, 'operator');
  await page.locator('.watch-tile').nth(2).waitFor();
  const bar = page.getByRole('region', { name: 'Alert' });
  await reportAlert(uuids[1]!, 'Person at the fence');
  await bar.getByText('Person at the fence').waitFor();
  expect(await tabFaults('.watch')).toEqual([]);
  await tabTo(/^Acknowledge/);
  await press('Enter');
  await bar.waitFor({ state: 'detached' });
  await tabTo(/^Undo/);
  await press('Enter');
  await bar.getByText('Person at the fence').waitFor();
  // Escape puts it back, and it waits.
  await press('Escape');
  await bar.waitFor({ state: 'detached' });
  await tabTo('1 alert waits');
  await press('Enter');
  await bar.getByText('Person at the fence').waitFor();
});

test('notification settings are changed, and each dialog is closed with Escape', async () => {
  await open('account');
  await page.getByRole('heading', { name: 'Notifications of alerts' }).waitFor();
  expect(await tabFaults('main')).toEqual([]);
  await tabTo('Choose alerts');
  await press('Enter');
  await page.getByRole('combobox', { name: 'Find: kinds of alerts' }).waitFor();
  expect(await tabFaults('dialog')).toEqual([]);
  await press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await focused()).toBe('Choose alerts');
  const always = page.getByRole('radio', { name: 'Always' });
  await always.focus();
  await press('ArrowRight');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Office hours' }).waitFor();
  expect(await tabFaults('dialog')).toEqual([]);
  await dialog.getByRole('button', { name: 'Office hours' }).focus();
  await press('Enter');
  await dialog.getByRole('button', { name: 'Save' }).focus();
  await press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await button('Change the hours').waitFor();
  await tabTo('Change the hours');
  await press('Enter');
  await dialog.waitFor();
  await press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await focused()).toBe('Change the hours');
});

test('the name of mail is changed, and the dialog of an alarm center opened and left', async () => {
  await open('mail');
  expect(await tabFaults('main')).toEqual([]);
  await page.getByLabel('Name of the sender').focus();
  await page.keyboard.type('Harbor');
  await press('Enter');
  await until('the name', async () => {
    const { mailSettings } = await gateway.call('console/getMailSettings');
    return mailSettings.senderName === 'Harbor';
  });
  await tabTo('Alarm centers');
  await press('Enter');
  await page.getByRole('heading', { name: 'Alarm centers', level: 1 }).waitFor();
  await untilSettled(page);
  expect(await tabFaults('main')).toEqual([]);
  await tabTo(/^\s*Add alarm center$/);
  await press('Enter');
  await dialogOpened();
  expect(await tabFaults('dialog')).toEqual([]);
  await press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect((await focused()).trim()).toBe('Add alarm center');
});
