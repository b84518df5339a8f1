/** Finding ONVIF cameras with the console in Chromium: the gateway's own probe, on loopback; one camera has a hostile name. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { newRuuid } from '../../src/core/ruuid.ts';
import { Secret } from '../../src/core/secret.ts';
import { FakeOnvifDevice, type FakeOnvifDeviceOptions } from '../../src/devices/onvif/fake-onvif-device.ts';
import type { CameraCredentials } from '../../src/synthetic-camera/digest-gate.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { untilSettled } from './console-checks.ts';
import { expectAccessible, openConsolePage, smallTargets, tooWide } from './console-page.ts';

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1_440, height: 900 };
const MIN_TARGET_PX = 40;
/** A check measures the camera for up to 15 seconds. */
const CHECK_MS = 100_000;
const LOGIN = { username: 'admin', password: 'p@s:s/w?o#r%d é' };
const HOSTILE = '<img src=x onerror="window.hacked=1">';
const HOSTILE_MODEL = `"><script>window.hacked=2</script>`;
/** Each at an address of its own: a scan lists one device of each host. */
const HOSTS = { plain: '127.0.0.1', hostile: '127.0.0.2' };

const LOCATIONS = [{ name: 'Harbor', tz: 'Europe/Berlin' }];

let streams: SyntheticCamera[];
let devices: Record<keyof typeof HOSTS, FakeOnvifDevice>;
let gateway: TestGateway;
let browser: TestBrowser;
let record: PageRecord;
let page: Page;

beforeAll(async () => {
  const { username } = LOGIN;
  const credentials: CameraCredentials = { username, password: new Secret(LOGIN.password), algorithm: 'MD5' };
  const [large, small] = [await makeClip(640, 360), await makeClip(320, 180)];
  streams = [];
  const device = async (host: string, options: FakeOnvifDeviceOptions) => {
    const main = await startCamera(0, { host, clip: large, credentials });
    const sub = await startCamera(0, { host, clip: small, credentials });
    streams.push(main, sub);
    return FakeOnvifDevice.open({
      host,
      login: LOGIN,
      clockEpochMs: Date.now(),
      ...options,
      streams: {
        small: { uri: sub.url, size: [320, 180] },
        large: { uri: main.url, size: [640, 360] },
      },
    });
  };
  devices = {
    plain: await device(HOSTS.plain, {}),
    hostile: await device(HOSTS.hostile, {
      identity: {
        name: HOSTILE,
        hardware: HOSTILE_MODEL,
        manufacturer: HOSTILE,
        model: HOSTILE_MODEL,
      },
    }),
  };
  gateway = await TestGateway.start({
    demo: false,
    locations: LOCATIONS,
    sources: {
      onvifProbes: Object.values(devices).map(
        ({ service, discoveryPort }) => `${service.hostname}:${discoveryPort}`,
      ),
    },
  });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  for (const device of Object.values(devices ?? {})) await device.close();
  for (const stream of streams ?? []) await stream.close();
});
beforeEach(async () => {
  record = await openConsolePage(browser, gateway, 'admin');
  ({ page } = record);
  await page.setViewportSize(DESKTOP);
});
afterEach(async () => {
  await page.close();
  expect(record.problems).toEqual([]);
});

const visit = (path: string) => page.goto(`${gateway.apiUrl}/console/${path}`);
const row = (name: string) => page.getByRole('listitem', { name, exact: true });
const field = (name: string) => page.locator(`.wizard [name="${name}"]`);

/** What a name may not bring into the page. */
async function expectOnlyText(state: string): Promise<void> {
  const found = await page.evaluate(() => ({
    hacked: 'hacked' in globalThis,
    images: document.querySelectorAll('img[src="x"], [onerror]').length,
    scripts: [...document.scripts].filter(({ text }) => text.includes('hacked')).length,
  }));
  expect(found, state).toEqual({ hacked: false, images: 0, scripts: 0 });
}

async function expectFits(state: string): Promise<void> {
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await expectAccessible(page, `${state}, ${size.width} px`);
    expect(await tooWide(page), state).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX), state).toEqual([]);
  }
}

test('cameras that answer the probe are chosen, refuse a wrong password, and are added with a picture', async () => {
  await visit('cameras/add');
  await page.getByRole('link', { name: 'Find them on the network' }).click();
  await row('Front door').waitFor();
  await row(HOSTILE).waitFor();
  await page.getByText('2 cameras', { exact: true }).waitFor();
  await row('Front door').getByText('Dome-4').waitFor();
  await row(HOSTILE).getByText(HOSTILE_MODEL).waitFor();
  await expectOnlyText('found');

  // One alone first: the other does not get the login.
  await row('Front door').getByRole('checkbox').check();
  await field('username').fill(LOGIN.username);
  await field('password').fill('wrong');
  await page.getByRole('button', { name: 'Check 1 camera' }).click();
  await row('Front door').getByText('Wrong user name or password for ONVIF.').waitFor({ timeout: CHECK_MS });
  await page.waitForFunction(() => (document.activeElement as HTMLInputElement).name === 'password');
  expect(devices.hostile.requested).toEqual([]);

  await row(HOSTILE).getByRole('checkbox').check();
  await field('password').fill(LOGIN.password);
  await page.getByRole('button', { name: 'Check 2 cameras' }).click();
  for (const name of ['Front door', HOSTILE]) {
    await row(name)
      .getByText(/avc1\..*640 × 360/)
      .waitFor({ timeout: CHECK_MS });
    await row(name)
      .getByRole('img', { name: `What ${name} shows` })
      .waitFor();
  }
  await expectFits('checked');
  await expectOnlyText('checked');
  await page.getByLabel('Site', { exact: true }).selectOption({ label: 'Harbor' });
  await page.getByRole('button', { name: 'Add 2 cameras' }).click();
  await page.getByText('2 cameras added.').waitFor();
  await page.getByRole('button', { name: 'Look again' }).click();
  await row('Front door')
    .getByText('already added')
    .or(row('Front door').getByText('Added.'))
    .first()
    .waitFor();

  // On the page of cameras, both are there with what they show.
  await visit('');
  for (const name of ['Front door', HOSTILE]) {
    const image = page.getByRole('listitem', { name, exact: true }).locator('.picture img');
    await image.waitFor({ timeout: CHECK_MS });
    await expect
      .poll(() => image.evaluate(({ naturalWidth }: HTMLImageElement) => naturalWidth))
      .toBeGreaterThan(0);
  }
  await expectFits('cameras');
  const { source, locationUuid } = await gateway.call('camera/getCameraSource', {
    cameraUuid: await gateway.cameraUuid('Front door'),
  });
  expect(source).toMatchObject({
    mainUrl: streams[0]!.url,
    substreamUrl: streams[1]!.url,
    hasPassword: true,
  });
  expect(locationUuid).toBeTruthy();
});

test('a camera’s own name is text on every page that shows it', async () => {
  const cameraUuid = await gateway.cameraUuid(HOSTILE);
  await gateway.call('camera/createSharedLiveVideoStream', { cameraUuid, name: HOSTILE });
  const { uuid } = await gateway.call('camera/createVideoWall', {
    videoWall: { displayName: 'Both', deviceList: [cameraUuid] },
  });
  await gateway.call('ingest/policyAlerts', {
    rows: [{ uuid: newRuuid(), deviceUuid: cameraUuid, timestampMs: Date.now() }],
  });
  /** Where it is seen, and as what. */
  const pages: readonly [string, string][] = [
    ['', HOSTILE],
    [`cameras/${cameraUuid}`, HOSTILE],
    [`cameras/${cameraUuid}/details`, HOSTILE],
    [`cameras/${cameraUuid}/source`, HOSTILE],
    ['shares', HOSTILE],
    ['shares?new', HOSTILE],
    ['timeline', HOSTILE],
    ['walls/new', HOSTILE],
    [`walls/${uuid}`, HOSTILE],
    ['activity', HOSTILE],
    ['alerts', HOSTILE],
    ['cameras/add?way=network', HOSTILE_MODEL],
  ];
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    for (const [path, text] of pages) {
      await visit(path);
      await page.locator('h1').first().waitFor();
      await expect
        .poll(
          () =>
            page.evaluate(() =>
              [
                document.body.textContent,
                ...[...document.querySelectorAll('input')].map(({ value }) => value),
                ...[...document.querySelectorAll('option')].map((option) => option.text),
              ].join('\n'),
            ),
          { message: path, timeout: 60_000 },
        )
        .toContain(text);
      await untilSettled(page);
      await expectOnlyText(`${path}, ${size.width} px`);
      expect(await tooWide(page), `${path}, ${size.width} px`).toEqual([]);
    }
  }
});

test('a scan that nothing answers says so, and asks for addresses', async () => {
  const none: Json = { error: false, cameras: [] };
  await gateway.configure({ demo: false, locations: LOCATIONS, sources: { onvifProbes: ['127.0.0.3:9'] } });
  await gateway.restart();
  await visit('cameras/add?way=network');
  await page.getByText('No camera answered').waitFor();
  expect(await gateway.call('camera/scanOnvifCameras')).toMatchObject(none);
});
