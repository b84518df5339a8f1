/** Still images of a running gateway: by a share's link, by a grant, and by API key. */

import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFrameNumberStrip } from '../../src/synthetic-camera/frame-number-strip.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { openShare, refusalReason } from '../support/hls.ts';
import { FRAMES_PER_SEC, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const FRAME_MS = 1_000 / FRAMES_PER_SEC;
/** After these, the camera begins again. */
const CLIP_FRAMES = 64 * FRAMES_PER_SEC;

let camera: SyntheticCamera;
let gateway: TestGateway;
let share: TestShare;

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    // What is 13 s old has left the live window: it comes from the recording.
    hls: { segmentTarget: '1s', partTarget: '200ms', window: '4s', idleStop: '5m' },
    sources: { connectTimeout: '2s', silenceTimeout: '2s', backoffMin: '200ms', backoffMax: '1s' },
    cameras: [
      { name: 'Lobby', rtsp: camera.url, recording: 'always' },
      { name: 'Never', rtsp: camera.url.replace('/stream', '/nowhere') },
    ],
  });
  share = await gateway.share('Lobby');
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

const posterUrl = (of: TestShare) => of.m3u8Url.replace('file.m3u8', 'poster.jpg');

interface Seen {
  readonly status: number;
  readonly state: string | null;
  readonly takenAtMs: number;
  readonly etag: string;
  readonly type: string | null;
  readonly widthPx: number;
  readonly heightPx: number;
  /** What the camera drew into the picture. */
  readonly frame: number | null;
}

async function see(url: string, headers: Record<string, string> = {}): Promise<Seen> {
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(`${response.status} for ${url}: ${await response.text()}`);
  const read = (name: string) => response.headers.get(name);
  return {
    ...(await picture(Buffer.from(await response.arrayBuffer()))),
    status: response.status,
    state: read('x-picture-state'),
    type: read('content-type'),
    takenAtMs: Number(read('x-picture-time-ms')),
    etag: read('etag') ?? '',
  };
}

async function picture(image: Buffer): Promise<Pick<Seen, 'widthPx' | 'heightPx' | 'frame'>> {
  const { data, info } = await sharp(image).greyscale().raw().toBuffer({ resolveWithObject: true });
  const lumaAt = (x: number, y: number) =>
    data[(Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels]!;
  return { widthPx: info.width, heightPx: info.height, frame: readFrameNumberStrip(lumaAt) };
}

describe('still images', () => {
  it('of a camera that no one watches wait for it, and are live', async () => {
    const beforeMs = Date.now();
    const seen = await see(posterUrl(share));
    expect(seen).toMatchObject({
      status: 200,
      state: 'live',
      type: 'image/jpeg',
      widthPx: 320,
      heightPx: 180,
    });
    expect(seen.frame).not.toBeNull();
    expect(seen.takenAtMs).toBeGreaterThan(beforeMs - 2_000);
  });

  it('change with the video', async () => {
    const first = await see(posterUrl(share));
    const next = await until('another key frame', async () => {
      const response = await fetch(posterUrl(share), { headers: { 'if-none-match': first.etag } });
      return response.status === 304 ? null : see(posterUrl(share));
    });
    expect(next.takenAtMs).toBeGreaterThan(first.takenAtMs);
    expect(next.frame).not.toBe(first.frame);
    expect(next.state).toBe('live');
  });

  it('have the format and the width that a viewer asks for', async () => {
    const folder = (await openShare(share.m3u8Url)).replace(/[^/]*$/, '');
    const wanted = [
      ['image/webp', 'image/webp'],
      ['image/avif', 'image/avif'],
      ['*/*', 'image/jpeg'],
    ];
    for (const [accept = '', type = ''] of wanted) {
      const seen = await see(`${folder}snapshot.jpeg?width=160`, { accept });
      expect(seen).toMatchObject({ type, widthPx: 160, heightPx: 90, state: 'live' });
      expect(seen.frame).not.toBeNull();
    }
  });

  it('come by API key', async () => {
    const { cameraUuid } = share;
    const snapshot = await gateway.call('camera/getSnapshot', { cameraUuid, format: 'webp' });
    expect(snapshot).toMatchObject({
      error: false,
      contentType: 'image/webp',
      width: 320,
      height: 180,
      live: true,
    });
    expect((await picture(Buffer.from(snapshot.imageData, 'base64'))).frame).not.toBeNull();
    const part = { downscaleFactor: 2, permyriadCropHeight: 5_000, jpgQuality: 90 };
    const request = { cameraUuid, timestampMs: Date.now(), ...part };
    const { frameData } = await gateway.call('video/getExactFrameData', request);
    const { format, width, height } = await sharp(Buffer.from(frameData, 'base64')).metadata();
    expect([format, width, height]).toEqual(['jpeg', 160, 45]);
    const { frameUri } = await gateway.call('video/getExactFrameUri', {
      cameraUuid,
      timestampMs: Date.now(),
    });
    const seen = await see(frameUri);
    expect(seen).toMatchObject({ type: 'image/jpeg', widthPx: 320, heightPx: 180 });
    // It stays what it was.
    expect(await see(frameUri)).toEqual(seen);
    expect(
      await gateway.call('video/getExactFrameUri', { cameraUuid, timestampMs: Date.now() - 60_000 }),
    ).toMatchObject({
      error: true,
      errorMsg: expect.stringContaining('there is no recording of this time'),
    });
  });

  it('show the frame of an instant of the past', async () => {
    const { cameraUuid } = share;
    const at = (timestampMs: number) =>
      gateway.call('video/getExactFrameData', { cameraUuid, timestampMs, jpgQuality: 90 });
    const frameAt = async (timestampMs: number): Promise<number> => {
      const { frameData, errorMsg } = await at(timestampMs);
      if (frameData === undefined) throw new Error(`no frame: ${errorMsg}`);
      return (await picture(Buffer.from(frameData, 'base64'))).frame!;
    };
    // A live image says which frame was taken when.
    const live = await see(posterUrl(share));
    await until('the time to be past', () => Date.now() > live.takenAtMs + 13_000);
    // The recorded times are of the same clock, tied to the camera a little differently.
    const middleMs = live.takenAtMs + 10;
    expect(await frameAt(middleMs)).toBe(live.frame);
    for (const frames of [1, 7, 20, 33, 60]) {
      const shown = await frameAt(middleMs + frames * FRAME_MS);
      expect(shown).toBe((live.frame! + frames) % CLIP_FRAMES);
    }
    expect(await at(Date.now() - 3_600_000)).toMatchObject({
      error: true,
      errorMsg: expect.stringContaining('there is no recording of this time'),
    });
  });

  it('of a camera that was never seen are 503', async () => {
    const response = await fetch(posterUrl(await gateway.share('Never')));
    expect([response.status, await refusalReason(response)]).toEqual([503, 'camera-offline']);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('of a camera that went offline are its last, say so, and are no exact frame', async () => {
    const other = await gateway.share('Lobby', { password: 'harbour' });
    const live = await see(posterUrl(share));
    expect(live.state).toBe('live');
    await camera.close();
    const last = await until('the camera to be offline', async () => {
      const seen = await see(posterUrl(share));
      return seen.state === 'last' ? seen : null;
    });
    expect(last.takenAtMs).toBeGreaterThanOrEqual(live.takenAtMs);
    const { cameraUuid } = share;
    // Images of one width are of the same frame for a second, so either one may be older at first.
    await expect
      .poll(async () => {
        const { live: isLive, timestampMs } = await gateway.call('camera/getSnapshot', { cameraUuid });
        return [isLive, timestampMs === (await see(posterUrl(share))).takenAtMs];
      })
      .toEqual([false, true]);
    expect(
      await gateway.call('video/getExactFrameData', { cameraUuid, timestampMs: Date.now() }),
    ).toMatchObject({
      error: true,
      errorMsg: 'The camera is not streaming, so there is no current image of it.',
    });
    const refused = await fetch(posterUrl(other));
    expect([refused.status, await refusalReason(refused)]).toEqual([401, 'password-needed']);
  });

  it('end with the share', async () => {
    await gateway.revoke(share);
    const refused = await fetch(posterUrl(share));
    expect([refused.status, await refusalReason(refused)]).toEqual([403, 'revoked']);
  });
});
