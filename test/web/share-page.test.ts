/** The page of a share link in Chromium, against a stub of the front door. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { makeClip } from './clip-stream.ts';
import {
  contrastOf,
  cutOffParts,
  expectNoPicture,
  focusedId,
  forwardBufferSec,
  visibleControls,
  waitForMotion,
} from './page-probes.ts';
import { StubGateway, type StubRefusal } from './stub-gateway.ts';

/** The published limit for a viewer who is no longer allowed to watch. */
const CUT_OFF_BOUND_MS = 1_000;

let browser: TestBrowser;
let gateway: StubGateway;
let record: PageRecord;
let page: Page;

beforeAll(async () => {
  [browser, gateway] = await Promise.all([
    startBrowser(),
    makeClip().then((clip) => StubGateway.start(clip)),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await gateway?.close();
});

beforeEach(async () => {
  gateway.reset();
  record = await openPage(browser);
  page = record.page;
});

afterEach(async () => {
  await page.close();
  expect(record.problems).toEqual([]);
  expect([...record.origins].filter((origin) => origin !== gateway.origin)).toEqual([]);
});

describe('watching', () => {
  test('plays muted at once, under the name of the share, close behind live', async () => {
    gateway.name = 'Loading dock <b>7</b>';
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    expect(await page.title()).toBe('Loading dock <b>7</b>');
    expect(await page.textContent('h1')).toBe('Loading dock <b>7</b>');
    expect(await page.evaluate(() => document.querySelector('video')?.muted)).toBe(true);
    expect(await page.getAttribute('#video', 'poster')).toBe(`${gateway.origin}/poster.jpg`);
    await page.waitForSelector('#live[data-state="live"]');
    expect(await page.textContent('#picture-time')).toMatch(/\d{2}:\d{2}:\d{2}/);
    expect(await forwardBufferSec(page)).toBeLessThan(1.5);
  });

  test('asks to open, once, without waiting for the player to be loaded', async () => {
    await page.route('**/assets/hls.*', async (route) => {
      await expect.poll(openCalls).toBe(1);
      await route.continue();
    });
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    expect(openCalls()).toBe(1);
  });

  test('plays without Media Source Extensions where the browser knows HLS, and is cut off there too', async () => {
    await page.addInitScript(() => {
      for (const name of ['MediaSource', 'ManagedMediaSource', 'WebKitMediaSource'])
        Reflect.deleteProperty(globalThis, name);
    });
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    expect(await page.evaluate(() => document.querySelector('video')?.currentSrc)).toContain('/file.m3u8');
    gateway.cutOff({ status: 403, reason: 'revoked' });
    await page.waitForSelector('#message:not([hidden])');
    await expectNoPicture(page);
  });

  test('obeys the keyboard', async () => {
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    await page.keyboard.press('k');
    await page.waitForFunction(() => document.querySelector('video')?.paused === true);
    await page.waitForSelector('#play[aria-label="Play"]');
    await page.keyboard.press('Space');
    await page.waitForFunction(() => document.querySelector('video')?.paused === false);
    await page.waitForSelector('#play[aria-label="Pause"]');
    await page.keyboard.press('m');
    await page.waitForSelector('#mute[aria-pressed="false"]');
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => document.querySelector('video')?.volume === 0.9);
    await page.keyboard.press('ArrowUp');
    await page.waitForFunction(() => document.querySelector('video')?.volume === 1);
    await page.keyboard.press('f');
    await page.waitForFunction(() => document.fullscreenElement?.id === 'stage');
    await page.waitForSelector('#fullscreen[aria-pressed="true"]');
    await page.keyboard.press('f');
    await page.waitForFunction(() => document.fullscreenElement === null);
  });

  test('a focused button takes the space bar for itself', async () => {
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    await page.focus('#mute');
    await page.keyboard.press('Space');
    await page.waitForSelector('#mute[aria-pressed="false"]');
    expect(await page.evaluate(() => document.querySelector('video')?.paused)).toBe(false);
  });

  test('a paused picture is not live, and says so at once; it goes on live', async () => {
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    await page.waitForSelector('#live[data-state="live"]');
    const [state, text, said] = await page.evaluate(() => {
      document.querySelector('video')?.pause();
      return new Promise<(string | null | undefined)[]>((resolve) => {
        const textOf = (id: string) => document.querySelector<HTMLElement>(id)?.textContent;
        // the event of the pause comes first
        document
          .querySelector('video')
          ?.addEventListener('pause', () =>
            resolve([
              document.querySelector<HTMLElement>('#live')?.dataset.state,
              textOf('#live'),
              textOf('#announce'),
            ]),
          );
      });
    });
    expect([state, text, said]).toEqual(['paused', 'Paused', 'Paused']);
    expect(await page.getAttribute('#live', 'aria-label')).toBe('Paused. Go to live');
    const pausedSec = await page.evaluate(() => document.querySelector('video')?.currentTime ?? 0);
    await page.waitForFunction((sec) => {
      const { seekable } = document.querySelector('video')!;
      return seekable.length > 0 && seekable.end(0) > sec + 6;
    }, pausedSec);
    await page.click('#play');
    await page.waitForSelector('#live[data-state="live"]');
    await waitForMotion(page);
    expect(await page.evaluate(() => document.querySelector('video')?.currentTime ?? 0)).toBeGreaterThan(
      pausedSec + 4,
    );
    expect(await page.textContent('#announce')).toBe('Playing live video');
  });

  test('a picture that does not move is not live, and the sign for it stays', async () => {
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    await page.waitForSelector('#live[data-state="live"]');
    await page.waitForSelector('#stage[data-chrome="hidden"]');
    expect(await page.textContent('#announce')).toBe('Playing live video');
    gateway.isWaking = true;
    await page.waitForSelector('#live[data-state="frozen"]');
    expect(await page.textContent('#live')).toMatch(/^Frozen \d s$/);
    expect(await page.getAttribute('#live', 'aria-label')).toMatch(
      /^The video has been frozen for \d seconds\. Go to live$/,
    );
    await page.waitForFunction(
      () => document.querySelector('#announce')?.textContent === 'The video is frozen',
    );
    expect(await page.evaluate(() => getComputedStyle(document.querySelector('#live')!).opacity)).toBe('1');
    expect(await contrastOf(page, '#live-text')).toBeGreaterThanOrEqual(4.5);
    gateway.isWaking = false;
    await page.waitForSelector('#live[data-state="live"]');
  });

  test('pictures that stand still under sound that goes on are frozen too', async () => {
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    await page.waitForSelector('#live[data-state="live"]');
    // what Chromium does with a video track that ends before its audio
    await page.evaluate(() => {
      HTMLVideoElement.prototype.requestVideoFrameCallback = () => 0;
    });
    await page.waitForSelector('#live[data-state="frozen"]');
  });

  test('far behind live it goes on at the live edge by itself', async () => {
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    await page.waitForSelector('#live[data-state="live"]');
    await page.evaluate(() => {
      document.querySelector('video')!.currentTime -= 5;
    });
    await page.waitForSelector('#live[data-state="behind"]');
    expect(await page.textContent('#live')).toMatch(/^\d s behind$/);
    await page.waitForFunction(() => document.querySelector('video')!.playbackRate > 1);
    await page.waitForSelector('#live[data-state="live"]');
    await page.waitForFunction(() => document.querySelector('video')!.playbackRate === 1);
  });

  test('controls hide while it plays, and come back for the pointer and the keyboard', async () => {
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    await page.waitForSelector('#stage[data-chrome="hidden"]');
    await page.mouse.move(100, 300);
    await page.mouse.move(110, 305);
    await page.waitForSelector('#stage[data-chrome="shown"]');
    await page.waitForSelector('#stage[data-chrome="hidden"]');
    await page.keyboard.press('Tab');
    await page.waitForSelector('#stage[data-chrome="shown"]');
  });

  test('asks for a tap where the browser does not start by itself', async () => {
    await page.addInitScript(() => {
      const { play } = HTMLMediaElement.prototype;
      let isFirst = true;
      HTMLMediaElement.prototype.play = function () {
        if (!isFirst) return play.call(this);
        isFirst = false;
        return Promise.reject(new DOMException('not now', 'NotAllowedError'));
      };
    });
    await page.goto(gateway.shareUrl);
    await page.click('#big-play');
    await waitForMotion(page);
    expect(await page.isVisible('#big-play')).toBe(false);
  });

  test('explains a camera that takes its time', async () => {
    gateway.isWaking = true;
    gateway.cameraState = 'starting';
    await page.goto(gateway.shareUrl);
    await page.waitForFunction(
      () => document.querySelector('#notice-title')?.textContent === 'Starting the camera…',
    );
    expect(await page.textContent('#announce')).toBe('Starting the camera…');
  });

  test('plays in a frame, which it fills without scrolling', async () => {
    await page.route('**/embedding', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<iframe src="${gateway.shareUrl}" width="320" height="180" allow="fullscreen"></iframe>`,
      }),
    );
    await page.goto(`${gateway.origin}/embedding`);
    const frame = page.frames()[1];
    await frame?.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0);
    const box = await frame?.evaluate(() => {
      const { width, height } = document.querySelector('#stage')?.getBoundingClientRect() ?? {};
      const { scrollHeight, scrollWidth } = document.documentElement;
      return { width, height, scrollHeight, scrollWidth };
    });
    expect(box).toEqual({ width: 320, height: 180, scrollHeight: 180, scrollWidth: 320 });
  });
});

describe('password', () => {
  test('is asked for, refused when wrong, and opens the video', async () => {
    gateway.password = 'open sesame';
    await page.goto(gateway.shareUrl);
    await page.waitForSelector('#password-form:not([hidden])');
    expect(await focusedId(page)).toBe('password');
    expect(await page.getAttribute('#password', 'autocomplete')).toBe('current-password');
    expect(await page.getByLabel('Password', { exact: true }).getAttribute('id')).toBe('password');
    expect(await page.textContent('#announce')).toBe('Password required');

    await page.keyboard.press('Enter');
    expect(await page.textContent('#password-error')).toBe('Enter the password.');

    await page.fill('#password', 'guess');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() =>
      document.querySelector('#password-error')?.textContent?.includes('isn’t right'),
    );
    expect(await page.getAttribute('#password', 'aria-invalid')).toBe('true');
    expect(await page.getAttribute('#password', 'aria-describedby')).toBe('password-error');
    expect(await page.textContent('#announce')).toBe('That password isn’t right. Try again.');
    expect(await focusedId(page)).toBe('password');

    await page.fill('#password', 'open sesame');
    await page.click('#password-submit');
    await waitForMotion(page);
    expect(await page.inputValue('#password')).toBe('');
    expect(await focusedId(page)).toBe('stage');
    await page.keyboard.press('Space');
    await page.waitForSelector('#live[data-state="paused"]');
  });

  test('is sent again by itself when the grant runs out', async () => {
    gateway.password = 'open sesame';
    await page.goto(gateway.shareUrl);
    await page.fill('#password', 'open sesame');
    await page.click('#password-submit');
    await waitForMotion(page);
    gateway.expireGrants();
    await expect.poll(openCalls, { timeout: 5_000 }).toBe(3);
    await waitForMotion(page);
    expect(await page.isVisible('#password-form')).toBe(false);
  });

  test('that was changed is asked for again', async () => {
    gateway.password = 'old';
    await page.goto(gateway.shareUrl);
    await page.fill('#password', 'old');
    await page.click('#password-submit');
    await waitForMotion(page);
    gateway.cutOff({ status: 401, reason: 'password-needed' });
    await page.waitForFunction(() =>
      document.querySelector('#password-error')?.textContent?.includes('changed'),
    );
    await expectNoPicture(page);
  });

  test('too many tries: counts down, and sends nothing meanwhile', async () => {
    gateway.refusal = { status: 429, reason: 'too-many-attempts', retryAfterSec: 2 };
    await page.goto(gateway.shareUrl);
    await page.waitForSelector('#password-submit[aria-disabled="true"]');
    expect(await page.textContent('#password-error')).toMatch(/^Too many tries\. Try again in [12] s$/);
    gateway.refusal = null;
    gateway.password = 'open sesame';
    await page.fill('#password', 'open sesame');
    await page.keyboard.press('Enter');
    expect(openCalls()).toBe(1);
    await page.waitForSelector('#password-submit[aria-disabled="false"]');
    await page.click('#password-submit');
    await waitForMotion(page);
  });
});

describe('refused', () => {
  const HOUR_MS = 3_600_000;
  const cases: [name: string, refusal: StubRefusal, title: string, canRetry: boolean][] = [
    ['unknown link', { status: 404, reason: 'unknown' }, 'This link doesn’t work', false],
    ['revoked', { status: 403, reason: 'revoked' }, 'This link has been turned off', false],
    ['expired', { status: 403, reason: 'expired' }, 'This link has expired', false],
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
      false,
    ],
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

  test.each(cases.slice(0, 6))(
    '%s while it plays: stops at once, shows nothing more',
    async (_name, refusal, title) => {
      await page.goto(gateway.shareUrl);
      await waitForMotion(page);
      const cutAtMs = performance.now();
      gateway.cutOff(refusal);
      await page.waitForSelector('#message:not([hidden])');
      expect(performance.now() - cutAtMs).toBeLessThan(CUT_OFF_BOUND_MS);
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
    const untilMs = Date.now() + 2_500;
    gateway.refusal = { status: 403, reason: 'hidden-by-schedule', until: untilMs };
    await page.goto(gateway.shareUrl);
    await page.waitForSelector('#message-countdown:not([hidden])');
    const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'Europe/Berlin' }).format(
      untilMs,
    );
    expect(await page.textContent('#message-text')).toContain(`at ${time}`);
    expect(await page.textContent('#message-countdown')).toMatch(/^Starts in [1-4] s$/);
    gateway.refusal = null;
    await waitForMotion(page);
    expect(Date.now()).toBeGreaterThanOrEqual(untilMs);
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
    await expect.poll(() => gateway.requests.length, { timeout: 10_000 }).toBeGreaterThan(failedTries);
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
    expect(await page.textContent('#notice-last')).toMatch(/^Last picture today at \d{2}:\d{2}:\d{2}$/);
    expect(await page.getAttribute('#video', 'poster')).toBe(`${gateway.origin}/poster.jpg`);
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

describe('for everyone', () => {
  test('every control has a name, and is large enough for a finger', async () => {
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    await page.waitForSelector('#mute:not([hidden])');
    await page.waitForSelector('#live[data-state="live"]');
    for (const view of ['stage', 'password']) {
      if (view === 'password') {
        gateway.cutOff({ status: 401, reason: 'password-needed' });
        await page.waitForSelector('#password-form:not([hidden])');
      }
      const controls = await visibleControls(page);
      expect(controls.length).toBeGreaterThanOrEqual(view === 'stage' ? 4 : 3);
      for (const control of controls) {
        expect(control.name, control.id).not.toBe('');
        expect(Math.min(control.width, control.height), control.id).toBeGreaterThanOrEqual(44);
      }
    }
  });

  test.each([
    [320, 568],
    [568, 320],
    [390, 844],
    [1280, 800],
  ])('fits %i × %i without scrolling, and moves nothing while it starts', async (width, height) => {
    await page.setViewportSize({ width, height });
    await page.addInitScript(() => {
      const shifts: number[] = [];
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if ('value' in entry) shifts.push(Number(entry.value));
      }).observe({ type: 'layout-shift', buffered: true });
      Object.assign(globalThis, { shifts });
    });
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    const { scrollWidth, scrollHeight, shifts } = await page.evaluate(() => ({
      scrollWidth: document.documentElement.scrollWidth,
      scrollHeight: document.documentElement.scrollHeight,
      shifts: Reflect.get(globalThis, 'shifts') as number[],
    }));
    expect({ scrollWidth, scrollHeight }).toEqual({ scrollWidth: width, scrollHeight: height });
    expect(shifts.reduce((sum, shift) => sum + shift, 0)).toBeLessThan(0.01);
  });

  test('on a phone held upright the controls stand below the picture, and stay', async () => {
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    await page.waitForSelector('#mute:not([hidden])');
    await page.waitForSelector('#stage[data-chrome="hidden"]');
    const { bottom } = await page.evaluate(() => document.querySelector('#video')!.getBoundingClientRect());
    for (const control of ['#live', '#play', '#mute', '#fullscreen']) {
      const [top, opacity] = await page.evaluate((selector) => {
        const node = document.querySelector(selector)!;
        return [node.getBoundingClientRect().top, getComputedStyle(node).opacity] as const;
      }, control);
      expect([control, opacity]).toEqual([control, '1']);
      expect(top, control).toBeGreaterThanOrEqual(bottom);
    }
  });

  test('a tile shows the picture, its name and the sign for live, and no controls', async () => {
    await page.setViewportSize({ width: 240, height: 135 });
    await page.goto(`${gateway.shareUrl}?tile`);
    await waitForMotion(page);
    await page.waitForSelector('#live[data-state="live"]');
    await page.waitForSelector('#stage[data-chrome="hidden"]');
    const shown = await visibleControls(page);
    expect(shown.map(({ id }) => id)).toEqual(['live']);
    expect(await page.isVisible('#name')).toBe(true);
    gateway.cutOff({ status: 503, reason: 'camera-offline', retryAfterSec: 9 });
    await page.waitForSelector('#notice[data-kind="offline"]');
    expect(await cutOffParts(page)).toEqual([]);
  });

  test('the password form fits a tile of 240 × 135, whole', async () => {
    await page.setViewportSize({ width: 240, height: 135 });
    for (const refusal of [
      { status: 401, reason: 'password-wrong' },
      { status: 429, reason: 'too-many-attempts', retryAfterSec: 50 },
    ]) {
      gateway.refusal = refusal;
      await page.goto(`${gateway.shareUrl}?tile`);
      await page.waitForSelector('#password-form:not([hidden])');
      expect(await cutOffParts(page)).toEqual([]);
    }
  });

  test.each(['light', 'dark'] as const)(
    'text on cards has the contrast of WCAG AA, %s',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      gateway.refusal = { status: 401, reason: 'password-wrong' };
      await page.goto(gateway.shareUrl);
      await page.waitForSelector('#password-form:not([hidden])');
      for (const selector of [
        '#password-title',
        '#password-form .card-text',
        '#password-error',
        '#password-submit',
      ]) {
        expect(await contrastOf(page, selector), selector).toBeGreaterThanOrEqual(4.5);
      }
    },
  );

  test('without JavaScript it says that it needs it', async () => {
    const session = await browser.context.newCDPSession(page);
    await session.send('Emulation.setScriptExecutionDisabled', { value: true });
    await page.goto(gateway.shareUrl);
    expect(await page.isVisible('.noscript')).toBe(true);
    expect(await page.isVisible('#stage')).toBe(false);
  });
});

function openCalls(): number {
  return gateway.requests.filter((request) => request === 'POST /share/token/open').length;
}
