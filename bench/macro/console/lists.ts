/** How long lists take from the click to the painted rows, and how they scroll. */

import type { Page } from 'playwright-core';
import { median, percentile, type Row } from '../../report.ts';
import type { Measured } from '../console.ts';
import { CAMERAS, type ManyConsole, SHARES } from './many-console.ts';

interface List {
  readonly name: string;
  /** Link in the menu. */
  readonly link: string;
  /** In the browser's storage: how cameras are shown. */
  readonly layout: 'pictures' | 'table';
  readonly row: string;
}

interface Scroll {
  readonly framesPerSec: number;
  readonly p99Ms: number;
  /** Frames that came so late that at least one was missed. */
  readonly longFrames: number;
  /** Elements of the list's rows in the document, at most. */
  readonly elements: number;
}

const LISTS: readonly List[] = [
  { name: 'cameraPictures', link: 'Cameras', layout: 'pictures', row: '.cards .card' },
  { name: 'cameraTable', link: 'Cameras', layout: 'table', row: '.table.cameras .row:not(.head)' },
  { name: 'shares', link: 'Shares', layout: 'table', row: '.table.shares .row:not(.head)' },
];
const LAYOUT_KEY = 'sluice.cameras.layout';
/** As tall as the list of all shares. */
const EMPTY_PX = SHARES * 52;
const WHEEL_PX = 240;
const WHEEL_MS = 16;
/** One and a half frames at 60 Hz. */
const LONG_FRAME_MS = 25;

export async function measureLists(
  { browser, apiUrl }: ManyConsole,
  { rounds, scrollSec }: { readonly rounds: number; readonly scrollSec: number },
): Promise<Measured> {
  const page = await browser.newPage();
  const rows: Row[] = [];
  const figures: Record<string, number> = {};
  const empty = await scrollEmpty(page, apiUrl, scrollSec);
  rows.push({ case: 'an empty page', ...scrollCells(empty) });
  for (const list of LISTS) {
    const openMs: number[] = [];
    for (let round = 0; round <= rounds; round++) openMs.push(await openList(page, apiUrl, list));
    const [firstMs, ...again] = openMs;
    const scroll = await scrollFor(page, scrollSec);
    rows.push({
      case: `${list.name}, ${list.name === 'shares' ? SHARES : CAMERAS}`,
      'first open ms': firstMs!,
      'open ms': median(again),
      ...scrollCells(scroll),
    });
    figures[`${list.name}OpenMs`] = median(again);
    figures[`${list.name}ScrollRatio`] = scroll.framesPerSec / empty.framesPerSec;
    figures[`${list.name}LongFramesMore`] = Math.max(0, scroll.longFrames - empty.longFrames) / scrollSec;
    figures[`${list.name}Elements`] = scroll.elements;
  }
  await page.close();
  return { rows, figures };
}

function scrollCells(scroll: Scroll): Omit<Row, 'case'> {
  return {
    'scroll frames/s': scroll.framesPerSec,
    'frame p99 ms': scroll.p99Ms,
    'long frames': scroll.longFrames,
    elements: scroll.elements,
  };
}

/** Time from the click in the menu of another page to the frame that shows the rows. */
async function openList(page: Page, apiUrl: string, { link, layout, row }: List): Promise<number> {
  await page.goto(`${apiUrl}/console/people`);
  await page.evaluate(([key, value]) => localStorage.setItem(key, value), [LAYOUT_KEY, layout] as const);
  await page.locator('.people .row').first().waitFor();
  await page.evaluate(
    ([title, selector]) => {
      const target = [...document.querySelectorAll<HTMLAnchorElement>('.menu a')].find(
        ({ textContent }) => textContent.trim() === title,
      );
      Object.assign(globalThis, { openedMs: null });
      target!.addEventListener('click', ({ timeStamp }) => {
        const look = () => {
          if (document.querySelector(selector) === null) return requestAnimationFrame(look);
          // In the next frame, this one is painted.
          return requestAnimationFrame((nowMs) => Object.assign(globalThis, { openedMs: nowMs - timeStamp }));
        };
        look();
      });
    },
    [link, row] as const,
  );
  await page.getByRole('link', { name: link, exact: true }).click();
  const opened = await page.waitForFunction(() => Reflect.get(globalThis, 'openedMs') as number | null);
  return (await opened.jsonValue())!;
}

async function scrollEmpty(page: Page, apiUrl: string, seconds: number): Promise<Scroll> {
  await page.goto(`${apiUrl}/console/people`);
  await page.locator('.people .row').first().waitFor();
  await page.evaluate((heightPx) => {
    document.body.replaceChildren();
    document.body.style.height = `${heightPx}px`;
  }, EMPTY_PX);
  return scrollFor(page, seconds);
}

/** Turns the wheel, and notes when each frame came. */
async function scrollFor(page: Page, seconds: number): Promise<Scroll> {
  await page.evaluate(() => {
    const frames: number[] = [];
    let elements = 0;
    const note = (nowMs: number) => {
      frames.push(nowMs);
      elements = Math.max(elements, document.querySelectorAll('.virtual *').length);
      Object.assign(globalThis, { scrollFrames: frames, elements });
      requestAnimationFrame(note);
    };
    requestAnimationFrame(note);
  });
  await page.mouse.move(700, 500);
  const endsAtMs = performance.now() + seconds * 1_000;
  const devTools = await page.context().newCDPSession(page);
  while (performance.now() < endsAtMs) {
    const beforeMs = performance.now();
    await devTools.send('Input.dispatchMouseEvent', {
      type: 'mouseWheel',
      x: 700,
      y: 500,
      deltaX: 0,
      deltaY: WHEEL_PX,
    });
    const restMs = WHEEL_MS - (performance.now() - beforeMs);
    if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
  }
  await devTools.detach();
  const { frames, elements, scrolledPx } = await page.evaluate(() => ({
    frames: Reflect.get(globalThis, 'scrollFrames') as number[],
    elements: Reflect.get(globalThis, 'elements') as number,
    scrolledPx: scrollY,
  }));
  if (scrolledPx === 0) throw new Error('the page did not scroll');
  const gapsMs = frames.slice(1).map((atMs, i) => atMs - frames[i]!);
  return {
    framesPerSec: gapsMs.length / ((frames.at(-1)! - frames[0]!) / 1_000),
    p99Ms: percentile(gapsMs, 0.99),
    longFrames: gapsMs.filter((gapMs) => gapMs > LONG_FRAME_MS).length,
    elements,
  };
}
