/** RTSP clients that do not read, do not speak, or speak nonsense: no one else notices, and the camera does not either. */

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { senderEpochMs } from '../../src/rtp/camera-clock.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { fetchOk } from '../support/hls.ts';
import { freePort } from '../support/ports.ts';
import { RawRtspClient } from '../support/raw-rtsp-client.ts';
import { RtspReaders } from '../support/rtsp-readers.ts';
import { FRAMES_PER_SEC, makeClip, makeHeavyClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const STOPPED = 12;
const SILENT = 300;

let readers: RtspReaders;
let camera: SyntheticCamera;
let heavy: SyntheticCamera;
let port: number;
let gateway: TestGateway;
const clients: RawRtspClient[] = [];

beforeAll(async () => {
  const clip = await makeClip(320, 180, { durationSec: 64 });
  readers = new RtspReaders(clip);
  camera = await startCamera(0, { clip });
  heavy = await startCamera(0, { clip: await makeHeavyClip() });
  port = await freePort();
  gateway = await TestGateway.start({
    rtsp: { listen: `127.0.0.1:${port}` },
    cameras: [
      { name: 'Dock', rtsp: camera.url },
      { name: 'Heavy', rtsp: heavy.url },
    ],
  });
});

afterAll(async () => {
  for (const client of clients) client.close();
  await gateway?.dispose();
  await Promise.all([camera, heavy].map((each) => each?.close()));
  readers?.remove();
});

function rtspUrl({ rtspUrl: url }: TestShare): string {
  expect(url).toContain(`rtsp://127.0.0.1:${port}/live/`);
  return url!;
}

async function newClient(): Promise<RawRtspClient> {
  const client = await RawRtspClient.connect(port);
  clients.push(client);
  return client;
}

async function metric(name: string): Promise<number> {
  const text = (await fetchOk(`${gateway.apiUrl}/metrics`)).toString();
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return Number(line?.split(' ')[1]);
}

it('no one else loses a frame, and all of a link end with it', async () => {
  const share = await gateway.share('Heavy');
  const stopped = await Promise.all(Array.from({ length: STOPPED }, newClient));
  for (const client of stopped) {
    await client.play(rtspUrl(share));
    client.stopReading();
  }
  const quick = await newClient();
  await quick.play(rtspUrl(share));
  for (let count = 0; count < SILENT; count++) {
    const client = await newClient();
    if (count % 3 === 1) client.sayNonsense(randomBytes(2_000));
    if (count % 3 === 2) client.sayNonsense('POST / HTTP/1.0\r\nx-sessioncookie: a\r\n\r\nT1BUSU9OUw');
  }
  const dropped = () => metric('sluice_rtsp_dropped_frames_total');
  await until('frames that find no room', async () => (await dropped()) > STOPPED);
  const own = await gateway.share('Dock', { includeAudio: true });
  const media = await readers.ffmpeg(rtspUrl(own));
  await readers.expectAllFrames(media);
  await readers.expectAllSound(media);
  const before = quick.packets;
  await until('more for the quick one', () => quick.packets > before + 10 * FRAMES_PER_SEC);
  const [slow] = stopped;
  const ofSlow = slow!.packets;
  slow!.readAgain();
  await until('frames after a gap', () => slow!.packets > ofSlow + FRAMES_PER_SEC);
  await gateway.revoke(share);
  for (const client of stopped) client.readAgain();
  await until('the end of all', () => [...stopped, quick].every(({ isClosed }) => isClosed));
  await until('their places', async () => (await metric('sluice_rtsp_viewers')) === 0);
});

it('reports have the clock of the camera', async () => {
  const share = await gateway.share('Dock');
  // The camera is open, and has reported, when the second one begins.
  const first = await newClient();
  await first.play(rtspUrl(share));
  await until('a report', () => first.reports.length > 1);
  const second = await newClient();
  await second.play(rtspUrl(share));
  await until('its report', () => second.reports.length > 0);
  const report = second.reports[0]!;
  // A frame of the camera is due at each multiple of a frame's time, by its own clock.
  const sinceStartMs = senderEpochMs(report, camera.startEpochMs)! - camera.startEpochMs;
  const frames = (sinceStartMs * FRAMES_PER_SEC) / 1_000;
  expect(Math.abs(frames - Math.round(frames))).toBeLessThan(0.05);
});
