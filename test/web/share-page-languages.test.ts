/** The page of a shared link in Chromium, against a whole gateway, for people who read other languages. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { recordMore } from '../support/recorded-past.ts';
import { startCamera } from '../support/synthetic.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { cutOffParts, waitForMotion } from './page-probes.ts';

const PASSWORD = 'Sesam öffne dich';
const SCREENSHOTS = process.env.PAGE_SCREENSHOTS;

let camera: SyntheticCamera;
let gateway: TestGateway;
let share: TestShare;
const browsers: TestBrowser[] = [];

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
    recording: { fileSize: '4MiB', minFree: '16MiB' },
    cameras: [{ name: 'Tor 3', rtsp: camera.url, recording: 'always' }],
  });
  share = await gateway.share('Tor 3', { vodEnabled: true, password: PASSWORD });
  await recordMore(gateway, 12);
});

afterEach(async () => {
  for (const browser of browsers.splice(0)) await browser.close();
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

/** Opens the link in a browser of its own. `problems` must stay empty. */
async function openIn(locale: string): Promise<{ readonly page: Page; readonly problems: string[] }> {
  const browser = await startBrowser([], { locale });
  browsers.push(browser);
  const record = await openPage(browser);
  await record.page.goto(share.pageUrl);
  await record.page.waitForSelector('#password-form:not([hidden])');
  return record;
}

async function expectFits(page: Page, name: string): Promise<void> {
  for (const [width, height] of [
    [320, 568],
    [390, 844],
    [1280, 800],
  ] as const) {
    await page.setViewportSize({ width, height });
    if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/${name}-${width}.png` });
    expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBe(width);
    // The timeline takes a new width with its next refresh.
    await expect.poll(() => cutOffParts(page), { message: `${name} ${width}` }).toEqual([]);
  }
}

async function expireShare(): Promise<void> {
  const expirationTimeSecs = Math.ceil(Date.now() / 1_000) + 1;
  const change = { uuid: share.uuid, expirationTimeSecs, expirationTimeSecsUpdated: true };
  expect(await gateway.call('camera/updateSharedLiveVideoStream', change)).toMatchObject({ error: false });
}

describe.each([
  {
    locale: 'de-AT',
    lang: 'de',
    question: 'Passwort erforderlich',
    wrong: 'Das Passwort stimmt nicht. Versuchen Sie es erneut.',
    submit: 'Live ansehen',
    playing: 'Wird live abgespielt',
    time: 'Zeit',
    days: 'Tage mit Video',
    today: 'Heute',
    speed: 'Geschwindigkeit',
    expired: 'Dieser Link ist abgelaufen',
    extend: 'Bitten Sie die Person, die ihn gesendet hat, ihn zu verlängern.',
  },
  {
    locale: 'es-CO',
    lang: 'es',
    question: 'Se necesita contraseña',
    wrong: 'La contraseña no es correcta. Inténtelo de nuevo.',
    submit: 'Ver en directo',
    playing: 'Reproduciendo en directo',
    time: 'Hora',
    days: 'Días con vídeo',
    today: 'Hoy',
    speed: 'Velocidad',
    expired: 'Este enlace ha caducado',
    extend: 'Pida a la persona que lo envió que lo amplíe.',
  },
])('in $lang', (words) => {
  test('asks for the password, plays live and the past, and says that the link has expired', async () => {
    const never = { uuid: share.uuid, expirationTimeSecs: null, expirationTimeSecsUpdated: true };
    await gateway.call('camera/updateSharedLiveVideoStream', never);
    const { page, problems } = await openIn(words.locale);
    expect(await page.getAttribute('html', 'lang')).toBe(words.lang);
    expect(await page.textContent('#password-title')).toBe(words.question);
    expect(await page.textContent('#password-submit')).toBe(words.submit);
    await page.fill('#password', 'geraten');
    await page.press('#password', 'Enter');
    await expect.poll(() => page.textContent('#password-error')).toBe(words.wrong);
    await expectFits(page, `${words.lang}-password`);

    await page.fill('#password', PASSWORD);
    await page.press('#password', 'Enter');
    await waitForMotion(page);
    await page.getByRole('button', { name: words.playing }).waitFor();
    await expectFits(page, `${words.lang}-live`);

    const timeline = page.getByRole('slider', { name: words.time });
    await timeline.focus();
    await timeline.press('Home');
    await page.getByRole('combobox', { name: words.speed }).waitFor();
    await expectFits(page, `${words.lang}-past`);
    await page.getByRole('button', { name: words.today }).click();
    await page.getByRole('heading', { name: words.days }).waitFor();
    await expectFits(page, `${words.lang}-days`);
    await page.keyboard.press('Escape');

    await expireShare();
    await expect.poll(() => page.textContent('#message-title')).toBe(words.expired);
    expect(await page.textContent('#message-text')).toContain(words.extend);
    await expectFits(page, `${words.lang}-expired`);
    expect(problems).toEqual([]);
  });
});

test('a language without a catalog reads English, also its dates', async () => {
  const never = { uuid: share.uuid, expirationTimeSecs: null, expirationTimeSecsUpdated: true };
  await gateway.call('camera/updateSharedLiveVideoStream', never);
  const { page, problems } = await openIn('fr-CA');
  expect(await page.getAttribute('html', 'lang')).toBe('en');
  expect(await page.textContent('#password-title')).toBe('Password required');
  await page.fill('#password', PASSWORD);
  await page.press('#password', 'Enter');
  await waitForMotion(page);
  await expect.poll(() => page.textContent('#picture-time')).toMatch(/ (?:AM|PM) /);
  expect(problems).toEqual([]);
});

test('the language is chosen on a card and over the video, and remembered', async () => {
  const never = { uuid: share.uuid, expirationTimeSecs: null, expirationTimeSecsUpdated: true };
  await gateway.call('camera/updateSharedLiveVideoStream', never);
  const { page, problems } = await openIn('en-US');
  const chosen = page.locator('select.language:visible');
  expect(await chosen.inputValue()).toBe('en');
  await expectFits(page, 'switch-password');
  await chosen.selectOption('de');
  await page.waitForSelector('#password-title:text("Passwort erforderlich")');
  expect(await page.getByRole('combobox', { name: 'Sprache' }).inputValue()).toBe('de');
  await page.goto(share.pageUrl);
  await page.waitForSelector('#password-title:text("Passwort erforderlich")');
  await page.fill('#password', PASSWORD);
  await page.press('#password', 'Enter');
  await waitForMotion(page);
  await expectFits(page, 'switch-live');
  await page.mouse.move(200, 200);
  await chosen.selectOption('es');
  await page.waitForSelector('html[lang="es"]');
  // A page around it, or a partner's link, names the language; a choice here replaces that.
  await page.goto(`${share.pageUrl}?lang=de`);
  await page.waitForSelector('#password-title:text("Passwort erforderlich")');
  await chosen.selectOption('en');
  await page.waitForSelector('#password-title:text("Password required")');
  expect(new URL(page.url()).search).toBe('');
  expect(problems).toEqual([]);
});

test('the page that shows that an address works is in the language of the phone that opens it', async () => {
  const { checkId } = await gateway.call('console/createPublicUrlCheck');
  const browser = await startBrowser([], { locale: 'de-DE' });
  browsers.push(browser);
  const { page, problems } = await openPage(browser);
  await page.goto(`${new URL(share.pageUrl).origin}/reach/${checkId}`);
  await page.getByRole('heading', { name: 'Diese Adresse funktioniert' }).waitFor();
  await expectFits(page, 'reach');
  expect(problems).toEqual([]);
});
