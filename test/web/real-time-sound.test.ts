/** Sound of the page of a share link in real time (`?realtime`), in Chromium: in step with the picture, and only if it is wanted. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SoundClient } from '../../src/front-door/sounds/sound-client-fixture.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { API_KEY, TestGateway } from '../support/gateway.ts';
import { type GstSpeaker, startGstSpeaker } from '../support/gst-speaker.ts';
import { FRAMES_PER_SEC, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { useGatewayPage } from './gateway-page.ts';
import { waitForMotion } from './page-probes.ts';

const MAX_OFF_MS = 40;
const WATCH_FRAMES = 6 * FRAMES_PER_SEC;
/** Of full scale: a beep, and what is between two beeps. */
const LOUD = 0.1;

/** A picture when it goes to the screen, and the sound that is heard then; epoch milliseconds by their messages. */
interface Presented {
  readonly pictureMs: number;
  readonly soundMs: number;
}

let aac: SyntheticCamera;
let pcmu: SyntheticCamera;
let door: GstSpeaker;
let gateway: TestGateway;
let page: Page;

beforeAll(async () => {
  aac = await startCamera();
  pcmu = await startCamera(0, { isPcmu: true });
  door = await startGstSpeaker('PCMU');
  gateway = await TestGateway.start({
    hls: { idleStop: '5m' },
    cameras: [
      { name: 'AAC', rtsp: aac.url },
      { name: 'PCMU', rtsp: pcmu.url },
      { name: 'Mute', rtsp: pcmu.url, audio: 'off' },
      { name: 'Door', rtsp: door.url },
    ],
  });
});

afterAll(async () => {
  await gateway?.dispose();
  await Promise.all([aac, pcmu].map((camera) => camera?.close()));
  await door?.stop();
});

const opened = useGatewayPage(() => gateway);
beforeEach(async () => {
  page = opened().page;
  await page.addInitScript(noteWhatIsPresented);
});

/** In the page: what goes to the screen and to the loudspeakers, with the times that came with it. */
function noteWhatIsPresented(): void {
  const noted = { presented: [] as Presented[], loudest: 0, sockets: [] as string[] };
  Object.assign(globalThis, { noted });
  let firstPictureMs = Number.NaN;
  const { WebSocket: Plain } = globalThis;
  globalThis.WebSocket = class extends Plain {
    constructor(url: string | URL) {
      super(url);
      const name = new URL(url).pathname.replace(/^\/live\/[^/]+\//, '');
      noted.sockets.push(name);
      if (name !== 'ws') return;
      this.addEventListener('message', ({ data }) => {
        if (Number.isNaN(firstPictureMs)) firstPictureMs = Number(new DataView(data).getBigUint64(4));
      });
    }
  };
  // The newest sound that was scheduled: its time, and when it is played by the clock of its context.
  let [soundMs, atSec] = [Number.NaN, Number.NaN];
  let context: BaseAudioContext | null = null;
  const { copyTo } = AudioData.prototype;
  AudioData.prototype.copyTo = function (...args) {
    soundMs = this.timestamp / 1_000;
    copyTo.apply(this, args);
    noted.loudest = Math.max(noted.loudest, ...(args[0] as Float32Array));
  };
  const { start } = AudioBufferSourceNode.prototype;
  AudioBufferSourceNode.prototype.start = function (when = 0) {
    [atSec, context] = [when, this.context];
    start.call(this, when);
  };
  const { write } = WritableStreamDefaultWriter.prototype;
  WritableStreamDefaultWriter.prototype.write = function (chunk) {
    if (chunk instanceof VideoFrame && context instanceof AudioContext && context.state === 'running') {
      const { contextTime = 0, performanceTime = 0 } = context.getOutputTimestamp();
      const heardSec = contextTime + (performance.now() - performanceTime) / 1_000;
      const pictureMs = firstPictureMs + chunk.timestamp / 1_000;
      noted.presented.push({ pictureMs, soundMs: soundMs - (atSec - heardSec) * 1_000 });
    }
    return write.call(this, chunk);
  };
}

const noted = () =>
  page.evaluate(() => (globalThis as unknown as { noted: { loudest: number; sockets: string[] } }).noted);
const takePresented = () =>
  page.evaluate(() =>
    (globalThis as unknown as { noted: { presented: Presented[] } }).noted.presented.splice(0),
  );

async function watch(cameraName: string, fields: Record<string, unknown> = {}): Promise<void> {
  const share = await gateway.share(cameraName, fields);
  await page.goto(`${share.pageUrl}?realtime`);
  await waitForMotion(page);
  expect(await page.evaluate(() => document.documentElement.dataset.player)).toBe('realtime');
}

describe('sound in real time', () => {
  test.each(['AAC', 'PCMU'])('of a camera with %s is in step with the picture', async (name) => {
    await watch(name);
    await page.waitForSelector('#mute:visible');
    expect((await noted()).sockets).not.toContain('opus/ws');
    await page.click('#mute');
    await until('sound', async () => (await takePresented()).length > 0);
    // The sound finds its place: pictures begin to wait for it.
    const settling: Presented[] = [];
    await until('pictures', async () => settling.push(...(await takePresented())) >= FRAMES_PER_SEC);
    const presented: Presented[] = [];
    await until('pictures', async () => presented.push(...(await takePresented())) >= WATCH_FRAMES);
    const behind = presented.map(({ pictureMs, soundMs }) => Math.abs(pictureMs - soundMs));
    const behindMs = behind.toSorted((a, b) => a - b)[Math.floor(behind.length / 2)]!;
    process.stdout.write(`picture and sound apart by ${Math.round(behindMs)} ms\n`);
    expect(behindMs).toBeLessThan(MAX_OFF_MS);
    expect((await noted()).loudest).toBeGreaterThan(LOUD);
  });

  test('says that someone is talking through the camera', async () => {
    await watch('Door');
    await page.click('#mute');
    await until('a listener', async () => (await listeners()) === 1);
    const uri = (await gateway.call('camera/getMediaUris', { cameraUuid: await gateway.cameraUuid('Door') }))
      .wanLiveOpusUri;
    const talker = await SoundClient.open(uri, { 'x-auth-scheme': 'api-token', 'x-auth-apikey': API_KEY });
    talker.say(Uint8Array.from([...Buffer.from('ctrl'), 0, 0, 0, 8, ...Array(8).fill(0xff)]));
    const said = setInterval(() => talker.say(new Uint8Array(1_920).fill(0x20)), 20);
    await page.waitForFunction(() => document.querySelector('#talking')!.textContent !== '');
    expect(await page.textContent('#talking')).toBe('Someone is talking through this camera.');
    clearInterval(said);
    await page.waitForFunction(() => document.querySelector('#talking')!.textContent === '');
    talker.leave();
  });

  test('is fetched only while it is heard', async () => {
    await watch('PCMU');
    await page.waitForSelector('#mute:visible');
    expect(await listeners()).toBe(0);
    await page.click('#mute');
    await until('a listener', async () => (await listeners()) === 1);
    await page.click('#mute');
    await until('no listener', async () => (await listeners()) === 0);
  });

  test.each([
    ['a camera without sound', 'Mute', {}],
    ['a link without audio', 'PCMU', { includeAudio: false }],
  ])('of %s has no button', async (_what, name, fields) => {
    await watch(name, fields);
    await until('the status', async () => {
      return await page.evaluate(() =>
        performance.getEntriesByType('resource').some(({ name: url }) => url.endsWith('/status')),
      );
    });
    expect(await page.isVisible('#mute')).toBe(false);
  });
});

async function listeners(): Promise<number> {
  const text = await (await fetch(`${gateway.apiUrl}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith('sluice_realtime_sound_sockets '));
  return Number(line?.split(' ')[1]);
}
