/** The page of a shared link in Chromium, against a stub of the front door: sizes, names, contrast, no scripts. */

import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { contrastOf, cutOffParts, visibleControls, waitForMotion } from './page-probes.ts';
import type { StubGateway } from './stub-gateway.ts';
import { useStubPage } from './stub-page.ts';

const stub = useStubPage();
let gateway: StubGateway;
let page: Page;
beforeEach(() => {
  ({ gateway, page } = stub);
});

/** https://wicg.github.io/layout-instability/#sec-layout-shift: not in TypeScript's library. */
interface LayoutShift extends PerformanceEntry {
  readonly value: number;
  readonly sources: readonly {
    readonly node: Node | null;
    readonly previousRect: DOMRectReadOnly;
    readonly currentRect: DOMRectReadOnly;
  }[];
}

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

  test('in a frame, nothing is shown before the style sheet has come', async () => {
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/*.css', async (route) => {
      await isReleased;
      await route.continue();
    });
    await page.route('**/embedding', (route) =>
      route.fulfill({ contentType: 'text/html', body: `<iframe src="${gateway.shareUrl}"></iframe>` }),
    );
    await page.goto(`${gateway.origin}/embedding`, { waitUntil: 'commit' });
    const name = page.frameLocator('iframe').locator('#name');
    await name.waitFor({ state: 'attached' });
    expect(await name.evaluate((element) => element.checkVisibility())).toBe(false);
    release();
    await name.waitFor({ state: 'visible' });
  });

  test.each([
    [320, 568, 12],
    [568, 320, 1],
    [390, 844, 1],
    [1280, 800, 1],
  ])(
    'fits %i × %i without scrolling, and moves nothing while it starts (processor slowed %i ×)',
    async (width, height, slower) => {
      await page.setViewportSize({ width, height });
      const devTools = await page.context().newCDPSession(page);
      await devTools.send('Emulation.setCPUThrottlingRate', { rate: slower });
      await page.addInitScript(() => {
        const shifts: { value: number; moved: string[] }[] = [];
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as LayoutShift[]) {
            const moved = entry.sources.map(({ node, previousRect, currentRect }) => {
              const name = node instanceof Element ? node.id || node.className : node?.nodeName;
              return `${name} ${JSON.stringify(previousRect)} to ${JSON.stringify(currentRect)}`;
            });
            shifts.push({ value: entry.value, moved });
          }
        }).observe({ type: 'layout-shift', buffered: true });
        Object.assign(globalThis, { shifts });
      });
      await page.goto(gateway.shareUrl);
      await waitForMotion(page);
      const { scrollWidth, scrollHeight, shifts } = await page.evaluate(() => ({
        scrollWidth: document.documentElement.scrollWidth,
        scrollHeight: document.documentElement.scrollHeight,
        shifts: Reflect.get(globalThis, 'shifts') as { value: number; moved: string[] }[],
      }));
      expect({ scrollWidth, scrollHeight }).toEqual({ scrollWidth: width, scrollHeight: height });
      const shifted = shifts.reduce((sum, { value }) => sum + value, 0);
      expect(shifted, JSON.stringify(shifts)).toBeLessThan(0.01);
    },
  );

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
    const session = await stub.browser.context.newCDPSession(page);
    await session.send('Emulation.setScriptExecutionDisabled', { value: true });
    await page.goto(gateway.shareUrl);
    expect(await page.isVisible('.noscript')).toBe(true);
    expect(await page.isVisible('#stage')).toBe(false);
  });
});
