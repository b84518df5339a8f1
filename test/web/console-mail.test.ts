/** Mail in the console, in Chromium: the server is set up and tested, a link goes out, an alert arrives in a real mailbox. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newRuuid } from '../../src/core/ruuid.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { TestSmtpServer } from '../support/smtp-server.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { type Clicks, countClicks } from './clicks.ts';
import { expectAccessible, openConsolePage, tooWide } from './console-page.ts';

const DESKTOP = { width: 1_440, height: 900 };
const PHONE = { width: 390, height: 844 };
const NARROWEST = { width: 320, height: 700 };

let camera: SyntheticCamera;
let gateway: TestGateway;
let server: TestSmtpServer;
let browser: TestBrowser;
let record: PageRecord;
let page: Page;
let clicks: Clicks;
let email: string;

beforeAll(async () => {
  server = await TestSmtpServer.open();
  camera = await startCamera(0, { clip: await makeClip(320, 180, { gopSec: 1 }) });
  gateway = await TestGateway.start({
    locations: [{ name: 'Harbor', tz: 'Europe/Berlin' }],
    cameras: [{ name: 'Gate', rtsp: camera.url, location: 'Harbor' }],
  });
  browser = await startBrowser();
  record = await openConsolePage(browser, gateway, 'admin');
  ({ page } = record);
  clicks = await countClicks(page);
  await page.goto(`${gateway.apiUrl}/console/`);
  const { person } = await page.evaluate(async () => {
    const response = await fetch('/api/console/getSession', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-auth-scheme': 'console' },
      body: '{}',
    });
    return (await response.json()) as { person: { email: string } };
  });
  ({ email } = person);
});
afterAll(async () => {
  await page?.close();
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
  await server?.close();
  expect(record?.problems).toEqual([]);
});

async function expectFits(state: string): Promise<void> {
  for (const size of [NARROWEST, PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await expectAccessible(page, `${state}, ${size.width} px`);
    if (process.env.SHOTS !== undefined) {
      await page.screenshot({ path: `${process.env.SHOTS}/${state}-${size.width}.png` });
    }
    expect(await tooWide(page), state).toEqual([]);
  }
}

test('the mail server is set up and tested without a restart', async () => {
  await page.setViewportSize(DESKTOP);
  await page.goto(`${gateway.apiUrl}/console/mail`);
  await page.getByText('The gateway sends no mail yet').waitFor();
  await expectFits('no mail server');
  clicks.since();
  await page.getByRole('link', { name: 'Set up the mail server' }).click();
  const setting = (path: string) => page.locator(`[data-path="${path}"]`);
  await setting('mail.host').locator('input').fill('127.0.0.1');
  await setting('mail.port').locator('input').fill(String(server.port));
  await setting('mail.from').locator('input').fill('alarms@example.com');
  await setting('mail.tls').locator('select').selectOption('none');
  await page.getByRole('button', { name: 'Save 4 changes' }).click();
  await page.getByText(/Saved/).first().waitFor();
  await page.goto(`${gateway.apiUrl}/console/mail`);
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('The mail server took it').waitFor();
  await page.getByText('queued as 4711').first().waitFor();
  expect(clicks.since()).toBeLessThanOrEqual(6);
  expect(server.for(email)).toMatchObject([{ subject: 'Test of the mail server' }]);
  await page.getByRole('button', { name: email }).first().click();
  await page.getByRole('heading', { name: 'Attempts' }).waitFor();
  await page.keyboard.press('Escape');
  await expectFits('a tested server');
});

test('an alert arrives with a picture of the camera, and its link asks to sign in', async () => {
  const cameraUuid = await gateway.cameraUuid('Gate');
  await page.evaluate(async () => {
    const response = await fetch('/api/customer/updateCurrentUserNotificationSettings', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-auth-scheme': 'console' },
      body: JSON.stringify({ summaryEmailEnabled: true, language: 'es' }),
    });
    return response.status;
  });
  await gateway.call('ingest/policyAlerts', {
    rows: [
      {
        uuid: newRuuid(),
        deviceUuid: cameraUuid,
        timestampMs: Date.now(),
        textDescription: 'Person at the gate',
        alarmValidationLevel: 3,
      },
    ],
  });
  await expect.poll(() => server.for(email).length, { timeout: 60_000 }).toBe(2);
  const [, mail] = server.for(email);
  expect(mail!.subject).toBe('Person at the gate · Gate · Harbor');
  expect(mail!.text).toContain('Validación de la alarma (AVS-01): nivel 3');
  expect(mail!.attachments).toHaveLength(1);
  expect(mail!.attachments[0]!.content.subarray(0, 3).toString('hex')).toBe('ffd8ff');
  const [link] = /http\S+mail\/alert\S+/.exec(mail!.text!)!;
  const response = await fetch(link, { redirect: 'manual' });
  expect(response.status).toBe(302);
  expect(response.headers.get('location')).toContain('/console/alerts?alert=');
});

test('an invitation goes out by mail from where it was made', async () => {
  await page.setViewportSize(PHONE);
  await page.goto(`${gateway.apiUrl}/console/people`);
  clicks.since();
  await page.getByRole('button', { name: 'Invite someone' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Bo');
  await page.getByLabel('Email', { exact: true }).fill('bo@example.org');
  await page.getByRole('button', { name: 'Make the link' }).click();
  await page.getByRole('button', { name: 'Send mail' }).click();
  await page.getByText('The mail to bo@example.org is on its way.').waitFor();
  expect(clicks.since()).toBeLessThanOrEqual(3);
  await expectAccessible(page, 'an invitation by mail');
  expect(await tooWide(page)).toEqual([]);
  await expect.poll(() => server.for('bo@example.org').length, { timeout: 20_000 }).toBe(1);
  expect(server.for('bo@example.org')[0]!.text).toContain('#invite=sli_');
});

test('an alarm center is added, tested, and listed with its mails, and goes', async () => {
  const center = 'S12345@immix.example';
  const cameraUuid = await gateway.cameraUuid('Gate');
  await page.setViewportSize(DESKTOP);
  await page.goto(`${gateway.apiUrl}/console/mail`);
  await page.getByRole('link', { name: 'Alarm centers' }).click();
  await page.getByText('No alarm center gets alerts yet').waitFor();
  await expectFits('no alarm center');
  await page.setViewportSize(PHONE);
  clicks.since();
  await page.getByRole('button', { name: 'Add alarm center' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Night guard');
  await dialog.getByLabel('Email address').fill(center);
  await dialog.getByLabel('Add a camera').selectOption({ label: 'Gate' });
  await dialog.getByRole('group', { name: 'Gate' }).getByLabel('Number').fill('21');
  await expectFits('an alarm center');
  await page.setViewportSize(PHONE);
  await dialog.getByRole('button', { name: 'Add alarm center' }).press('Enter');
  await page.getByRole('button', { name: 'Night guard', exact: true }).waitFor();
  expect(clicks.since()).toBeLessThanOrEqual(2);
  await page.getByRole('button', { name: 'Test Night guard' }).click();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('The mail server took it').waitFor();
  await expectFits('a test');
  expect(server.for(center)).toMatchObject([{ subject: 'TEST, no alarm - Gate' }]);
  expect(server.for(center)[0]!.text).toContain('<Input1>21</Input1>');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: center }).first().waitFor();
  await expectFits('an alarm center with mails');
  await gateway.call('ingest/policyAlerts', {
    rows: [{ uuid: newRuuid(), deviceUuid: cameraUuid, timestampMs: Date.now(), textDescription: 'Person' }],
  });
  await expect.poll(() => server.for(center).length, { timeout: 60_000 }).toBe(2);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('Person - Gate').first().waitFor();
  await page.getByRole('button', { name: 'Night guard', exact: true }).click();
  await dialog.getByLabel('Gets alerts').uncheck();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { alarmReceivers } = await gateway.call('console/getAlarmReceivers');
  expect(alarmReceivers).toMatchObject([{ disabled: true, inputs: [{ deviceUuid: cameraUuid, input: 21 }] }]);
  await page.getByRole('button', { name: 'Delete Night guard' }).click();
  await page.getByRole('button', { name: 'Remove alarm center' }).click();
  await page.getByText('No alarm center gets alerts yet').waitFor();
});
