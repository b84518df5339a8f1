/**
 * A camera that switches its resolution every five seconds, within one RTSP session, watched over live HLS by ffmpeg, whose HLS reader
 * (and so mpv, PyAV and OpenCV) ignores a changed EXT-X-MAP, and by GStreamer.
 */

import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestGateway } from '../support/gateway.ts';
import { type GstCamera, startGstCamera } from '../support/gst-camera.ts';
import { openShare } from '../support/hls.ts';
import { until } from '../support/until.ts';

const FRAME_RATE_HZ = 25;
/** Three switches at least. */
const FRAMES = 16 * FRAME_RATE_HZ;
const SIZES = ['320 180', '640 360'];
/** In 4:2:0. */
const SIZES_BYTES = [320 * 180 * 1.5, 640 * 360 * 1.5];
const GST_CLIENT = resolve(import.meta.dirname, '../peers/gst-hls-client.py');

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

async function playlistUrl(): Promise<string> {
  const { m3u8Url } = await gateway.share('Yard');
  return until('Yard playing', () => openShare(m3u8Url));
}

/** Whatever the client counts time from, no picture is missing between two. */
function expectEvenSteps(times: readonly number[]): void {
  const steps = times.slice(1).map((time, index) => time - times[index]!);
  const usual = steps.toSorted((a, b) => a - b)[steps.length >> 1]!;
  expect(Math.max(...steps)).toBeLessThan(1.6 * usual);
}

function switchesIn(sizes: readonly unknown[]): number {
  return sizes.filter((size, index) => index > 0 && size !== sizes[index - 1]).length;
}

it('is decoded by ffmpeg, every picture of each resolution', async () => {
  const { stdout, stderr } = await promisify(execFile)('ffmpeg', [
    ...['-v', 'error', '-nostdin', '-allowed_extensions', 'ALL', '-i', await playlistUrl()],
    ...['-map', '0:v', '-frames:v', String(FRAMES), '-autoscale', '0', '-fps_mode', 'passthrough'],
    ...['-f', 'framecrc', '-'],
  ]);
  expect(stderr).toBe('');
  const rows = stdout.split('\n').filter((line) => line.startsWith('0,'));
  const columns = rows.map((line) => line.split(',').map(Number));
  const sizes = columns.map(([, , , , bytes]) => bytes!);
  expect(new Set(sizes)).toEqual(new Set(SIZES_BYTES));
  expect(switchesIn(sizes)).toBeGreaterThanOrEqual(3);
  expect(columns).toHaveLength(FRAMES);
  expectEvenSteps(columns.map(([, , ptsTicks]) => ptsTicks!));
});

it('is decoded by GStreamer, every picture of each resolution', async () => {
  const args = [GST_CLIENT, await playlistUrl(), String(FRAMES)];
  const { stdout, stderr } = await promisify(execFile)('/usr/bin/python3', args);
  expect(stderr).toBe('');
  const rows = stdout.trim().split('\n');
  const sizes = rows.map((row) => row.replace(/ \S+$/, ''));
  expect(new Set(sizes)).toEqual(new Set(SIZES));
  expect(switchesIn(sizes)).toBeGreaterThanOrEqual(3);
  expect(rows).toHaveLength(FRAMES);
  expectEvenSteps(rows.map((row) => Number(row.split(' ')[2])));
});
