/** Details of the console's pages that no page is about, in Chromium, against a whole gateway. */

import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newRuuid } from '../../src/core/ruuid.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { CLIENT } from '../support/oidc-provider.ts';
import { FRAMES_PER_SEC, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';
import type { PersonRole } from './console-person.ts';

const DESKTOP = { width: 1_440, height: 900 };
const PHONE = { width: 390, height: 844 };
const MIN_TARGET_PX = 40;
/** Two samples of ten seconds each, and a busy machine. */
const COUNTED_MS = 90_000;
/** `--line` of style/tokens.css, as red, green and blue. */
const LINE = { light: '213,219,228', dark: '43,52,65' } as const;

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
const pages: Page[] = [];

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    demo: false,
    hls: { idleStop: '5m' },
    cameras: [
      { name: 'Dock', rtsp: camera.url },
      { name: 'Yard', rtsp: 'rtsp://127.0.0.1:9/none' },
    ],
    // No one signs in there: the gateway asks the provider when someone does.
    oidc: {
      issuer: 'http://127.0.0.1:9',
      ...CLIENT,
      label: 'Harbor Login',
      allowedDomains: ['example.com'],
    },
  });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
});
afterEach(async () => {
  for (const page of pages.splice(0)) await page.close();
});

async function open(path: string, role: PersonRole = 'admin'): Promise<Page> {
  const { page } = await openConsolePage(browser, gateway, role);
  pages.push(page);
  await page.setViewportSize(DESKTOP);
  await page.goto(`${gateway.apiUrl}/console/${path}`);
  await page.locator('main h1').first().waitFor();
  return page;
}

async function inspect(page: Page, state: string): Promise<void> {
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await expectAccessible(page, `${state} at ${size.width}`);
    expect(await tooWide(page), state).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX), state).toEqual([]);
  }
}

async function allShares(): Promise<Json[]> {
  return (await gateway.call('camera/findSharedStreams', { limit: 500 })).sharedStreams;
}

async function shareOf(uuid: string): Promise<Json> {
  return (await gateway.call('camera/findSharedStreams', { uuids: [uuid] })).sharedStreams[0];
}

describe('whether viewers sign in', () => {
  const withProvider = (page: Page) => page.getByLabel(/Viewers sign in with Harbor Login/);

  test('is changed in the dialog of a share, and nothing else with it', async () => {
    const made = await gateway.share('Dock', {
      name: 'Gate',
      ssoProtected: true,
      expirationTimeSecs: 86_400,
    });
    const before = await shareOf(made.uuid);
    const page = await open(`shares?share=${made.uuid}`, 'operator');
    for (const isWanted of [false, true]) {
      await page.getByRole('button', { name: 'Edit' }).click();
      await withProvider(page).waitFor();
      expect(await withProvider(page).isChecked()).toBe(!isWanted);
      const warning = page.getByText('Everyone who is watching is cut off.');
      expect(await warning.count()).toBe(0);
      await withProvider(page).setChecked(isWanted);
      await warning.waitFor();
      await inspect(page, 'editing a share');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText(isWanted ? 'No, but viewers sign in' : /No: everyone who has the link/).waitFor();
      expect(await shareOf(made.uuid)).toEqual({ ...before, ssoProtected: isWanted });
    }
  });

  test('is chosen for several cameras at once', async () => {
    const before = new Set((await allShares()).map(({ uuid }) => uuid));
    const page = await open('', 'operator');
    await page.getByRole('button', { name: 'Table' }).click();
    for (const name of ['Dock', 'Yard']) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    await page.getByRole('button', { name: 'Share…' }).click();
    await withProvider(page).check();
    await inspect(page, 'sharing several cameras');
    await page.getByRole('button', { name: 'Create 2 links' }).click();
    await page.getByText('2 of 2 done.').waitFor();
    const made = (await allShares()).filter(({ uuid }) => !before.has(uuid));
    expect(made.map(({ name, ssoProtected }) => [name, ssoProtected]).sort()).toEqual([
      ['Dock', true],
      ['Yard', true],
    ]);
  });

  test('is not offered without a provider, and can still be turned off', async () => {
    const unguarded = await gateway.share('Dock');
    const guarded = await gateway.share('Dock', { ssoProtected: true });
    const page = await open('shares', 'operator');
    await page.route('**/api/console/getSession', async (route) => {
      const response = await route.fetch();
      const { ssoLabel: _, ...session } = await response.json();
      await route.fulfill({ response, json: session });
    });
    const expectNoBox = async (opener: string) => {
      const responded = page.waitForResponse('**/api/console/getSession');
      await page.getByText(opener, { exact: true }).click();
      await responded;
      await page.getByRole('group', { name: 'Ends' }).waitFor();
      expect(await page.getByLabel(/Viewers sign in/).count(), opener).toBe(0);
    };
    await expectNoBox('New share');
    await page.goto(`${gateway.apiUrl}/console/shares?share=${unguarded.uuid}`);
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    await expectNoBox('Edit');
    await page.goto(`${gateway.apiUrl}/console/shares?share=${guarded.uuid}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel(/^Viewers sign in Only browsers/).uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/No: everyone who has the link/).waitFor();
    expect(await shareOf(guarded.uuid)).toMatchObject({ ssoProtected: false });
  });
});

describe('what a person starts', () => {
  test('runs once, however fast they click', async () => {
    const page = await open('keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Once');
    let calls = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/submitApiTokenApplication')) calls += 1;
    });
    await dialog.getByRole('button', { name: 'Create key' }).evaluate((button: HTMLElement) => {
      button.click();
      button.click();
    });
    await dialog.getByLabel('API key').waitFor();
    expect(calls).toBe(1);
  });

  test('has its turn, if they go on by keys before the gateway answered', async () => {
    const deviceUuid = await gateway.cameraUuid('Dock');
    const alerts = ['First', 'Second', 'Third'].map((textDescription, i) => ({
      uuid: newRuuid(),
      deviceUuid,
      timestampMs: Date.now() - i * 1_000,
      textDescription,
    }));
    expect(await gateway.call('ingest/policyAlerts', { rows: alerts })).toMatchObject({ rejected: [] });
    const page = await open('alerts', 'operator');
    const row = (name: string) => page.getByRole('listitem', { name, exact: true });
    await row('Third').waitFor();
    const held: Route[] = [];
    let isHeld = true;
    await page.route('**/api/event/acknowledgePolicyAlert', (route) => {
      if (isHeld) held.push(route);
      else void route.continue();
    });
    await row('First').focus();
    for (let i = 0; i < alerts.length; i++) await page.keyboard.press('a');
    await until('the first call', () => held.length === 1);
    isHeld = false;
    await held[0]!.continue();
    await page.getByText('There are no alerts to see to').waitFor();
    const { policyAlerts } = await gateway.call('event/getPolicyAlertsV2', { onlyUnacknowledged: true });
    expect(policyAlerts ?? []).toEqual([]);
  });
});

test('the account names browsers as people do, with the whole text on hover', async () => {
  const page = await open('account', 'viewer');
  const name = page.getByRole('row', { name: /^This one:/ }).getByText('Chrome on Linux');
  await name.waitFor();
  expect(await name.getAttribute('title')).toMatch(/^Mozilla\/5\.0 .*Chrome\//);
  await inspect(page, 'account');
});

test('the system page shows names of commands as code', async () => {
  // It is offline when someone has looked at it.
  const page = await open(`cameras/${await gateway.cameraUuid('Yard')}/details`);
  await page.locator('.trouble').waitFor();
  await page.goto(`${gateway.apiUrl}/console/system`);
  const finding = page
    .locator('.findings li')
    .filter({ hasText: '1 camera of this gateway is offline and not paused.' });
  await until('the camera to be offline', async () => {
    if ((await finding.count()) > 0) return true;
    await page.reload();
    await page.locator('.findings, .notice').first().waitFor();
    return (await finding.count()) > 0;
  });
  expect(await finding.locator('code').allTextContents()).toEqual(['sluice check']);
  expect(await page.locator('.findings').textContent()).not.toContain('`');
});

test('plots count the frames of the video, and follow the color scheme', async () => {
  const cameraUuid = await gateway.cameraUuid('Dock');
  const page = await open(`cameras/${cameraUuid}/details`, 'viewer');
  await page.emulateMedia({ colorScheme: 'light' });
  const known = (values: readonly (number | null)[]) => values.filter((value) => value !== null);
  const newestOf = async (name: string): Promise<number> => {
    const { counters } = await gateway.call('camera/getStreamCounters', { cameraUuid });
    return known(counters[name]).at(-1) ?? 0;
  };
  // The sample in which a stream was opened has only a part of its frames.
  await until(
    'ten seconds of video',
    async () => (await newestOf('videoFramesPerSec')) > 0.6 * FRAMES_PER_SEC,
    COUNTED_MS,
  );
  expect(await newestOf('videoFramesPerSec')).toBeLessThan(1.4 * FRAMES_PER_SEC);
  // The clip has audio, of which there are more frames.
  expect(await newestOf('framesPerSec')).toBeGreaterThan(1.5 * (await newestOf('videoFramesPerSec')));
  const plot = page.getByRole('img', { name: /^Frames per second in the last hour/ });
  await plot.waitFor({ timeout: COUNTED_MS });
  // From now on nothing but the color scheme changes.
  await page.route('**/api/camera/getStreamCounters', (route) => route.abort());
  const hasLine = (scheme: keyof typeof LINE) =>
    plot.locator('canvas').evaluate((canvas: HTMLCanvasElement, wanted) => {
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      for (let i = 0; i < data.length; i += 4) {
        if (data.subarray(i, i + 3).join() === wanted && data[i + 3] === 255) return true;
      }
      return false;
    }, LINE[scheme]);
  for (const [now, before] of [
    ['light', 'dark'],
    ['dark', 'light'],
    ['light', 'dark'],
  ] as const) {
    await page.emulateMedia({ colorScheme: now });
    await until(`a grid of the ${now} scheme`, () => hasLine(now));
    expect(await hasLine(before)).toBe(false);
  }
});
