/** The page of a shared link in Chromium, against a stub of the front door: while it plays. */

import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { contrastOf, expectNoPicture, forwardBufferSec, waitForMotion } from './page-probes.ts';
import type { StubGateway } from './stub-gateway.ts';
import { useStubPage } from './stub-page.ts';

const stub = useStubPage();
let gateway: StubGateway;
let page: Page;
beforeEach(() => {
  ({ gateway, page } = stub);
});

describe('watching', () => {
  test('plays muted at once, under the name of the share, close behind live', async () => {
    // A mark for text from right to left would turn the name around, also in the title of the window.
    gateway.name = 'Loading \u202edock <b>7</b>\u2066';
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    expect(await page.title()).toBe('Loading dock <b>7</b>');
    expect(await page.textContent('h1')).toBe('Loading dock <b>7</b>');
    expect(await page.evaluate(() => document.querySelector('video')?.muted)).toBe(true);
    expect(await page.getAttribute('#video', 'poster')).toBe(`${gateway.origin}/poster.jpg`);
    await page.waitForSelector('#live[data-state="live"]');
    expect(await page.textContent('#picture-time')).toMatch(/\d{2}:\d{2}:\d{2}/);
    // what the first seconds cost, the page makes up by speed
    await expect.poll(() => forwardBufferSec(page)).toBeLessThan(1.5);
  });

  test('asks to open, once, without waiting for the player to be loaded', async () => {
    await page.route('**/assets/hls.*', async (route) => {
      await expect.poll(stub.openCalls).toBe(1);
      await route.continue();
    });
    await page.goto(gateway.shareUrl);
    await waitForMotion(page);
    expect(stub.openCalls()).toBe(1);
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
      const textOf = (id: string) => document.querySelector<HTMLElement>(id)?.textContent;
      document.querySelector<HTMLElement>('#play')?.click();
      return [
        document.querySelector<HTMLElement>('#live')?.dataset.state,
        textOf('#live'),
        textOf('#announce'),
      ];
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
