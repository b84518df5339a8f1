/** Recordings by RTSP, as the client reads them that reads video recorders by ONVIF. */

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LONG_START_CODE, lengthsToStartCodes } from '../../src/codec/byte-stream.ts';
import type { H264Track } from '../../src/codec/track.ts';
import { systemClock } from '../../src/core/clock.ts';
import { CredentialUrl } from '../../src/core/secret.ts';
import { clockTime } from '../../src/recorders/recorder-times.ts';
import { ReplaySession } from '../../src/recorders/replay-session.ts';
import { ANYWHERE } from '../../src/sources/network/camera-address.ts';
import type { SoundPaths } from '../../src/sources/sound/sound-path.ts';
import type { Clip } from '../../src/synthetic-camera/clip.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { decodedFrameNumbers, expectNumbersInTime } from '../support/frame-numbers.ts';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { freePort } from '../support/ports.ts';
import { recordMore } from '../support/recorded-past.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';

const SIZE = { widthPx: 320, heightPx: 180 };
const NO_OTHER_SOUND: SoundPaths = {
  carries: () => false,
  open: () => {
    throw new Error('the camera has AAC');
  },
};
const REQUIRE = ['Require', 'onvif-replay'] as const;

let clip: Clip;
let camera: SyntheticCamera;
let port: number;
let gateway: TestGateway;

beforeAll(async () => {
  clip = await makeClip(320, 180, { durationSec: 64 });
  camera = await startCamera(0, { clip });
  port = await freePort();
  gateway = await TestGateway.start({
    rtsp: { listen: `127.0.0.1:${port}` },
    hls: { segmentTarget: '1s', partTarget: '200ms' },
    recording: { minFree: '16MiB' },
    cameras: [{ name: 'Dock', rtsp: camera.url, recording: 'always' }],
  });
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

interface Replayed {
  readonly video: { readonly epochMs: number; readonly bytes: Buffer }[];
  readonly sound: string[];
  readonly isExact: boolean;
}

/** What the client gets until as much as this of the video has come. */
async function replay({ m3u8Url }: TestShare, fromMs: number, frames: number): Promise<Replayed> {
  const path = new URL(m3u8Url).pathname.replace('/file.m3u8', '');
  const range = `clock=${clockTime(fromMs)}-`;
  const fields = {
    setup: [REQUIRE],
    play: [REQUIRE, ['Range', range] as const, ['Rate-Control', 'no'] as const],
  };
  const video: Replayed['video'] = [];
  const sound: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let track: H264Track | null = null;
  const session = new ReplaySession({
    channel: { tls: 'any', addressRule: ANYWHERE },
    request: { url: new CredentialUrl(`rtsp://127.0.0.1:${port}${path}`), fields, offsetMs: 0 },
    fromMs,
    clock: systemClock,
    sound: NO_OTHER_SOUND,
    events: {
      onTracks: ([first]) => {
        track = first as H264Track;
      },
      onUnit: ({ trackIndex, data, isKey, arrivalMonoMs }) => {
        if (trackIndex !== 0) {
          sound.push(createHash('md5').update(data).digest('hex'));
          return;
        }
        const nalus = Buffer.from(data);
        lengthsToStartCodes(nalus, 0);
        const sets = isKey ? [...track!.sps, ...track!.pps].flatMap((set) => [LONG_START_CODE, set]) : [];
        video.push({ epochMs: arrivalMonoMs, bytes: Buffer.concat([...sets, nalus]) });
        if (video.length >= frames) resolve();
      },
      onEnded: (error) => (error === null ? resolve() : reject(error)),
    },
  });
  await promise;
  const { isExact } = session;
  await session.close();
  return { video, sound, isExact };
}

it('has each recorded frame with its own time, and all audio, as fast as the client reads', async () => {
  const share = await gateway.share('Dock', { vodEnabled: true, includeAudio: true });
  const fromMs = Date.now();
  await recordMore(gateway, 5);
  const { video, sound, isExact } = await replay(share, fromMs, 4 * FRAMES_PER_SEC);
  expect(isExact).toBe(true);
  // The segment that covers the requested time, and no earlier one.
  const earlier = video.filter(({ epochMs }) => epochMs <= fromMs).length;
  expect(earlier).toBeGreaterThan(0);
  expect(earlier).toBeLessThanOrEqual(3 * FRAMES_PER_SEC);
  const numbers = await decodedFrameNumbers(
    video.map(({ bytes }) => bytes),
    SIZE,
  );
  const { length } = clip.pictures;
  expect(numbers.length).toBeGreaterThan(3 * FRAMES_PER_SEC);
  expect(numbers).toEqual(numbers.map((_, index) => (numbers[0]! + index) % length));
  const { startEpochMs } = camera;
  const frames = numbers.map((number, index) => ({ number, wallMs: video[index]!.epochMs }));
  expectNumbersInTime(frames, { startEpochMs, clipFrames: length, fps: FRAMES_PER_SEC });
  const clipSound = clip.audio!.frames.map((frame) => createHash('md5').update(frame).digest('hex'));
  // Silent frames are all the same: the place in the clip is where all of them fit.
  const first = clipSound.findIndex((_, at) =>
    sound.every((hash, index) => hash === clipSound[(at + index) % clipSound.length]),
  );
  expect(sound.length).toBeGreaterThan(10);
  expect(first).toBeGreaterThanOrEqual(0);
});

it('is refused to viewers of a link that does not show the past', async () => {
  const share = await gateway.share('Dock');
  await expect(replay(share, Date.now() - 1_000, 1)).rejects.toMatchObject({ context: { statusCode: 403 } });
});

it('is there while the camera is offline', async () => {
  const share = await gateway.share('Dock', { vodEnabled: true });
  const fromMs = Date.now();
  await recordMore(gateway, 3);
  await camera.close();
  await gateway.child.line(/"state":"offline".*"camera state"/);
  const { video, isExact } = await replay(share, fromMs, FRAMES_PER_SEC);
  expect(isExact).toBe(true);
  expect(video.length).toBeGreaterThanOrEqual(FRAMES_PER_SEC);
});
