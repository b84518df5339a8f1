/**
 * A directory is connected, in Chromium against a whole gateway: an administrator creates a token, the directory sends people and groups
 * with it, and the page shows them, their rights, and what came last.
 */

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Json } from '../support/gateway.ts';
import { countClicks } from './clicks.ts';
import { consoleSuite, DESKTOP, inspect, PHONE, type WindowSize } from './console-suite.ts';

/** From the page of people to a copied token, and from there to a group with a site. */
const MOST_PRESSES = { token: 3, group: 3 };

const suite = consoleSuite({
  locations: ['Harbor', 'Warehouse'].map((name) => ({ name, tz: 'America/New_York' })),
  cameras: [{ name: 'Gate', location: 'Harbor', rtsp: 'rtsp://127.0.0.1:9/gate' }],
});

async function openPeople(size: WindowSize): Promise<Page> {
  const page = await suite.open('people', size);
  await page.getByRole('heading', { name: 'Directory', exact: true }).waitFor();
  return page;
}

/** What a directory sends. */
async function send(token: string, path: string, body: Json): Promise<Json> {
  const response = await fetch(`${suite.gateway.apiUrl}/scim/v2${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Json;
}

test.each([
  ['desktop', DESKTOP],
  ['phone', PHONE],
])(
  'on a %s, a directory is connected in three presses, and a group has a site in three more',
  async (name, size) => {
    const page = await openPeople(size);
    if (name === 'desktop') {
      await page.getByRole('heading', { name: 'No directory is connected' }).waitFor();
      await inspect(page, 'without a directory');
      await page.setViewportSize(size);
    }
    const clicks = await countClicks(page);
    await page.getByRole('button', { name: 'Create token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill(`Entra ${name}`);
    await dialog.getByRole('button', { name: 'Create token' }).click();
    const field = dialog.getByLabel('Token', { exact: true });
    await field.waitFor();
    await dialog.getByRole('button', { name: /Copy/ }).last().click();
    expect(clicks.since()).toBeLessThanOrEqual(MOST_PRESSES.token);
    const token = await field.inputValue();
    expect(token).toMatch(/^slv_[\w-]{43}$/);
    expect(await dialog.getByLabel('Address').inputValue()).toBe(`${suite.gateway.apiUrl}/scim/v2`);
    await inspect(page, 'a new token');
    await page.setViewportSize(size);
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await page
      .getByRole('row')
      .filter({ hasText: `Entra ${name}` })
      .filter({ hasText: 'Never' })
      .waitFor();

    // The page follows what the directory sends.
    const { id } = await send(token, '/Users', {
      userName: `ada.${name}@example.com`,
      displayName: `Ada ${name}`,
    });
    await page
      .getByRole('row')
      .filter({ hasText: `Ada ${name}` })
      .filter({ hasText: 'Nothing' })
      .waitFor();
    await send(token, '/Groups', { displayName: `Guards ${name}`, members: [{ value: id }] });
    const group = page.getByRole('row').filter({ hasText: `Guards ${name}` });
    // Rows far from the screen are not in the document.
    await page.getByRole('button', { name: 'Give a group rights' }).scrollIntoViewIfNeeded();
    await group.waitFor();
    await page
      .getByRole('row')
      .filter({ hasText: `Entra ${name}` })
      .filter({ hasText: 'Succeeded' })
      .waitFor();

    clicks.since();
    await group.getByRole('button', { name: /Choose rights/ }).click();
    await dialog.getByRole('option', { name: 'Harbor' }).first().click();
    await page.getByText('Sees only Harbor, with cameras that are added there later.').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await group.filter({ hasText: 'Harbor' }).waitFor();
    expect(clicks.since()).toBeLessThanOrEqual(MOST_PRESSES.group);
    await page
      .getByRole('row')
      .filter({ hasText: `Ada ${name}` })
      .filter({ hasText: 'Harbor' })
      .waitFor();

    // Their rights are the group's.
    await page.getByRole('button', { name: `Edit Ada ${name}` }).click();
    await dialog.getByText('Groups of the directory decide the role, and what the person sees.').waitFor();
    expect(await dialog.getByLabel('Role').count()).toBe(0);
    await page.keyboard.press('Escape');

    // What failed is shown, too.
    await send(token, '/Users', { userName: ' ' });
    await page.getByText('was refused (400): userName is required.').waitFor();
    await inspect(page, 'a directory');
    await page.setViewportSize(size);

    // Rows are there near the window alone.
    await page.getByRole('button', { name: 'Give a group rights' }).scrollIntoViewIfNeeded();
    await group.getByRole('button', { name: /Remove rights/ }).click();
    await dialog.getByRole('button', { name: 'Remove rights' }).click();
    await group.filter({ hasText: 'Nothing' }).waitFor();
    await page.getByRole('button', { name: `Revoke Entra ${name}` }).click();
    await dialog.getByRole('button', { name: 'Revoke token' }).click();
    await page.getByRole('button', { name: `Revoke Entra ${name}` }).waitFor({ state: 'detached' });
    expect(await send(token, '/Users', {})).toMatchObject({ status: '401' });
  },
);
