/**
 * Activity, alerts, doors, keys and walls of the console, in Chromium against a whole gateway.
 * Longer than 500 lines: its cases share one gateway.
 */

import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newRuuid } from '../../src/core/ruuid.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { csvOf } from '../../web/console/csv.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { freePort } from '../support/ports.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { countClicks } from './clicks.ts';
import { smallTargets, untilFlashes, untilSettled, violations, watchFlashes } from './console-checks.ts';
import type { PersonRole } from './console-person.ts';
import { type ConsoleRecord, openConsole, visitConsole } from './console-visitor.ts';

/** What a person or a camera can be called. */
const HOSTILE = '<img src=x onerror="window.hacked=1">';
const CAMERAS = ['Dock', HOSTILE, 'Yard'];
const PAGES = ['activity', 'activity/webhooks', 'alerts', 'doors', 'keys', 'walls', 'walls/new'];
const SCREENSHOTS = process.env.PAGE_SCREENSHOTS;
const DESKTOP = { width: 1_440, height: 900 };
const PHONE = { width: 390, height: 844 };
/** Enough that the audit trail has a second page. */
const MANY_DOORS = 1_000;

/** The first camera, which is recorded. The others are not there. */
let dock: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let record: ConsoleRecord | null = null;
let locationUuid: string;
const cameraUuids: string[] = [];

beforeAll(async () => {
  dock = await startCamera();
  const nowhere = await freePort();
  gateway = await TestGateway.start({
    locations: [{ name: 'Headquarters', tz: 'Europe/Berlin' }],
    recording: { fileSize: '4MiB', minFree: '16MiB' },
    cameras: CAMERAS.map((name, i) => ({
      name,
      location: 'Headquarters',
      ...(i === 0 ? { rtsp: dock.url, recording: 'always' } : { rtsp: `rtsp://127.0.0.1:${nowhere}/${i}` }),
    })),
  });
  for (const name of CAMERAS) cameraUuids.push(await gateway.cameraUuid(name));
  locationUuid = (await gateway.call('location/getLocationsV2')).locations[0].uuid;
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await dock?.close();
});

afterEach(async () => {
  const left = record;
  record = null;
  if (left === null) return;
  const hacked = await left.page.evaluate(() => 'hacked' in window);
  await left.page.close();
  expect(hacked).toBe(false);
  expect(left.problems).toEqual([]);
  expect([...left.origins].filter((origin) => origin !== gateway.apiUrl)).toEqual([]);
});

async function open(path: string, role: PersonRole = 'admin'): Promise<Page> {
  record = await visitConsole(browser, gateway, role);
  await record.page.setViewportSize(DESKTOP);
  await openConsole(record.page, gateway, path);
  return record.page;
}

async function report(kind: string, rows: object[]): Promise<void> {
  const response = await gateway.call(`ingest/${kind}`, { rows });
  expect(response).toMatchObject({ error: false, rejected: [] });
}

const alertRow = (textDescription: string, fields: object = {}) => ({
  uuid: newRuuid(),
  deviceUuid: cameraUuids[1],
  timestampMs: Date.now(),
  textDescription,
  policyAlertTriggers: ['MOTION_HUMAN'],
  ...fields,
});

const named = (page: Page, name: string) => page.getByText(name, { exact: true }).first();
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.locator('dialog[open]');
const isGone = (page: Page) => dialog(page).waitFor({ state: 'detached' });

test('a CSV file quotes each cell, and no cell is a formula', () => {
  expect(
    csvOf([
      ['a "b"', 'c,d', 'e\nf'],
      ['=1+1', '+1', '-1', '@x', '\t=1', 'a=1'],
    ]),
  ).toBe('\uFEFF"a ""b""","c,d","e\nf"\r\n"\'=1+1","\'+1","\'-1","\'@x","\'\t=1","a=1"\r\n');
});

describe('a page without content says what to do', () => {
  test.each([
    ['activity/webhooks', ['No one is notified yet', 'No call was made yet']],
    ['alerts', ['There are no alerts']],
    [
      'doors',
      [
        'No device has reported a door',
        'No elevator landing here',
        'There are no lockdown rules',
        'No access is revoked',
      ],
    ],
    ['keys', ['No application is registered', 'No application has access']],
    ['walls', ['There are no walls yet']],
  ])('%s', async (path, titles) => {
    const page = await open(path);
    for (const title of titles) await page.getByRole('heading', { name: title }).waitFor();
  });

  test('activity', async () => {
    const page = await open('activity');
    await page.getByLabel('Kind').selectOption('Views');
    await page.getByRole('heading', { name: 'Nothing happened in this time' }).waitFor();
  });
});

describe('alerts', () => {
  test('arrive at once, are announced if one wants it, and are saved with a note', async () => {
    await report('policyAlerts', [alertRow('An older alert', { timestampMs: Date.now() - 60_000 })]);
    const page = await open('alerts');
    await named(page, 'An older alert').waitFor();
    expect(await page.getByLabel('Sound', { exact: true }).isChecked()).toBe(false);
    await watchFlashes(page);
    await page.getByLabel('Flash').check();
    await untilFlashes(page, 1);
    await untilFollowing();
    await report('policyAlerts', [alertRow(HOSTILE)]);
    await untilFlashes(page, 2);
    const alert = page.getByRole('listitem', { name: HOSTILE });
    await alert.getByText('New', { exact: true }).waitFor();
    await page.getByRole('status').getByText(`New alert: ${HOSTILE}, `).waitFor();
    await until('the title to count it', async () => (await page.title()) === '(2) Alerts · Sluice');

    await alert.getByRole('button', { name: /^More for/ }).click();
    await alert.getByRole('button', { name: 'Save with a note' }).click();
    await dialog(page).getByLabel('Title').fill('Delivery');
    await dialog(page).getByLabel('Note').fill('Checked: the usual van');
    await button(page, 'Save').click();
    await isGone(page);
    await alert.getByText('Saved', { exact: true }).waitFor();
    const { savedClips } = await gateway.call('event/getSavedClipsV2');
    expect(savedClips).toMatchObject([{ title: 'Delivery', description: 'Checked: the usual van' }]);

    await page.reload();
    await named(page, HOSTILE).waitFor();
    expect(await page.getByLabel('Flash').isChecked()).toBe(true);
    await page.getByLabel('Flash').uncheck();
  });

  test('show what the camera saw, and devices that need attention', async () => {
    const timestampMs = Date.now();
    const requested = { cameraUuid: cameraUuids[0], timestampMs };
    const deviceHealth = {
      id: newRuuid(),
      deviceUuid: cameraUuids[2],
      timestampMs,
      symptom: 'SLOW_INTERNET',
    };
    await report('deviceHealth', [deviceHealth]);
    await until('the recording of that time', async () => {
      return (await gateway.call('video/getExactFrameData', requested)).frameData !== undefined;
    });
    await report('policyAlerts', [alertRow('Seen at the dock', { timestampMs, deviceUuid: cameraUuids[0] })]);
    const page = await open('alerts');
    const image = page.getByRole('listitem', { name: 'Seen at the dock' }).locator('img');
    await until('the image', () => image.evaluate((shown: HTMLImageElement) => shown.naturalWidth > 0));
    const unhealthy = page.locator('.unhealthy');
    await unhealthy.getByText('Yard').waitFor();
    await unhealthy.getByText('Its connection is slow').waitFor();
  });

  test('are read a hundred at a time', async () => {
    const rows = Array.from({ length: 120 }, (_, i) =>
      alertRow(`Old ${i}`, { timestampMs: Date.now() - 3_600_000 - i }),
    );
    await report('policyAlerts', rows);
    const page = await open('alerts');
    await page.getByText('100, there are older ones').waitFor();
    await button(page, 'Load older alerts').click();
    await named(page, '123').waitFor();
    await page.getByRole('searchbox').fill('old 119');
    await named(page, 'Old 119').waitFor();
    await named(page, '1 of 123').waitFor();
  });

  test('say why they are not there: refused with the request, or too often', async () => {
    const page = await open('walls');
    let status = 500;
    await page.route('**/api/event/getPolicyAlerts', (route) =>
      route.fulfill({
        status,
        headers: { 'x-request-id': 'the-request', ...(status === 429 ? { 'retry-after': '30' } : {}) },
        json: { error: true, errorMsg: 'The database is down.' },
      }),
    );
    await page.getByRole('link', { name: 'Alerts' }).click();
    await named(page, 'The database is down.').waitFor();
    await page.locator('code', { hasText: 'the-request' }).waitFor();
    status = 429;
    await button(page, 'Try again').click();
    await page.getByRole('heading', { name: 'Too many requests' }).waitFor();
    expect(await page.getByRole('button', { name: /Try again in \d+ s/ }).isDisabled()).toBe(true);
  });
});

describe('doors', () => {
  const door = (fields: object) => ({
    uuid: newRuuid(),
    ownerDeviceUuid: newRuuid(),
    locationUuid,
    ...fields,
  });

  test('show their state and last events, and follow them', async () => {
    const known = door({ name: HOSTILE, defaultState: 'UNLOCKED' });
    await report('doors', [known]);
    const event = { accessControlledDoorUuid: known.uuid, type: 'DoorStateChangeEvent' };
    await report('componentEvents', [{ ...event, uuid: newRuuid(), timestampMs: Date.now() - 5_000 }]);
    await report('elevatorLandings', [
      {
        uuid: newRuuid(),
        ownerDeviceUuid: newRuuid(),
        locationUuid,
        name: 'Floor of offices',
        floorNumber: 3,
      },
    ]);
    await report('accessRevocations', [
      { uuid: newRuuid(), name: 'Contractors', locationUuid, groupUuids: [newRuuid()] },
    ]);
    const page = await open('doors');
    const row = page.getByRole('row', { name: HOSTILE });
    await row.getByText('Unlocked').waitFor();
    await row.getByText(/^Door state change, /).waitFor();
    await named(page, 'Floor of offices').waitFor();
    await named(page, 'Contractors').waitFor();
    await untilFollowing();
    await report('componentEvents', [
      { ...event, type: 'CredentialReceivedEvent', uuid: newRuuid(), timestampMs: Date.now() },
    ]);
    await row.getByText(/^Credential received, /).waitFor();
    await button(page, HOSTILE).click();
    await dialog(page).getByText('Credential received').waitFor();
    await page.keyboard.press('Escape');
    await isGone(page);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(HOSTILE);
  });

  test('are set by lockdown rules, which are created and deleted here', async () => {
    const page = await open('doors');
    await button(page, 'Add rule').click();
    await page.getByLabel('Name').fill(HOSTILE);
    await dialog(page).getByLabel(`Set ${HOSTILE}`).check();
    await page.getByLabel('Call a webhook').fill('https://hook.example.com/lockdown');
    await button(page, 'Add rule').last().click();
    await isGone(page);
    await named(page, 'Raises an alert, sets 1 door, calls 1 webhook').waitFor();
    await button(page, `Delete ${HOSTILE}`).click();
    await button(page, 'Delete rule').click();
    await isGone(page);
    await page.getByRole('heading', { name: 'There are no lockdown rules' }).waitFor();
    expect(
      (await gateway.call('accesscontrol/lockdownPlan/findLockdownRulesByLocation', { locationUuid })).rules,
    ).toEqual([]);
  });

  test('can be many: only those near the screen are in the document', async () => {
    await report(
      'doors',
      Array.from({ length: MANY_DOORS }, (_, i) => door({ name: `Door ${i}` })),
    );
    const page = await open('doors');
    const table = page.getByRole('table', { name: 'Doors' });
    await until('all doors', async () => (await table.getAttribute('aria-rowcount')) === `${MANY_DOORS + 2}`);
    expect(await table.getByRole('row').count()).toBeLessThan(80);
  });
});

describe('keys', () => {
  test('are shown once, and revoked with a word about their last use', async () => {
    const page = await open('keys');
    await button(page, 'Create key').click();
    await page.getByLabel('Name').fill(HOSTILE);
    await page.getByLabel('Role').selectOption('admin');
    await button(page, 'Create key').last().click();
    const apiKey = await dialog(page).getByLabel('API key').inputValue();
    expect((await gateway.call('integrations/validateToken', {}, apiKey)).error).toBe(false);
    await button(page, 'I have copied it').click();
    await isGone(page);
    expect(await page.content()).not.toContain(apiKey);

    await gateway.call('location/createLocation', { location: { name: 'Made with it', tz: 'UTC' } }, apiKey);
    await button(page, `Revoke ${HOSTILE}`).click();
    await dialog(page)
      .getByText(/^Last recorded use: .* from 127\.0\.0\.1/)
      .waitFor();
    await button(page, 'Revoke key').click();
    await isGone(page);
    await named(page, HOSTILE).waitFor({ state: 'detached' });
    await until('the key to be refused', async () => {
      return (await gateway.call('integrations/validateToken', {}, apiKey)).error === true;
    });
  });

  test('and applications: registered with a secret, removed', async () => {
    const page = await open('keys');
    await button(page, 'Register application').click();
    await page.getByLabel('Name').fill('Visitor desk');
    await page.getByLabel('Redirect address').fill('not an address');
    await button(page, 'Register').click();
    await dialog(page)
      .getByRole('alert')
      .getByText(/redirectUri/)
      .waitFor();
    await page.getByLabel('Redirect address').fill('https://desk.example.com/callback');
    await button(page, 'Register').click();
    expect(await page.getByLabel('Client secret').inputValue()).toMatch(/^slo_/);
    await button(page, 'I have copied it').click();
    await button(page, 'Remove Visitor desk').click();
    await button(page, 'Remove application').click();
    await page.getByRole('heading', { name: 'No application is registered' }).waitFor();
  });
});

describe('walls', () => {
  test('are created, ordered with the keyboard and the mouse, shared by link, deleted', async () => {
    const page = await open('walls');
    await page.getByRole('link', { name: 'New wall' }).click();
    await page.getByLabel('Name').fill(HOSTILE);
    for (const name of CAMERAS) await page.getByRole('option', { name }).click();
    await button(page, 'Move Yard forward').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    expect(await page.locator('.ordered .name').allTextContents()).toEqual(['Yard', 'Dock', HOSTILE]);
    await page.locator('.ordered li').nth(2).dragTo(page.locator('.ordered li').nth(1));
    expect(await page.locator('.ordered .name').allTextContents()).toEqual(['Yard', HOSTILE, 'Dock']);
    await page.getByLabel('Layout').selectOption('THREE_BY_THREE');
    await button(page, 'Create wall').click();
    await page.getByRole('heading', { name: 'The wall is not shared' }).waitFor();
    const [wall] = (await gateway.call('camera/getVideoWalls')).videoWalls;
    expect(wall).toMatchObject({
      displayName: HOSTILE,
      layout: { kind: 'THREE_BY_THREE', tourSec: 0 },
      deviceList: [cameraUuids[2], cameraUuids[1], cameraUuids[0]],
    });

    await button(page, 'Share by link').click();
    await page.getByLabel('Password').fill('correct horse');
    await button(page, 'Create link').click();
    const url = await page.getByLabel('Link', { exact: true }).inputValue();
    expect(url.startsWith(`${gateway.mediaUrl}/`)).toBe(true);
    expect(
      await page.getByRole('dialog').getByRole('link', { name: 'Open', exact: true }).getAttribute('href'),
    ).toBe(url);
    await button(page, 'Done').click();
    await named(page, 'With password').waitFor();
    await button(page, `End ${url}`).click();
    await button(page, 'End link').click();
    await page.getByRole('heading', { name: 'The wall is not shared' }).waitFor();

    await button(page, 'Delete wall').click();
    await button(page, 'Delete wall').last().click();
    await page.getByRole('heading', { name: 'There are no walls yet' }).waitFor();
  });
});

describe('activity', () => {
  test('names who did what from where, is filtered, and goes on with older entries', async () => {
    await gateway.share('Yard', { name: '=cmd|x' });
    const page = await open('activity');
    await named(page, 'Shared a camera without password').waitFor();
    await page.getByRole('searchbox').fill('=cmd 127.0.0.1');
    await page.getByText(/^1 of \d+ entries/).waitFor();
    await page.getByLabel('Kind').selectOption('Views');
    await page.getByRole('heading', { name: 'No entry matches' }).waitFor();
    await page.getByLabel('Kind').selectOption('Changes');
    await named(page, 'Shared a camera without password').click();
    await dialog(page).getByText('SHARED_LIVE_VIDEO_STREAM_WITHOUT_PASSWORD_CREATE').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox').fill('');
    const before = await shownRows(page);
    await button(page, 'Load older entries').click();
    await until('more entries', async () => (await shownRows(page)) > before);
  });

  test('is filtered by camera, also by its address, and has the first and the last time of views', async () => {
    const [dockUuid, , yardUuid] = cameraUuids;
    const { pageUrl } = await gateway.share('Dock', { name: 'Watched twice' });
    for (let visit = 0; visit < 2; visit++) {
      const { page: viewer } = await openPage(browser);
      await viewer.goto(pageUrl);
      await viewer.waitForSelector('#live[data-state="live"]');
      await viewer.close();
    }
    const views = async () => {
      const { auditEvents } = await gateway.call('report/getAuditFeed', {
        cameraUuid: dockUuid,
        includeActions: ['VIEW_SHARE_STREAM'],
      });
      return auditEvents.find((event: Json) => event.targetName === 'Watched twice');
    };
    await until('both views', async () => ((await views())?.occurrences ?? 0) >= 2);
    const page = await open(`activity?camera=${dockUuid}&kind=links`);
    const row = page.getByRole('row').filter({ hasText: 'Watched twice' }).first();
    await row.waitFor();
    expect(await page.getByLabel('Camera', { exact: true }).inputValue()).toBe(dockUuid);
    const times = await row
      .locator('time')
      .evaluateAll((all) => all.map((one) => one.getAttribute('datetime')));
    const { timestamp, lastTimestamp } = await views();
    expect(times).toEqual([timestamp, lastTimestamp]);
    for (const size of [PHONE, DESKTOP]) {
      await page.setViewportSize(size);
      if (SCREENSHOTS !== undefined) {
        await page.screenshot({ path: `${SCREENSHOTS}/activity-${size.width}.png` });
      }
      expect(await violations(page)).toEqual([]);
    }
    await page.getByLabel('Camera', { exact: true }).selectOption({ label: 'Yard' });
    await row.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe(`?kind=links&camera=${yardUuid}`);
  });

  test('is exported as it is filtered, older entries too', async () => {
    const page = await open('activity');
    await named(page, 'Shared a camera without password').waitFor();
    await page.getByRole('searchbox').fill('Door');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      button(page, 'Export as CSV').click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^activity-\d{4}-\d\d-\d\d\.csv$/);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
    expect(lines[0]).toContain('"Time","Last time","Count","Action"');
    expect(lines.filter((line) => /"Door \d+"/.test(line))).toHaveLength(MANY_DOORS);
    await page.getByRole('searchbox').fill('=cmd');
    const [formula] = await Promise.all([
      page.waitForEvent('download'),
      button(page, 'Export as CSV').click(),
    ]);
    expect(await readFile(await formula.path(), 'utf8')).toContain(`,"'=cmd|x",`);
  });

  test('of webhooks: added with a secret, turned off, removed', async () => {
    const page = await open('activity/webhooks');
    const url = 'https://hook.example.com/alerts';
    await button(page, 'Add webhook').click();
    await page.getByLabel('Address').fill(url);
    await button(page, 'Add webhook').last().click();
    expect((await page.getByLabel('Secret').inputValue()).length).toBeGreaterThan(20);
    // No name server knows this host: the test is a result, and one of the calls.
    const clicks = await countClicks(page);
    await button(page, 'Send a test').click();
    await page.getByText('It did not work').waitFor();
    await page.getByText('The host name could not be resolved.').waitFor();
    expect(clicks.since()).toBe(1);
    expect(await violations(page)).toEqual([]);
    await button(page, 'Turn off').click();
    await isGone(page);
    await named(page, 'Off').waitFor();
    // The test is a call to the same address.
    await button(page, url).first().click();
    await button(page, 'Remove').click();
    await button(page, 'Remove webhook').click();
    await isGone(page);
    await page.getByRole('heading', { name: 'No one is notified yet' }).waitFor();
  });
});

describe('a viewer', () => {
  test('finds nothing to change, and no keys', async () => {
    await gateway.call('camera/createVideoWall', {
      videoWall: { displayName: 'Control room', deviceList: cameraUuids },
    });
    await report('policyAlerts', [alertRow('Seen by everyone')]);
    await report('doors', [{ uuid: newRuuid(), ownerDeviceUuid: newRuuid(), locationUuid, name: 'Gate' }]);
    const page = await open('walls', 'viewer');
    await page.locator('.wall-open').filter({ hasText: 'Control room' }).click();
    await page.getByText('Your role can watch walls.').waitFor();
    for (const name of ['Delete wall', 'Save wall', 'Share by link']) {
      expect(await button(page, name).count()).toBe(0);
    }
    expect(await page.getByRole('link', { name: 'Keys' }).count()).toBe(0);
    await page.goto(`${gateway.apiUrl}/console/keys`);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await page.getByRole('link', { name: 'Alerts' }).click();
    await named(page, 'Seen by everyone').waitFor();
    expect(await page.getByRole('button', { name: /^(?:More for|Acknowledge)/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Doors' }).click();
    await page.getByRole('table', { name: 'Doors' }).waitFor();
    expect(await button(page, 'Add rule').count()).toBe(0);
  });
});

describe('everyone', () => {
  test.each(PAGES)(
    'can use %s: by keyboard and screen reader, in light and dark, on a phone',
    async (path) => {
      const page = await open(path);
      for (const size of [PHONE, DESKTOP]) {
        await page.setViewportSize(size);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          await untilSettled(page);
          expect(await violations(page), `${size.width} px, ${colorScheme}`).toEqual([]);
        }
        expect(
          await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
        ).toBeLessThanOrEqual(0);
        expect(await smallTargets(page), `${size.width} px`).toEqual([]);
      }
    },
  );

  test('can use the dialogs', async () => {
    const page = await open('doors');
    for (const [path, opener] of [
      ['doors', 'Add rule'],
      ['keys', 'Create key'],
      ['keys', 'Revoke Installation key'],
      ['activity/webhooks', 'Add webhook'],
    ] as const) {
      await openConsole(page, gateway, path);
      await button(page, opener).click();
      await dialog(page).waitFor();
      await untilSettled(page);
      expect(await violations(page), opener).toEqual([]);
    }
  });
});

/** From now on, what happens reaches the page. */
async function untilFollowing(): Promise<void> {
  await until('the page to follow changes', () => record?.isFollowing() === true);
}

async function shownRows(page: Page): Promise<number> {
  const count = await page.getByRole('table', { name: 'Activity' }).getAttribute('aria-rowcount');
  return Number(count);
}
