/** Measures what a first visit loads, and when the page can be used on a phone whose processor is slowed. */

import type { Page } from 'playwright-core';
import { median, type Row } from '../../report.ts';
import type { Measured } from '../console.ts';
import type { LiveConsole } from './live-console.ts';

/** As slow as Lighthouse takes a phone to be, next to this machine; the network is not slowed. */
const PHONE = { size: { width: 390, height: 844 }, slower: 4 };

interface Visit {
  readonly bytes: number;
  /** When the content can be pressed: it is rendered, and no task holds up the page. */
  readonly readyMs: number;
}

/** Pages, what shows that they can be used, and whether someone is signed in. */
const VISITS = [
  ['sign-in', 'button[type="submit"]', false],
  ['cameras', '.card a', true],
] as const;

export async function measureFirstVisit(live: LiveConsole, rounds: number): Promise<Measured> {
  const rows: Row[] = [];
  const found: Visit[] = [];
  for (const [name, ready, isSignedIn] of VISITS) {
    await live.browser.signOut();
    if (isSignedIn) await live.signIn();
    const visits: Visit[] = [];
    for (let round = 0; round < rounds; round++) visits.push(await visit(live, ready));
    const readyMs = median(visits.map((each) => each.readyMs));
    const bytes = Math.max(...visits.map((each) => each.bytes));
    found.push({ bytes, readyMs });
    rows.push({ case: `first visit, ${name}`, 'loaded bytes': bytes, 'ready ms': readyMs });
  }
  return {
    rows,
    figures: {
      firstLoadBytes: Math.max(...found.map(({ bytes }) => bytes)),
      slowPhoneReadyMs: Math.max(...found.map(({ readyMs }) => readyMs)),
    },
  };
}

async function visit({ browser, apiUrl }: LiveConsole, ready: string): Promise<Visit> {
  const page = await browser.newPage();
  try {
    await page.setViewportSize(PHONE.size);
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('Network.enable');
    await devTools.send('Network.setCacheDisabled', { cacheDisabled: true });
    await devTools.send('Emulation.setCPUThrottlingRate', { rate: PHONE.slower });
    let bytes = 0;
    const assets = new Set<string>();
    devTools.on('Network.responseReceived', ({ requestId, response }) => {
      if (response.url.startsWith(`${apiUrl}/console/`)) assets.add(requestId);
    });
    devTools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (assets.has(requestId)) bytes += encodedDataLength;
    });
    await noteReadiness(page, ready);
    await page.goto(`${apiUrl}/console/`);
    const readyMs = await page.waitForFunction(() => Reflect.get(globalThis, 'readyMs') as number | null);
    return { bytes, readyMs: (await readyMs.jsonValue())! };
  } finally {
    await page.close();
  }
}

/** When the selected element is there, and the page has had time to paint it. */
async function noteReadiness(page: Page, ready: string): Promise<void> {
  await page.addInitScript((selector) => {
    const note = () => {
      if (document.querySelector(selector) === null) return false;
      requestAnimationFrame(() =>
        setTimeout(() => Object.assign(globalThis, { readyMs: performance.now() }), 0),
      );
      return true;
    };
    const watch = new MutationObserver(() => note() && watch.disconnect());
    watch.observe(document, { childList: true, subtree: true });
  }, ready);
}
