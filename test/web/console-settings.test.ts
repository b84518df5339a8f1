/** Settings that are edited in the console, from the first run on, in Chromium. */

import { mkdir, readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { TestGateway } from '../support/gateway.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { countClicks } from './clicks.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';

const MIN_TARGET_PX = 40;
const DESKTOP = { width: 1_440, height: 900 };
const PHONE = { width: 390, height: 844 };
const SECRET = 'a-metrics-token-of-at-least-32-characters';

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());

/** Set to look at the pages. */
const { SETTINGS_PICTURES } = process.env;
async function picture(page: Page, name: string): Promise<void> {
  if (SETTINGS_PICTURES === undefined) return;
  await mkdir(SETTINGS_PICTURES, { recursive: true });
  await page.screenshot({ path: join(SETTINGS_PICTURES, `${name}.png`), fullPage: true });
}

describe.each([
  ['desktop', DESKTOP],
  ['phone', PHONE],
] as const)('a first run on a %s', (kind, size) => {
  let gateway: TestGateway;
  let page: Page;
  afterEach(async () => {
    await page?.close();
    await gateway?.dispose();
  });

  test('gets to a code that opens on a phone in the same network with two clicks', async () => {
    // As `npm start` does: both listeners on this machine alone, and no public URL.
    gateway = await TestGateway.start({ public: { apiUrl: undefined, mediaUrl: undefined } });
    ({ page } = await openPage(browser));
    await page.setViewportSize(size);
    const clicks = await countClicks(page);
    await page.goto((await readFile(join(gateway.folder, 'data', 'console-link.txt'), 'utf8')).trim());
    const step = page.getByRole('region', { name: 'Watch on a phone' });
    await step.getByText('Phones cannot open links yet').waitFor();
    expect(await step.getByRole('img', { name: /^QR code/ }).count()).toBe(0);
    await expectAccessible(page, 'phones cannot open links');
    expect(await tooWide(page)).toEqual([]);
    await picture(page, `first-run-closed-${kind}`);
    await step.getByRole('button', { name: 'Let phones in this network watch' }).click();
    await step.getByRole('img', { name: /^QR code/ }).waitFor({ timeout: 90_000 });
    expect(clicks.since()).toBeLessThanOrEqual(2);
    await step.getByText(/this browser reached the gateway there/).waitFor();
    await expectAccessible(page, 'phones can open links');
    await picture(page, `first-run-open-${kind}`);
    const link = await step.getByLabel('Link', { exact: true }).inputValue();
    const own = Object.values(networkInterfaces()).flatMap((infos = []) =>
      infos.filter(({ internal, family }) => !internal && family === 'IPv4').map(({ address }) => address),
    );
    expect(own).toContain(new URL(link).hostname);
    const { page: phone } = await openPage(browser);
    await phone.setViewportSize(PHONE);
    await phone.goto(link);
    await expect
      .poll(() => phone.locator('video').evaluate((video: HTMLVideoElement) => video.currentTime), {
        timeout: 60_000,
      })
      .toBeGreaterThan(0.5);
    await phone.close();
  });
});

describe('the page Settings', () => {
  let gateway: TestGateway;
  let page: Page;
  beforeAll(async () => {
    gateway = await TestGateway.start({ cors: ['https://file.example'] });
  });
  afterAll(() => gateway?.dispose());
  afterEach(() => page?.close());

  const open = async (): Promise<Page> => {
    ({ page } = await openConsolePage(browser, gateway));
    await page.setViewportSize(DESKTOP);
    await page.goto(`${gateway.apiUrl}/console/settings`);
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    return page;
  };
  const search = (text: string) => page.getByRole('searchbox', { name: 'Search settings' }).fill(text);
  const setting = (path: string): Locator => page.locator(`[data-path="${path}"]`);

  // Before another test restarts the gateway with another public URL.
  test('warns at each link that would open only on this machine', async () => {
    await open();
    const warning = (text: string) => page.getByRole('note').getByText(text);
    await page.goto(`${gateway.apiUrl}/console/shares`);
    await page
      .getByRole('button', { name: /Demo camera/ })
      .first()
      .click();
    await page.getByRole('dialog').waitFor();
    await warning('This link opens only on this machine.').waitFor();
    expect(await page.getByRole('link', { name: 'Let phones open links' }).getAttribute('href')).toBe(
      '/console/start',
    );
    await expectAccessible(page, 'a link that opens only here');
    await page.goto(`${gateway.apiUrl}/console/people`);
    await page.getByRole('button', { name: 'Invite someone' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Bo');
    await page.getByRole('dialog').getByLabel('Email').fill('bo@example.com');
    await page.getByRole('dialog').getByRole('button', { name: 'Make the link' }).click();
    await warning('This link opens only on this machine.').waitFor();
    const { cameraStates } = await gateway.call('camera/getMinimalCameraStateList');
    const deviceList = cameraStates.map(({ uuid }: { uuid: string }) => uuid);
    const videoWall = { displayName: 'Lobby', settings: { columns: 1 }, deviceList };
    expect(await gateway.call('camera/createVideoWall', { videoWall })).toMatchObject({ error: false });
    await page.goto(`${gateway.apiUrl}/console/walls`);
    await page.getByRole('link', { name: 'Lobby' }).first().click();
    await page.getByRole('button', { name: 'Share by link' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click();
    await warning('This link opens only on this machine.').waitFor();
  });

  test('changes a setting, says that it is in effect, and undoes it', async () => {
    await open();
    const clicks = await countClicks(page);
    await search('log level');
    await setting('log.level').getByRole('combobox').selectOption('warn');
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await page.getByText('Saved and in effect.').waitFor();
    expect(clicks.since()).toBeLessThanOrEqual(3);
    await setting('log.level').getByText('Set here').waitFor();
    await page.getByRole('button', { name: 'Undo log.level' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
    await page.getByText(', as an undo').waitFor();
    await setting('log.level')
      .getByText(/From the file, line \d+/)
      .waitFor();
  });

  test('shows what is wrong at the field, and compares what is risky before it saves', async () => {
    await open();
    await search('public.mediaUrl');
    const field = setting('public.mediaUrl').getByRole('textbox');
    await field.fill('nonsense');
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await setting('public.mediaUrl')
      .getByText(/expected a URL that starts with http/)
      .waitFor();
    await expectAccessible(page, 'a wrong setting');
    await field.fill('https://video.example.org');
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save these changes?' });
    await dialog.getByText('https://video.example.org').waitFor();
    expect(await dialog.getByText('address you are using now').count()).toBe(0);
    await expectAccessible(page, 'the comparison');
    await picture(page, 'comparison');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved. A restart applies it.').waitFor();
    await page.getByRole('heading', { name: '1 setting waits for a restart' }).waitFor();
    await picture(page, 'waits-for-restart');
    await page.getByRole('button', { name: 'Restart the gateway…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restart now' }).click();
    await page
      .getByRole('heading', { name: /waits for a restart/ })
      .waitFor({ state: 'detached', timeout: 90_000 });
    await search('public.mediaUrl');
    await setting('public.mediaUrl').getByText('Set here').waitFor();
    await setting('public.mediaUrl')
      .getByRole('button', { name: /Use the file’s value/ })
      .click();
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: '1 setting waits for a restart' }).waitFor();
  });

  test('warns before the address of the console itself changes', async () => {
    await open();
    await search('listen.api');
    await setting('listen.api').getByRole('textbox').fill('127.0.0.1:9');
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await page.getByRole('dialog').getByText('This changes the address you are using now').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  });

  test('refuses the second of two administrators, and keeps what they typed', async () => {
    await open();
    // A sign-in would end the session of this browser, which both tabs share, and perhaps the first page with it.
    const { page: other } = await openPage(browser);
    // Its stream of changes does not arrive.
    await other.routeWebSocket('**/websocket', (socket) => socket.close());
    await other.goto(`${gateway.apiUrl}/console/settings`);
    await other.getByRole('searchbox', { name: 'Search settings' }).fill('retention.audit');
    await other.locator('[data-path="retention.audit"]').getByRole('textbox').fill('20d');
    await search('retention.events');
    await setting('retention.events').getByRole('textbox').fill('10d');
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await page.getByText('Saved and in effect.').waitFor();
    await other.getByRole('button', { name: 'Save 1 change' }).click();
    await other.getByText(/changed retention\.events in the meantime/).waitFor();
    await other.getByRole('button', { name: 'Save 1 change' }).click();
    await other.getByText('Saved and in effect.').waitFor();
    await other.close();
  });

  test('takes a secret and never shows it', async () => {
    await open();
    await search('metrics.token');
    await setting('metrics.token').locator('input').fill(SECRET);
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await page.getByText('Saved. A restart applies it.').waitFor();
    expect(await setting('metrics.token').locator('input').inputValue()).toBe('');
    await page.getByText('a secret', { exact: true }).first().waitFor();
    const responses = await Promise.all(
      ['getEffectiveConfig', 'getSettingsChanges', 'getLogTail'].map((name) =>
        gateway.call(`console/${name}`),
      ),
    );
    responses.push(await gateway.call('report/getAuditFeed'));
    expect(JSON.stringify(responses)).not.toContain(SECRET);
    expect(await page.content()).not.toContain(SECRET);
  });

  test('says why some settings cannot be changed here', async () => {
    await open();
    await search('database');
    await setting('database').getByText('The gateway needs it before it starts').waitFor();
    expect(await setting('database').locator('input').isDisabled()).toBe(true);
  });

  test('sets a public address with a certificate of one’s own in the first steps', async () => {
    await open();
    await page.goto(`${gateway.apiUrl}/console/start`);
    const step = page.getByRole('region', { name: 'Let others in' });
    // It is done, because an earlier test set the public URL.
    await step.getByRole('button', { name: 'Show' }).click();
    await step.getByRole('radio', { name: 'My own files' }).check();
    await step.getByLabel('Host name of links').fill('video.example.org');
    await step.getByLabel('Certificate file').fill('/etc/sluice/video.pem');
    await step.getByLabel('Key file').fill('/etc/sluice/video.key');
    await expectAccessible(page, 'own files');
    await step.getByRole('button', { name: 'Save these settings…' }).click();
    await page.getByRole('dialog').getByText('/etc/sluice/video.key').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await step.getByText('Saved. A restart of the gateway applies it.').waitFor();
    await picture(page, 'first-steps-tls');
    const { settings } = await gateway.call('console/getEffectiveConfig');
    const saved = settings.filter(({ isInConsole }: { isInConsole: boolean }) => isInConsole);
    expect(saved.map(({ path }: { path: string }) => path)).toEqual(
      expect.arrayContaining(['listen.media', 'tls.media.cert', 'tls.media.key', 'public.mediaUrl']),
    );
    await page.goto(`${gateway.apiUrl}/console/settings`);
    await page
      .getByRole('button', { name: /^Undo public\.mediaUrl, listen\.media/ })
      .first()
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
    await page.getByText(', as an undo').first().waitFor();
  });

  test('everyone can use it', async () => {
    await open();
    await expectAccessible(page, 'settings');
    await picture(page, 'settings-desktop');
    for (const summary of await page.locator('.setting-group > summary').all()) await summary.click();
    await expectAccessible(page, 'all settings');
    for (const width of [1_440, 390, 320]) {
      await page.setViewportSize({ width, height: 844 });
      expect([width, await tooWide(page)]).toEqual([width, []]);
    }
    await page.setViewportSize(PHONE);
    expect(await smallTargets(page, MIN_TARGET_PX)).toEqual([]);
    await picture(page, 'settings-phone');
  });
});
