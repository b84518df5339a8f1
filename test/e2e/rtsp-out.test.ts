/** Live video by RTSP from a whole gateway, as programs that nobody here wrote read it. */

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MadeCertificates } from '../../src/connections/certificate-fixture.ts';
import type { Clip } from '../../src/synthetic-camera/clip.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { Child } from '../support/child.ts';
import { decodedFrameNumbers } from '../support/frame-numbers.ts';
import { type Json, TestGateway, type TestShare } from '../support/gateway.ts';
import { type GstCamera, startGstCamera } from '../support/gst-camera.ts';
import { decodeErrors, probeStreams } from '../support/media-check.ts';
import { freePort } from '../support/ports.ts';
import { soundBehindPictureMs } from '../support/sound-sync.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const READER = resolve(import.meta.dirname, '../peers/gst-rtsp-reader.py');
const SIZE = { widthPx: 320, heightPx: 180 };
const CLIP_SEC = 64;
const FRAMES = 4 * FRAMES_PER_SEC;
const MAX_OUTPUT_BYTES = 64 * 1_024 * 1_024;

let folder: string;
let clip: Clip;
let camera: SyntheticCamera;
let hevc: GstCamera;
let opus: GstCamera;
let certificates: MadeCertificates;
let port: number;
let securePort: number;
let udpPort: number;
let gateway: TestGateway;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-rtsp-'));
  clip = await makeClip(320, 180, { durationSec: CLIP_SEC });
  camera = await startCamera(0, { clip });
  [hevc, opus] = await Promise.all([startGstCamera('h265-small-pcmu'), startGstCamera('h264-opus')]);
  certificates = new MadeCertificates();
  [port, securePort] = [await freePort(), await freePort()];
  udpPort = (await freePort()) & ~1;
  gateway = await TestGateway.start(configWith([]));
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
  await Promise.all([hevc, opus].map((each) => each?.stop()));
  certificates?.remove();
  await rm(folder, { recursive: true, force: true });
});

function configWith(cameras: readonly Json[]) {
  return {
    rtsp: { listen: `127.0.0.1:${port}`, udpPort, secureListen: `127.0.0.1:${securePort}` },
    tls: { media: certificates.make('media') },
    cameras: [
      { name: 'Dock', rtsp: camera.url },
      { name: 'Door', rtsp: hevc.url },
      { name: 'Hall', rtsp: opus.url },
      ...cameras,
    ],
  };
}

/** `rtsp://` in place of the address that HTTP clients use. */
function rtspUrl({ m3u8Url }: TestShare, userInfo = ''): string {
  return `rtsp://${userInfo}127.0.0.1:${port}${new URL(m3u8Url).pathname.replace('/file.m3u8', '')}`;
}

function secureUrl(share: TestShare): string {
  return rtspUrl(share).replace('rtsp:', 'rtsps:').replace(`:${port}/`, `:${securePort}/`);
}

/** What ffmpeg reads, unchanged. */
async function readByFfmpeg(url: string, name: string, transport = 'tcp'): Promise<Buffer> {
  const file = join(folder, `${name}.mkv`);
  const input = ['-nostdin', '-v', 'error', '-rtsp_transport', transport, '-i', url];
  await run('ffmpeg', [...input, '-map', '0', '-c', 'copy', '-frames:v', String(FRAMES), '-y', file]);
  return readFile(file);
}

async function readByGstreamer(url: string, name: string, protocols = 'tcp'): Promise<Buffer> {
  const file = join(folder, `${name}.h264`);
  const reader = new Child('/usr/bin/python3', [READER, url, protocols, String(FRAMES), file]);
  try {
    const end = await reader.line(/^(?:done|failed)/);
    expect(end).toMatch(/^done, sound: [1-9]/);
  } finally {
    await reader.end('SIGKILL');
  }
  return readFile(file);
}

/** Frames of the clip, one after the other: none is missing, and none comes twice. */
async function expectAllFrames(media: Buffer, { skipped = 0 } = {}): Promise<void> {
  const numbers = (await decodedFrameNumbers([media], SIZE)).slice(skipped);
  expect(numbers.length).toBeGreaterThanOrEqual(FRAMES - skipped - 2);
  const first = numbers[0]!;
  const frames = CLIP_SEC * FRAMES_PER_SEC;
  expect(numbers).toEqual(numbers.map((_, index) => (first + index) % frames));
}

/** Frames of the clip's sound, byte for byte, one after the other. */
async function expectAllSound(media: Buffer, name: string): Promise<void> {
  const args = [
    '-v',
    'error',
    '-select_streams',
    'a',
    '-show_packets',
    '-show_data_hash',
    'MD5',
    '-of',
    'json',
  ];
  const options = { maxBuffer: MAX_OUTPUT_BYTES };
  const { stdout } = await run('ffprobe', [...args, join(folder, `${name}.mkv`)], options);
  const hashes = (JSON.parse(stdout).packets as { data_hash: string }[]).map(({ data_hash }) => data_hash);
  const frames = clip.audio!.frames.map((frame) => `MD5:${createHash('md5').update(frame).digest('hex')}`);
  const first = frames.findIndex((_, at) =>
    hashes.every((hash, index) => hash === frames[(at + index) % frames.length]),
  );
  expect([name, first]).not.toEqual([name, -1]);
  expect(hashes.length).toBeGreaterThan(10);
  for (const behindMs of await soundBehindPictureMs(media)) expect(Math.abs(behindMs)).toBeLessThan(25);
}

describe('a link by RTSP', () => {
  it('gives ffmpeg each frame and all sound, as the camera sends them', async () => {
    const media = await readByFfmpeg(rtspUrl(await gateway.share('Dock', { includeAudio: true })), 'ffmpeg');
    await expectAllFrames(media);
    await expectAllSound(media, 'ffmpeg');
  });

  it.each(['udp', 'http'])('gives ffmpeg the same by %s', async (transport) => {
    const url = rtspUrl(await gateway.share('Dock', { includeAudio: true }));
    const media = await readByFfmpeg(url, transport, transport);
    await expectAllFrames(media);
    await expectAllSound(media, transport);
  });

  it('gives ffmpeg the same with TLS', async () => {
    const media = await readByFfmpeg(secureUrl(await gateway.share('Dock', { includeAudio: true })), 'tls');
    await expectAllFrames(media);
    await expectAllSound(media, 'tls');
  });

  it.each([
    ['rtsp', 'udp'],
    ['rtsph', 'tcp+http'],
  ])('gives GStreamer each frame by %s and %s', async (scheme, protocols) => {
    const url = rtspUrl(await gateway.share('Dock', { includeAudio: true })).replace('rtsp', scheme);
    await expectAllFrames(await readByGstreamer(url, `gstreamer-${scheme}`, protocols));
  });

  it('gives GStreamer each frame with TLS', async () => {
    await expectAllFrames(
      await readByGstreamer(secureUrl(await gateway.share('Dock', { includeAudio: true })), 'gstreamer-tls'),
    );
  });

  it.each([
    ['Door', ['hevc', 'pcm_mulaw']],
    ['Hall', ['h264', 'opus']],
  ])('of %s has the formats of the camera, and decodes without a complaint', async (name, formats) => {
    const media = await readByFfmpeg(rtspUrl(await gateway.share(name, { includeAudio: true })), name);
    const streams = await probeStreams([media]);
    expect(streams.map(({ codec_name }) => codec_name)).toEqual(formats);
    expect(await decodeErrors([media])).toBe('');
  });

  it('gives GStreamer each frame, and sound', async () => {
    const media = await readByGstreamer(
      rtspUrl(await gateway.share('Dock', { includeAudio: true })),
      'gstreamer',
    );
    await expectAllFrames(media);
  });

  it('is a camera for another gateway, and for one behind that', async () => {
    const once = rtspUrl(await gateway.share('Dock', { includeAudio: true }));
    await gateway.configure(configWith([{ name: 'Once', rtsp: once }]));
    gateway.child.process.kill('SIGHUP');
    await gateway.child.line(/configuration reloaded/);
    const twice = rtspUrl(await gateway.share('Once', { includeAudio: true }));
    await gateway.configure(
      configWith([
        { name: 'Once', rtsp: once },
        { name: 'Twice', rtsp: twice },
      ]),
    );
    gateway.child.process.kill('SIGHUP');
    await until('the second camera', async () => {
      const { cameraStates } = await gateway.call('camera/getMinimalCameraStateList');
      return cameraStates.some(({ name }: Json) => name === 'Twice');
    });
    const url = rtspUrl(await gateway.share('Twice', { includeAudio: true }));
    const media = await readByFfmpeg(url, 'chained');
    await expectAllFrames(media);
    await expectAllSound(media, 'chained');
  });

  it('needs its password, and is over when the share is', async () => {
    const share = await gateway.share('Dock', { password: 'sesame street' });
    await expect(readByFfmpeg(rtspUrl(share), 'refused')).rejects.toThrow('401');
    const reader = new Child('ffmpeg', [
      ...['-nostdin', '-v', 'info', '-rtsp_transport', 'tcp'],
      ...['-i', rtspUrl(share, 'x:sesame%20street@'), '-c', 'copy', '-f', 'null', '-'],
    ]);
    await reader.line(/Output #0/);
    await gateway.revoke(share);
    await reader.exited;
    await expect(readByFfmpeg(rtspUrl(share, 'x:sesame%20street@'), 'refused')).rejects.toThrow(/40[34]/);
  });
});
