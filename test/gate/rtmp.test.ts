/** An ffmpeg that pushes RTMP: with its key it plays, picture by picture; with another one it is refused. */

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { PATIENT, TestGateway } from '../support/gateway.ts';
import { openShare } from '../support/hls.ts';
import { decodeErrors, probeStreams } from '../support/media-check.ts';
import { freePort } from '../support/ports.ts';
import { RtmpEncoder } from '../support/rtmp-encoder.ts';
import { misplaced, SegmentCollector } from '../support/segment-collector.ts';
import { until } from '../support/until.ts';

const KEY = 'Barn-0123456789abcdefghij';
const PICTURE = { widthPx: 320, heightPx: 180 };
const SEGMENTS = 4;
const WAIT_MS = 90_000;

let gateway: TestGateway;
let port: number;
const encoders: RtmpEncoder[] = [];
/** Ends all of it, the newest first, also what was started before something failed. */
const started = new AsyncDisposableStack();
afterAll(() => started.disposeAsync());

beforeAll(async () => {
  port = await freePort();
  gateway = started.adopt(
    await TestGateway.start({
      sources: PATIENT,
      hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
      rtmp: { listen: `127.0.0.1:${port}` },
      cameras: [{ name: 'Barn', publishKey: KEY }],
    }),
    (one) => one.dispose(),
  );
});

afterEach(() => Promise.all(encoders.splice(0).map((encoder) => encoder.end())));
function push(key: string): RtmpEncoder {
  const encoder = new RtmpEncoder(`rtmp://127.0.0.1:${port}/live/${key}`, { isNumbered: true });
  encoders.push(encoder);
  return encoder;
}

async function connectionStatus(): Promise<string> {
  const { cameraStates } = await gateway.call('camera/getMinimalCameraStateList');
  return cameraStates[0].connectionStatus;
}

it('plays every pushed picture in order, and nothing that came with another key', async () => {
  const stranger = push(KEY.toLowerCase());
  await until('the stranger to be refused', () => !stranger.isRunning, WAIT_MS);
  expect(stranger.errors).not.toBe('');
  expect(await connectionStatus()).not.toBe('GREEN');

  const encoder = push(KEY);
  const share = await gateway.share('Barn');
  const playlistUrl = await until('the camera to play', () => openShare(share.m3u8Url), WAIT_MS);
  await until('the camera to be online', async () => (await connectionStatus()) === 'GREEN', WAIT_MS);
  const collector = new SegmentCollector(() => playlistUrl);
  started.defer(() => collector.stop());
  await until('segments', () => collector.msns.length >= SEGMENTS, WAIT_MS);
  await collector.stop();
  expect(collector.failures).toEqual([]);
  expect(collector.runs).toHaveLength(1);
  const { media } = collector.runs[0]!;
  expect(await decodeErrors(media, ['-err_detect', 'explode'])).toBe('');
  expect(await probeStreams(media)).toMatchObject([
    { codec_name: 'h264', width: PICTURE.widthPx, height: PICTURE.heightPx },
    { codec_name: 'aac' },
  ]);
  const numbers = await collector.frameNumbers(PICTURE);
  expect(numbers.length).toBeGreaterThan(2 * 25);
  expect(misplaced(numbers, 65_536)).toEqual([]);
  expect([encoder.isRunning, encoder.errors]).toEqual([true, '']);

  await encoder.end();
  await until('the camera to be offline', async () => (await connectionStatus()) === 'RED', WAIT_MS);
});
