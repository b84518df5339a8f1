/** Cameras whose audio is not AAC: the video never waits for it, and both stay in sync. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../src/core/secret.ts';
import { readFrameNumberStrip } from '../../src/sources/synthetic-camera/frame-number-strip.ts';
import type { SyntheticCamera } from '../../src/sources/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { fetchOk, fetchPlaylist, openShare, type TestPlaylist } from '../support/hls.ts';
import { childrenOf } from '../support/processes.ts';
import { FRAMES_PER_SEC, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const CAMERAS = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven'];
const MAX_WORKERS = 4;
const WIDTH_PX = 320;
const HEIGHT_PX = 180;
const SOUND_RATE_HZ = 48_000;
/** A beep's first sample in 16 bits; silence decodes to nothing near it. */
const LOUD = 1_500;
const MAX_OFF_MS = 80;

let camera: SyntheticCamera;
let guarded: SyntheticCamera;
let single: SyntheticCamera;
let gateway: TestGateway;

beforeAll(async () => {
  camera = await startCamera(0, { isPcmu: true });
  const credentials = {
    username: 'viewer',
    password: new Secret('open-sesame-42'),
    algorithm: 'SHA-256',
  } as const;
  guarded = await startCamera(0, { isPcmu: true, credentials });
  single = await startCamera(0, { isPcmu: true, maxClients: 1 });
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', idleStop: '5m' },
    ffmpeg: { maxWorkers: MAX_WORKERS, queueTimeout: '2s' },
    cameras: [
      ...CAMERAS.map((name) => ({ name, rtsp: camera.url })),
      { name: 'Guarded', rtsp: guarded.url.replace('rtsp://', 'rtsp://viewer:open-sesame-42@') },
      { name: 'Single', rtsp: single.url },
      { name: 'Pulled', rtsp: camera.url, engine: 'ffmpeg' },
    ],
  });
});

afterAll(async () => {
  await gateway?.dispose();
  await Promise.all([camera, guarded, single].map((each) => each?.close()));
});

const workers = (): number[] => childrenOf(gateway.child.process.pid!, 'ffmpeg');

function logged(name: string, message: RegExp): Json[] {
  const lines = gateway.child.lines.filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line)).filter((line) => line.name === name && message.test(line.msg));
}

/** The state of the camera's audio according to the log. */
const soundOf = (uuid: string): string | undefined => {
  const lines = gateway.child.lines.filter((line) => line.startsWith('{') && line.includes('"camera audio '));
  const own = lines.map((line) => JSON.parse(line)).filter((line) => line.camera === uuid);
  return own.at(-1)?.msg;
};

async function pictures(name: string): Promise<{ uuid: string; url: string }> {
  const share = await gateway.share(name);
  const url = await openShare(share.m3u8Url);
  return { uuid: share.cameraUuid, url };
}

/** The init segment and the newest `count` segments. */
async function download(playlist: TestPlaylist, count: number): Promise<Buffer> {
  const whole = playlist.segments.slice(-count);
  const parts = [await fetchOk(new URL(whole[0]!.map.uri, playlist.url).href)];
  for (const { uri } of whole) parts.push(await fetchOk(new URL(uri, playlist.url).href));
  return Buffer.concat(parts);
}

async function decode(media: Buffer, args: readonly string[]): Promise<Buffer> {
  const input = ['-loglevel', 'error', '-copyts', '-i', 'pipe:0', ...args, 'pipe:1'];
  const run = promisify(execFile)('ffmpeg', input, { encoding: 'buffer', maxBuffer: 1e9 });
  // One frame is enough for ffmpeg: it may leave the rest of its input unread.
  run.child.stdin!.on('error', () => undefined).end(media);
  return (await run).stdout;
}

async function startSec(media: Buffer, stream: 'v' | 'a'): Promise<number> {
  const args = [
    '-loglevel',
    'error',
    '-select_streams',
    stream,
    '-show_entries',
    'packet=pts_time',
    '-of',
    'csv=p=0',
    '-',
  ];
  const run = promisify(execFile)('ffprobe', args);
  run.child.stdin!.end(media);
  const times = (await run).stdout.split('\n').map((line) => Number.parseFloat(line));
  return Math.min(...times.filter((time) => !Number.isNaN(time)));
}

/** How far the camera's beeps, one at every full second of its clip, are behind the frames of those seconds. */
async function soundBehindPictureMs(media: Buffer): Promise<number[]> {
  const gray = await decode(media, ['-map', '0:v', '-frames:v', '1', '-pix_fmt', 'gray', '-f', 'rawvideo']);
  const strip = gray.subarray(4 * WIDTH_PX, 5 * WIDTH_PX);
  const frame = readFrameNumberStrip((x) => strip[Math.floor(x * WIDTH_PX)]!);
  expect(gray.length).toBe(WIDTH_PX * HEIGHT_PX);
  const pcm = await decode(media, ['-map', '0:a', '-ac', '1', '-f', 's16le']);
  // Where frame 0 of the clip is on the media timeline.
  const clipStartSec = (await startSec(media, 'v')) - frame! / FRAMES_PER_SEC;
  const soundStartSec = await startSec(media, 'a');
  const behindMs: number[] = [];
  let quietUntil = 0;
  for (let at = 0; at + 2 <= pcm.length; at += 2) {
    if (Math.abs(pcm.readInt16LE(at)) < LOUD) continue;
    const atSec = soundStartSec + at / 2 / SOUND_RATE_HZ;
    if (at > quietUntil && at > SOUND_RATE_HZ / 4) {
      const intoSecond = (((atSec - clipStartSec) % 1) + 1.5) % 1;
      behindMs.push((intoSecond - 0.5) * 1_000);
    }
    quietUntil = at + SOUND_RATE_HZ;
  }
  return behindMs;
}

describe('cameras with G.711', () => {
  it('seven show pictures while four workers have sound, and the others get it when one is free', async () => {
    const opened = await Promise.all(CAMERAS.map((name) => pictures(name)));
    for (const { url } of opened) await fetchPlaylist(url);
    for (const name of CAMERAS) {
      expect(logged(name, /^stream opened$/)).toEqual([expect.objectContaining({ engine: 'direct' })]);
    }
    const stateCounts = (): string => {
      const states = opened.map(({ uuid }) => soundOf(uuid)?.replace('camera audio ', ''));
      return ['live', 'waiting for a worker']
        .map((state) => states.filter((each) => each === state).length)
        .join('+');
    };
    await until('four with sound and three that say why not', () => stateCounts() === '4+3');
    const told = async ({ uuid }: { uuid: string }): Promise<string> => {
      const { fullCameraState } = await gateway.call('camera/getFullCameraState', { cameraUuid: uuid });
      return fullCameraState.onCameraState.v0.sound;
    };
    await until('the API to tell', async () => {
      const sounds = await Promise.all(opened.map(told));
      return sounds.toSorted().join() === 'live,live,live,live,waiting,waiting,waiting';
    });
    expect(workers()).toHaveLength(MAX_WORKERS);
    expect(logged('One', /^camera offline$/)).toEqual([]);
    process.kill(workers()[0]!, 'SIGKILL');
    await until('another camera to have its place', () => {
      const lively = opened.filter(({ uuid }) =>
        gateway.child.lines.some((line) => line.includes(uuid) && line.includes('camera audio live')),
      );
      return lively.length === 5;
    });
    // The worker that was killed took no video with it.
    expect(camera.connectedClients()).toBe(CAMERAS.length);
    const lines = gateway.child.lines.filter((line) => line.includes('camera offline'));
    expect(lines).toEqual([]);
  });

  it('gives a camera that cannot do without a worker the place of one with sound', async () => {
    const { url } = await until('pictures of the pulled camera', () => pictures('Pulled'));
    expect((await fetchPlaylist(url)).segments.length).toBeGreaterThan(0);
    expect(workers().length).toBeLessThanOrEqual(MAX_WORKERS);
  });

  it.each(['Guarded', 'Single'])(
    'a login that a worker cannot have is had once, and heard: %s',
    async (name) => {
      await gateway.restart();
      const { uuid, url } = await pictures(name);
      await until('sound', () => soundOf(uuid) === 'camera audio live');
      const media = await until('segments with sound', async () => {
        const playlist = await fetchPlaylist(url);
        return playlist.segments.length >= 6 ? await download(playlist, 4) : null;
      });
      expect((name === 'Single' ? single : guarded).connectedClients()).toBe(1);
      const behindMs = await soundBehindPictureMs(media);
      expect(behindMs.length).toBeGreaterThanOrEqual(2);
      for (const each of behindMs) expect(Math.abs(each)).toBeLessThan(MAX_OFF_MS);
    },
  );
});
