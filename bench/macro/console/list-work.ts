/** How long a list of 1,000 cameras takes to show what someone sorts and filters, and how much memory it holds. */

import type { Page } from 'playwright-core';
import { heapParts } from '../../../test/web/heap-parts.ts';
import { median, type Row } from '../../report.ts';
import type { Measured } from '../console.ts';
import { CAMERAS, type ManyConsole } from './many-console.ts';

const LAYOUT_KEY = 'sluice.cameras.layout';
const TABLE = '.table.cameras';
const FIRST_ROW = `${TABLE} .row:not(.head)`;
const BYTES_PER_MIB = 2 ** 20;
/** Everything has happened several times. */
const WARM_UP_VISITS = 5;
/** So often the list is opened and left before its memory counts again. */
const VISITS = 20;

/** What a person does, each twice: there and back. */
const WORK = {
  sort: (page: Page) => page.locator(`${TABLE} .head button.sort`).first().click(),
  type: (page: Page, round: number) => page.getByRole('searchbox').fill(round % 2 === 0 ? '7' : ''),
  state: (page: Page) => page.locator('.state-chips button').nth(1).click(),
} as const;

type Work = keyof typeof WORK;

export async function measureListWork(
  { browser, apiUrl }: ManyConsole,
  { rounds }: { readonly rounds: number },
): Promise<Measured> {
  const page = await browser.newPage();
  const rows: Row[] = [];
  const figures: Record<string, number> = {};
  await page.goto(`${apiUrl}/console/people`);
  await page.evaluate((key) => localStorage.setItem(key, 'table'), LAYOUT_KEY);
  await page.locator('.people .row').first().waitFor();
  const without = await heapMiB(page);
  await page.getByRole('link', { name: 'Cameras', exact: true }).click();
  await page.locator(FIRST_ROW).first().waitFor();
  const first = await heapMiB(page);
  for (const name of Object.keys(WORK) as Work[]) {
    const ms: number[] = [];
    for (let round = 0; round < 2 * (rounds + 1); round++) {
      const wait = await nextChange(page);
      await WORK[name](page, round);
      ms.push(await wait());
    }
    // The first two compile what the others run.
    rows.push({
      case: `${name}, ${CAMERAS} cameras`,
      ms: median(ms.slice(2)),
      'slowest ms': Math.max(...ms.slice(2)),
    });
    figures[`cameraTable${name[0]!.toUpperCase()}${name.slice(1)}Ms`] = median(ms.slice(2));
  }
  await revisit(page, WARM_UP_VISITS);
  const warm = await scriptObjects(page);
  await revisit(page, VISITS);
  const last = await scriptObjects(page);
  rows.push({
    case: `memory, ${CAMERAS} cameras`,
    'heap MiB': first - without,
    'objects MiB': warm / BYTES_PER_MIB,
    [`after ${VISITS} visits MiB`]: last / BYTES_PER_MIB,
  });
  figures.cameraTableHeapMiB = first - without;
  figures.cameraTableObjectGrowth = last / warm;
  await page.close();
  return { rows, figures };
}

/** Resolves with a function that waits for the frame in which the rows have changed, and returns the time since the press or key. */
async function nextChange(page: Page): Promise<() => Promise<number>> {
  await page.evaluate((table) => {
    const shown = () => {
      const element = document.querySelector(table);
      return `${element?.getAttribute('aria-rowcount')} ${element?.querySelector('.row:not(.head)')?.textContent}`;
    };
    const before = shown();
    Object.assign(globalThis, { changedMs: null });
    const left = new AbortController();
    const begin = ({ timeStamp }: Event) => {
      left.abort();
      const look = () => {
        if (shown() === before) return requestAnimationFrame(look);
        // In the next frame, this one is painted.
        return requestAnimationFrame((nowMs) => Object.assign(globalThis, { changedMs: nowMs - timeStamp }));
      };
      look();
    };
    for (const type of ['click', 'input'])
      document.addEventListener(type, begin, { capture: true, signal: left.signal });
  }, TABLE);
  return async () => {
    const changed = await page.waitForFunction(() => Reflect.get(globalThis, 'changedMs') as number | null);
    return (await changed.jsonValue())!;
  };
}

/** Leaves the list and returns to it. */
async function revisit(page: Page, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    await page.getByRole('link', { name: 'People', exact: true }).click();
    await page.locator('.people .row').first().waitFor();
    await page.getByRole('link', { name: 'Cameras', exact: true }).click();
    await page.locator(FIRST_ROW).first().waitFor();
  }
}

/** Without code, which V8 compiles for functions as they become warm. In bytes. */
async function scriptObjects(page: Page): Promise<number> {
  const devTools = await page.context().newCDPSession(page);
  for (let i = 0; i < 2; i++) await devTools.send('HeapProfiler.collectGarbage');
  const { objects } = await heapParts([devTools]);
  await devTools.detach();
  return objects;
}

async function heapMiB(page: Page): Promise<number> {
  const devTools = await page.context().newCDPSession(page);
  // What finalizers let go is collected by the second one.
  for (let i = 0; i < 2; i++) await devTools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devTools.send('Runtime.getHeapUsage');
  await devTools.detach();
  return usedSize / BYTES_PER_MIB;
}
