/**
 * A case from the camera to the court: a gateway records GStreamer's RTSP server, the case is sealed, and the recipient of its link saves
 * the archive. `sluice verify` and verify.html in Chromium find it whole, and each byte that is changed afterwards.
 */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Download, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { archiveOfFiles, filesOf } from '../../src/front-door/files/archive-fixture.ts';
import { runCli } from '../support/cli.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { type GstCamera, startGstCamera } from '../support/gst-camera.ts';
import { type OpensslTsa, opensslVerifies, startOpensslTsa } from '../support/openssl-tsa.ts';
import { recordMore } from '../support/recorded-past.ts';
import { until } from '../support/until.ts';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { expectAccessible, smallTargets, tooWide } from './console-page.ts';

const NOTES = 'The pallet was there at noon.';
const MIN_TARGET_PX = 40;
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1_440, height: 900 };
const SCREENSHOTS = process.env.PAGE_SCREENSHOTS;

let tsa: OpensslTsa;
let camera: GstCamera;
let gateway: TestGateway;
let browser: TestBrowser;
let recipient: PageRecord;
let folder: string;
let caseUuid: string;
let fingerprint: string;
/** Where the recipient saved them. */
let archivePath: string;
let pagePath: string;

const evidence = (operation: string, body: Json = {}) => gateway.call(`evidence/${operation}`, body);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-case-'));
  tsa = await startOpensslTsa('p256');
  camera = await startGstCamera('h264-aac');
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
    recording: { minFree: '16MiB' },
    evidence: { timeStampUrl: tsa.url },
    locations: [{ name: 'Warehouse', tz: 'America/New_York' }],
    cameras: [{ name: 'Dock', location: 'Warehouse', rtsp: camera.url, recording: 'always' }],
  });
  const cameraUuid = await gateway.cameraUuid('Dock');
  await recordMore(gateway, 2);
  const fromMs = Date.now();
  await recordMore(gateway, 6);
  const { case: opened } = await evidence('createCase', { title: 'Theft', number: '2026/17', notes: NOTES });
  caseUuid = opened.uuid;
  const time = { fromMs, toMs: Date.now() };
  await evidence('addToCase', { caseUuid, cameraUuid, ...time, note: 'Enters from the left.' });
  await seal();
  fingerprint = (await evidence('getCase', { caseUuid })).case.fingerprint;
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
  await camera?.stop();
  await tsa?.close();
  await rm(folder, { recursive: true, force: true });
});

async function seal(): Promise<void> {
  await evidence('sealCase', { caseUuid });
  await until('sealed', async () => (await evidence('getCase', { caseUuid })).case.state === 'sealed');
}

async function openLink(): Promise<Page> {
  const { shareUrl } = await evidence('createCaseLink', { caseUuid, expirationTimeSecs: 3_600 });
  recipient = await openPage(browser);
  await recipient.page.goto(shareUrl);
  return recipient.page;
}

async function saved(page: Page, link: string): Promise<string> {
  const begun = page.waitForEvent('download');
  await page.getByRole('link', { name: link }).click();
  const download: Download = await begun;
  const path = join(folder, download.suggestedFilename());
  await download.saveAs(path);
  return path;
}

async function inspect(page: Page, state: string): Promise<void> {
  for (const [device, size] of [
    ['desk', DESK],
    ['phone', PHONE],
  ] as const) {
    await page.setViewportSize(size);
    if (SCREENSHOTS !== undefined) {
      await page.screenshot({ path: `${SCREENSHOTS}/case-link-${state}-${device}.png`, fullPage: true });
    }
    await expectAccessible(page, `${state} on a ${device}`);
    expect(await tooWide(page), `${state} on a ${device}`).toEqual([]);
    expect(await smallTargets(page, MIN_TARGET_PX), `${state} on a ${device}`).toEqual([]);
  }
}

describe('the recipient of a link', () => {
  test('sees what the case contains, and saves the archive and the page that checks it', async () => {
    const page = await openLink();
    await page.getByRole('heading', { name: 'Theft', level: 1 }).waitFor();
    for (const text of ['Dock', 'Enters from the left.', '2026/17', NOTES, /Available until/]) {
      await page.getByText(text).first().waitFor();
    }
    await page.getByText(fingerprint.replaceAll(/..(?=.)/g, '$&:')).waitFor();
    await inspect(page, 'sealed');
    archivePath = await saved(page, 'Download the archive');
    pagePath = await saved(page, 'Download the page that checks it');
    expect([archivePath, pagePath]).toEqual([join(folder, 'Theft.zip'), join(folder, 'verify.html')]);
    expect(recipient.problems).toEqual([]);
    await page.close();
  });

  test('is cut off when the case is reopened, and when the link is revoked', async () => {
    const page = await openLink();
    await page.getByText('Enters from the left.').waitFor();
    await evidence('reopenCase', { caseUuid });
    await page.locator('#message').waitFor();
    expect(await page.getByText('Enters from the left.').count()).toBe(0);
    expect(await page.locator('#case-archive').getAttribute('href')).toBe('.');
    await page.close();
    const waiting = await openLink();
    await waiting.getByText('This case is not sealed. Its archive appears here when it is.').waitFor();
    await inspect(waiting, 'waiting');
    await seal();
    await waiting.getByRole('link', { name: 'Download the archive' }).waitFor();
    const [{ sharedClipGroupUuid: uuid }] = (await evidence('findCaseLinks', { caseUuid })).links;
    await gateway.call('event/deleteSharedClipGroupV2', { uuid });
    await waiting.locator('#message').waitFor();
    expect(await waiting.getByText('Enters from the left.').count()).toBe(0);
    const card = waiting.locator('#message-text');
    await card.getByText('The person who shared this case has stopped sharing it.').waitFor();
    await inspect(waiting, 'revoked');
    // A page that was not open before does not know what the link was of.
    await waiting.reload();
    await card.getByText('The person who sent this link has stopped sharing what it shows.').waitFor();
    await waiting.close();
  });
});

describe('the saved archive', () => {
  let whole: ReadonlyMap<string, Buffer>;
  let checking: Page;

  beforeAll(async () => {
    whole = await filesOf(await readFile(archivePath));
    ({ page: checking } = await openPage(browser));
    await checking.goto(pathToFileURL(pagePath).href);
  });

  const verified = (path: string) => runCli('verify', path, '--fingerprint', fingerprint);

  /** Whether the page calls the archive whole, and what it shows. */
  async function shownOf(path: string): Promise<{ readonly isWhole: boolean; readonly text: string }> {
    await checking.locator('#archive').setInputFiles(path);
    await checking.locator('#results progress').waitFor({ state: 'detached' });
    const isWhole = (await checking.locator('.verdict').getAttribute('data-whole')) === 'true';
    return { isWhole, text: (await checking.locator('#results').textContent())! };
  }

  test('is whole for the command and for its page, which show the key of the gateway', async () => {
    const { code, stdout } = await verified(archivePath);
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Everything is as it was'),
    });
    expect(stdout).toMatch(/^whole +media\/01-1-Dock\.mp4 +\(\d+ segments\)$/m);
    const shown = await shownOf(archivePath);
    expect(shown.isWhole).toBe(true);
    expect(shown.text).toContain(fingerprint.replaceAll(/..(?=.)/g, '$&:'));
    expect(stdout).toMatch(/^Time stamp: +whole, 20\S+Z, by Test time stamps \(certificate [0-9a-f]{64}\)$/m);
    expect(shown.text).toContain('confirmed by Test time stamps');
    expect([...whole.keys()]).toEqual(expect.arrayContaining(['events.json', 'views.json', 'verify.html']));
  });

  /** A part of the archive, and the place of the changed byte in its file. */
  const PARTS: readonly (readonly [part: string, name: string, at: (bytes: Buffer) => number])[] = [
    ['media', 'media/01-1-Dock.mp4', ({ length }) => Math.floor(length / 2)],
    ['manifest', 'manifest.json', (bytes) => bytes.indexOf('"sealedAt"') + 15],
    ['notes', 'manifest.json', (bytes) => bytes.indexOf(NOTES) + 4],
    ['signature', 'manifest.jws', ({ length }) => length - 10],
    ['certificate', 'manifest.jws', (bytes) => Math.floor(bytes.indexOf('.') / 2)],
    ['certificates of segments', 'manifest.json', (bytes) => bytes.indexOf('BEGIN CERTIFICATE') + 120],
    ['time stamp', 'manifest.tsr', (bytes) => bytes.indexOf('Z', 60) - 1],
    ['events', 'events.json', ({ length }) => Math.floor(length / 2)],
    ['views', 'views.json', ({ length }) => Math.floor(length / 2)],
    ['page', 'verify.html', ({ length }) => Math.floor(length / 2)],
  ];

  /** How the command names what is not in the list of files. */
  const LINES: ReadonlyMap<string, RegExp> = new Map([
    ['manifest.json', /^Manifest: +changed$/m],
    ['manifest.jws', /^Manifest: +changed$/m],
    ['manifest.tsr', /^Time stamp: +changed/m],
  ]);

  test('has a time stamp that OpenSSL finds valid', async () => {
    const [stamp, signature] = ['manifest.tsr', 'manifest.jws'].map((name) => join(folder, name));
    await writeFile(stamp!, whole.get('manifest.tsr')!);
    await writeFile(signature!, whole.get('manifest.jws')!);
    expect(await opensslVerifies(tsa, stamp!, signature!)).toBe(true);
  });

  test.each(PARTS)('with one changed byte in its %s is found out', async (part, name, at) => {
    const bytes = Buffer.from(whole.get(name)!);
    bytes[at(bytes)]! ^= 1;
    const path = join(folder, 'changed.zip');
    await writeFile(path, await archiveOfFiles(new Map(whole).set(name, bytes)));
    const { code, stdout } = await verified(path);
    expect({ part, code }).toEqual({ part, code: 1 });
    expect(stdout).toContain('This is not what was sealed.');
    const line = LINES.get(name) ?? new RegExp(`^changed +${name}`, 'm');
    expect(stdout).toMatch(line);
    expect({ part, ...(await shownOf(path)) }).toMatchObject({ part, isWhole: false });
  });
});
