/** What the role that only watches learns about others who watch, in Chromium, against a whole gateway. */

import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, smallTargets, tooWide } from './console-page.ts';
import type { PersonRole } from './console-person.ts';
import { openConsole, visitConsole } from './console-visitor.ts';

const DESKTOP = { width: 1_440, height: 900 };
const PHONE = { width: 390, height: 844 };
const MIN_TARGET_PX = 40;
/** An address or a program in an answer of the API, other than an empty one. */
const PERSONAL = /"(?:address|sourceIp|userAgent)":"[^"]+"/;

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let share: TestShare;
let watching: Page;
const pages: Page[] = [];

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({ demo: false, cameras: [{ name: 'Dock', rtsp: camera.url }] });
  browser = await startBrowser();
  share = await gateway.share('Dock', { name: 'Quay' });
  const opened = await openPage(browser);
  watching = opened.page;
  await watching.goto(share.pageUrl);
  await watching.waitForSelector('#live[data-state="live"]');
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
});
afterEach(async () => {
  for (const page of pages.splice(0)) await page.close();
});

/** `answers`: everything that the API told the page, except about the person's own session. */
async function open(role: PersonRole): Promise<{ page: Page; answers: Promise<string>[] }> {
  const { page } = await visitConsole(browser, gateway, role);
  pages.push(page);
  await page.setViewportSize(DESKTOP);
  const answers: Promise<string>[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (!pathname.startsWith('/api/') || pathname === '/api/console/getSession') return;
    // What is still on its way when the page leaves is not told.
    answers.push(response.text().catch(() => ''));
  });
  return { page, answers };
}

async function inspect(page: Page, state: string): Promise<void> {
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await expectAccessible(page, `${state} at ${size.width}`);
    expect(await tooWide(page), state).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX), state).toEqual([]);
  }
}

const watchers = (page: Page) =>
  page.locator('.dialog-part').filter({ has: page.getByRole('heading', { name: 'Watching now' }) });

test('an operator sees from where and with what someone watches', async () => {
  const { page, answers } = await open('operator');
  await openConsole(page, gateway, `shares?share=${share.uuid}`);
  await watchers(page).getByText('127.0.0.1').waitFor();
  await watchers(page).getByText('Chrome on Linux').waitFor();
  await openConsole(page, gateway, 'activity');
  await page.getByRole('columnheader', { name: 'Address' }).waitFor();
  await page
    .getByRole('row', { name: /Watched a shared camera.*127\.0\.0\.1.*Chrome on Linux/ })
    .first()
    .waitFor();
  expect((await Promise.all(answers)).join('\n')).toMatch(PERSONAL);
});

test('a viewer sees how many watch, and no address or program of anyone', async () => {
  const { page, answers } = await open('viewer');
  await openConsole(page, gateway, `shares?share=${share.uuid}`);
  await watchers(page).getByText('1 viewer').waitFor();
  await watchers(page).getByText('Operators see from where.').waitFor();
  await inspect(page, 'a share');
  await openConsole(page, gateway, 'activity');
  const entry = page.getByRole('row', { name: /Watched a shared camera.*Viewer of a link/ });
  await entry.first().waitFor();
  expect(await page.getByRole('columnheader').allTextContents()).toEqual(['What', 'About', 'When', 'Who']);
  await inspect(page, 'activity');
  await entry.first().getByRole('button').click();
  await page.getByRole('dialog').getByText('VIEW_SHARE_STREAM').waitFor();
  const facts = await page.getByRole('dialog').locator('dt').allTextContents();
  expect(facts).toContain('Who');
  expect(facts.filter((fact) => ['Address', 'Program'].includes(fact))).toEqual([]);
  await page.keyboard.press('Escape');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  const csv = await readFile(await (await download).path(), 'utf8');
  expect(csv).toContain('VIEW_SHARE_STREAM');
  expect(csv).not.toMatch(/Address|Program|127\.0\.0\.1|Mozilla/);
  await openConsole(page, gateway, `cameras/${await gateway.cameraUuid('Dock')}/details`);
  const trail = page.getByRole('region', { name: 'Who viewed and changed it' });
  await trail.getByText('Watched a shared camera').waitFor();
  expect(await trail.textContent()).not.toContain('127.0.0.1');
  const told = (await Promise.all(answers)).join('\n');
  expect(told).toContain('VIEW_SHARE_STREAM');
  expect(told).not.toMatch(PERSONAL);
});
