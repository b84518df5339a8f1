/** What the page of a camera says about the time in which the gateway was not running, in Chromium. */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, openConsolePage, tooWide } from './console-page.ts';

const HOUR_MS = 3_600_000;
const AWAY_MS = 3 * HOUR_MS + 10 * 60_000;

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let page: Page;
let cameraUuid: string;

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    demo: false,
    recording: { minFree: '16MiB' },
    cameras: [{ name: 'Dock', rtsp: camera.url, recording: 'always' }],
  });
  cameraUuid = await gateway.cameraUuid('Dock');
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
});

const states = async (): Promise<string[]> => {
  const { spans } = await gateway.call('camera/getUptimeHistory', { cameraUuid });
  return spans.map(({ state }: Json) => state);
};
const uptime = () => page.getByRole('region', { name: 'Uptime of 7 days' });
const pauses = () => uptime().locator('.outages li').filter({ hasText: 'Gateway was not running' });

/** What the stopped gateway knows is this much older: it ran then, and not since. */
function moveHistory(byMs: number): void {
  const database = new DatabaseSync(join(gateway.folder, 'data', 'sluice.db'));
  try {
    database
      .prepare(
        'update gateway_runs set started_at_ms = started_at_ms - ?, last_seen_at_ms = last_seen_at_ms - ?',
      )
      .run(byMs, byMs);
    database.prepare("update events set at_ms = at_ms - ? where kind = 'deviceHealth'").run(byMs);
  } finally {
    database.close();
  }
}

test('names the time in which the gateway was not running, and does not count it as down', async () => {
  await until('the camera to be up', async () => (await states()).at(-1) === 'up');
  ({ page } = await openConsolePage(browser, gateway, 'viewer'));
  await page.goto(`${gateway.apiUrl}/console/cameras/${cameraUuid}/details`);
  await uptime().getByText('Up 100% of the time that is known.').waitFor();
  expect(await pauses().count()).toBe(0);

  await gateway.end();
  await page.getByText(/^Not current since/).waitFor();
  moveHistory(AWAY_MS);
  await gateway.run();
  await until('the camera to be up again', async () => (await states()).join(' ').endsWith('unknown up'));

  // The page was open all the time: it reads again by itself.
  await page.getByText(/^Not current since/).waitFor({ state: 'detached' });
  await pauses().first().waitFor();
  expect(await pauses().count()).toBe(1);
  expect(await pauses().textContent()).toMatch(/, for 3 h 1\d min$/);
  await expect
    .poll(() => uptime().getByRole('img').getAttribute('aria-label'))
    .toMatch(/^The last 7 days: up for .*, gateway was not running for 3 h 1\d min/);
  await uptime().getByText('Up 100% of the time that is known.').waitFor();
  expect(await uptime().locator('.outages li').filter({ hasText: 'Down' }).count()).toBe(0);
  const shown = await uptime()
    .locator('.uptime-bar i.not-running')
    .evaluateAll((parts) => parts.reduce((sum, part) => sum + part.getBoundingClientRect().width, 0));
  const dayPx = (await uptime().locator('.uptime-bar').first().boundingBox())!.width;
  // The part of a day that it was; at midnight, it is in two.
  expect(shown / dayPx).toBeGreaterThan((AWAY_MS / (24 * HOUR_MS)) * 0.9);
  expect(shown / dayPx).toBeLessThan((AWAY_MS / (24 * HOUR_MS)) * 1.3);
  await expectAccessible(page, 'uptime with a pause');
  expect(await tooWide(page)).toEqual([]);
});

test('a crash is a pause too: what was recorded last ends the run', async () => {
  await gateway.end('SIGKILL');
  moveHistory(HOUR_MS);
  await gateway.run();
  await page.reload();
  await expect.poll(() => pauses().count()).toBe(2);
  // The list has the newest first.
  expect(await pauses().first().textContent()).toMatch(/, for (?:1 h \d+|59|60) min$/);
  await page.close();
});
