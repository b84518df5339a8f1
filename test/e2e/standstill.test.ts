/**
 * Cameras that stay connected while their video is frozen: viewers and operators are notified, and the connections
 * are replaced.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CameraFaults } from '../../src/synthetic-camera/faults.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { fetchOk, openShare } from '../support/hls.ts';
import { readPlaylistText } from '../support/playlist-text.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const AFTER_MS = 4_000;
const PATIENCE_MS = 60_000;

interface Standstill {
  readonly name: string;
  readonly engine: 'direct' | 'ffmpeg';
  readonly faults: CameraFaults;
  readonly code: string;
}

const STANDSTILLS: readonly Standstill[] = [
  {
    name: 'frozen timestamps',
    engine: 'direct',
    faults: { freezePicturesAfterMs: AFTER_MS },
    code: 'STREAM_FROZEN',
  },
  {
    name: 'sound without pictures',
    engine: 'direct',
    faults: { stopPicturesAfterMs: AFTER_MS },
    code: 'STREAM_FROZEN',
  },
  {
    name: 'sound without pictures from a worker',
    engine: 'ffmpeg',
    faults: { stopPicturesAfterMs: AFTER_MS },
    code: 'STREAM_FROZEN',
  },
  {
    name: 'frozen timestamps from a worker',
    engine: 'ffmpeg',
    faults: { freezePicturesAfterMs: AFTER_MS },
    code: 'FFMPEG_CLOCK_LOST',
  },
];

let gateway: TestGateway;
const cameras: SyntheticCamera[] = [];

beforeAll(async () => {
  for (const { faults } of STANDSTILLS) cameras.push(await startCamera(0, { faults }));
  const jumping = await startCamera(0, { faults: { timestampJump: { afterMs: 4_000, byMs: 3_600_000 } } });
  cameras.push(jumping);
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', window: '10s', idleStop: '5m' },
    sources: { silenceTimeout: '3s', backoffMin: '200ms', backoffMax: '1s' },
    ffmpeg: { maxWorkers: 4 },
    cameras: [
      ...STANDSTILLS.map(({ name, engine }, index) => ({ name, engine, rtsp: cameras[index]!.url })),
      { name: 'jumping', engine: 'ffmpeg', rtsp: jumping.url },
    ],
  });
});

afterAll(async () => {
  await gateway?.dispose();
  for (const camera of cameras) await camera.close();
});

function offlineCodes(cameraUuid: string): string[] {
  return gateway.child.lines
    .filter((line) => line.includes('"camera offline"') && line.includes(cameraUuid))
    .map((line) => (JSON.parse(line) as Json).err.code);
}

describe('a camera that stays connected while its picture stands still', () => {
  it.concurrent.each(STANDSTILLS)('$name: ends as $code and is opened again', async ({ name, code }) => {
    const share = await gateway.share(name);
    await openShare(share.m3u8Url);
    const codes = await until(
      'two ends',
      () => {
        const seen = offlineCodes(share.cameraUuid);
        return seen.length >= 2 ? seen : null;
      },
      PATIENCE_MS,
    );
    expect(new Set(codes)).toEqual(new Set([code]));
  });

  it('a worker whose camera jumps an hour ahead goes on without a break', async () => {
    const share = await gateway.share('jumping');
    const playlistUrl = (await openShare(share.m3u8Url)).replace('stream.m3u8', 'file.m3u8');
    const playlist = await until(
      'eight seconds',
      async () => {
        const text = readPlaylistText((await fetchOk(playlistUrl)).toString());
        return text.segments.length >= 8 ? text : null;
      },
      PATIENCE_MS,
    );
    expect(playlist.segments.slice(1).some((segment) => segment.hasDiscontinuity)).toBe(false);
    expect(Math.max(...playlist.segments.map((segment) => Number(segment.extinf)))).toBeLessThan(3);
    expect(offlineCodes(share.cameraUuid)).toEqual([]);
  });
});
