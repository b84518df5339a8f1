/** Rights by site, in Chromium against a whole gateway: a viewer for one site is invited, joins, and sees that site alone. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { TestGateway } from '../support/gateway.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { countClicks } from './clicks.ts';
import { expectAccessible, smallTargets, tooWide } from './console-page.ts';
import { PASSWORD } from './console-person.ts';
import { openConsole, visitConsole } from './console-visitor.ts';

const DESKTOP = { width: 1_440, height: 900 };
const PHONE = { width: 390, height: 844 };
const NARROWEST = { width: 320, height: 640 };
const MIN_TARGET_PX = 40;
/** From the page of people to a copied invitation. */
const MOST_PRESSES = 4;

let gateway: TestGateway;
let browser: TestBrowser;
const pages: Page[] = [];

beforeAll(async () => {
  const cameras = ['Harbor', 'Warehouse'].flatMap((location) =>
    ['gate', 'yard', 'office'].map((name) => ({
      name: `${location} ${name}`,
      location,
      rtsp: `rtsp://127.0.0.1:9/${location}/${name}`,
    })),
  );
  const locations = ['Harbor', 'Warehouse', 'Shop'].map((name) => ({ name, tz: 'America/New_York' }));
  gateway = await TestGateway.start({ demo: false, locations, cameras });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
});
afterEach(async () => {
  for (const page of pages.splice(0)) await page.close();
});

async function openAs(role: 'admin', size: { width: number; height: number }, path: string): Promise<Page> {
  const { page } = await visitConsole(browser, gateway, role);
  pages.push(page);
  await page.setViewportSize(size);
  await openConsole(page, gateway, path);
  return page;
}

async function inspect(page: Page, state: string): Promise<void> {
  for (const size of [NARROWEST, PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await expectAccessible(page, `${state} at ${size.width}`);
    expect(await tooWide(page), `${state} at ${size.width}`).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX), `${state} at ${size.width}`).toEqual([]);
  }
}

/** Types into the first two fields of a dialog that was just opened, as one does without the mouse. */
async function typeNameAndEmail(page: Page, name: string, email: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('option', { name: 'Harbor' }).first().waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type(name);
  await page.keyboard.press('Tab');
  await page.keyboard.type(email);
}

const site = (page: Page, name: string) => page.getByRole('option', { name }).first();

test.each([
  ['desktop', DESKTOP],
  ['phone', PHONE],
])('on a %s, a viewer for one site is invited in four presses', async (name, size) => {
  const page = await openAs('admin', size, 'people');
  const clicks = await countClicks(page);
  await page.getByRole('button', { name: 'Invite someone' }).click();
  await typeNameAndEmail(page, 'Eve', `eve.${name}@example.com`);
  await site(page, 'Harbor').click();
  await page.getByText('Sees only Harbor, with cameras that are added there later.').waitFor();
  await page.getByRole('button', { name: 'Make the link' }).click();
  const invitation = page.getByLabel('Link', { exact: true });
  await invitation.waitFor();
  // It opens only on this machine, so there is no code for phones.
  expect(
    await page
      .getByRole('dialog')
      .getByRole('img', { name: /^QR code/ })
      .count(),
  ).toBe(0);
  expect(await page.getByRole('dialog').getByRole('link', { name: 'Open' }).count()).toBe(0);
  await page.getByRole('button', { name: /Copy/ }).click();
  const presses = clicks.since();
  expect(presses).toBeLessThanOrEqual(MOST_PRESSES);
  const inviteUrl = await invitation.inputValue();
  await page.getByRole('button', { name: 'Done' }).click();
  const invited = page.getByRole('table', { name: 'Invitations' });
  await invited.getByText('Harbor').first().waitFor();
  expect(await page.locator('.invitations').textContent()).toContain('Viewer');
  await page.close();
  pages.pop();

  const { page: theirs } = await openPage(browser);
  pages.push(theirs);
  await theirs.setViewportSize(size);
  await theirs.context().clearCookies();
  const responses: Promise<string>[] = [];
  theirs.on('response', (response) => {
    if (new URL(response.url()).pathname.startsWith('/api/')) {
      responses.push(response.text().catch(() => ''));
    }
  });
  await theirs.goto(inviteUrl);
  await theirs.getByLabel('Your name').fill('Eve');
  await theirs.getByLabel('New password').fill(PASSWORD);
  await theirs.getByRole('button', { name: 'Join', exact: true }).click();
  await theirs.getByText('Harbor gate').first().waitFor();
  for (const path of ['', 'shares', 'timeline', 'walls', 'activity', 'alerts', 'schedules', 'doors']) {
    await openConsole(theirs, gateway, path);
  }
  const other = await gateway.cameraUuid('Warehouse gate');
  await theirs.goto(`${gateway.apiUrl}/console/cameras/${other}`);
  await theirs.locator('main .notice, main [role="alert"]').first().waitFor();
  const text = (await Promise.all(responses)).join('\n').replaceAll(other, '');
  expect(text).toContain('Harbor gate');
  expect(text).not.toContain('Warehouse');
});

test('the dialog, the list and the key dialog are accessible and fit every screen', async () => {
  const page = await openAs('admin', DESKTOP, 'people');
  await page.getByRole('button', { name: 'Invite someone' }).click();
  await site(page, 'Harbor').click();
  await page.getByText('Sees only Harbor').waitFor();
  await inspect(page, 'invite');
  await page.keyboard.press('Escape');
  await openConsole(page, gateway, 'keys');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Gate display');
  await page.getByRole('combobox', { name: 'Find: sites and cameras' }).fill('warehouse gate');
  await site(page, 'Warehouse gate').click();
  await page.getByText('Sees only Warehouse gate.').waitFor();
  await inspect(page, 'new key');
  await page.getByRole('button', { name: 'Create key', exact: true }).last().click();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('button', { name: 'Edit Gate display' }).click();
  await page.getByLabel('The whole organization').click();
  await page.getByText('Sees all sites and cameras.').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const { apiTokens } = await gateway.call('integrations/org/getApiTokens');
  const saved = apiTokens.find(({ displayName }: { displayName: string }) => displayName === 'Gate display');
  expect(saved.scope).toBeUndefined();
  await inspect(page, 'keys');
});

test('the page says so to someone whose site has no camera', async () => {
  const { locations } = await gateway.call('location/getLocationsV2');
  const shop = locations.find(({ name }: { name: string }) => name === 'Shop').uuid;
  const scope = { locationUuids: [shop], cameraUuids: [] };
  const wanted = { name: 'Ned', email: 'ned@example.com', role: 'viewer', scope };
  const { inviteUrl } = await gateway.call('console/invitePerson', wanted);
  const { page } = await openPage(browser);
  pages.push(page);
  await page.context().clearCookies();
  await page.goto(inviteUrl);
  await page.getByLabel('Your name').fill('Ned');
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Join', exact: true }).click();
  await page.getByRole('heading', { name: 'You see no cameras' }).waitFor();
  await inspect(page, 'no cameras');
});

test('an open page follows a change of rights, and the account says what one sees', async () => {
  const { locations } = await gateway.call('location/getLocationsV2');
  const siteNamed = (name: string) => {
    const found = locations.find((each: { name: string }) => each.name === name);
    return { locationUuids: [found.uuid], cameraUuids: [] };
  };
  const wanted = { name: 'Mia', email: 'mia@example.com', role: 'viewer', scope: siteNamed('Harbor') };
  const { inviteUrl } = await gateway.call('console/invitePerson', wanted);
  const { page } = await openPage(browser);
  pages.push(page);
  await page.context().clearCookies();
  await page.goto(inviteUrl);
  await page.getByLabel('Your name').fill('Mia');
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Join', exact: true }).click();
  await page.getByText('Harbor gate').first().waitFor();
  const { people } = await gateway.call('console/getPeople');
  const { personUuid } = people.find(({ name }: { name: string }) => name === 'Mia');
  await gateway.call('console/updatePerson', {
    personUuid,
    scope: siteNamed('Warehouse'),
    scopeUpdated: true,
  });
  await page.getByText('Warehouse gate').first().waitFor();
  expect(await page.getByText('Harbor gate').count()).toBe(0);
  await page.getByRole('link', { name: 'Your account' }).click();
  await page.getByRole('heading', { name: 'What you see' }).waitFor();
  await page.locator('.part', { hasText: 'What you see' }).getByText('Warehouse').waitFor();
});
