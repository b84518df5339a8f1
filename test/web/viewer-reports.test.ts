/** The viewer page about itself, in Chromium: it reports if the operator asks for it, and only then. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway, type TestShare } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { startBrowser, type TestBrowser } from './browser.ts';

let camera: SyntheticCamera;
let browser: TestBrowser;
const gateways: TestGateway[] = [];

beforeAll(async () => {
  [camera, browser] = await Promise.all([startCamera(), startBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all(gateways.map((gateway) => gateway.dispose()));
  await camera?.close();
});

async function sharedBy(viewerReports: boolean): Promise<{ gateway: TestGateway; share: TestShare }> {
  const gateway = await TestGateway.start({
    hls: { idleStop: '10m' },
    cameras: [{ name: 'Lobby', rtsp: camera.url }],
    serviceLevels: { viewerReports },
  });
  gateways.push(gateway);
  return { gateway, share: await gateway.share('Lobby', { name: 'Front desk' }) };
}

/** A page that plays, and what it posts. */
async function playing(url: string, before: (page: Page) => Promise<unknown> = async () => {}) {
  const page = await browser.context.newPage();
  await before(page);
  const posted: { readonly path: string; readonly body: string | null }[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST')
      posted.push({ path: new URL(request.url()).pathname, body: request.postData() });
  });
  await page.goto(url);
  const limit = { timeout: 60_000 };
  const began = await page.waitForFunction(
    () => document.querySelector('video')?.currentTime ?? 0,
    null,
    limit,
  );
  const fromSec = await began.jsonValue();
  await page.waitForFunction(
    (from) => document.querySelector('video')!.currentTime > from + 3,
    fromSec,
    limit,
  );
  return { page, posted };
}

/** As at a page that is left. */
const leave = (page: Page) => page.evaluate(() => void dispatchEvent(new Event('pagehide')));
const reports = (posted: readonly { readonly path: string; readonly body: string | null }[]) =>
  posted.filter(({ path }) => path.endsWith('/report'));

test('says nothing about itself unless the operator asks', async () => {
  const { gateway, share } = await sharedBy(false);
  const { page, posted } = await playing(share.pageUrl);
  await leave(page);
  // What is posted afterwards comes after the report would have.
  await page.evaluate(() => fetch('/healthz', { method: 'POST' }).catch(() => undefined));
  await until('the last request', () => posted.some(({ path }) => path === '/healthz'));
  expect(reports(posted)).toEqual([]);
  const { hasViewerReports, shares } = await gateway.call('console/getServiceLevels');
  expect([hasViewerReports, shares]).toEqual([false, []]);
  const opened = await fetch(`${share.pageUrl}/open`, { method: 'POST' });
  const { playlistUrl } = (await opened.json()) as Json;
  const report = await fetch(new URL('report', new URL(playlistUrl, share.pageUrl)), {
    method: 'POST',
    body: '{}',
  });
  expect(report.status).toBe(404);
  await page.close();
});

test('says how its playback went if the operator asks, and nothing about who watches', async () => {
  const { gateway, share } = await sharedBy(true);
  const { page, posted } = await playing(share.pageUrl);
  await leave(page);
  const viewers = async (): Promise<Json | undefined> =>
    (await gateway.call('console/getServiceLevels')).shares[0]?.viewers;
  const { day } = await until('a report', async () => (await viewers()) ?? null);
  expect(day).toMatchObject({ measurements: 1, firstPictures: 1, failedRequests: 0 });
  expect(day.playedSec).toBeGreaterThan(1);
  expect(day.requests).toBeGreaterThan(5);
  expect(day.delayP50Ms).toBeGreaterThan(100);
  const [report] = reports(posted);
  const told = JSON.parse(report!.body!) as Json;
  const numbers = [
    'delayMs',
    'failedRequests',
    'firstPictureMs',
    'playedMs',
    'requests',
    'stalledMs',
    'stalls',
  ];
  expect(Object.keys(told).sort()).toEqual(numbers);
  expect(Object.values(told).every((value) => typeof value === 'number')).toBe(true);

  // One more for the end of the page, and then one a minute.
  for (let i = 0; i < 5; i++) {
    await page.waitForFunction((from) => document.querySelector('video')!.currentTime > from + 0.3, i);
    await leave(page);
  }
  await until('the second report', async () => (await viewers())?.day.measurements === 2);
  const metrics = await (await fetch(`${gateway.apiUrl}/metrics`)).text();
  expect(metrics).toMatch(/sluice_service_measurements_total\{[^}]*source="viewers"\} 2/);
  await page.close();
});

test('says nothing if the browser asks for privacy', async () => {
  const { gateway, share } = await sharedBy(true);
  const { page, posted } = await playing(share.pageUrl, (fresh) =>
    fresh.addInitScript('Object.defineProperty(navigator, "globalPrivacyControl", { value: true })'),
  );
  await leave(page);
  await page.evaluate(() => fetch('/healthz', { method: 'POST' }).catch(() => undefined));
  await until('the last request', () => posted.some(({ path }) => path === '/healthz'));
  expect(reports(posted)).toEqual([]);

  // A page that is not ours: the header alone is enough.
  const grant = await page.evaluate(async () => {
    const opened = await fetch(`${location.pathname}/open`, { method: 'POST' });
    return ((await opened.json()) as { reportUrl: string }).reportUrl;
  });
  const body = JSON.stringify({ playedMs: 1_000, stalledMs: 0, stalls: 0, requests: 1, failedRequests: 0 });
  const response = await fetch(new URL(grant, share.pageUrl), {
    method: 'POST',
    body,
    headers: { 'sec-gpc': '1' },
  });
  expect(response.status).toBe(204);
  expect((await gateway.call('console/getServiceLevels')).viewers.day.measurements).toBe(0);
  await page.close();
});
