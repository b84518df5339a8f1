/** The list of shares: which cameras a wall's link shows, how a row leads to its details, and how one share is ended, and not. */

import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { Json } from '../support/gateway.ts';
import { consoleSuite, DESKTOP, inspect, PHONE } from './console-suite.ts';

const NAMES = ['Dock', 'Gate', 'Yard', 'Lobby', 'Roof'];
const DAY_SEC = 86_400;
const SCREENSHOTS = process.env.PAGE_SCREENSHOTS;

const suite = consoleSuite({
  cameras: NAMES.map((name, i) => ({ name, rtsp: `rtsp://127.0.0.1:9/${i}` })),
});

beforeAll(async () => {
  const { gateway } = suite;
  const deviceList = await Promise.all(NAMES.map((name) => gateway.cameraUuid(name)));
  const wall = { displayName: 'Harbor', deviceList };
  const { uuid: videoWallUuid } = await gateway.call('camera/createVideoWall', { videoWall: wall });
  const terms = { videoWallUuid, expirationTimeSecs: Math.floor(Date.now() / 1_000) + DAY_SEC };
  const { error, errorMsg } = await gateway.call('camera/createSharedVideoWall', terms);
  expect(error, errorMsg).toBe(false);
  await gateway.share('Dock', { name: 'Customs' });
});

const row = (page: Page, name: string) =>
  page.getByRole('row', { name: new RegExp(name) }).filter({ hasNot: page.getByRole('columnheader') });
const dialog = (page: Page) => page.getByRole('dialog');

async function screenshots(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS === undefined) return;
  for (const size of [PHONE, DESKTOP]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${SCREENSHOTS}/${name}-${size.width}-${colorScheme}.png` });
    }
  }
}

test.each([
  ['desktop', DESKTOP],
  ['phone', PHONE],
])(
  'on a %s, a row names the cameras of its wall, and its details name all of them',
  async (_device, size) => {
    const page = await suite.open('shares', size);
    await row(page, 'Harbor')
      .getByText(/Dock, Gate, Yard,? and 2 more$/)
      .waitFor();
    await screenshots(page, 'shares');
    await page.setViewportSize(size);
    await row(page, 'Harbor').getByRole('button', { name: 'Harbor', exact: true }).click();
    await dialog(page).getByRole('link', { name: 'Wall of 5 cameras' }).waitFor();
    for (const name of NAMES) {
      const uuid = await suite.gateway.cameraUuid(name);
      const link = dialog(page).getByRole('link', { name, exact: true });
      expect(await link.getAttribute('href')).toBe(`/console/cameras/${uuid}`);
    }
    await screenshots(page, 'share-wall');
    await inspect(page, 'a wall’s share');
  },
);

test('a phone shows when each share ends', async () => {
  const page = await suite.open('shares', PHONE);
  const end = (name: string) => row(page, name).locator('.if-narrow').first();
  await end('Harbor')
    .getByText(/^Ends \w+ \d{2}:\d{2}$/)
    .waitFor();
  await end('Customs').getByText('No end').waitFor();
});

test.each([
  ['desktop', DESKTOP],
  ['phone', PHONE],
])(
  'on a %s, a share is ended from its row, after a question, and the end is undone',
  async (_device, size) => {
    const page = await suite.open('shares', size);
    const state = async (): Promise<Json> => {
      const { sharedStreams } = await suite.gateway.call('camera/findSharedStreams', { text: 'Customs' });
      return { state: sharedStreams[0].state, expirationTime: sharedStreams[0].expirationTime };
    };
    const before = await state();
    await page.getByRole('button', { name: 'End Customs' }).click();
    await dialog(page).getByRole('heading', { name: 'End Customs?' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    expect(await state()).toEqual(before);
    await page.getByRole('button', { name: 'End Customs' }).click();
    await screenshots(page, 'share-end');
    await page.setViewportSize(size);
    await dialog(page).getByRole('button', { name: 'End now' }).click();
    await dialog(page).getByText('1 share is as chosen.').waitFor();
    await expect.poll(async () => (await state()).state).toBe('EXPIRED');
    await dialog(page).getByRole('button', { name: 'Undo 1 change' }).click();
    await dialog(page).getByText('As before').waitFor();
    expect(await state()).toEqual(before);
    await dialog(page).getByRole('button', { name: 'Done' }).click();
    await inspect(page, 'the list of shares');
  },
);

test("a camera's card counts links to walls that show it", async () => {
  const page = await suite.open('cameras', DESKTOP);
  const card = (name: string) => page.getByRole('listitem', { name, exact: true });
  await card('Dock').getByText('Shared by 2 links').waitFor();
  await card('Roof').getByText('Shared by 1 link').waitFor();
});
