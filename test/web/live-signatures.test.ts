/** Signed live video in Chromium: what a link's page says of it, also if someone on the way changes it, and other players. */

import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { topBoxes } from '../../src/c2pa/boxes.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { openPage, startBrowser, type TestBrowser } from './browser.ts';
import { waitForMotion } from './page-probes.ts';
import { PlayerPages } from './player-page.ts';

const MEDIA = /\/seg_\d+(?:\.\d+)?\.m4v/;
const INIT = /\/seg_init[\w]*\.mp4/;
const PLAYED_SEC = 4;

let camera: SyntheticCamera;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  camera = await startCamera();
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await camera?.close();
});
afterEach(() => page?.close());

async function startGateway(signLive: boolean): Promise<TestGateway> {
  return TestGateway.start({
    evidence: { signLive },
    hls: { idleStop: '5m' },
    cameras: [{ name: 'Dock', rtsp: camera.url }],
  });
}

/** The link's page, whose media pass through `change`. */
async function watch(gateway: TestGateway, path = MEDIA, change?: (bytes: Buffer) => Buffer): Promise<Page> {
  const share = await gateway.share('Dock');
  ({ page } = await openPage(browser));
  const changed = async (route: Route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: change!(await response.body()) });
  };
  if (change !== undefined) await page.route(path, changed);
  await page.goto(share.pageUrl);
  await waitForMotion(page);
  return page;
}

async function shown(): Promise<string> {
  await page.click('#proof-title');
  return (await page.textContent('#proof')) ?? '';
}

function without(type: string): (bytes: Buffer) => Buffer {
  return (bytes) => {
    const kept = topBoxes(bytes).filter((box) => box.type !== type);
    return Buffer.concat(kept.map((box) => box.bytes));
  };
}

describe('with evidence.signLive', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(true);
  });
  afterAll(() => gateway?.dispose());

  test('a link’s page says that the video is verified, and by whom it is signed', async () => {
    await watch(gateway);
    await page.waitForSelector('#proof[data-state="signed"]');
    const { certificates } = await gateway.call('evidence/getSigningCertificates');
    expect(await shown()).toBe(
      `VerifiedThis video is as its video server signed it. Fingerprint of the signer: ${certificates.at(-1)!.fingerprint}`,
    );
  });

  test('it says that the video was changed if one byte of a frame was', async () => {
    await watch(gateway, MEDIA, (bytes) => {
      const changed = Buffer.from(bytes);
      changed[changed.length - 20]! ^= 1;
      return changed;
    });
    await page.waitForSelector('#proof[data-state="changed"]');
    expect(await shown()).toContain('Changed on the way');
  });

  test('it says that the video was changed if the signer’s certificate is another one', async () => {
    await watch(gateway, INIT, (bytes) => {
      const changed = Buffer.from(bytes);
      changed[bytes.indexOf('Sluice evidence') + 3]! ^= 1;
      return changed;
    });
    await page.waitForSelector('#proof[data-state="changed"]');
  });

  test('it says that the video is not signed if someone removed the signatures', async () => {
    await watch(gateway, MEDIA, without('emsg'));
    await page.waitForSelector('#proof[data-state="unsigned"]');
    expect(await shown()).toContain('Not signed');
  });

  test('it says the same if someone removed the manifest', async () => {
    await watch(gateway, INIT, without('uuid'));
    await page.waitForSelector('#proof[data-state="unsigned"]');
  });

  test.each([
    ['hls.js', 'file.m3u8'],
    ['dash.js', 'file.mpd'],
    ['Shaka Player', 'file.mpd'],
  ] as const)('%s plays it', async (player, name) => {
    const pages = await PlayerPages.start();
    try {
      const share = await gateway.share('Dock');
      const opened = await fetch(`${share.pageUrl}/open`, { method: 'POST' });
      const { playlistUrl } = (await opened.json()) as { playlistUrl: string };
      const url = new URL(name, new URL(playlistUrl, gateway.mediaUrl)).href;
      ({ page } = await openPage(browser));
      await pages.play(page, player, url);
      const played = (sec: number) => {
        const { played: ranges } = document.querySelector('video')!;
        const all = Array.from({ length: ranges.length }, (_each, at) => ranges.end(at) - ranges.start(at));
        return all.some((length) => length >= sec);
      };
      await page.waitForFunction(played, PLAYED_SEC);
      expect(await page.evaluate(() => window.playerErrors)).toEqual([]);
    } finally {
      await pages.close();
    }
  });
});

describe('without it', () => {
  test('a link’s page says nothing, and loads nothing for it', async () => {
    const gateway = await startGateway(false);
    try {
      const requests: string[] = [];
      await watch(gateway);
      page.on('request', (request) => requests.push(request.url()));
      await page.reload();
      await waitForMotion(page);
      await page.waitForSelector('#live[data-state="live"]');
      expect(await page.isHidden('#proof')).toBe(true);
      expect(requests.filter((url) => /check-live|live-proof\./.test(url))).toEqual([]);
    } finally {
      await gateway.dispose();
    }
  });
});
