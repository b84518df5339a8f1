/** The timeline of a site with fifty cameras and thirty days of recordings, in Chromium. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { newRuuid } from '../../src/core/ruuid.ts';
import { API_KEY, type Json, TestGateway } from '../support/gateway.ts';
import { fillRecordings } from '../support/many-recordings.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { openConsolePage } from './console-page.ts';

const CAMERAS = 50;
const DAYS = 30;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The last hours have an index as cameras make it. */
const DETAILED_MS = 8 * HOUR_MS;
/** A gap a day is two numbers for each camera. */
const MAX_RESPONSE_BYTES = 256 * 1_024;
const DESK = { width: 1_440, height: 900 };
/** Those near the screen alone. */
const MAX_ROWS_IN_DOCUMENT = 40;

let gateway: TestGateway;
let browser: TestBrowser;
let page: Page;
let cameraUuids: string[];
/** When the index ends: a whole hour, of the past. */
let endMs: number;

/** Every camera has a pause of two hours a day, at another time than its neighbors. */
const isPause = (camera: number, atMs: number) => {
  const hour = Math.floor(atMs / HOUR_MS) % 24;
  return hour === (camera % 11) * 2 || hour === (camera % 11) * 2 + 1;
};

beforeAll(async () => {
  const names = Array.from({ length: CAMERAS }, (_, i) => `Camera ${String(i + 1).padStart(2, '0')}`);
  gateway = await TestGateway.start({
    demo: false,
    recording: { minFree: '16MiB' },
    locations: [{ name: 'Harbor', tz: 'UTC' }],
    cameras: names.map((name) => ({ name, location: 'Harbor', rtsp: 'rtsp://127.0.0.1:1/none' })),
  });
  const { cameraStates } = await gateway.call('camera/getMinimalCameraStateList');
  const byName = new Map<string, string>(cameraStates.map(({ name, uuid }: Json) => [name, uuid]));
  cameraUuids = names.map((name) => byName.get(name)!);
  await gateway.end();
  endMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  fillRecordings(gateway, {
    cameraUuids,
    fromMs: endMs - DAYS * DAY_MS + HOUR_MS,
    toMs: endMs,
    detailedFromMs: endMs - DETAILED_MS,
    isRecorded: (camera, atMs) => !isPause(camera, atMs),
  });
  await gateway.run();
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
});
beforeEach(async () => {
  ({ page } = await openConsolePage(browser, gateway, 'viewer'));
  await page.setViewportSize(DESK);
});
afterEach(() => page.close());

interface Requested {
  readonly answer: Json;
  readonly bytes: number;
}

async function ask(fromMs: number, toMs: number, joinMs: number): Promise<Requested> {
  const response = await fetch(`${gateway.apiUrl}/api/camera/getRecordedSpans`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-auth-apikey': API_KEY, 'x-auth-scheme': 'api-token' },
    body: JSON.stringify({ cameraUuids, fromMs, toMs, joinMs }),
  });
  const text = await response.text();
  expect(response.status, text.slice(0, 500)).toBe(200);
  return { answer: JSON.parse(text), bytes: text.length };
}

test.each([
  ['thirty days', DAYS * DAY_MS, false],
  ['a week', 7 * DAY_MS, false],
  // As many camera hours as it looks at segment by segment.
  ['six hours', 6 * HOUR_MS, true],
  ['an hour', HOUR_MS, true],
] as const)('%s of all cameras are one short answer, with every gap', async (_range, spanMs, isExact) => {
  const fromMs = endMs - spanMs;
  const { answer, bytes } = await ask(fromMs, endMs, Math.round(spanMs / 1_500));
  expect(answer).toMatchObject({ error: false, exact: isExact });
  expect(answer.cameras).toHaveLength(CAMERAS);
  for (const [camera, { cameraUuid, spans }] of (answer.cameras as Json[]).entries()) {
    expect(cameraUuid).toBe(cameraUuids[camera]);
    for (let atMs = fromMs + 1_800_000; atMs < endMs; atMs += HOUR_MS) {
      const isThere = spans.some((span: Json) => span.fromMs <= atMs && atMs < span.toMs);
      const isBefore = atMs < endMs - DAYS * DAY_MS + HOUR_MS;
      expect(isThere, `camera ${camera} at ${new Date(atMs).toISOString()}`).toBe(
        !isBefore && !isPause(camera, atMs),
      );
    }
  }
  expect(bytes).toBeLessThan(MAX_RESPONSE_BYTES);
});

/** An instant in the pause of the first camera, and of no other that is asked about here. */
function pausedMs(beforeMs: number): number {
  const dayMs = Math.floor(beforeMs / DAY_MS) * DAY_MS;
  return dayMs + HOUR_MS - DAY_MS;
}

test.each([
  ['thirty days', DAYS * DAY_MS],
  ['three hours', 3 * HOUR_MS],
])('%s of all cameras are on the page, and can be read', async (_span, spanMs) => {
  const atMs = pausedMs(endMs);
  await page.goto(`${gateway.apiUrl}/console/timeline?camera=${cameraUuids[0]}&at=${atMs}&span=${spanMs}`);
  const head = page.getByRole('slider', { name: 'Play head' });
  await page.locator('[aria-valuetext*="Camera 01 not recorded"]').waitFor();
  await page.getByText('Not recorded at this time').waitFor();
  expect(await page.locator('.lane').count()).toBe(CAMERAS);
  await page.locator('.lane').getByLabel('Camera 07').check();
  await expect.poll(() => head.getAttribute('aria-valuetext')).toMatch(/Camera 07 recorded/);
  await page.getByText('As a table').click();
  await page.getByRole('cell', { name: 'Recorded' }).first().waitFor();
});

test('goes from an hour to thirty days', async () => {
  const atMs = pausedMs(endMs);
  await page.goto(`${gateway.apiUrl}/console/timeline?camera=${cameraUuids[0]}&at=${atMs}&span=${HOUR_MS}`);
  const head = page.getByRole('slider', { name: 'Play head' });
  await page.locator('[aria-valuetext*="Camera 01 not recorded"]').waitFor();
  await head.focus();
  for (let press = 0; press < 10; press++) await page.keyboard.press('-');
  await page.getByText('720 h', { exact: true }).waitFor();
  await page.getByText('Gaps of less than an hour may be missing at this zoom.').waitFor();
  // Ten days before: only the whole range has that.
  for (let press = 0; press < 5; press++) await page.keyboard.press('Shift+ArrowLeft');
  await expect.poll(() => head.getAttribute('aria-valuetext')).toMatch(/Camera 01 (?:not )?recorded/);
});

test('lists a day of ten thousand events page by page, and finds the one of a rare kind', async () => {
  const fromMs = endMs - DAY_MS;
  const deviceUuid = cameraUuids[0]!;
  const eventAt = (index: number, trigger: string) => ({
    uuid: newRuuid(),
    deviceUuid,
    timestampMs: fromMs + index * 8_000,
    policyAlertTriggers: [trigger],
  });
  for (let part = 0; part < 10; part++) {
    const rows = Array.from({ length: 1_000 }, (_, i) =>
      eventAt(part * 1_000 + i, part + i === 0 ? 'TAMPER' : 'MOTION'),
    );
    await gateway.call('ingest/policyAlerts', { rows });
  }
  const at = endMs - DAY_MS / 2;
  await page.goto(`${gateway.apiUrl}/console/timeline?camera=${deviceUuid}&at=${at}&span=${DAY_MS}`);
  const list = page.getByRole('region', { name: 'Events' });
  await list.getByText('Newest 100', { exact: true }).waitFor();
  await page.getByText('Only the newest 2000 events are marked.').waitFor();
  await list.locator('.event-rows').evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await list.getByText('Newest 200', { exact: true }).waitFor();
  expect(await list.locator('.event-row').count()).toBeLessThan(MAX_ROWS_IN_DOCUMENT);
  await list.getByLabel('Show').selectOption('Alerts');
  await list.getByText('1 event', { exact: true }).waitFor();
  await list.getByRole('button', { name: 'Alert: Camera tampered with' }).waitFor();
});

test('finds one of fifty cameras by a part of its name', async () => {
  await page.goto(`${gateway.apiUrl}/console/timeline?camera=${cameraUuids[0]}`);
  await page.getByRole('searchbox', { name: 'Find cameras' }).fill('era 07');
  // The camera with a picture stays.
  await expect.poll(() => page.locator('.lane').count()).toBe(2);
  await page.getByText('48 cameras are hidden by the search.').waitFor();
});
