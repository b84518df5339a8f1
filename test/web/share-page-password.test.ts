/** The page of a shared link in Chromium, against a stub of the front door: passwords. */

import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { expectNoPicture, focusedId, waitForMotion } from './page-probes.ts';
import type { StubGateway } from './stub-gateway.ts';
import { useStubPage } from './stub-page.ts';

const stub = useStubPage();
let gateway: StubGateway;
let page: Page;
beforeEach(() => {
  ({ gateway, page } = stub);
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

    // The wrong one is selected: typing replaces it, also after a click into the field.
    await page.locator('#password').blur();
    await page.click('#password');
    await page.keyboard.type('open sesame');
    expect(await page.inputValue('#password')).toBe('open sesame');
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
    await expect.poll(stub.openCalls).toBe(3);
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
    expect(stub.openCalls()).toBe(1);
    await page.waitForSelector('#password-submit[aria-disabled="false"]');
    await page.click('#password-submit');
    await waitForMotion(page);
  });
});
