/** What tests look at inside the page of a share link. */

import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Resolves once the video on the stage moves. */
export async function waitForMotion(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const video = document.querySelector('video');
    const notice = document.querySelector<HTMLElement>('#notice');
    return video !== null && video.currentTime > 0 && !video.paused && notice?.dataset.kind === 'none';
  });
  const startSec = await page.evaluate(() => document.querySelector('video')?.currentTime ?? 0);
  await page.waitForFunction(
    (sec) => (document.querySelector('video')?.currentTime ?? 0) > sec + 0.3,
    startSec,
  );
}

declare global {
  interface Window {
    /** The newest one. */
    mediaSource: MediaSource;
  }
}

/** For `failDecoder`, before the page is loaded. */
export async function keepMediaSource(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const { addSourceBuffer } = MediaSource.prototype;
    MediaSource.prototype.addSourceBuffer = function (this: MediaSource, type: string): SourceBuffer {
      window.mediaSource = this;
      return addSourceBuffer.call(this, type);
    };
  });
}

/** Resolves when the video was emptied after its decoder failed. */
export async function failDecoder(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        for (const video of document.querySelectorAll('video'))
          video.addEventListener('emptied', () => resolve(), { once: true });
        const fail = () => {
          const isBusy = [...window.mediaSource.sourceBuffers].some(({ updating }) => updating);
          if (isBusy) setTimeout(fail);
          else window.mediaSource.endOfStream('decode');
        };
        fail();
      }),
  );
}

/** Nothing of the camera is left: no media, no still image, no poster. */
export async function expectNoPicture(page: Page): Promise<void> {
  const left = await page.evaluate(() => {
    const video = document.querySelector('video');
    const still = document.querySelector('canvas');
    return {
      source: video?.currentSrc === '' || video?.hasAttribute('src') === false,
      readyState: video?.readyState,
      buffered: video?.buffered.length,
      paused: video?.paused,
      poster: video?.hasAttribute('poster'),
      stillWidth: still?.hidden === true ? 0 : still?.width,
    };
  });
  expect(left).toEqual({
    source: true,
    readyState: 0,
    buffered: 0,
    paused: true,
    poster: false,
    stillWidth: 0,
  });
  expect(await page.isVisible('#stage')).toBe(false);
}

/** How much is buffered beyond the current frame. */
export async function forwardBufferSec(page: Page): Promise<number> {
  return page.evaluate(() => {
    const video = document.querySelector('video');
    if (video === null || video.buffered.length === 0) return Number.POSITIVE_INFINITY;
    return video.buffered.end(video.buffered.length - 1) - video.currentTime;
  });
}

/** The ID of the focused element, '' if there is none. */
export function focusedId(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.id ?? '');
}

/** What can be pressed or typed into, by its accessible name and its size in CSS pixels. */
export async function visibleControls(
  page: Page,
): Promise<{ id: string; name: string; width: number; height: number }[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, input:not([aria-hidden])')]
      .filter((node) => node.checkVisibility({ visibilityProperty: true }))
      .map((node) => {
        const { width, height } = node.getBoundingClientRect();
        const label = node instanceof HTMLInputElement ? (node.labels?.[0]?.textContent ?? '') : '';
        const name = node.getAttribute('aria-label') ?? (label || (node.textContent ?? '').trim());
        return { id: node.id, name, width, height };
      }),
  );
}

/** What extends beyond the window, or is larger than its box: by ID or class. */
export function cutOffParts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const parts = '.card:not([hidden]), .card *, .notice > *, .bar > *, .caption > *';
    const isCut = (node: HTMLElement) => {
      const { left, top, right, bottom, width } = node.getBoundingClientRect();
      if (width <= 1) return false; // for screen readers
      const isOutside = left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
      return (
        isOutside || node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 1
      );
    };
    return [...document.querySelectorAll<HTMLElement>(parts)]
      .filter((node) => node instanceof HTMLElement && node.checkVisibility({ opacityProperty: true }))
      .filter((node) => getComputedStyle(node).display !== 'inline' && isCut(node))
      .map((node) => node.id || node.className);
  });
}

/** Contrast of an element's text against the nearest painted background (WCAG 2.2, "contrast ratio"). */
export async function contrastOf(page: Page, selector: string): Promise<number> {
  return page.evaluate((query) => {
    const channels = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = (color: string) => {
      const [red = 0, green = 0, blue = 0] = channels(color).map((channel) => {
        const value = channel / 255;
        return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    let node = document.querySelector(query);
    if (node === null) return 0;
    const text = luminance(getComputedStyle(node).color);
    const isClear = (candidate: Element) => channels(getComputedStyle(candidate).backgroundColor)[3] === 0;
    while (node.parentElement !== null && isClear(node)) node = node.parentElement;
    const ground = luminance(getComputedStyle(node).backgroundColor);
    return (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
  }, selector);
}
