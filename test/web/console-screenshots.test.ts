/**
 * Every page of the console (web/console/pages.ts) as the guide shows it: phone and desktop, light and dark. A page renders,
 * fits, is accessible, and has its pictures. `npm run console-pictures` makes those, and the part of the guide that shows them.
 */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PAGES } from '../../web/console/pages.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { untilSettled } from './console-checks.ts';
import { type ConsoleOrganization, startConsoleOrganization } from './console-organization.ts';
import { expectAccessible, tooWide } from './console-page.ts';
import { signInAs } from './console-person.ts';
import {
  guidePart,
  keepPicture,
  PICTURES,
  pictureName,
  readGuide,
  SCHEMES,
  SIZES,
  writeGuide,
} from './console-pictures.ts';
import { arrangeScene, SCENE_MS, untilStill } from './console-scene.ts';

const IS_WRITING = process.env.CONSOLE_PICTURES === 'write';

/** What the registry does not name: the way in, and a dialog that is a page of its own to those who use it. */
const OTHERS = [
  { path: 'sign-in', title: 'Signing in' },
  { path: 'share', title: 'One share' },
] as const;
/** Where the heading is that of another page. */
const OWN_TITLES: ReadonlyMap<string, string> = new Map([
  ['cameras/:cameraUuid/details', 'Details of a camera'],
  ['cameras/:cameraUuid/masks', 'Privacy masks'],
  ['cameras/:cameraUuid/source', 'How a camera is opened'],
  ['activity/webhooks', 'Webhooks'],
  ['sites/:siteUuid', 'A site with its floor plan'],
  ['walls/:uuid/watch', 'A wall on the whole window'],
  ['watch', 'Chosen cameras on the whole window'],
]);
const PATHS: readonly string[] = [...PAGES.map(({ path }) => path), ...OTHERS.map(({ path }) => path)];

let organization: ConsoleOrganization;
let browser: TestBrowser;
let page: Page;
/** Of each page, as its heading says. */
const titles = new Map<string, string>();

beforeAll(async () => {
  organization = await startConsoleOrganization(undefined, { startEpochMs: SCENE_MS });
  browser = await startBrowser();
  ({ page } = await openPage(browser));
  await arrangeScene(page, organization.gateway);
  await signInAs(page, organization.gateway, 'admin');
});

afterAll(async () => {
  await browser?.close();
  await organization?.close();
});

async function open(path: string): Promise<void> {
  const { gateway, addressOf, shareUuid } = organization;
  const address = path === 'share' ? `shares?share=${shareUuid}` : path === 'sign-in' ? '' : addressOf(path);
  await page.goto('about:blank');
  await page.goto(`${gateway.apiUrl}/console/${address}`);
  await page.locator('h1').first().waitFor();
  if (path === 'share') await page.locator('dialog[open]').waitFor();
  await untilSettled(page);
  await untilStill(page);
}

describe.each(PATHS)('the page "%s"', (path) => {
  test.each(Object.entries(SIZES))('on a %s', async (device, size) => {
    if (path === 'sign-in') await page.context().clearCookies();
    else if (path === 'share') await signInAs(page, organization.gateway, 'admin');
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await open(path);
    titles.set(path, await titleOf(path));
    for (const colorScheme of SCHEMES) {
      const name = pictureName(path, device, colorScheme);
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await untilStill(page);
      if (IS_WRITING)
        await keepPicture(name, await page.screenshot({ animations: 'disabled', caret: 'hide' }));
      expect(existsSync(join(PICTURES, name)), `${name} is missing: npm run console-pictures`).toBe(true);
    }
    expect(await tooWide(page)).toEqual([]);
    await expectAccessible(page, path);
  });
});

test('shares are as schedules say at the time of the pictures', async () => {
  await signInAs(page, organization.gateway, 'admin');
  await page.setViewportSize(SIZES.desktop);
  await open('shares');
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  // A Wednesday, 10:24: office hours last until 18:00.
  await expect.poll(() => row('Carrier').textContent()).toMatch(/Visible.*until 18:00/);
  await expect.poll(() => row('Neighbors').textContent()).toMatch(/Hidden now.*until 18:00/);
  await expect.poll(() => row('Carrier').textContent()).toContain('CEST');
  await expect.poll(() => row('Insurance').textContent()).toMatch(/Open.*but the camera is offline/);
  expect(await page.locator('.seen.offline').count(), 'nothing visible has a red dot').toBe(0);
  expect(await row('Harbor master').locator('.badge.warn').allTextContents()).toEqual([
    'No end',
    'No password',
  ]);
});

test('a camera of the configuration file says so, and names the line to change', async () => {
  await open('cameras/:cameraUuid');
  expect(await page.getByRole('link', { name: 'Edit name, site and address' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Managed in sluice.yaml' }).click();
  expect(await page.getByLabel('Line of this camera').inputValue()).toBe('- name: Dock 1');
  await page.getByText('/var/lib/sluice/sluice.yaml').waitFor();
});

test('there are no other pictures, and the guide shows them all', () => {
  const names = PATHS.flatMap((path) =>
    Object.keys(SIZES).flatMap((device) => SCHEMES.map((scheme) => pictureName(path, device, scheme))),
  );
  const part = guidePart(PATHS.map((path) => ({ path, title: titles.get(path) ?? path })));
  if (IS_WRITING) writeGuide(part);
  // Two addresses open the list of cameras.
  expect(readdirSync(PICTURES).toSorted()).toEqual([...new Set(names)].toSorted());
  expect(readGuide()).toContain(part);
});

/** A page about one thing is called by the kind of thing. */
async function titleOf(path: string): Promise<string> {
  const own = OTHERS.find((each) => each.path === path)?.title ?? OWN_TITLES.get(path);
  if (own !== undefined) return own;
  const heading = (await page.locator('h1').first().textContent()) ?? path;
  const [, kind] = /^(\w+?)s\/:/.exec(path) ?? [];
  return kind === undefined ? heading : `One ${kind}`;
}
