/** A camera with G.711 is recorded with its sound as FLAC: MP4s of the past and clips of it have picture and sound in sync. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import type { TestGateway } from '../support/gateway.ts';
import { decodeErrors } from '../support/media-check.ts';
import { workersOf } from '../support/processes.ts';
import { BY_KEY, recordCamera, type TestRange } from '../support/recorded-past.ts';
import { soundBehindPictureMs } from '../support/sound-sync.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const MAX_OFF_MS = 80;
const SEGMENTS = 6;
const CLIP_SEC = 4;
const WAIT_MS = 100_000;

let camera: SyntheticCamera;
let gateway: TestGateway;
let cameraUuid: string;
let range: TestRange;

beforeAll(async () => {
  camera = await startCamera(0, { isPcmu: true });
  const hls = { segmentTarget: '1s' };
  ({ gateway, cameraUuid, range } = await recordCamera('Gate', camera.url, SEGMENTS, { hls }));
}, WAIT_MS);

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

async function fetchBytes(path: string): Promise<Buffer> {
  const response = await fetch(gateway.mediaUrl + path, { headers: BY_KEY });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

async function codecsOf(file: Buffer): Promise<string[]> {
  const args = ['-loglevel', 'error', '-show_entries', 'stream=codec_name', '-of', 'csv=p=0', '-'];
  const run = promisify(execFile)('ffprobe', args);
  run.child.stdin!.on('error', () => undefined).end(file);
  return (await run).stdout.trim().split(/\s+/);
}

async function expectInSync(file: Buffer, sound = 'flac'): Promise<void> {
  expect(await codecsOf(file)).toEqual(['h264', sound]);
  expect(await decodeErrors([file])).toBe('');
  const behindMs = await soundBehindPictureMs(file);
  process.stdout.write(`sound behind picture by ${behindMs.map(Math.round).join(', ')} ms\n`);
  expect(behindMs.length).toBeGreaterThanOrEqual(2);
  for (const each of behindMs) expect(Math.abs(each)).toBeLessThan(MAX_OFF_MS);
}

test('an MP4 of the past has its sound, in sync', async () => {
  await expectInSync(
    await fetchBytes(`/media/${cameraUuid}/local/vod/${range.startSec}/${range.durationSec}/clip.mp4`),
  );
  expect(workersOf(gateway.child.process.pid!)).toEqual([]);
});

test('one for every device has it as AAC, in sync', async () => {
  const range4 = `${range.startSec}/${CLIP_SEC}`;
  await expectInSync(await fetchBytes(`/media/${cameraUuid}/local/vod/${range4}/clip.mp4?video=h264`), 'aac');
});

test('so has a clip that is copied of it', async () => {
  const { clipUuid } = await gateway.call('video/spliceV3', {
    deviceUuids: [cameraUuid],
    startTimeMillis: range.startSec * 1_000,
    durationSec: CLIP_SEC,
    title: 'Gate',
  });
  await until(
    'the clip',
    async () => (await gateway.call('event/getClipWithProgress', { clipUuid })).clip.status === 'COMPLETE',
    WAIT_MS,
  );
  const url = `/media/metadata/${cameraUuid}/local/${clipUuid}.mp4`;
  await expectInSync(await fetchBytes(url));
  await expectInSync(await fetchBytes(`${url}?video=h264`), 'aac');
});
