/**
 * The page in the archive of a sealed case, opened from a disk: it says what is whole, missing, changed, or added, and sends
 * no request.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { casesBench, EVIDENCE_SECRET } from '../../src/cases/cases-fixture.ts';
import { signManifest } from '../../src/cases/manifest.ts';
import { signingKey } from '../../src/evidence/signing-key.ts';
import { verifyPage } from '../../src/evidence/verify-page.ts';
import {
  archiveOf,
  archiveOfFiles,
  filesOf,
  sealedCase,
} from '../../src/front-door/files/archive-fixture.ts';
import { openPage, type PageRecord, startBrowser, type TestBrowser } from './browser.ts';
import { violations } from './console-checks.ts';

const PAGE = 'verify.html';
const MANIFEST = 'manifest.json';
const SIGNATURE = 'manifest.jws';

let folder: string;
let whole: ReadonlyMap<string, Buffer>;
let archive: Buffer;
let browser: TestBrowser;
let opened: PageRecord;
let requests: string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-verify-'));
  browser = await startBrowser();
  requests = [];
  browser.context.on('request', (request) => requests.push(request.url()));
  opened = await openPage(browser);
}, 120_000);

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What the page shows of an archive. */
async function checked(bytes: Buffer, page: Page = opened.page) {
  const path = join(folder, 'Theft.zip');
  writeFileSync(path, bytes);
  await page.locator('#archive').setInputFiles(path);
  return resultOf(page);
}

async function resultOf(page: Page) {
  await page.locator('#results progress').waitFor({ state: 'detached' });
  const verdict = (await page.locator('.verdict').textContent())!;
  const isWhole = (await page.locator('.verdict').getAttribute('data-whole')) === 'true';
  const rows = await page
    .locator('.file')
    .evaluateAll((all) =>
      all.map((row) => [
        row.getAttribute('data-name')!,
        row.querySelector('.state')!.getAttribute('data-state')!,
      ]),
    );
  return { verdict, isWhole, states: Object.fromEntries(rows) as Record<string, string> };
}

function states(changes: Readonly<Record<string, string>> = {}): Record<string, string> {
  const listed = [...whole.keys()].filter((name) => name !== MANIFEST && name !== SIGNATURE);
  return { ...Object.fromEntries(listed.map((name) => [name, 'whole'])), ...changes };
}

function withByteChanged(name: string, at: number): Promise<Buffer> {
  const bytes = Buffer.from(whole.get(name)!);
  bytes[at]! ^= 1;
  return archiveOfFiles(new Map(whole).set(name, bytes));
}

it('is in the archive of a sealed case, and in its signed list', async () => {
  // The store and the recordings end with this test; the others have the archive.
  const bench = await casesBench({ verifyPage });
  archive = await archiveOf(bench, await sealedCase(bench, 3));
  whole = await filesOf(archive);
  const { files } = JSON.parse(whole.get(MANIFEST)!.toString()) as { files: { name: string }[] };
  expect(files.map(({ name }) => name)).toContain(PAGE);
  writeFileSync(join(folder, PAGE), whole.get(PAGE)!);
  await opened.page.goto(pathToFileURL(join(folder, PAGE)).href);
  expect(await opened.page.locator('h1').textContent()).toBe('Check a case');
});

it('proves a sealed archive, and says who signed it', async () => {
  const shown = await checked(archive);
  expect(shown).toMatchObject({ isWhole: true, states: states() });
  expect(shown.verdict).toContain('Everything is as it was sealed.');
  expect(shown.verdict).toContain('Theft');
  const signer = (await opened.page.locator('#signer').textContent())!;
  expect(signer).toMatch(/Signed bySluice evidence [0-9a-f]{32}/);
  expect(signer).toMatch(/Key generation1/);
  const [fingerprint] = /([0-9a-f]{2}:){31}[0-9a-f]{2}/.exec(signer)!;
  const result = opened.page.locator('.compared');
  await opened.page.fill('#expected', fingerprint.toUpperCase());
  expect(await result.textContent()).toBe('The fingerprints are equal.');
  await opened.page.fill(
    '#expected',
    fingerprint.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
  );
  expect(await result.textContent()).toBe('The fingerprints differ: another key signed this.');
});

it('names the file of one changed byte, in each part of the archive', async () => {
  const names = [...whole.keys()];
  expect(names).toEqual(expect.arrayContaining([PAGE, 'events.json', 'views.json']));
  expect(names.filter((name) => /^media\/.*\.mp4$/.test(name)).length).toBeGreaterThan(1);
  for (const name of names) {
    const shown = await checked(await withByteChanged(name, Math.floor(whole.get(name)!.length / 2)));
    if (name === MANIFEST || name === SIGNATURE) {
      expect({ name, isWhole: shown.isWhole }).toEqual({ name, isWhole: false });
      expect(shown.verdict).toContain('The list of files, its signature, or its certificate was changed.');
    } else {
      expect({ name, ...shown }).toMatchObject({
        name,
        isWhole: false,
        states: states({ [name]: 'changed' }),
      });
    }
  }
});

it('says which part of a recording was changed', async () => {
  const name = [...whole.keys()].find((each) => each.startsWith('media/'))!;
  const at = whole.get(name)!.indexOf('mdat') + 4;
  await checked(await withByteChanged(name, at));
  const problems = await opened.page.locator('.problems li').allTextContents();
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/2026.*: The video of this segment was changed\.$/);
});

it('finds a changed certificate, in the signature and in the list', async () => {
  const signature = whole.get(SIGNATURE)!;
  const header = JSON.parse(Buffer.from(signature.toString().split('.')[0]!, 'base64url').toString()) as {
    x5c: [string];
  };
  const certificate = Buffer.from(header.x5c[0], 'base64');
  certificate[certificate.indexOf('Sluice')]! ^= 1;
  const changed = Buffer.from(JSON.stringify({ ...header, x5c: [certificate.toString('base64')] })).toString(
    'base64url',
  );
  const jws = Buffer.from(signature.toString().replace(/^[^.]+/, changed));
  const shown = await checked(await archiveOfFiles(new Map(whole).set(SIGNATURE, jws)));
  expect(shown.isWhole).toBe(false);
  expect(shown.verdict).toContain('its certificate was changed');
  const at = whole.get(MANIFEST)!.indexOf('BEGIN CERTIFICATE') + 100;
  expect(await checked(await withByteChanged(MANIFEST, at))).toMatchObject({ isWhole: false });
});

it('names what is missing, and what was added', async () => {
  const name = [...whole.keys()].find((each) => each.startsWith('media/'))!;
  for (const missing of [name, 'events.json']) {
    const left = new Map(whole);
    left.delete(missing);
    const shown = await checked(await archiveOfFiles(left));
    expect(shown).toMatchObject({ isWhole: false, states: states({ [missing]: 'missing' }) });
  }
  for (const missing of [MANIFEST, SIGNATURE]) {
    const left = new Map(whole);
    left.delete(missing);
    const shown = await checked(await archiveOfFiles(left));
    expect(shown.isWhole).toBe(false);
    expect(shown.verdict).toContain('The list of files or its signature is missing.');
    expect(await opened.page.locator('#expected').count()).toBe(0);
  }
  const added = await checked(await archiveOfFiles(new Map(whole).set('media/more.mp4', Buffer.from('x'))));
  expect(added).toMatchObject({ isWhole: false, states: states({ 'media/more.mp4': 'extra' }) });
});

it('checks the unpacked folder, chosen or dropped', async () => {
  const unpacked = join(folder, 'Theft');
  for (const [name, bytes] of whole) {
    mkdirSync(dirname(join(unpacked, name)), { recursive: true });
    writeFileSync(join(unpacked, name), bytes);
  }
  const { page } = opened;
  await page.locator('#folder').setInputFiles(unpacked);
  expect(await resultOf(page)).toMatchObject({ isWhole: true, states: states() });
  writeFileSync(join(unpacked, 'events.json'), '[ ]\n');
  await page.locator('#folder').setInputFiles(unpacked);
  expect(await resultOf(page)).toMatchObject({
    isWhole: false,
    states: states({ 'events.json': 'changed' }),
  });
  await drop(page, unpacked);
  expect(await resultOf(page)).toMatchObject({
    isWhole: false,
    states: states({ 'events.json': 'changed' }),
  });
  writeFileSync(join(folder, 'Dropped.zip'), archive);
  await drop(page, join(folder, 'Dropped.zip'));
  expect(await resultOf(page)).toMatchObject({ isWhole: true, states: states() });
});

/** Drops a file or a folder of the disk, and resolves when the page names it. */
async function drop(page: Page, path: string): Promise<void> {
  await page.locator('#results').evaluate((results) => results.replaceChildren());
  await page.locator('#drop').scrollIntoViewIfNeeded();
  const point = (await page.locator('#drop').boundingBox())!;
  const session = await browser.context.newCDPSession(page);
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', {
      type,
      x: point.x + 20,
      y: point.y + 20,
      data: { items: [], files: [path], dragOperationsMask: 1 },
    });
  }
  await page.locator('.verdict').waitFor();
}

it('says that a file is not an archive', async () => {
  expect((await checked(Buffer.from('not an archive'))).verdict).toContain(
    'This is not the archive of a case',
  );
});

it('fits a phone, and speaks the language of the browser', async () => {
  const german = await startBrowser([], { locale: 'de-DE' });
  try {
    const { page, problems } = await openPage(german);
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(pathToFileURL(join(folder, PAGE)).href);
    const shown = await checked(archive, page);
    expect(shown.verdict).toContain('Alles ist so, wie es versiegelt wurde.');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    expect(problems).toEqual([]);
  } finally {
    await german.close();
  }
});

it.each(['light', 'dark'] as const)(
  'has nothing that axe finds wrong in the %s theme',
  async (colorScheme) => {
    const { page } = opened;
    await page.emulateMedia({ colorScheme });
    await checked(await withByteChanged('events.json', 0));
    expect(await violations(page)).toEqual([]);
    await page.locator('#archive').focus();
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('folder');
  },
);

it('says what the camera signed, if the manifest is as the gateway signed it', async () => {
  const name = [...whole.keys()].find((each) => each.startsWith('media/'))!;
  const manifest = JSON.parse(whole.get(MANIFEST)!.toString()) as {
    certificates: string[];
    items: { files: { name: string; cameraSignature?: object }[] }[];
  };
  const file = manifest.items.flatMap(({ files }) => files).find((each) => each.name === name)!;
  file.cameraSignature = {
    groups: { signed: 40, incomplete: 0, changed: 2, unverifiable: 0 },
    certificate: { subject: 'O=Maker\nCN=Gate camera', issuer: 'CN=Maker CA', sha256: 'ab'.repeat(32) },
    manufacturer: 'Maker',
    serialNumber: 'B8A44F0012',
  };
  const text = JSON.stringify(manifest);
  const { key } = signingKey(EVIDENCE_SECRET, 1);
  const signed = new Map(whole)
    .set(MANIFEST, Buffer.from(text))
    .set(SIGNATURE, Buffer.from(signManifest(text, key, manifest.certificates[0]!)));
  const signature = opened.page.locator(`.file[data-name="${name}"] .signature`);
  expect(await checked(await archiveOfFiles(signed))).toMatchObject({ isWhole: true });
  expect(await signature.locator('li').allTextContents()).toEqual([
    'Signed by the camera: 40 groups of pictures',
    'Not as the camera signed it: 2',
    'A frame that the gateway put in place of a lost one counts as not signed.',
    'Certificate of the camera: Gate camera, issued by Maker CA',
    `Fingerprint of that certificate: ${'ab'.repeat(32)}`,
    'Camera: Maker, serial number B8A44F0012',
  ]);
  for (const width of [390, 1_440]) {
    await opened.page.setViewportSize({ width, height: 844 });
    expect(await violations(opened.page)).toEqual([]);
    const scrollWidth = await opened.page.evaluate(() => document.documentElement.scrollWidth);
    expect(scrollWidth).toBeLessThanOrEqual(width);
    const { TEST_SCREENSHOTS: shots } = process.env;
    if (shots !== undefined)
      await opened.page.screenshot({ path: `${shots}/verify-${width}.png`, fullPage: true });
  }
  // Anyone can write this into a manifest that no gateway signed.
  await checked(await archiveOfFiles(new Map(whole).set(MANIFEST, Buffer.from(text))));
  expect(await signature.count()).toBe(0);
});

it('has sent no request', () => {
  expect(requests).toEqual([pathToFileURL(join(folder, PAGE)).href]);
  expect(opened.problems).toEqual([]);
});
