/** The page of a shared link in Chromium, against a stub of the front door: only its viewer pauses it. */

import type { Page, Route } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { failDecoder, keepMediaSource, waitForMotion } from './page-probes.ts';
import type { StubGateway } from './stub-gateway.ts';
import { useStubPage } from './stub-page.ts';

/** A phone of the lower middle on a slow mobile network. */
const SLOW_PHONE = { cpuSlowdown: 4, bitsPerSec: 1_600_000, latencyMs: 150 };

/** Further than what is loaded ahead. */
const LEFT_BEHIND_SEC = 6;
const WAITS = 4;

/** Loads of media that the test lets through when it wants. */
class HeldMedia {
  #isHeld = false;
  readonly #routes: Route[] = [];

  async pass(route: Route): Promise<void> {
    if (this.#isHeld) this.#routes.push(route);
    else await route.continue();
  }

  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    // The page may have given one up.
    for (const route of this.#routes.splice(0)) void route.continue().catch(() => undefined);
  }
}

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
    /** By how much hls.js has moved the video, to get it going. */
    nudgesSec: number[];
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

  test('after waits for data, without a nudge, although a jump has left a range in the buffer', async () => {
    const media = new HeldMedia();
    await page.route('**/*.m4v', (route) => media.pass(route));
    await becomeSlowPhone();
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    await page.keyboard.press('k');
    media.hold();
    const pausedSec = await page.evaluate(() => document.querySelector('video')!.currentTime);
    await page.waitForFunction(
      (sec) => document.querySelector('video')!.seekable.end(0) > sec,
      pausedSec + LEFT_BEHIND_SEC,
    );
    media.release();
    await page.keyboard.press('k');
    await page.waitForFunction((sec) => document.querySelector('video')!.currentTime > sec, pausedSec + 3);
    await waitForMotion(page);
    await page.evaluate(() => {
      window.nudgesSec = [];
      const video = document.querySelector('video')!;
      const property = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, 'currentTime')!;
      Object.defineProperty(video, 'currentTime', {
        ...property,
        set(toSec: number) {
          const bySec = toSec - video.currentTime;
          // Further, it is a jump to live.
          if (bySec < 1) window.nudgesSec.push(bySec);
          property.set!.call(video, toSec);
        },
      });
    });
    for (let times = 0; times < WAITS; times++) {
      media.hold();
      await page.waitForSelector('#notice[data-kind="buffering"]');
      media.release();
      await waitForMotion(page);
    }
    expect(await page.evaluate(() => window.nudgesSec)).toEqual([]);
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
