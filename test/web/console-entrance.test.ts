/** The console's entrance in Chromium: the link of the first start, an invitation, a password, and the way out. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { TestGateway } from '../support/gateway.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, smallTargets, tooWide } from './console-page.ts';
import { invite, PASSWORD, signInAs, signOut } from './console-person.ts';

const MIN_TARGET_PX = 40;
const PHONE = { width: 390, height: 844 };

let gateway: TestGateway;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  gateway = await TestGateway.start({ demo: false });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
});
beforeEach(async () => {
  ({ page } = await openPage(browser));
});
afterEach(() => page.close());

/** As someone with access to the machine makes it. */
async function newLink(): Promise<string> {
  const { stdout } = await runCli('console-link', '--config', join(gateway.folder, 'sluice.yaml'));
  return /https?:\S+#code=\S+/.exec(stdout)![0];
}

const cameras = () => page.getByRole('heading', { name: 'Cameras', level: 1 }).waitFor();
const firstSteps = () => page.getByRole('heading', { name: 'First steps', level: 1 }).waitFor();
const entrance = () => page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();

test('the link of the first start signs in, once, and leaves the address', async () => {
  const link = (await readFile(join(gateway.folder, 'data', 'console-link.txt'), 'utf8')).trim();
  await page.goto(link);
  await firstSteps();
  expect(page.url()).toBe(`${gateway.apiUrl}/console/start`);
  expect(await page.locator('.who').textContent()).toContain('Administrator');
  const { page: other } = await openPage(browser);
  await other.context().clearCookies();
  await other.goto(link);
  await other.getByRole('alert').waitFor();
  expect(await other.getByRole('button', { name: 'Sign in', exact: true }).isVisible()).toBe(true);
  await other.close();
});

test('the first person sets a password, and invites the next one', async () => {
  const link = await newLink();
  await page.goto(link);
  await page.getByRole('link', { name: 'Set a password' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByLabel('Email').waitFor({ state: 'detached' });
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Your password is changed.').waitFor();
  expect(await page.getByRole('link', { name: 'Set a password' }).count()).toBe(0);
  await expectAccessible(page, 'account');
  // On a phone, which the check above leaves it to be, the rest of the menu is behind a button.
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('link', { name: 'People' }).click();
  await page.getByRole('button', { name: 'Invite someone' }).click();
  await page.getByLabel('Name', { exact: true }).fill('<img src=x onerror=alert(1)>');
  await page.getByLabel('Email').fill('next@example.com');
  await page.getByLabel('Role').selectOption('operator');
  await expectAccessible(page, 'invite');
  await page.getByRole('button', { name: 'Make the link' }).click();
  const inviteUrl = await page.getByLabel('Link', { exact: true }).inputValue();
  expect(inviteUrl.startsWith(`${gateway.apiUrl}/console/#invite=`)).toBe(true);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('<img src=x onerror=alert(1)>').waitFor();
  await page.setViewportSize(PHONE);
  expect(await tooWide(page)).toEqual([]);
  expect(await smallTargets(page, MIN_TARGET_PX)).toEqual([]);
  await expectAccessible(page, 'people');
  await page.getByRole('button', { name: /^Withdraw the invitation/ }).click();
  await page.getByRole('button', { name: 'Withdraw invitation' }).click();
  await page.getByText('No one is invited').waitFor();
  await signOut(page);
  await entrance();
  await page.goto(inviteUrl);
  await page.getByLabel('Your name').fill('Too late');
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Join', exact: true }).click();
  await page.getByRole('alert').waitFor();
});

describe('someone who is invited', () => {
  test('chooses a password, and comes back with it on a phone', async () => {
    await page.context().clearCookies();
    await page.setViewportSize(PHONE);
    const { inviteUrl, email } = await invite(gateway, 'operator');
    await page.goto(inviteUrl);
    await page.getByLabel('Your name').fill('Grace Hopper');
    await page.getByLabel('New password').fill('short');
    expect(await page.getByRole('button', { name: 'Join', exact: true }).isDisabled()).toBe(true);
    await expectAccessible(page, 'invitation');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Join', exact: true }).click();
    await cameras();
    expect(page.url()).not.toContain('#');
    await signOut(page);
    await entrance();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await expectAccessible(page, 'wrong password');
    expect(await tooWide(page)).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX)).toEqual([]);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await cameras();
    await page.reload();
    await cameras();
  });

  test('is at the entrance again as soon as their session ends elsewhere', async () => {
    await page.context().clearCookies();
    await signInAs(page, gateway, 'viewer');
    await page.goto(`${gateway.apiUrl}/console/`);
    await cameras();
    const { people } = await gateway.call('console/getPeople');
    const { personUuid } = people.find(({ role }: { role: string }) => role === 'viewer');
    await gateway.call('console/updatePerson', { personUuid, disabled: true });
    await entrance();
  });
});

test('a page that is opened without a session shows the entrance, and nothing of the organization', async () => {
  await page.context().clearCookies();
  await page.goto(`${gateway.apiUrl}/console/shares`);
  await entrance();
  await expectAccessible(page, 'entrance');
  expect(await page.locator('body').textContent()).not.toContain('Cameras');
});
