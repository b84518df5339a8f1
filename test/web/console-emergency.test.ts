/**
 * An emergency, from an alert to its report: the partner gets the link by mail and webhook, watches, and is cut off when someone closes it,
 * or when its time is over.
 */

import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newRuuid } from '../../src/core/ruuid.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { FakeWebhookHost } from '../../src/webhooks/fake-webhook-host.ts';
import { TestGateway } from '../support/gateway.ts';
import { TestSmtpServer } from '../support/smtp-server.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { countClicks } from './clicks.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';
import type { PersonRole } from './console-person.ts';

const DESK = { width: 1_440, height: 900 };
const PHONE = { width: 390, height: 844 };
const MIN_TARGET_PX = 40;
/** From an alert to open cameras. */
const MAX_CLICKS = 3;
const DISPATCH = 'dispatch@county.example';
const SCREENSHOTS = process.env.PAGE_SCREENSHOTS;
const ALERT = 'Panic button at the dock';

let camera: SyntheticCamera;
let smtp: TestSmtpServer;
let host: FakeWebhookHost;
let gateway: TestGateway;
let browser: TestBrowser;
let partnerBrowser: TestBrowser;
let dock: string;
const records: PageRecord[] = [];

beforeAll(async () => {
  camera = await startCamera();
  smtp = await TestSmtpServer.open();
  host = await FakeWebhookHost.open();
  gateway = await TestGateway.start({
    mail: { host: '127.0.0.1', port: smtp.port, tls: 'none', from: 'alarms@example.com' },
    webhooks: { allowPrivateNetworks: true },
    locations: [{ name: 'Harbor', tz: 'America/New_York' }],
    cameras: [
      { name: 'Dock', location: 'Harbor', rtsp: camera.url },
      { name: 'Gate', location: 'Harbor', rtsp: camera.url },
    ],
    demo: false,
  });
  dock = await gateway.cameraUuid('Dock');
  await gateway.call('emergency/setEmergencyPartner', {
    name: 'County dispatch',
    partnerType: 'RAPIDSOS',
    mailAddresses: [DISPATCH],
    webhookUrl: host.url(),
  });
  browser = await startBrowser();
  partnerBrowser = await startBrowser();
});
afterAll(async () => {
  await partnerBrowser?.close();
  await browser?.close();
  await gateway?.dispose();
  await host?.close();
  await smtp?.close();
  await camera?.close();
});
afterEach(async () => {
  for (const { page } of records) await page.close();
  expect(records.flatMap(({ problems }) => problems)).toEqual([]);
  records.length = 0;
});

async function openConsole(path: string, role: PersonRole, size = DESK): Promise<Page> {
  const record = await openConsolePage(browser, gateway, role);
  records.push(record);
  await record.page.setViewportSize(size);
  await record.page.goto(`${gateway.apiUrl}/console/${path}`);
  return record.page;
}

async function raiseAlert(): Promise<void> {
  const row = { uuid: newRuuid(), deviceUuid: dock, timestampMs: Date.now(), textDescription: ALERT };
  const answer = await gateway.call('ingest/policyAlerts', {
    rows: [{ ...row, policyAlertTriggers: ['PANIC_BUTTON'] }],
  });
  expect(answer.rejected).toEqual([]);
}

/** The link in the newest mail. */
async function mailedLink(count: number): Promise<string> {
  await until('the mail', () => smtp.for(DISPATCH).length >= count);
  const link = /https?:\/\/\S+\/wall\/\S+/.exec(smtp.for(DISPATCH).at(-1)!.text ?? '')?.[0];
  expect(link).toBeDefined();
  return link!;
}

/** The partner's page, with video that moves. */
async function watch(link: string): Promise<Page> {
  const record = await openPage(partnerBrowser);
  records.push(record);
  await record.page.goto(link);
  await record.page.waitForFunction(() => {
    const tiles = [...document.querySelectorAll<HTMLElement>('.tile')];
    return tiles.length > 0 && tiles.every(({ dataset }) => dataset.state === 'live');
  });
  return record.page;
}

const shot = async (page: Page, name: string) => {
  if (SCREENSHOTS !== undefined)
    await page.screenshot({ path: `${SCREENSHOTS}/emergency-${name}.png`, fullPage: true });
};
const bar = (page: Page) => page.getByRole('region', { name: 'Cameras that are open in an emergency' });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
/** What the partner reads when nothing is open to it any more. */
const isCutOff = (page: Page) =>
  page
    .getByText(/This link has (?:been turned off|expired)/)
    .first()
    .waitFor();

test('an alert is open to the partner after at most 3 clicks, and closes with one from any page', async () => {
  await raiseAlert();
  const page = await openConsole('alerts', 'operator');
  const clicks = await countClicks(page);
  await button(page, `More for ${ALERT}`).click();
  await button(page, 'Open to emergency partner').click();
  await page.getByRole('dialog').getByLabel('Reason').waitFor();
  expect(await page.getByRole('dialog').getByLabel('Reason').inputValue()).toBe(ALERT);
  await shot(page, 'dialog-desk');
  await button(page, 'Open now').click();
  await page.getByRole('heading', { name: 'The cameras are open' }).waitFor();
  expect(clicks.since()).toBeLessThanOrEqual(MAX_CLICKS);
  await expectAccessible(page, 'opened');
  await shot(page, 'opened-desk');

  const link = await mailedLink(1);
  await until('the call of the webhook', () => host.calls.length > 0);
  const call = JSON.parse(host.calls[0]!.body);
  expect(call).toMatchObject({ event: 'emergency', change: 'opened', reason: ALERT });
  expect(call.pageUrl).not.toBe(link);
  const partner = await watch(link);
  // A program plays a camera by its playlist.
  const playlist = await fetch(call.cameras[0].liveM3U8Url);
  expect([playlist.status, (await playlist.text()).startsWith('#EXTM3U')]).toEqual([200, true]);

  // Another person, on another page.
  const other = await openConsole('people', 'admin');
  await bar(other).getByText('County dispatch').waitFor();
  await bar(other)
    .getByText(/until .+ left/)
    .waitFor();
  await expectAccessible(other, 'bar');
  await shot(other, 'bar-desk');
  // Nor does a wall on the whole window cover it.
  await other.goto(`${gateway.apiUrl}/console/watch?cameras=${dock}`);
  await bar(other).getByText('County dispatch').click({ trial: true });
  // And a single camera on the whole screen does not either.
  await other.goto(`${gateway.apiUrl}/console/cameras/${dock}`);
  await button(other, 'Full screen').click();
  await until('full screen', () => other.evaluate(() => document.fullscreenElement !== null));
  const inStage = other.locator('.camera-stage').getByRole('region', { name: /^Cameras that are open/ });
  await inStage.getByText('County dispatch').click({ trial: true });
  const [picture, line] = [other.locator('.zoom-stage'), inStage];
  const pictureBox = (await picture.boundingBox())!;
  expect(pictureBox.y + pictureBox.height).toBeLessThanOrEqual((await line.boundingBox())!.y + 1);
  await expectAccessible(other, 'bar on the whole screen');
  await shot(other, 'camera-full');
  // The controls are over the picture until no one moves; keys bring them back.
  const opacity = () =>
    other.locator('.stage-bar').evaluate((controls) => getComputedStyle(controls).opacity);
  await until('the picture alone', async () => (await opacity()) === '0');
  await other.keyboard.press('Shift+Tab');
  await until('the controls', async () => (await opacity()) === '1');
  await other.keyboard.press('f');
  await until('no full screen', () => other.evaluate(() => document.fullscreenElement === null));
  await other.goto(`${gateway.apiUrl}/console/people`);
  await bar(other).waitFor();
  const otherClicks = await countClicks(other);
  await bar(other)
    .getByRole('button', { name: /^Close now/ })
    .click();
  await isCutOff(partner);
  expect(otherClicks.since()).toBe(1);
  await shot(partner, 'partner-cut-off');
  await bar(other).waitFor({ state: 'detached' });
  expect((await fetch(call.cameras[0].liveM3U8Url)).status).toBe(403);
  await until('the call about the end', () => host.calls.length > 1);
});

test('on a phone, one tap on a camera’s and a site’s page asks whether to open the cameras, and opens none', async () => {
  const { locations } = await gateway.call('location/getLocationsV2', {});
  for (const [name, path] of [
    ['camera', `cameras/${dock}`],
    ['site', `sites/${locations[0].uuid}`],
  ] as const) {
    const page = await openConsole(path, 'operator', PHONE);
    const box = (await button(page, 'Emergency…').boundingBox())!;
    const menu = (await page.locator('.shell > .menu').boundingBox())!;
    expect(box.y + box.height, name).toBeLessThanOrEqual(menu.y);
    const color = await button(page, 'Emergency…').evaluate(
      (element) => getComputedStyle(element).backgroundColor,
    );
    expect(color, name).toBe('rgb(198, 40, 40)');
    await expectAccessible(page, `${name} on a phone`);
    await shot(page, `${name}-phone`);
    const clicks = await countClicks(page);
    await button(page, 'Emergency…').click();
    await page.getByRole('dialog').getByLabel('Reason').waitFor();
    expect(clicks.since()).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await gateway.call('emergency/getOpenEmergencies', {})).emergencies).toEqual([]);
  }
});

test('a phone opens the cameras of a site; the report says who watched what, and is saved and printed', async () => {
  const { locations } = await gateway.call('location/getLocationsV2', {});
  const page = await openConsole(`sites/${locations[0].uuid}`, 'operator', PHONE);
  await button(page, 'Emergency…').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('Fire in the warehouse');
  expect(await dialog.getByRole('checkbox').count()).toBe(2);
  expect(await tooWide(page)).toEqual([]);
  expect(await smallTargets(page, MIN_TARGET_PX)).toEqual([]);
  await shot(page, 'dialog-phone');
  await button(page, 'Open now').click();
  await page.getByRole('heading', { name: 'The cameras are open' }).waitFor();
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  await bar(page).waitFor();
  expect(await tooWide(page)).toEqual([]);
  await shot(page, 'bar-phone');

  const partner = await watch(await mailedLink(2));
  await bar(page).getByRole('link').first().click();
  await page.getByText('Watching').first().waitFor();
  await button(page, 'Close now').click();
  await isCutOff(partner);
  await page.getByText('Closed', { exact: true }).waitFor();
  await page.getByText('Not known; at the latest when it closed').first().waitFor({ state: 'detached' });
  await expectAccessible(page, 'report');
  expect(await tooWide(page)).toEqual([]);
  await shot(page, 'report-phone');
  await page.setViewportSize(DESK);
  await shot(page, 'report-desk');

  const saving = page.waitForEvent('download');
  await button(page, 'Save report').click();
  const html = await readFile(await (await saving).path(), 'utf8');
  for (const fact of [
    'Fire in the warehouse',
    'County dispatch',
    DISPATCH,
    'Dock',
    'Gate',
    'Ada Lovelace',
    '127.0.0.1',
  ]) {
    expect(html).toContain(fact);
  }
  expect(html).not.toMatch(/<script|src=/);
  const savingJson = page.waitForEvent('download');
  await button(page, 'Save as JSON').click();
  const report = JSON.parse(await readFile(await (await savingJson).path(), 'utf8'));
  expect(report.deliveries.map(({ state }: { state: string }) => state)).toContain('DELIVERED');
  const watched = new Set(report.views.map(({ cameraUuid }: { cameraUuid: string }) => cameraUuid));
  expect(watched.size).toBe(2);
  for (const view of report.views) expect(view.untilMs).toBeDefined();
});

test('an administrator adds a partner and a rule, which opens a camera and closes it on time', async () => {
  const page = await openConsole('emergencies', 'admin');
  await button(page, 'Add partner').click();
  await page.getByLabel('Name').fill('Night guard');
  await page.getByLabel('Kind').selectOption('ALARM_MONITORING');
  await page.getByLabel('Mail addresses').fill('guard@center.example');
  await button(page, 'Save').click();
  await page.getByText('guard@center.example').waitFor();
  await button(page, 'Add rule').click();
  await page.getByLabel('Name').fill('Panic buttons');
  await page.getByLabel('To whom').selectOption({ label: 'Night guard' });
  await button(page, 'Save').click();
  await page.getByText('Panic buttons').waitFor();
  await expectAccessible(page, 'setup');
  await shot(page, 'setup-desk');
  // The console offers no minute; a program can.
  const { emergencyRules } = await gateway.call('emergency/getEmergencyRules', {});
  const { emergencyRuleUuid, name, emergencyPartnerUuid, triggers } = emergencyRules[0];
  const rule = { emergencyRuleUuid, name, emergencyPartnerUuid, triggers, minutes: 1 };
  await gateway.call('emergency/setEmergencyRule', rule);

  await raiseAlert();
  await bar(page).getByText('Night guard').waitFor();
  await until('the mail', () => smtp.for('guard@center.example').length > 0);
  const link = /https?:\/\/\S+\/wall\/\S+/.exec(smtp.for('guard@center.example')[0]!.text ?? '')![0];
  const partner = await watch(link);
  const { emergencies } = await gateway.call('emergency/getOpenEmergencies', {});
  await isCutOff(partner);
  await bar(page).waitFor({ state: 'detached' });
  await until(
    'its report',
    async () => (await gateway.call('emergency/getOpenEmergencies', {})).emergencies.length === 0,
  );
  const report = await gateway.call('emergency/getEmergencyReport', {
    emergencyUuid: emergencies[0].emergencyUuid,
  });
  const { untilMs } = emergencies[0];
  expect(report.emergency).toMatchObject({ isOpen: false, isByRule: true, openedBy: 'Panic buttons' });
  expect(report.emergency.closedBy).toBeUndefined();
  expect(report.emergency.closedAtMs).toBe(untilMs);
  for (const view of report.views) expect(view.untilMs).toBeDefined();
  await gateway.call('emergency/deleteEmergencyRule', { emergencyRuleUuid });
});

test('pages with emergencies are in other languages, and hostile names are text', async () => {
  const { partner } = await gateway.call('emergency/setEmergencyPartner', {
    name: '<img src=x onerror=alert(1)>',
    partnerType: 'RAPIDSOS',
  });
  const { emergency } = await gateway.call('emergency/openEmergency', {
    emergencyPartnerUuid: partner.emergencyPartnerUuid,
    cameraUuids: [dock],
    reason: '<script>alert(1)</script>',
    minutes: 5,
  });
  const german = await startBrowser([], { locale: 'de-DE' });
  try {
    const { page, problems } = await openConsolePage(german, gateway, 'operator');
    await page.setViewportSize(DESK);
    await page.goto(`${gateway.apiUrl}/console/emergencies/${emergency.emergencyUuid}`);
    await page.getByRole('heading', { name: 'Notfall: Dock' }).waitFor();
    await page.getByText('<script>alert(1)</script>').waitFor();
    await page.getByText('Dock offen für <img src=x onerror=alert(1)>').waitFor();
    expect(await tooWide(page)).toEqual([]);
    await page.getByRole('button', { name: 'Jetzt schließen', exact: true }).click();
    await page.getByText(/von Ada Lovelace$/).waitFor();
    expect(problems).toEqual([]);
  } finally {
    await german.close();
  }
});
