/**
 * The frame of a moment ago, as programs ask for it right after an event: by cameras that are recorded or watched or both, and
 * whose pictures say their number.
 */

import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFrameNumberStrip } from '../../src/synthetic-camera/frame-number-strip.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { openShare } from '../support/hls.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const FRAME_MS = 1_000 / FRAMES_PER_SEC;
const CLIP_SEC = 64;
const CLIP_FRAMES = CLIP_SEC * FRAMES_PER_SEC;
/** The live window has some of them; the recording has others. */
const AGO_MS = [1_500, 2_000, 4_000, 6_000, 9_000, 11_000, 13_000];

const CAMERAS = ['recorded', 'watched', 'recorded H.265', 'watched H.265'] as const;

interface Shown {
  readonly frame: number | null;
  readonly takenAtMs: number;
  readonly state: string | null;
}

/** By its name: a live image says which frame was taken when. */
const seen = new Map<string, { readonly cameraUuid: string; readonly live: Shown }>();
let h264: SyntheticCamera;
let h265: SyntheticCamera;
let gateway: TestGateway;

beforeAll(async () => {
  const options = { codec: 'h265', gopSec: 2, durationSec: CLIP_SEC } as const;
  const clip = await makeClip(320, 180, options);
  [h264, h265] = await Promise.all([startCamera(), startCamera(0, { clip })]);
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', window: '16s', idleStop: '5m' },
    recording: { minFree: '16MiB' },
    cameras: [
      { name: 'recorded', rtsp: h264.url, recording: 'always' },
      { name: 'watched', rtsp: h264.url },
      { name: 'recorded H.265', rtsp: h265.url, recording: 'always' },
      { name: 'watched H.265', rtsp: h265.url },
      { name: 'unused', rtsp: h264.url },
    ],
  });
  for (const name of CAMERAS) {
    const share = await gateway.share(name);
    if (name.startsWith('watched')) await openShare(share.m3u8Url);
    const live = await shownAt(share.m3u8Url.replace('file.m3u8', 'poster.jpg'));
    expect(live.state).toBe('live');
    seen.set(name, { cameraUuid: share.cameraUuid, live });
  }
});

afterAll(async () => {
  await gateway?.dispose();
  await h264?.close();
  await h265?.close();
});

async function numberOf(image: Buffer): Promise<number | null> {
  const { data, info } = await sharp(image).greyscale().raw().toBuffer({ resolveWithObject: true });
  return readFrameNumberStrip(
    (x, y) => data[(Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels]!,
  );
}

async function shownAt(url: string): Promise<Shown> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} for ${url}: ${await response.text()}`);
  return {
    frame: await numberOf(Buffer.from(await response.arrayBuffer())),
    takenAtMs: Number(response.headers.get('x-picture-time-ms')),
    state: response.headers.get('x-picture-state'),
  };
}

async function exactFrame(cameraUuid: string, timestampMs: number): Promise<Shown> {
  const { frameUri, errorMsg } = await gateway.call('video/getExactFrameUri', { cameraUuid, timestampMs });
  if (frameUri === undefined) throw new Error(`no frame of ${Date.now() - timestampMs} ms ago: ${errorMsg}`);
  return shownAt(frameUri);
}

describe.each(CAMERAS)('a camera that is %s', (name) => {
  it('shows the frame of each of the last seconds, to the frame', async () => {
    const { cameraUuid, live } = seen.get(name)!;
    const oldestMs = Math.max(...AGO_MS) + 1_000;
    await until('the time to be past', () => Date.now() > live.takenAtMs + oldestMs);
    for (const agoMs of AGO_MS) {
      const frames = Math.round((Date.now() - agoMs - live.takenAtMs) / FRAME_MS);
      const timestampMs = Math.round(live.takenAtMs + frames * FRAME_MS + FRAME_MS / 2);
      const shown = await exactFrame(cameraUuid, timestampMs);
      expect([agoMs, shown.frame]).toEqual([agoMs, (live.frame! + frames) % CLIP_FRAMES]);
      expect(timestampMs - shown.takenAtMs).toBeGreaterThanOrEqual(0);
      expect(timestampMs - shown.takenAtMs).toBeLessThanOrEqual(FRAME_MS + 1);
      expect(shown.state).toBe('past');
    }
  });

  it('shows the frame of now', async () => {
    const cameraUuid = await gateway.cameraUuid(name);
    const timestampMs = Date.now();
    const shown = await exactFrame(cameraUuid, timestampMs);
    expect(shown.frame).not.toBeNull();
    expect(Math.abs(timestampMs - shown.takenAtMs)).toBeLessThanOrEqual(FRAME_MS + 1);
  });
});

describe('an instant that nothing has', () => {
  it('of a camera that no one uses is refused, and the camera is opened for now', async () => {
    const cameraUuid = await gateway.cameraUuid('unused');
    await expect(exactFrame(cameraUuid, Date.now() - 4_000)).rejects.toThrow(
      'there is no recording of this time',
    );
    const shown = await exactFrame(cameraUuid, Date.now());
    expect(shown.frame).not.toBeNull();
  });

  it('is refused with the nearest times, and these have a frame', async () => {
    const cameraUuid = await gateway.cameraUuid('recorded');
    const timestampMs = Date.now() - 600_000;
    const response = await gateway.call('video/getExactFrameUri', {
      cameraUuid,
      timestampMs,
    });
    const [, nearest] = /nearest times with a picture are (\d+)\./.exec(response.errorMsg) ?? [];
    expect(Number(nearest)).toBeGreaterThan(timestampMs);
    const shown = await exactFrame(cameraUuid, Number(nearest));
    expect(shown.takenAtMs).toBeLessThanOrEqual(Number(nearest) + 1);
    expect(Number(nearest) - shown.takenAtMs).toBeLessThanOrEqual(FRAME_MS + 1);
  });
});
