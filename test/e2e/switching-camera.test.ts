/**
 * A camera that switches its resolution every five seconds, within one RTSP session, watched by ffmpeg over live HLS. Its
 * HLS reader, and so mpv, PyAV and OpenCV, ignores a changed EXT-X-MAP.
 */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestGateway } from '../support/gateway.ts';
import { type GstCamera, startGstCamera } from '../support/gst-camera.ts';
import { openShare } from '../support/hls.ts';
import { until } from '../support/until.ts';

const FRAME_RATE_HZ = 25;
/** Three switches at least. */
const FRAMES = 16 * FRAME_RATE_HZ;
/** In 4:2:0. */
const SIZES_BYTES = [320 * 180 * 1.5, 640 * 360 * 1.5];

let camera: GstCamera;
let gateway: TestGateway;

beforeAll(async () => {
  camera = await startGstCamera('h264-switching-only');
  gateway = await TestGateway.start({ cameras: [{ name: 'Yard', rtsp: camera.url }] });
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.stop();
});

it('is decoded by ffmpeg, every picture of each resolution', async () => {
  const { m3u8Url } = await gateway.share('Yard');
  const playlistUrl = await until('Yard playing', () => openShare(m3u8Url));
  const { stdout, stderr } = await promisify(execFile)('ffmpeg', [
    ...['-v', 'error', '-nostdin', '-allowed_extensions', 'ALL', '-i', playlistUrl],
    ...['-map', '0:v', '-frames:v', String(FRAMES), '-autoscale', '0', '-fps_mode', 'passthrough'],
    ...['-f', 'framecrc', '-'],
  ]);
  expect(stderr).toBe('');
  const rows = stdout.split('\n').filter((line) => line.startsWith('0,'));
  const columns = rows.map((line) => line.split(',').map(Number));
  const sizes = columns.map(([, , , , bytes]) => bytes!);
  const switches = sizes.filter((bytes, index) => index > 0 && bytes !== sizes[index - 1]);
  expect(new Set(sizes)).toEqual(new Set(SIZES_BYTES));
  expect(switches.length).toBeGreaterThanOrEqual(3);
  expect(columns).toHaveLength(FRAMES);
  // Whatever the demuxer counts in, no picture is missing between two.
  const steps = columns.slice(1).map(([, , ptsTicks], index) => ptsTicks! - columns[index]![2]!);
  const usualTicks = steps.toSorted((a, b) => a - b)[steps.length >> 1]!;
  expect(Math.max(...steps)).toBeLessThan(1.6 * usualTicks);
});
