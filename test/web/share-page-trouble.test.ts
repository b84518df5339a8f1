/** The page of a shared link in Chromium, against a stub of the front door: what fails while it plays. */

import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { expectNoPicture, waitForMotion } from './page-probes.ts';
import type { StubGateway } from './stub-gateway.ts';
import { useStubPage } from './stub-page.ts';

const stub = useStubPage();
let gateway: StubGateway;
let page: Page;
beforeEach(() => {
  ({ gateway, page } = stub);
});

describe('trouble', () => {
  test('a camera that goes offline: the last picture stays, dimmed, and live video resumes by itself', async () => {
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    gateway.cutOff({ status: 503, reason: 'camera-offline', retryAfterSec: 1 });
    await page.waitForSelector('#notice[data-kind="offline"]');
    expect(await page.textContent('#notice-title')).toBe('The camera is offline');
    expect(await page.textContent('#notice-text')).toMatch(/^Trying again/);
    expect(await page.textContent('#notice-last')).toMatch(/^Last picture today at \d{2}:\d{2}:\d{2}$/);
    expect(await page.textContent('#announce')).toMatch(
      /^The camera is offline\. Last picture today at \d{2}:\d{2}:\d{2}$/,
    );
    expect(await page.isVisible('#live')).toBe(false);
    expect(await page.evaluate(() => document.querySelector('canvas')?.width)).toBe(640);
    expect(await page.isVisible('#still')).toBe(true);
    const failedTries = gateway.requests.length;
    await expect.poll(() => gateway.requests.length).toBeGreaterThan(failedTries);
    expect(await page.isVisible('#still')).toBe(true);
    gateway.refusal = null;
    await waitForMotion(page);
    expect(await page.isVisible('#still')).toBe(false);
    await page.waitForFunction(
      () => document.querySelector('#announce')?.textContent === 'Playing live video',
    );
  });

  test('a camera that is offline when the page opens: tells the time of the picture that is there', async () => {
    await page.route('**/file.m3u8', (route) =>
      route.fulfill({ status: 503, json: { error: true, reason: 'camera-offline', retryAfterSec: 9 } }),
    );
    await page.goto(gateway.shareUrl);
    await page.waitForSelector('#notice[data-kind="offline"]');
    await expect
      .poll(() => page.textContent('#notice-last'))
      .toMatch(/^Last picture today at \d{2}:\d{2}:\d{2}$/);
    expect(await page.getAttribute('#video', 'poster')).toBe(`${gateway.origin}/poster.jpg`);
    // Later than a slow start would be explained.
    await expect.poll(() => page.textContent('#notice-text')).toMatch(/\b[1-5] s\b/);
    expect(await page.getAttribute('#notice', 'data-kind')).toBe('offline');
    expect(await page.textContent('#notice-last')).toMatch(/^Last picture today at/);
  });

  test('a camera that the gateway tries later: says when, and looks for it sooner', async () => {
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    const retryAtEpochMs = Date.now() + 360_000;
    gateway.cutOff({ status: 503, reason: 'camera-offline', retryAfterSec: 1, retryAtEpochMs });
    await page.waitForSelector('#notice[data-kind="offline"]');
    expect(await page.textContent('#notice-text')).toMatch(/^Trying again in (?:6 min 0|5 min \d+) s$/);
    gateway.refusal = null;
    await waitForMotion(page);
  });

  test('a camera that is revoked while offline leaves no picture', async () => {
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    gateway.cutOff({ status: 503, reason: 'camera-offline', retryAfterSec: 1 });
    await page.waitForSelector('#notice[data-kind="offline"]');
    gateway.cutOff({ status: 403, reason: 'revoked' });
    await page.waitForSelector('#message:not([hidden])');
    await expectNoPicture(page);
  });

  test('a gateway that restarts: says that it reconnects, over the last picture, and goes on by itself', async () => {
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    gateway.cutOff({ status: 503, reason: 'restarting', retryAfterSec: 1 });
    await page.waitForSelector('#notice[data-kind="reconnecting"]');
    expect(await page.textContent('#notice-title')).toBe('Reconnecting…');
    expect(await page.textContent('#notice-last')).toMatch(/^Last picture today at/);
    expect(await page.isVisible('#still')).toBe(true);
    gateway.refusal = null;
    await waitForMotion(page);
  });

  test('a stream that stops without a word: is fetched anew', async () => {
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    gateway.isWaking = true;
    await page.waitForSelector('#notice[data-kind="buffering"]');
    await page.waitForSelector('#notice[data-kind="reconnecting"]');
    expect(await page.textContent('#notice-title')).toBe('The video has stopped');
    gateway.isWaking = false;
    await page.click('#notice-retry');
    await waitForMotion(page);
  });

  test.each(['', '?realtime'])(
    'a gateway that hangs: says for how long, and plays on when it answers%s',
    async (query) => {
      await page.goto(`${gateway.shareUrl}${query}`);
      await waitForMotion(page);
      gateway.isHanging = true;
      await page.waitForSelector('#notice[data-kind="reconnecting"]');
      expect(await page.textContent('#notice-title')).toBe('The video server isn’t answering');
      expect(await page.textContent('#notice-text')).toMatch(/^No answer for \d+ s\. Trying again/);
      expect(await page.textContent('#notice-last')).toMatch(/^Last picture today at/);
      // Not one player after another: each retry is one small request.
      const { length } = gateway.requests;
      await expect.poll(() => gateway.requests.length).toBeGreaterThan(length);
      expect(new Set(gateway.requests.slice(length))).toEqual(new Set(['GET /live/grant1/status']));
      gateway.isHanging = false;
      await waitForMotion(page);
      await page.waitForSelector('#live[data-state="live"]');
    },
  );

  test('a gateway that hangs when the page opens: says for how long, and opens when it answers', async () => {
    await page.route('**/open', async (route) => {
      // The page opens its share while it loads its scripts.
      await page.waitForLoadState('load');
      gateway.isHanging = true;
      await route.continue();
    });
    await page.goto(gateway.shareUrl);
    await page.waitForSelector('#message:not([hidden])');
    expect(await page.textContent('#message-text')).toContain('The video server isn’t answering.');
    expect(await page.textContent('#message-countdown')).toMatch(/^No answer for \d+ s$/);
    await page.unroute('**/open');
    gateway.isHanging = false;
    await waitForMotion(page);
  });

  test('no network: says so, and goes on when it is back', async () => {
    await page.route('**/open', (route) => route.abort());
    await page.goto(gateway.shareUrl);
    await page.waitForSelector('#message:not([hidden])');
    expect(await page.textContent('#message-title')).toBe('Reconnecting…');
    await page.unroute('**/open');
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await waitForMotion(page);
  });
});
