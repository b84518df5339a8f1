/** The page of a shared link in Chromium, against a stub of the front door: only its viewer pauses it. */

import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { failDecoder, keepMediaSource, waitForMotion } from './page-probes.ts';
import type { StubGateway } from './stub-gateway.ts';
import { useStubPage } from './stub-page.ts';

/** A phone of the lower middle on a slow mobile network. */
const SLOW_PHONE = { cpuSlowdown: 4, bitsPerSec: 1_600_000, latencyMs: 150 };

const stub = useStubPage();
let gateway: StubGateway;
let page: Page;
beforeEach(() => {
  ({ gateway, page } = stub);
});

async function becomeSlowPhone(): Promise<void> {
  const session = await stub.browser.context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOW_PHONE.cpuSlowdown });
  const throughput = SLOW_PHONE.bitsPerSec / 8;
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: SLOW_PHONE.latencyMs,
    downloadThroughput: throughput,
    uploadThroughput: throughput,
  });
}

/** Resolves when the badge has said so, or fails if the video moves before. */
async function expectNeverPaused(of: () => Promise<unknown>): Promise<void> {
  await page.evaluate(() => {
    window.pausedSigns = 0;
    const sign = document.querySelector<HTMLElement>('#live')!;
    new MutationObserver(() => {
      if (sign.dataset.state === 'paused') window.pausedSigns += 1;
    }).observe(sign, { attributes: true });
  });
  await of();
  expect(await page.evaluate(() => window.pausedSigns)).toBe(0);
}

declare global {
  interface Window {
    pausedSigns: number;
    refusesToPlay: boolean;
  }
}

/** From now on, the browser plays nothing without a press. */
async function refuseToPlay(): Promise<void> {
  await page.addInitScript(() => {
    const { play } = HTMLMediaElement.prototype;
    window.refusesToPlay = true;
    addEventListener(
      'pointerdown',
      ({ isTrusted }) => {
        if (isTrusted) window.refusesToPlay = false;
      },
      { capture: true },
    );
    HTMLMediaElement.prototype.play = function (this: HTMLMediaElement): Promise<void> {
      if (window.refusesToPlay) return Promise.reject(new DOMException('needs a press', 'NotAllowedError'));
      return play.call(this);
    };
  });
}

describe('what the viewer did not pause plays on', () => {
  test('after the browser has emptied the video, on a slow phone', async () => {
    await keepMediaSource(page);
    await becomeSlowPhone();
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    await expectNeverPaused(async () => {
      for (let times = 0; times < 3; times++) {
        await failDecoder(page);
        await waitForMotion(page);
      }
    });
  });

  test('after the browser has paused it', async () => {
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    await page.evaluate(() => document.querySelector('video')!.pause());
    await waitForMotion(page);
  });

  test('or says that it needs a press, if the browser insists', async () => {
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    await page.evaluate(() => {
      const video = document.querySelector('video')!;
      video.addEventListener('playing', () => video.pause(), { once: true });
      video.pause();
    });
    await page.waitForSelector('#notice[data-kind="blocked"]');
    expect(await page.textContent('#notice-title')).toBe('Tap to play');
    await page.click('#big-play');
    await waitForMotion(page);
  });

  test('or says that it needs a press, if the browser plays nothing by itself', async () => {
    await refuseToPlay();
    await page.goto(gateway.shareUrl);
    await page.waitForSelector('#notice[data-kind="blocked"]');
    expect(await page.getAttribute('#play', 'aria-label')).toBe('Play');
    await page.click('#big-play');
    await waitForMotion(page);
    await page.waitForSelector('#play[aria-label="Pause"]');
  });

  test('a stall is repaired although the browser calls the video paused', async () => {
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    // As if no attempt to play did anything.
    await page.evaluate(() => {
      HTMLMediaElement.prototype.play = () => Promise.resolve();
      document.querySelector('video')!.pause();
    });
    await page.waitForSelector('#notice[data-kind="reconnecting"], #notice[data-kind="loading"]');
  });
});

describe('what the viewer paused stays paused', () => {
  test('after the browser has emptied the video, until the viewer plays it', async () => {
    await keepMediaSource(page);
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    await page.click('#play');
    await page.waitForSelector('#live[data-state="paused"]');
    await failDecoder(page);
    await page.waitForFunction(() => document.querySelector('video')!.readyState >= 2);
    expect(await page.evaluate(() => document.querySelector('video')!.paused)).toBe(true);
    expect(await page.getAttribute('#play', 'aria-label')).toBe('Play');
    await page.click('#play');
    await waitForMotion(page);
  });

  test('with the keys of a keyboard and of picture in picture', async () => {
    await page.addInitScript(() => {
      const handlers = new Map<string, MediaSessionActionHandler | null>();
      Object.defineProperty(window, 'mediaHandlers', { value: handlers });
      navigator.mediaSession.setActionHandler = (action, handler) => void handlers.set(action, handler);
    });
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    const press = (action: MediaSessionAction) =>
      page.evaluate((name) => {
        const { mediaHandlers } = window as unknown as {
          mediaHandlers: Map<string, MediaSessionActionHandler>;
        };
        mediaHandlers.get(name)?.({ action: name });
      }, action);
    await press('pause');
    await page.waitForSelector('#live[data-state="paused"]');
    await press('play');
    await waitForMotion(page);
  });
});
