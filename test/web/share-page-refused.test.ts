/** The page of a shared link in Chromium, against a stub of the front door: links that do not play. */

import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { cutOffParts, expectNoPicture, focusedId, waitForMotion } from './page-probes.ts';
import type { StubGateway, StubRefusal } from './stub-gateway.ts';
import { useStubPage } from './stub-page.ts';

const stub = useStubPage();
let gateway: StubGateway;
let page: Page;
beforeEach(() => {
  ({ gateway, page } = stub);
});

describe('refused', () => {
  const HOUR_MS = 3_600_000;
  const cases: [name: string, refusal: StubRefusal, title: string, canRetry: boolean][] = [
    ['unknown link', { status: 404, reason: 'unknown' }, 'This link doesn’t work', false],
    ['revoked', { status: 403, reason: 'revoked' }, 'This link has been turned off', false],
    ['expired', { status: 403, reason: 'expired' }, 'This link has expired', true],
    [
      'hidden, end unknown',
      { status: 403, reason: 'hidden-by-schedule', until: null },
      'Not available right now',
      true,
    ],
    [
      'hidden until a time',
      { status: 403, reason: 'hidden-by-schedule', until: Date.now() + HOUR_MS },
      'Not available right now',
      true,
    ],
    ['ended by the owner', { status: 403, reason: 'viewer-ended' }, 'Your view was ended', true],
    ['viewer limit', { status: 403, reason: 'viewer-limit' }, 'Too many people are watching', true],
    [
      'camera offline',
      { status: 503, reason: 'camera-offline', retryAfterSec: 30 },
      'The camera is offline',
      true,
    ],
    ['overload', { status: 503, reason: 'overloaded' }, 'The video server is busy', true],
    [
      'opened too often',
      { status: 429, reason: 'too-many-opens', retryAfterSec: 30 },
      'The video server is busy',
      true,
    ],
    ['restart', { status: 503, reason: 'restarting', retryAfterSec: 2 }, 'Reconnecting…', true],
  ];

  test.each(cases)('%s: says so and loads no media', async (_name, refusal, title, canRetry) => {
    gateway.refusal = refusal;
    await page.goto(gateway.shareUrl);
    await page.waitForSelector('#message:not([hidden])');
    expect(await page.textContent('#message-title')).toBe(title);
    expect(await page.textContent('#announce')).toContain(title);
    expect(await page.isVisible('#stage')).toBe(false);
    // only where trying again may give a different result
    expect(await page.isVisible('#message-retry')).toBe(canRetry);
    expect(gateway.requests.filter((request) => request.includes('/live/'))).toEqual([]);
  });

  test.each(cases)('%s: fits a tile of 240 × 135, whole', async (_name, refusal, title) => {
    await page.setViewportSize({ width: 240, height: 135 });
    gateway.refusal = refusal;
    await page.goto(`${gateway.shareUrl}?tile`);
    await page.waitForSelector('#message:not([hidden])');
    expect(await page.textContent('#message-title')).toBe(title);
    expect(await cutOffParts(page)).toEqual([]);
  });

  test.each(cases.slice(0, 7))(
    '%s while it plays: stops, shows nothing more',
    async (_name, refusal, title) => {
      await page.goto(gateway.shareUrl);
      await waitForMotion(page);
      gateway.cutOff(refusal);
      await page.waitForSelector('#message:not([hidden])');
      expect(await page.textContent('#message-title')).toBe(title);
      await expectNoPicture(page);
    },
  );

  test('cut off in full screen: leaves it, so that the reason is seen', async () => {
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    await page.keyboard.press('f');
    await page.waitForFunction(() => document.fullscreenElement !== null);
    gateway.cutOff({ status: 403, reason: 'revoked' });
    await page.waitForFunction(() => document.fullscreenElement === null);
    await page.waitForSelector('#message:not([hidden])');
  });

  test('hidden until a time: tells it in the zone of the viewer, counts down, reopens by itself', async () => {
    const untilMs = Date.now() + 6_500;
    gateway.refusal = { status: 403, reason: 'hidden-by-schedule', until: untilMs };
    await page.goto(gateway.shareUrl);
    await page.waitForSelector('#message-countdown:not([hidden])');
    const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'Europe/Berlin' }).format(
      untilMs,
    );
    expect(await page.textContent('#message-text')).toContain(`at ${time}`);
    expect(await page.textContent('#message-countdown')).toMatch(/^Starts in [1-8] s$/);
    gateway.refusal = null;
    await waitForMotion(page);
    expect(Date.now()).toBeGreaterThanOrEqual(untilMs);
  });

  test.each([
    ['hidden', { status: 403, reason: 'hidden-by-schedule', until: Date.now() + HOUR_MS }],
    ['expired', { status: 403, reason: 'expired' }],
  ])('%s: plays by itself when the owner shows it again, for one held request', async (_name, refusal) => {
    gateway.refusal = refusal;
    await page.goto(gateway.shareUrl);
    await page.waitForSelector('#message:not([hidden])');
    await expect.poll(() => gateway.requests.at(-1)).toBe('GET /share/token/wait');
    gateway.showAgain();
    await waitForMotion(page);
    const requested = gateway.requests.filter((request) => request.includes('/share/token/'));
    expect(requested).toEqual(['POST /share/token/open', 'GET /share/token/wait', 'POST /share/token/open']);
  });

  test('hidden, then withdrawn: says so', async () => {
    gateway.refusal = { status: 403, reason: 'hidden-by-schedule', until: null };
    await page.goto(gateway.shareUrl);
    await expect.poll(() => gateway.requests.at(-1)).toBe('GET /share/token/wait');
    gateway.cutOff({ status: 403, reason: 'revoked' });
    await page.waitForFunction(
      () => document.querySelector('#message-title')!.textContent === 'This link has been turned off',
    );
  });

  test('hidden with a password: asks for it when the owner shows it again', async () => {
    gateway.refusal = { status: 403, reason: 'hidden-by-schedule', until: null };
    gateway.password = 'open sesame';
    await page.goto(gateway.shareUrl);
    await expect.poll(() => gateway.requests.at(-1)).toBe('GET /share/token/wait');
    gateway.showAgain();
    await page.waitForSelector('#password-form:not([hidden])');
    expect(gateway.requests.filter((request) => request.includes('/live/'))).toEqual([]);
  });

  test('try again asks again', async () => {
    gateway.refusal = { status: 403, reason: 'viewer-limit' };
    await page.goto(gateway.shareUrl);
    await page.waitForSelector('#message:not([hidden])');
    gateway.refusal = null;
    await page.getByRole('button', { name: 'Try again' }).click();
    await waitForMotion(page);
    expect(await focusedId(page)).toBe('stage');
  });
});
