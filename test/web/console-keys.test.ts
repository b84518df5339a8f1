/** API keys in Chromium against a whole gateway: one is made with an end, used, found by its state, and extended. */

import { expect, test } from 'vitest';
import { countClicks } from './clicks.ts';
import { consoleSuite, DESKTOP, inspect, PHONE } from './console-suite.ts';

/** Create, its end, create, copy, copied. */
const MOST_PRESSES = 5;

const suite = consoleSuite({});

test.each([
  ['desktop', DESKTOP],
  ['phone', PHONE],
])('on a %s, a key for 90 days is made in five presses, and its use is seen', async (name, size) => {
  const page = await suite.open('keys', size);
  const clicks = await countClicks(page);
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name', { exact: true }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type(`Desk ${name}`);
  await page.locator('.chip', { hasText: 'In 90 days' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  const apiKey = await page.getByLabel('API key', { exact: true }).inputValue();
  await page.getByRole('button', { name: /Copy/ }).click();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  expect(clicks.since()).toBeLessThanOrEqual(MOST_PRESSES);
  const row = page.getByRole('row').filter({ hasText: `Desk ${name}` });
  await row.getByText('Never used').waitFor();
  await row.getByText('Ends in 90 days').waitFor();
  await suite.gateway.call('camera/getMinimalCameraStateList', {}, apiKey);
  const lastUsed = async () => {
    const { apiTokens } = await suite.gateway.call('integrations/org/getApiTokens');
    return (apiTokens as { displayName: string; lastUsedMs?: number }[]).find(
      ({ displayName }) => displayName === `Desk ${name}`,
    )?.lastUsedMs;
  };
  await expect.poll(lastUsed, { timeout: 60_000, interval: 500 }).toBeDefined();
  await page.reload();
  await row.getByText(/^Used /).waitFor();
});

test('keys that have ended or are not used are found, and an end is moved', async () => {
  for (const [displayName, expirationTimeSecs] of [
    ['Contractor', 1],
    ['Audit', 5 * 86_400],
    ['Wall', undefined],
  ] as const) {
    const submitted = { displayName, ...(expirationTimeSecs === undefined ? {} : { expirationTimeSecs }) };
    await suite.gateway.call('integrations/org/submitApiTokenApplication', submitted);
  }
  const page = await suite.open('keys', DESKTOP);
  const names = async () => (await page.locator('.keys .first').allTextContents()).toSorted();
  // A second after it was made.
  await expect
    .poll(
      async () => {
        await page.reload();
        return page.getByRole('button', { name: /^Expired/ }).count();
      },
      { timeout: 60_000 },
    )
    .toBe(1);
  await inspect(page, 'keys');
  await page.setViewportSize(DESKTOP);
  await page.getByRole('button', { name: /^Expired/ }).click();
  expect(await names()).toEqual(['Contractor']);
  expect(new URL(page.url()).search).toBe('?show=expired');
  await page.getByText(/^Ended /).waitFor();
  await page.getByRole('button', { name: /^Unused/ }).click();
  expect(await names()).toEqual(expect.arrayContaining(['Audit', 'Contractor', 'Wall']));
  await page.getByRole('button', { name: /^Ends within 7 days/ }).click();
  expect(await names()).toEqual(['Audit']);
  await page.getByText('Ends in 5 days').waitFor();
  await page.getByRole('button', { name: 'Edit Audit' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Ends at').waitFor();
  await inspect(page, 'an end');
  await page.setViewportSize(DESKTOP);
  await dialog.locator('.chip', { hasText: 'In 1 year' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('No key is like that').waitFor();
  await page.getByRole('button', { name: /^All/ }).click();
  await page.getByRole('row').filter({ hasText: 'Audit' }).getByText('Ends in 365 days').waitFor();
  await page.getByRole('button', { name: 'Revoke Contractor' }).click();
  await dialog.getByText('Never used').waitFor();
});
