/** The console as an app: notifications, quiet hours, and a service worker that never keeps an old console. */

import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newRuuid } from '../../src/core/ruuid.ts';
import { TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { countClicks } from './clicks.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';

const DESK = { width: 1_440, height: 900 };
const PHONE = { width: 390, height: 844 };
const NARROWEST = { width: 320, height: 640 };
const MIN_TARGET_PX = 40;

let gateway: TestGateway;
let browser: TestBrowser;
let dock: string;
const records: PageRecord[] = [];

beforeAll(async () => {
  gateway = await TestGateway.start({
    locations: ['Harbor', 'Warehouse'].map((name) => ({ name, tz: 'Europe/Berlin' })),
    cameras: [
      { name: 'Dock', location: 'Harbor', rtsp: 'rtsp://127.0.0.1:1/none' },
      { name: 'Ramp', location: 'Warehouse', rtsp: 'rtsp://127.0.0.1:1/none' },
    ],
    demo: false,
  });
  dock = await gateway.cameraUuid('Dock');
  browser = await startBrowser([], { serviceWorkers: 'allow' });
  await browser.context.grantPermissions(['notifications'], { origin: gateway.apiUrl });
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
});
afterEach(async () => {
  for (const { page } of records) await page.close();
  expect(records.flatMap(({ problems }) => problems)).toEqual([]);
  records.length = 0;
});

async function open(path: string, size = DESK): Promise<Page> {
  const record = await openConsolePage(browser, gateway, 'operator');
  records.push(record);
  await record.page.setViewportSize(size);
  await record.page.goto(`${gateway.apiUrl}/console/${path}`);
  return record.page;
}

/** Resolves when the page is under the worker's control. */
async function controlled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    if (navigator.serviceWorker.controller !== null) return;
    await new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve));
  });
}

async function report(textDescription: string, more: object = {}): Promise<string> {
  const uuid = newRuuid();
  const row = { uuid, deviceUuid: dock, timestampMs: Date.now(), textDescription, ...more };
  expect(await gateway.call('ingest/policyAlerts', { rows: [row] })).toMatchObject({ rejected: [] });
  return uuid;
}

/** As the browser's push service does after it has decrypted a message. */
async function deliver(page: Page, content: object): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const registrations: { registrationId: string; scopeURL: string; isDeleted: boolean }[] = [];
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: known }) =>
    registrations.push(...known),
  );
  await session.send('ServiceWorker.enable');
  const { registrationId } = await until('the registration', () =>
    registrations.find(({ scopeURL, isDeleted }) => scopeURL.startsWith(gateway.apiUrl) && !isDeleted),
  );
  const before = await shownCount();
  await session.send('ServiceWorker.deliverPushMessage', {
    origin: gateway.apiUrl,
    registrationId,
    data: JSON.stringify(content),
  });
  // Chromium drops a notification from its list if the list is read while it is being shown.
  await until('the worker to show it', async () => (await shownCount()) > before);
  await session.detach();
}

/** How many notifications the worker has shown since the first call of this. */
function shownCount(): Promise<number> {
  const [worker] = browser.context.serviceWorkers();
  return worker!.evaluate(() => {
    const scope = globalThis as unknown as { registration: ServiceWorkerRegistration; shownCount?: number };
    if (scope.shownCount === undefined) {
      scope.shownCount = 0;
      const { registration } = scope;
      const show = registration.showNotification.bind(registration);
      registration.showNotification = async (...notification) => {
        await show(...notification);
        scope.shownCount! += 1;
      };
    }
    return scope.shownCount;
  });
}

const shown = (page: Page) =>
  page.evaluate(async () => {
    const { getNotifications } = ServiceWorkerRegistration.prototype;
    const found = await getNotifications.call(await navigator.serviceWorker.ready);
    return found.map(({ title, body, tag, data }) => ({ title, body, tag, data }));
  });

/** As a person clicks it. `action`: '' for the notification itself. */
async function click(action: string): Promise<void> {
  const [worker] = browser.context.serviceWorkers();
  await worker!.evaluate(async (wanted) => {
    const scope = globalThis as unknown as {
      registration: ServiceWorkerRegistration;
      NotificationEvent: new (type: string, init: object) => Event;
    };
    const [notification] = await scope.registration.getNotifications();
    dispatchEvent(new scope.NotificationEvent('notificationclick', { notification, action: wanted }));
  }, action);
}

async function shoot(page: Page, name: string): Promise<void> {
  if (process.env.SHOTS === undefined) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${process.env.SHOTS}/${name}-${colorScheme}.png`, fullPage: true });
  }
}

const contentOf = (alertUuid: string, more: object = {}) => ({
  alertUuid,
  title: 'Person at the gate',
  text: 'Dock · Harbor',
  deviceUuid: dock,
  timestampMs: Date.now(),
  count: 1,
  ...more,
});

test('a notification is shown, and its click opens the alert in the open console', async () => {
  const page = await open('schedules');
  await controlled(page);
  const alertUuid = await report('Person at the gate');
  await deliver(page, contentOf(alertUuid));
  const [first] = await until('the notification', async () => {
    const all = await shown(page);
    return all.length > 0 && all;
  });
  expect(first).toEqual({
    title: 'Person at the gate',
    body: 'Dock · Harbor',
    tag: dock,
    data: { alertUuid },
  });
  // The next one of the camera replaces it.
  await deliver(page, contentOf(alertUuid, { title: 'Again', count: 12 }));
  await until('the count', async () => (await shown(page))[0]?.body === 'Dock · Harbor\n12 alerts');
  expect(await shown(page)).toHaveLength(1);
  await click('');
  const chosen = page.getByRole('region', { name: 'The alert that you opened' });
  await chosen.getByRole('listitem', { name: 'Person at the gate' }).waitFor();
  await until('it to be closed', async () => (await shown(page)).length === 0);
});

test('its button acknowledges the alert for the person who is signed in', async () => {
  const page = await open('');
  await controlled(page);
  const alertUuid = await report('Box at the door');
  await deliver(page, contentOf(alertUuid));
  await until('the notification', async () => (await shown(page)).length > 0);
  await click('acknowledge');
  await until('the acknowledgment', async () => {
    const { policyAlert } = await gateway.call('event/getPolicyAlert', { policyAlertUuid: alertUuid });
    return policyAlert.acknowledgement?.actorName === 'Ada Lovelace';
  });
});

test('a message that cannot be read is still a notification', async () => {
  const page = await open('');
  await controlled(page);
  await deliver(page, ['what']);
  await until('the notification', async () => (await shown(page))[0]?.title === 'New alert');
});

test('the worker caches one page, which is shown if the gateway cannot be reached', async () => {
  const proxy = await startProxy();
  try {
    const record = await openConsolePage(browser, gateway, 'operator');
    records.push(record);
    const { page } = record;
    await page.goto(`${proxy.url}/console/`);
    await controlled(page);
    const cached = await page.evaluate(async () => {
      const names = await caches.keys();
      const all = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return all.flat().map(({ url }) => new URL(url).pathname);
    });
    expect(cached).toEqual(['/console/offline.html']);
    proxy.breakDown();
    await page.goto(`${proxy.url}/console/alerts`);
    await page.getByRole('heading', { name: 'The gateway cannot be reached' }).waitFor();
    await expectAccessible(page, 'no gateway');
    record.problems.length = 0;
  } finally {
    await proxy.close();
  }
});

test('a worker that keeps an old console is replaced by the next visit, with all that it cached', async () => {
  const proxy = await startProxy();
  proxy.serveWorker(`
    addEventListener('install', (event) => {
      skipWaiting();
      event.waitUntil(caches.open('old').then((cache) => cache.put('/console/', new Response('An old console',
        { headers: { 'content-type': 'text/html' } }))));
    });
    addEventListener('activate', (event) => event.waitUntil(clients.claim()));
    addEventListener('fetch', (event) => {
      if (event.request.mode === 'navigate') event.respondWith(caches.match('/console/'));
    });`);
  try {
    const record = await openConsolePage(browser, gateway, 'operator');
    records.push(record);
    const { page } = record;
    await page.goto(`${proxy.url}/console/`);
    await controlled(page);
    await page.goto(`${proxy.url}/console/alerts`);
    await page.getByText('An old console').waitFor();
    // The gateway is upgraded. Browsers look for another worker at each visit, also for one that answers from its cache.
    proxy.serveWorker(null);
    await page.reload();
    await page.evaluate(
      () => new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve)),
    );
    await page.goto(`${proxy.url}/console/alerts`);
    await page.locator('#console').waitFor();
    expect(await page.evaluate(async () => (await caches.keys()).filter((name) => name === 'old'))).toEqual(
      [],
    );
    record.problems.length = 0;
  } finally {
    await proxy.close();
  }
});

test.each([
  ['desk', DESK],
  ['phone', PHONE],
])('quiet hours take three clicks on a %s, and silence notices', async (device, size) => {
  const page = await open('account', size);
  const part = page.getByRole('region', { name: 'Notifications of alerts' });
  await part.getByText('No quiet hours.').waitFor();
  const clicks = await countClicks(page);
  await part.getByRole('radio', { name: 'At some hours' }).click();
  const dialog = page.locator('dialog');
  await dialog.getByRole('button', { name: 'Nights' }).click();
  await expectAccessible(page, `hours to paint, ${device}`);
  await shoot(page, `hours-${device}`);
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(clicks.since()).toBe(3);
  await part.getByText(/^(?:Next: quiet from .* to .*\.|Quiet now, until .*\.)$/).waitFor();
  await expectAccessible(page, `quiet hours, ${device}`);
  await shoot(page, `quiet-${device}`);
  if (device === 'phone') {
    expect(await smallTargets(page, MIN_TARGET_PX)).toEqual([]);
    await page.setViewportSize(NARROWEST);
    expect(await tooWide(page)).toEqual([]);
    await page.setViewportSize(size);
  }
  await part.getByRole('radio', { name: 'Never' }).click();
  await part.getByText('Quiet at all times.').waitFor();
  await page.getByRole('link', { name: /^Alerts/ }).click();
  await report('Unheard');
  await page.getByRole('listitem', { name: 'Unheard' }).first().waitFor();
  await page.getByRole('link', { name: 'Cameras', exact: true }).click();
  await until('the badge', async () => (await page.locator('.menu-badge').count()) === 1);
  expect(await page.getByRole('region', { name: 'Notices of alerts' }).count()).toBe(0);
});

test.each([
  ['desktop', DESK],
  ['phone', PHONE],
])(
  'on a %s, alerts of one site and kind are chosen in five clicks, and only they notify',
  async (device, size) => {
    const page = await open('account', size);
    const part = page.getByRole('region', { name: 'Notifications of alerts' });
    await part.getByText('All kinds of alerts').waitFor();
    const clicks = await countClicks(page);
    await part.getByRole('button', { name: 'Choose alerts' }).click();
    const dialog = page.locator('dialog');
    await dialog.getByRole('option', { name: 'Harbor' }).first().click();
    await dialog.getByRole('option', { name: 'Person', exact: true }).click();
    await dialog.getByLabel('By the browsers that you turned on').click();
    await expectAccessible(page, `alerts to choose, ${device}`);
    await shoot(page, `alerts-${device}`);
    if (device === 'phone') expect(await smallTargets(page, MIN_TARGET_PX)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(clicks.since()).toBe(5);
    const facts = part.locator('.facts');
    await until('the choice in words', async () =>
      (await facts.textContent())?.includes('FromHarborAboutPersonShownIn the open console'),
    );
    await page.setViewportSize(NARROWEST);
    expect(await tooWide(page)).toEqual([]);
    await page.setViewportSize(size);
    // Hours that are painted later leave it as it is.
    await part.getByRole('radio', { name: 'At some hours' }).click();
    await dialog.getByRole('button', { name: 'Nights' }).click();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await part.getByRole('radio', { name: 'Always' }).click();
    await part.getByText('No quiet hours.').waitFor();
    expect(await facts.textContent()).toContain('Harbor');
    const ramp = await gateway.cameraUuid('Ramp');
    const person = { policyAlertTriggers: ['MOTION_HUMAN'] };
    await page.goto(`${gateway.apiUrl}/console/`);
    await page.locator('main h1').first().waitFor();
    const notices = page.getByRole('region', { name: 'Notices of alerts' });
    await report('Elsewhere', { ...person, deviceUuid: ramp });
    await report('Another kind', { policyAlertTriggers: ['TAMPER'] });
    await report('Someone at the dock', person);
    await notices.getByText('Someone at the dock').first().waitFor();
    expect(await notices.textContent()).not.toMatch(/Elsewhere|Another kind/);
  },
);

interface Proxy {
  readonly url: string;
  /** In place of the gateway's; null: the gateway's. */
  serveWorker(script: string | null): void;
  /** No more connections. */
  breakDown(): void;
  close(): Promise<void>;
}

/** Another origin of the gateway, whose worker is of another version. */
async function startProxy(): Promise<Proxy> {
  let worker: string | null = null;
  let isBroken = false;
  const respond = (incoming: IncomingMessage, response: ServerResponse): void => {
    if (isBroken) {
      incoming.socket.destroy();
      return;
    }
    if (worker !== null && incoming.url === '/console/service-worker.js') {
      response.writeHead(200, { 'content-type': 'text/javascript', 'cache-control': 'no-cache' }).end(worker);
      return;
    }
    const { method, headers, url } = incoming;
    const sent = request(new URL(url!, gateway.apiUrl), { method, headers }, (answered) => {
      response.writeHead(answered.statusCode!, answered.headers);
      answered.pipe(response);
    });
    sent.on('error', () => response.destroy());
    incoming.pipe(sent);
  };
  const server: Server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serveWorker: (script) => {
      worker = script;
    },
    breakDown: () => {
      isBroken = true;
      server.closeAllConnections();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
