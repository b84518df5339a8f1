/**
 * A wall of sixteen tiles that is watched for a long time does not grow: what happens in a shift happens here round after round, and the
 * heap, the nodes, and the listeners after each are those after the first rounds. WALL_SOAK_MIN: how many minutes, by default until the
 * fewest rounds are over.
 *
 * V8 compiles functions to machine code as they become warm, for some dozen rounds after the first ones: up to three kinds of code for each
 * function, and then no more. So the heap counts without code. From round 15 to 50, code grew by 5.5 % (356 KB, two thirds of it machine
 * code), what scripts made by 0.1 % (2.6 KB), and what the browser keeps for the page shrank by 7 %. In 20 minutes (55 rounds), the heap
 * grew from 7.66 to 8.26 MB, code by 0.62 MB, and what scripts made shrank by 0.2 %. Outside the heap, the notes of the browser's inspector
 * grew by 1 MB, because Playwright watches the network: 288 bytes for each request.
 */

import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newRuuid } from '../../src/core/ruuid.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { openConsolePage } from './console-page.ts';
import { grownMost, HEAP_PARTS, type HeapParts, heapParts } from './heap-parts.ts';

const TILES = 16;
/** Half of the second wall's cameras are on the first one, too. */
const NAMES = Array.from({ length: TILES * 1.5 }, (_, i) => `Camera ${String(i + 1).padStart(2, '0')}`);
/** Code is compiled and optimized, and everything has happened once. */
const WARM_UP_ROUNDS = 6;
const ROUNDS = 6;
const MOST_GROWTH = 1.1;
/** Of what scripts made, which varies less. */
const MOST_OBJECT_GROWTH = 1.03;
const MINUTES = Number(process.env.WALL_SOAK_MIN ?? 0);
/** For what hangs. */
const LONGEST_MS = (MINUTES + 15) * 60_000;

let camera: SyntheticCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let page: Page;
/** Of the console, and of the frame if the browser has it in a process of its own. */
const devTools: CDPSession[] = [];
const uuids: string[] = [];

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    demo: false,
    sources: { backoffMin: '200ms', backoffMax: '1s' },
    hls: { idleStop: '30s' },
    cameras: NAMES.map((name) => ({ name, rtsp: camera.url })),
  });
  for (const name of NAMES) uuids.push(await gateway.cameraUuid(name));
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.close();
});

type Metric = 'JSHeapUsedSize' | 'Nodes' | 'JSEventListeners';
type Size = Readonly<Record<Metric, number>>;

const METRICS = ['JSHeapUsedSize', 'Nodes', 'JSEventListeners'] as const;

/** Of all processes together. */
async function size(): Promise<Size> {
  const sum = { JSHeapUsedSize: 0, Nodes: 0, JSEventListeners: 0 };
  for (const session of devTools) {
    // What finalizers let go is collected by the second one.
    for (let i = 0; i < 2; i++) await session.send('HeapProfiler.collectGarbage');
    const { metrics } = await session.send('Performance.getMetrics');
    for (const name of METRICS) sum[name] += metrics.find((metric) => metric.name === name)!.value;
  }
  return sum;
}

async function attach(): Promise<void> {
  const frame = page.frames().find((each) => each.url().endsWith('/preview/wall'))!;
  const own = await page
    .context()
    .newCDPSession(frame)
    .catch(() => null);
  devTools.push(await page.context().newCDPSession(page), ...(own === null ? [] : [own]));
  for (const session of devTools) await session.send('Performance.enable');
}

const tiles = () => page.frameLocator('iframe.watch-frame').locator('.tile:not([hidden])');

async function untilLive(count: number): Promise<void> {
  await until(`${count} live tiles`, async () => {
    const states = await tiles().evaluateAll((all) => all.map((tile) => (tile as HTMLElement).dataset.state));
    return states.length === count && states.every((state) => state === 'live');
  });
}

/** Three cameras raise alerts, which are acknowledged one after the other. */
async function alerts(): Promise<void> {
  const bar = page.getByRole('region', { name: 'Alert' });
  for (const [i, deviceUuid] of [uuids[8]!, uuids[9]!, uuids[10]!].entries()) {
    const row = { uuid: newRuuid(), deviceUuid, timestampMs: Date.now(), durationSec: 1 };
    const rows = [{ ...row, policyAlertTriggers: ['MOTION_HUMAN'], textDescription: `Person ${i}` }];
    await gateway.call('ingest/policyAlerts', { rows });
    await bar.getByText(`Person ${i}`).waitFor();
  }
  await untilLive(TILES);
  await page.keyboard.press('n');
  for (let i = 0; i < 3; i++) await page.keyboard.press('a');
  await bar.waitFor({ state: 'detached' });
}

async function oneAlone(): Promise<void> {
  await page.keyboard.press('1');
  await untilLive(1);
  await page.keyboard.press('0');
  await untilLive(TILES);
}

/** Both walls once, and back. */
async function turnPages(): Promise<void> {
  for (let i = 0; i < 2; i++) {
    await page.keyboard.press('PageDown');
    await untilLive(TILES);
  }
}

/** All cameras are gone, and back. */
async function loseCameras(): Promise<void> {
  const port = Number(new URL(camera.url).port);
  await camera.close();
  await until('no video', async () => (await tiles().first().getAttribute('data-alarm')) === 'true');
  camera = await startCamera(port);
  await untilLive(TILES);
}

/** The gateway is gone, and back: grants, players, and the real-time stream begin again. */
async function loseGateway(): Promise<void> {
  await gateway.end('SIGKILL');
  await until('no video', async () => (await tiles().first().getAttribute('data-alarm')) === 'true');
  await gateway.run();
  await untilLive(TILES);
}

test(
  'sixteen tiles, tours, alerts, and lost connections leave nothing behind',
  async () => {
    const walls: string[] = [];
    for (const from of [0, TILES / 2]) {
      const videoWall = { displayName: `From ${from}`, deviceList: uuids.slice(from, from + TILES) };
      walls.push((await gateway.call('camera/createVideoWall', { videoWall })).uuid);
    }
    ({ page } = await openConsolePage(browser, gateway, 'operator'));
    await page.setViewportSize({ width: 1_280, height: 720 });
    await page.goto(`${gateway.apiUrl}/console/watch?walls=${walls.join(',')}`);
    await untilLive(TILES);
    await attach();
    const untilMs = performance.now() + MINUTES * 60_000;
    const sizes: Size[] = [];
    let warm: HeapParts | null = null;
    for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS || performance.now() < untilMs; round++) {
      await turnPages();
      await alerts();
      await oneAlone();
      if (round % 3 === 1) await loseCameras();
      if (round % 3 === 2) await loseGateway();
      sizes.push(await size());
      process.stdout.write(`round ${round + 1}: ${JSON.stringify(sizes.at(-1))}\n`);
      if (round === WARM_UP_ROUNDS - 1) warm = await heapParts(devTools);
    }
    const [before, last] = [sizes[WARM_UP_ROUNDS - 1]!, sizes.at(-1)!];
    const parts = await heapParts(devTools);
    process.stdout.write(
      `${sizes.length} rounds, ${devTools.length} processes: ${JSON.stringify({ before, last })}\n`,
    );
    for (const part of HEAP_PARTS) process.stdout.write(`${part}: ${warm![part]} to ${parts[part]} bytes\n`);
    process.stdout.write(`grown most:\n${grownMost(warm!, parts, 20)}\n`);
    const compiled = parts.code - warm!.code;
    const without = { ...last, JSHeapUsedSize: last.JSHeapUsedSize - compiled };
    for (const name of METRICS) expect(without[name] / before[name], name).toBeLessThan(MOST_GROWTH);
    expect(parts.objects / warm!.objects, 'objects').toBeLessThan(MOST_OBJECT_GROWTH);
    expect(parts.browser / warm!.browser, 'browser').toBeLessThan(MOST_GROWTH);
  },
  LONGEST_MS,
);
