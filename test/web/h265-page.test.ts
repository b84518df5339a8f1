/**
 * A camera that sends H.265, and a browser that does not decode it (Debian's Chromium): the page plays H.264, which the
 * gateway makes while it is watched, or which the camera has.
 */

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { workersOf } from '../support/processes.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { type ShownFrame, takeShownFrames } from './frame-watch.ts';
import { useGatewayPage } from './gateway-page.ts';
import { waitForMotion } from './page-probes.ts';

const WIDTH_PX = 640;
const SUB_WIDTH_PX = 320;

let main: SyntheticCamera;
let sub: SyntheticCamera;
let gateway: TestGateway;

beforeAll(async () => {
  main = await startCamera(0, { clip: await makeClip(WIDTH_PX, 360, { codec: 'h265' }) });
  sub = await startCamera(0);
  gateway = await TestGateway.start({
    hls: { idleStop: '5s' },
    cameras: [
      { name: 'Alone', rtsp: main.url },
      { name: 'Pulled', rtsp: main.url },
      { name: 'Both', rtsp: main.url, substream: sub.url },
    ],
  });
});

afterAll(async () => {
  await gateway?.dispose();
  await main?.close();
  await sub?.close();
});

const view = useGatewayPage(() => gateway);
const workers = (): number => workersOf(gateway.child.process.pid!).length;
const noWorkers = (): Promise<unknown> => vi.waitUntil(() => workers() === 0, { timeout: 60_000 });
const variantsOf = async (url: string): Promise<string[]> => {
  const response = await fetch(url);
  return (await response.text()).match(/^#EXT-X-STREAM-INF.*$/gm) ?? [];
};

/** A frame that was shown after this call, with its number. */
function newestFrame(): Promise<ShownFrame> {
  return vi.waitUntil(
    async () => (await takeShownFrames(view().page)).findLast(({ number }) => number !== null),
    { timeout: 60_000 },
  );
}

describe('a page of a camera in H.265', () => {
  test('plays it in H.264 as it happens; the worker stops when no one watches', async () => {
    const { page } = view();
    const { pageUrl } = await gateway.share('Alone');
    await page.goto(pageUrl);
    await waitForMotion(page);
    expect(workers()).toBe(1);
    await page.waitForSelector('#live[data-state="live"]');
    expect((await newestFrame()).widthPx).toBe(WIDTH_PX);
    await page.close();
    await noWorkers();
  });

  test('plays the substream if that is H.264, without a worker', async () => {
    await noWorkers();
    const { page } = view();
    const { pageUrl } = await gateway.share('Both');
    await page.goto(pageUrl);
    await waitForMotion(page);
    expect((await newestFrame()).widthPx).toBe(SUB_WIDTH_PX);
    expect(workers()).toBe(0);
  });

  test('plays in H.264 where the link asks for real time', async () => {
    const { page } = view();
    const { pageUrl } = await gateway.share('Alone');
    await page.goto(`${pageUrl}?realtime`);
    await waitForMotion(page);
    expect((await newestFrame()).widthPx).toBe(WIDTH_PX);
  });
});

describe('a bare URL of a camera in H.265', () => {
  test('names what the camera sends; ?video=all and h264 name more or another, ?video=av1 is an error', async () => {
    await noWorkers();
    const { m3u8Url } = await gateway.share('Pulled');
    const own = await variantsOf(m3u8Url);
    expect(own.map((line) => /CODECS="(....)/.exec(line)?.[1])).toEqual(['hvc1']);
    const all = await variantsOf(`${m3u8Url}?video=all`);
    expect(all.map((line) => /CODECS="(....)/.exec(line)?.[1])).toEqual(['hvc1', 'avc1']);
    const compatible = await variantsOf(`${m3u8Url}?video=h264`);
    expect(compatible.map((line) => /CODECS="(....)/.exec(line)?.[1])).toEqual(['avc1']);
    expect(workers()).toBe(0);
    const wrong = await fetch(`${m3u8Url}?video=av1`);
    expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('video must be h264')]);
  });
});
