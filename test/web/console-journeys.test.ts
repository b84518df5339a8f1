/** What people do with the console from end to end, in Chromium: each role, a link and its viewer, a network that fails. */

import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { PAGES } from '../../web/console/pages.ts';
import { BreakableNetwork } from '../support/breakable-network.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { untilSettled } from './console-checks.ts';
import { expectAccessible, tooWide } from './console-page.ts';
import { invite, joinAndSignIn, PASSWORD, type PersonRole } from './console-person.ts';

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1_440, height: 900 };
/** The pauses between attempts grow to 15 seconds. */
const RECONNECT_MS = 100_000;
const WATCH_AND_SHARE = [
  'Cameras',
  'Walls',
  'Timeline',
  'Alerts',
  'Cases',
  'Shares',
  'Emergencies',
  'Schedules',
  'Sites',
  'Doors',
];
const EVERYONE = [...WATCH_AND_SHARE, 'Activity'];
const ADMINS = [
  ...WATCH_AND_SHARE,
  'People',
  'Integrations',
  'Activity',
  'Settings',
  'Mail',
  'Viewing quality',
  'System',
];

let camera: SyntheticCamera;
let network: BreakableNetwork;
let gateway: TestGateway;
let browser: TestBrowser;
const contexts: BrowserContext[] = [];
const errors: Error[] = [];

beforeAll(async () => {
  camera = await startCamera();
  network = await BreakableNetwork.open();
  gateway = await TestGateway.start({
    demo: false,
    public: { apiUrl: network.url },
    locations: [{ name: 'Harbor', tz: 'UTC' }],
    cameras: [{ name: 'Front desk', location: 'Harbor', rtsp: camera.url }],
  });
  network.lead(gateway.apiUrl);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await network?.close();
  await camera?.close();
});
afterEach(async () => {
  network.mend();
  for (const context of contexts.splice(0)) await context.close();
  expect(errors.splice(0)).toEqual([]);
});

/** A browser of its own, without anyone's cookies. */
async function newBrowser(viewport = DESKTOP): Promise<Page> {
  const context = await browser.context.browser()!.newContext({ viewport, locale: 'en-GB' });
  contexts.push(context);
  const page = await context.newPage();
  page.setDefaultTimeout(100_000);
  page.on('pageerror', (error) => errors.push(error));
  return page;
}

const signIn = (page: Page, role: PersonRole) => joinAndSignIn(page, gateway, role);

/** Someone new has joined, in one step. */
async function join(page: Page, role: PersonRole): Promise<void> {
  const { inviteUrl } = await invite(gateway, role);
  const data = { inviteToken: inviteUrl.split('#invite=')[1]!, password: PASSWORD };
  expect(await attempt(page, 'console/acceptInvite', data)).toBe(200);
}

const open = (page: Page, path: string) => page.goto(`${network.url}/console/${path}`);
const dialog = (page: Page) => page.getByRole('dialog');

/** What the page of someone who knows the API would get. */
async function attempt(page: Page, path: string, data: Json): Promise<number> {
  const response = await page.request.post(`${network.url}/api/${path}`, {
    headers: { origin: network.url, 'x-auth-scheme': 'console' },
    data,
  });
  return response.status();
}

describe('a role', () => {
  const SHARE = { name: 'Of a role', expirationTimeSecs: 600 };
  const SITE = { location: { name: 'Of a role', tz: 'UTC' } };
  const INVITE = { name: 'Mallory', email: 'mallory@example.com', role: 'admin' };

  /** Pages with what is on them for a role, and for no lesser one. */
  const DEEDS: readonly { path: string; role: PersonRole; deed: ['link' | 'button', string] }[] = [
    { path: 'shares', role: 'operator', deed: ['link', 'New share'] },
    { path: 'schedules', role: 'operator', deed: ['link', 'New schedule'] },
    { path: 'walls', role: 'operator', deed: ['link', 'New wall'] },
    { path: 'timeline', role: 'operator', deed: ['button', 'Cut a clip'] },
    { path: '', role: 'admin', deed: ['link', 'Add cameras'] },
    { path: 'doors', role: 'admin', deed: ['button', 'Add rule'] },
  ];
  const RANK = { viewer: 0, operator: 1, admin: 2 };

  test.each([
    ['viewer', 'Viewer', EVERYONE, { share: 403, site: 403, invite: 403 }],
    ['operator', 'Operator', EVERYONE, { share: 200, site: 403, invite: 403 }],
    ['admin', 'Administrator', ['First steps', ...ADMINS], { share: 200, site: 200, invite: 200 }],
  ] as const)('of %s signs in, and meets its limits', async (role, title, menu, allowed) => {
    const page = await newBrowser();
    await signIn(page, role);
    expect(await page.locator('.who').textContent()).toContain(title);
    const items = page.getByRole('navigation', { name: 'Console' }).getByRole('link');
    expect(await items.allTextContents()).toEqual(menu);
    for (const { path, role: needed, deed } of DEEDS) {
      await open(page, path);
      await page.locator('main h1').waitFor();
      const control = page.getByRole(deed[0], { name: deed[1] }).first();
      if (RANK[role] >= RANK[needed]) await control.waitFor();
      else {
        await page.locator('main .loading').first().waitFor({ state: 'detached' });
        expect(await control.count(), `${deed[1]} on ${path}`).toBe(0);
      }
    }
    for (const path of ['keys', 'people', 'settings', 'system', 'activity/webhooks']) {
      await open(page, path);
      const missing = page.getByRole('heading', { name: 'There is no such page' });
      if (role === 'admin') await page.locator('main h1').waitFor();
      else await missing.waitFor();
    }
    const cameraUuid = await gateway.cameraUuid('Front desk');
    expect({
      share: await attempt(page, 'camera/createSharedLiveVideoStream', { cameraUuid, ...SHARE }),
      site: await attempt(page, 'location/createLocation', SITE),
      invite: await attempt(page, 'console/invitePerson', { ...INVITE, email: `${role}-${INVITE.email}` }),
    }).toEqual(allowed);
    // Everyone can watch.
    await open(page, `cameras/${cameraUuid}`);
    const video = page.frameLocator('.camera-stage iframe').locator('video');
    await expect
      .poll(() => video.evaluate(({ currentTime }: HTMLVideoElement) => currentTime))
      .toBeGreaterThan(0.5);
    await expectAccessible(page, role);
  });
});

test('a link with schedule and password is watched on a phone, and its viewer ended', async () => {
  const week = [{ minuteOfWeekStart: 0, minuteOfWeekStop: 7 * 24 * 60 }];
  await gateway.call('schedule/createWeeklySchedule', {
    schedule: { name: 'Whole week', intervalList: week },
  });
  const page = await newBrowser();
  await signIn(page, 'operator');
  await open(page, 'shares');
  await page.getByRole('link', { name: 'New share' }).first().click();
  await dialog(page).getByLabel('What to share').selectOption({ label: 'Front desk' });
  await dialog(page).getByLabel('Name', { exact: true }).fill('Visitors');
  await dialog(page).getByLabel('In 1 hour').check();
  await dialog(page).getByRole('button', { name: 'Generate' }).click();
  const password = await dialog(page).getByLabel('Password').inputValue();
  await dialog(page).getByLabel('Schedule', { exact: true }).selectOption({ label: 'Whole week' });
  await dialog(page).getByRole('button', { name: 'Create link' }).click();
  await dialog(page).getByRole('heading', { name: 'The link of Visitors is ready' }).waitFor();
  const link = await dialog(page).getByLabel('Link', { exact: true }).inputValue();

  const phone = await newBrowser(PHONE);
  await phone.goto(link);
  await phone.fill('#password', 'not it');
  await phone.click('#password-submit');
  await phone.getByText('isn’t right').first().waitFor();
  await phone.fill('#password', password);
  await phone.click('#password-submit');
  await phone.waitForSelector('#live[data-state="live"]');
  expect(await tooWide(phone)).toEqual([]);

  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Visitors', exact: true }).click();
  await dialog(page).getByText('127.0.0.1', { exact: true }).waitFor();
  await dialog(page)
    .getByText(/^Visible at .* because the schedule ‘Whole week’ is active\.$/)
    .waitFor();
  await dialog(page).getByRole('button', { name: 'End the view from 127.0.0.1' }).click();
  await dialog(page).getByRole('button', { name: 'End view' }).click();
  await dialog(page).getByText('Ended 1 view from 127.0.0.1.').waitFor();
  await phone.getByRole('heading', { name: 'Your view was ended' }).waitFor();
  expect(await phone.evaluate(() => document.querySelector('video')?.paused !== false)).toBe(true);
});

describe('without a network', () => {
  test.each(PAGES.map(({ path }) => path))('the page "%s" says what failed, to everyone', async (path) => {
    const page = await newBrowser(PHONE);
    await join(page, 'admin');
    await page.route(/\/api\/(?!console\/getSession)/, (route) => route.abort());
    await open(page, path.replaceAll(/:\w+/g, await gateway.cameraUuid('Front desk')));
    await page.locator('main h1').first().waitFor();
    await untilSettled(page);
    // Without a map server, the map is a sentence.
    const isAsking = !['account', 'cameras/add', 'map'].includes(path);
    if (isAsking) await page.getByText('No connection to the gateway').first().waitFor();
    await expectAccessible(page, path);
    expect(await tooWide(page)).toEqual([]);
  });

  test('the console says so, keeps what was typed, and is current again afterwards', async () => {
    const page = await newBrowser();
    await signIn(page, 'operator');
    const before = await gateway.share('Front desk', { name: 'Before' });
    await open(page, 'shares');
    const share = (name: string) => page.getByRole('button', { name, exact: true });
    await share('Before').waitFor();
    await page.getByRole('link', { name: 'New share' }).first().click();
    await dialog(page).getByLabel('Name', { exact: true }).fill('Typed before');

    network.break();
    await page.getByText(/^Not current since/).waitFor();
    await dialog(page).getByRole('button', { name: 'Create link' }).click();
    await dialog(page).getByText('The gateway cannot be reached').waitFor();
    expect(await dialog(page).getByLabel('Name', { exact: true }).inputValue()).toBe('Typed before');
    await expectAccessible(page, 'without a network');
    // What others do meanwhile.
    await gateway.revoke(before);
    await gateway.share('Front desk', { name: 'Meanwhile' });
    expect(await page.locator('.shares .open', { hasText: 'Before' }).count()).toBe(1);

    network.mend();
    await page.getByText(/^Not current since/).waitFor({ state: 'detached', timeout: RECONNECT_MS });
    await dialog(page).getByRole('button', { name: 'Create link' }).click();
    await dialog(page).getByRole('heading', { name: 'The link of Typed before is ready' }).waitFor();
    await page.keyboard.press('Escape');
    await share('Meanwhile').waitFor();
    await share('Typed before').waitFor();
    await share('Before').waitFor({ state: 'detached' });
  });

  test('a gateway that hangs: the page and its lists say since when they are not current', async () => {
    const page = await newBrowser();
    await signIn(page, 'operator');
    await page.getByRole('link', { name: 'Front desk' }).waitFor();
    await page.getByRole('link', { name: 'Shares' }).click();
    await page
      .getByText(/^(\d+ shares?|Nothing is shared yet)$/)
      .first()
      .waitFor();
    gateway.child.process.kill('SIGSTOP');
    try {
      // Not from when the page noticed.
      const sign = page.getByText(/^Not current since \d+:\d+.*, for ([4-9]|\d\d) s$/);
      await sign.waitFor();
      await page
        .getByText(/^Changes since \d+:\d+.*, for \d+ s, may be missing here\.$/)
        .first()
        .waitFor();
      await expectAccessible(page, 'a gateway that hangs');
      await page.getByRole('link', { name: 'Cameras', exact: true }).click();
      await page
        .getByText(/The gateway has not answered for \d+ s\.$/)
        .first()
        .waitFor();
    } finally {
      gateway.child.process.kill('SIGCONT');
    }
    await page.getByText(/^Not current since/).waitFor({ state: 'detached', timeout: RECONNECT_MS });
    expect(await page.getByText(/may be missing here/).count()).toBe(0);
  });

  test('a page that is opened says so, and opens when the network is back', async () => {
    const page = await newBrowser(PHONE);
    await signIn(page, 'viewer');
    await page.getByRole('link', { name: 'Front desk' }).waitFor();
    network.break();
    await page.getByText(/^Not current since/).waitFor();
    await page.getByRole('link', { name: 'Alerts' }).click();
    await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
    await expectAccessible(page, 'a page that is missing');
    expect(await tooWide(page)).toEqual([]);
    // What was loaded before still opens.
    await page.getByRole('link', { name: 'Cameras', exact: true }).click();
    await page.getByRole('heading', { name: 'Cameras', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Alerts' }).click();
    await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();

    network.mend();
    await page.getByRole('heading', { name: 'Alerts', level: 1 }).waitFor({ timeout: RECONNECT_MS });
    expect(await page.getByRole('heading', { name: 'This page could not be loaded' }).count()).toBe(0);
    await page.getByText(/^Not current since/).waitFor({ state: 'detached' });
  });
});

test('what changes while the console opens is shown, though it was read before', async () => {
  const page = await newBrowser();
  await signIn(page, 'viewer');
  const follows = Promise.withResolvers<void>();
  const reaches = Promise.withResolvers<void>();
  await page.routeWebSocket(/\/websocket$/, async (socket) => {
    reaches.resolve();
    await follows.promise;
    socket.connectToServer();
  });
  await page.goto(`${network.url}/console/shares?q=night`);
  await page.getByText('No share matches').waitFor();
  await reaches.promise;
  const share = await gateway.share('Front desk', { name: 'For the night' });
  follows.resolve();
  await page.getByText('For the night').waitFor();
  await gateway.revoke(share);
});
