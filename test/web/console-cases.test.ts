/** Cases in the console: yesterday's range of two cameras becomes a sealed case that is shared, and everything about it, in Chromium. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { moveRecordings, recordMore } from '../support/recorded-past.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { countClicks } from './clicks.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';
import type { PersonRole } from './console-person.ts';

const DAY_MS = 86_400_000;
/** From any page to the copied link. On a phone, one camera is shown first, so the other is chosen. */
const MAX_PRESSES = { desk: 11, phone: 12 } as const;
const MIN_TARGET_PX = 40;
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1_440, height: 900 };
const SIZES = [
  ['desk', DESK],
  ['phone', PHONE],
] as const;
const SCREENSHOTS = process.env.PAGE_SCREENSHOTS;

let cameras: SyntheticCamera[];
let gateway: TestGateway;
let browser: TestBrowser;
let dockUuid: string;
/** In the middle of what was recorded yesterday. */
let middleMs: number;
const pages: Page[] = [];

beforeAll(async () => {
  cameras = [await startCamera(), await startCamera()];
  const camera = { location: 'Warehouse', recording: 'always' };
  gateway = await TestGateway.start({
    demo: false,
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
    recording: { minFree: '16MiB' },
    // Neither the browser's zone nor the gateway's.
    locations: [{ name: 'Warehouse', tz: 'America/New_York' }],
    cameras: [
      { ...camera, name: 'Dock', rtsp: cameras[0]!.url },
      { ...camera, name: 'Gate', rtsp: cameras[1]!.url },
    ],
  });
  dockUuid = await gateway.cameraUuid('Dock');
  await recordMore(gateway, 20);
  middleMs = Date.now() - DAY_MS;
  await recordMore(gateway, 25);
  await gateway.end();
  moveRecordings(gateway, -DAY_MS);
  await gateway.run();
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  for (const camera of cameras ?? []) await camera.close();
});
afterEach(async () => {
  for (const page of pages.splice(0)) await page.close();
});

async function open(path: string, role: PersonRole = 'operator', size = DESK): Promise<Page> {
  const { page } = await openConsolePage(browser, gateway, role);
  pages.push(page);
  await page.setViewportSize(size);
  await page.goto(`${gateway.apiUrl}/console/${path}`);
  await page.locator('main h1, main .timeline').first().waitFor();
  return page;
}

const evidence = (operation: string, body: Json = {}) => gateway.call(`evidence/${operation}`, body);
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const screenshot = async (page: Page, name: string) => {
  if (SCREENSHOTS !== undefined) {
    await page.screenshot({ path: `${SCREENSHOTS}/cases-${name}.png`, fullPage: true });
  }
};

async function inspect(page: Page, state: string): Promise<void> {
  for (const [device, size] of SIZES.toReversed()) {
    await page.setViewportSize(size);
    await screenshot(page, `${state.replaceAll(' ', '-')}-${device}`);
    await expectAccessible(page, `${state} on a ${device}`);
    expect(await tooWide(page), `${state} on a ${device}`).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX), `${state} on a ${device}`).toEqual([]);
  }
}

async function refusalOf(shareUrl: string): Promise<string> {
  return ((await (await fetch(`${shareUrl}/open`, { method: 'POST' })).json()) as Json).reason;
}

/** A case of the dock, a few seconds of yesterday. */
async function caseOf(title: string, seconds = 4): Promise<string> {
  const { case: opened } = await evidence('createCase', { title, number: '2026/17', notes: 'At night.' });
  const fromMs = Math.round(middleMs);
  await evidence('addToCase', {
    caseUuid: opened.uuid,
    cameraUuid: dockUuid,
    fromMs,
    toMs: fromMs + seconds * 1_000,
    note: 'Enters from the left.',
  });
  return opened.uuid;
}

async function seal(caseUuid: string): Promise<void> {
  await evidence('sealCase', { caseUuid });
  await until('sealed', async () => (await evidence('getCase', { caseUuid })).case.state === 'sealed');
}

test.each(SIZES)(
  'yesterday’s range of two cameras becomes a sealed, shared case on a %s',
  async (device, size) => {
    const title = `Theft on a ${device}`;
    const page = await open('', 'operator', size);
    const clicks = await countClicks(page);
    await page.getByRole('navigation').getByRole('link', { name: 'Timeline' }).click();
    await button(page, 'Yesterday').click();
    await until('a head where something was recorded', async () => {
      const head = page.getByRole('slider', { name: 'Play head' });
      const atMs = Number(await head.getAttribute('aria-valuenow')) * 1_000;
      return Math.abs(atMs - middleMs) < 600_000;
    });
    await button(page, 'Cut a clip').click();
    const form = page.getByRole('form', { name: 'New clip' });
    await form.getByLabel('Title').fill(title);
    if (!(await form.getByLabel('Gate').isChecked())) await form.getByLabel('Gate').click();
    await screenshot(page, `cut-${device}`);
    await button(page, 'Add to case').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Case', { exact: true }).selectOption({ label: 'New case' });
    await screenshot(page, `add-${device}`);
    await dialog.getByRole('button', { name: 'Add to case' }).click();
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    await screenshot(page, `open-${device}`);
    await button(page, 'Seal').click();
    await button(page, 'Seal case').click();
    await button(page, 'Share by link').click();
    await button(page, 'Create link').click();
    await button(page, 'Copy link').click();
    expect(clicks.since()).toBeLessThanOrEqual(MAX_PRESSES[device]);
    const link = await page.getByLabel('Link', { exact: true }).inputValue();
    await screenshot(page, `shared-${device}`);
    await button(page, 'Done').click();
    await button(page, 'Download archive').waitFor();
    expect(link).toContain('/clips/');
    const [{ uuid: caseUuid }] = (await evidence('findCases')).cases;
    const { case: sealed } = await evidence('getCase', { caseUuid });
    expect(sealed).toMatchObject({ title, state: 'sealed', items: [{}, {}] });
  },
);

describe('a case', () => {
  test('shows its items in the zone of the site, and what was written', async () => {
    const caseUuid = await caseOf('Zones');
    const page = await open(`cases/${caseUuid}`);
    const contents = page.getByRole('region', { name: 'Contents' });
    const hour = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'America/New_York',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    }).format(Math.round(middleMs));
    await contents.getByText(hour).waitFor();
    for (const text of ['At night.', '2026/17']) await page.getByText(text).waitFor();
    await contents.getByText('Enters from the left.').waitFor();
    await page.getByText(/^Seal the case when everything is in it/).waitFor();
    await inspect(page, 'open case');
    await contents.getByRole('link', { name: /^Show .* on the timeline$/ }).click();
    await page.getByText('Held', { exact: true }).waitFor();
    await page.setViewportSize(DESK);
    await screenshot(page, 'held-timeline');
  });

  test.each(SIZES)(
    'gets more footage from its own page on a %s, and leads back to all cases',
    async (device, size) => {
      const title = `More on a ${device}`;
      const caseUuid = await caseOf(title);
      // A newer case, which the form would offer first.
      const { case: another } = await evidence('createCase', { title: `Another on a ${device}` });
      const page = await open(`cases/${caseUuid}`, 'operator', size);
      await page.getByRole('link', { name: 'Add footage' }).click();
      await page.getByText(/choose “Cut a clip”, and then “Add to case”/).waitFor();
      await screenshot(page, `footage-${device}`);
      await button(page, 'Cut a clip').click();
      await button(page, 'Add to case').click();
      const choice = page.getByRole('dialog').getByLabel('Case', { exact: true });
      await until('the case', async () => (await choice.inputValue()) === caseUuid);
      await page.getByRole('dialog').getByRole('button', { name: 'Add to case' }).click();
      await page.getByRole('heading', { name: title, level: 1 }).waitFor();
      expect((await evidence('getCase', { caseUuid })).case.items).toHaveLength(2);
      await page.getByRole('link', { name: 'All cases' }).click();
      await page.getByRole('heading', { name: 'Cases', level: 1 }).waitFor();
      for (const uuid of [caseUuid, another.uuid]) await evidence('deleteCase', { caseUuid: uuid });
    },
  );

  test('is opened, changed, and emptied with the keyboard', async () => {
    const page = await open('');
    await page.locator('body').press('g');
    await page.locator('body').press('o');
    await page.getByRole('heading', { name: 'Cases', level: 1 }).waitFor();
    await button(page, 'New case').press('Enter');
    await page.getByRole('dialog').waitFor();
    for (let tabs = 0; tabs < 2; tabs++) await page.keyboard.press('Tab');
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^By keyboard/, level: 1 }).waitFor();
    await inspect(page, 'empty case');
    const [{ uuid: caseUuid }] = (await evidence('findCases')).cases;
    const fromMs = Math.round(middleMs);
    await evidence('addToCase', { caseUuid, cameraUuid: dockUuid, fromMs, toMs: fromMs + 1_000 });
    // The page follows.
    await page.getByRole('button', { name: /^Remove / }).press('Enter');
    await page.getByRole('dialog').waitFor();
    for (let tabs = 0; tabs < 3; tabs++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('The case is empty').waitFor();
    expect((await evidence('getCase', { caseUuid })).case.items).toEqual([]);
  });

  test('says why it could not be sealed, and is sealed once there is something', async () => {
    const { case: opened } = await evidence('createCase', { title: 'Nothing there' });
    const caseUuid = opened.uuid;
    const long = { fromMs: Math.round(middleMs) - 50 * DAY_MS, toMs: Math.round(middleMs) - 49.5 * DAY_MS };
    await evidence('addToCase', { caseUuid, cameraUuid: dockUuid, ...long });
    const page = await open(`cases/${caseUuid}`);
    await button(page, 'Seal').click();
    await button(page, 'Seal case').click();
    await page.getByText('Nothing was recorded in the times of the case.').waitFor();
    await inspect(page, 'failed case');
    const fromMs = Math.round(middleMs);
    await evidence('addToCase', { caseUuid, cameraUuid: dockUuid, fromMs, toMs: fromMs + 2_000 });
    await button(page, 'Seal').click();
    await button(page, 'Seal case').click();
    await button(page, 'Download archive').waitFor();
  });

  test('is reopened and deleted by an administrator, which ends its links', async () => {
    const title = 'Reopened';
    const caseUuid = await caseOf(title);
    await seal(caseUuid);
    const { shareUrl } = await evidence('createCaseLink', { caseUuid, expirationTimeSecs: 3_600 });
    const page = await open(`cases/${caseUuid}`, 'admin');
    await page.getByRole('link', { name: shareUrl }).waitFor();
    await inspect(page, 'sealed case');
    const { case: sealed } = await evidence('getCase', { caseUuid });
    expect(await page.getByLabel('Fingerprint of the key').inputValue()).toBe(
      sealed.fingerprint.replaceAll(/..(?=.)/g, '$&:'),
    );
    const download = page.waitForEvent('download');
    await button(page, 'Download archive').click();
    expect((await download).suggestedFilename()).toBe(`${title}.zip`);
    await button(page, 'Reopen').click();
    await button(page, 'Reopen case').click();
    await page.getByText('The case is not shared').waitFor();
    expect(await refusalOf(shareUrl)).toBe('revoked');
    await button(page, 'Delete').click();
    await button(page, 'Delete case').click();
    await page.getByRole('heading', { name: 'Cases', level: 1 }).waitFor();
    expect((await evidence('findCases')).cases.map(({ uuid }: Json) => uuid)).not.toContain(caseUuid);
  });

  test('has a link that someone revokes, and is only looked at by viewers', async () => {
    const caseUuid = await caseOf('Looked at');
    await seal(caseUuid);
    const { shareUrl } = await evidence('createCaseLink', { caseUuid });
    const page = await open(`cases/${caseUuid}`, 'operator');
    expect(await button(page, 'Reopen').count()).toBe(0);
    await button(page, `End ${shareUrl}`).click();
    await button(page, 'End link').click();
    await page.getByText('The case is not shared').waitFor();
    expect(await refusalOf(shareUrl)).toBe('revoked');
    const watching = await open(`cases/${caseUuid}`, 'viewer');
    await watching.getByRole('region', { name: 'Contents' }).waitFor();
    expect(await watching.locator('main button').allTextContents()).toEqual(['Copy']);
    const gone = await open('cases/AAAAAAAAAAAAAAAAAAAAAA', 'viewer');
    await gone.getByText('This case does not exist').waitFor();
  });
});

describe('legal holds', () => {
  test('are placed without a case, are marked, and are released by an administrator', async () => {
    const page = await open(`timeline?camera=${dockUuid}&at=${Math.round(middleMs)}&span=120000`);
    await button(page, 'Cut a clip').click();
    await button(page, 'Add to case').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Case', { exact: true }).selectOption({ label: 'No case, only a legal hold' });
    expect(await dialog.getByRole('button', { name: 'Hold', exact: true }).isDisabled()).toBe(true);
    await dialog.getByLabel('Why it is held').fill('Request of the insurer');
    await inspect(page, 'hold');
    await dialog.getByRole('button', { name: 'Hold', exact: true }).click();
    await page.getByRole('heading', { name: 'Cases', level: 1 }).waitFor();
    // Rows out of sight are not in the document.
    await page.getByRole('heading', { name: 'Legal holds' }).scrollIntoViewIfNeeded();
    const row = page.getByRole('row').filter({ hasText: 'Request of the insurer' });
    await row.waitFor();
    expect(await button(page, 'Release Request of the insurer').count()).toBe(0);
    const administered = await open('cases', 'admin');
    await inspect(administered, 'lists');
    await administered.getByRole('heading', { name: 'Legal holds' }).scrollIntoViewIfNeeded();
    await button(administered, 'Release Request of the insurer').click();
    await button(administered, 'Release hold').click();
    await row.waitFor({ state: 'detached' });
  });

  test('of a clip are shown on it, and it cannot be deleted', async () => {
    const title = 'Held clip';
    const { clipUuid } = await gateway.call('video/spliceV3', {
      deviceUuids: [dockUuid],
      startTimeMillis: Math.round(middleMs),
      durationSec: 2,
      title,
    });
    await until('the clip', async () => {
      const { clip } = await gateway.call('event/getClipWithProgress', { clipUuid });
      return clip.status === 'COMPLETE';
    });
    const page = await open(`timeline?camera=${dockUuid}`);
    await button(page, `Add to case: ${title}`).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Case', { exact: true }).selectOption({ label: 'New case' });
    await dialog.getByRole('button', { name: 'Add to case' }).click();
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    await page.getByText(`Clip: ${title}`).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Held', exact: true }).waitFor();
    expect(await button(page, `Delete ${title}`).count()).toBe(0);
    await inspect(page, 'held clip');
  });
});
