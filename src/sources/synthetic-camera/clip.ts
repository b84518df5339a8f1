/** The clip of the synthetic camera: made once by ffmpeg for each set of parameters, kept as two files, read as access units. */

import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError } from '../../core/errors.ts';
import { ClipPicture } from './clip-picture.ts';
import { type AdtsStream, CLIP_ERRORS, splitAdts, splitByteStream } from './elementary-streams.ts';

export interface ClipOptions {
  readonly ffmpegPath: string;
  /** Created when missing. */
  readonly cacheDir: string;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly fps: number;
  /** Distance of key frames. */
  readonly gopSec: number;
  readonly bitrateBitsPerSec: number;
  readonly durationSec?: number;
  readonly audio: boolean;
}

export interface Clip {
  readonly fps: number;
  /** NAL units of each picture in coding order, parameter sets included; no B-frames. */
  readonly pictures: readonly (readonly Buffer[])[];
  readonly sps: Buffer;
  readonly pps: Buffer;
  readonly audio: AdtsStream | null;
}

const DEFAULT_DURATION_SEC = 40;
const AUDIO_RATE_HZ = 48_000;
const NAL_SPS = 7;
const NAL_PPS = 8;
const NAL_AUD = 9;
/** Part of the cache key: raise it when the same options shall give another clip. */
const CLIP_VERSION = 1;
const MAX_ERROR_TEXT = 500;

/** Reads the clip from the cache, making it first when it is not there. Fails CLIP_NOT_MADE, CLIP_UNREADABLE. */
export async function loadClip(options: ClipOptions): Promise<Clip> {
  const folder = join(options.cacheDir, `clip-${cacheKey(options)}`);
  const cached = await readClip(folder, options).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (cached !== null) return cached;
  await mkdir(options.cacheDir, { recursive: true });
  const making = await mkdtemp(join(options.cacheDir, 'making-'));
  try {
    await makeClip(making, options);
    await rename(making, folder).catch(async (error: NodeJS.ErrnoException) => {
      // Another process made the same clip in the meantime: both are good.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return readClip(folder, options);
}

function cacheKey(options: ClipOptions): string {
  const { widthPx, heightPx, fps, gopSec, bitrateBitsPerSec, durationSec, audio } = options;
  const parameters = [CLIP_VERSION, widthPx, heightPx, fps, gopSec, bitrateBitsPerSec, durationSec, audio];
  return createHash('sha256').update(JSON.stringify(parameters)).digest('hex').slice(0, 16);
}

async function readClip(folder: string, options: ClipOptions): Promise<Clip> {
  const nalus = splitByteStream(await readFile(join(folder, 'video.h264')));
  const audio = options.audio ? splitAdts(await readFile(join(folder, 'audio.aac'))) : null;
  const pictures: Buffer[][] = [];
  for (const nalu of nalus) {
    if ((nalu[0]! & 0x1f) === NAL_AUD) pictures.push([]);
    else pictures.at(-1)?.push(nalu);
  }
  const sps = nalus.find((nalu) => (nalu[0]! & 0x1f) === NAL_SPS);
  const pps = nalus.find((nalu) => (nalu[0]! & 0x1f) === NAL_PPS);
  if (sps === undefined || pps === undefined) throw new GatewayError(CLIP_ERRORS.CLIP_UNREADABLE, { folder });
  return { fps: options.fps, pictures, sps, pps, audio };
}

async function makeClip(folder: string, options: ClipOptions): Promise<void> {
  const durationSec = options.durationSec ?? DEFAULT_DURATION_SEC;
  const child = spawn(options.ffmpegPath, encoderArguments(folder, options, durationSec), {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let errorText = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errorText = (errorText + chunk.toString()).slice(-MAX_ERROR_TEXT);
  });
  const exited = once(child, 'close') as Promise<[number | null]>;
  // Writing into an encoder that has died fails; its exit code below says why.
  child.stdin.on('error', () => undefined);
  await feedFrames(child, options, durationSec);
  const [code] = await exited.catch((cause: unknown) => {
    throw new GatewayError(CLIP_ERRORS.CLIP_NOT_MADE, { ffmpeg: options.ffmpegPath }, cause);
  });
  if (code !== 0)
    throw new GatewayError(CLIP_ERRORS.CLIP_NOT_MADE, { exitCode: code, stderr: errorText.trim() });
}

async function feedFrames(child: ChildProcess, options: ClipOptions, durationSec: number): Promise<void> {
  const stdin = child.stdin!;
  const picture = new ClipPicture(options.widthPx, options.heightPx, options.fps);
  const gone = once(child, 'close').catch(() => undefined);
  for (let frame = 0; frame < durationSec * options.fps; frame++) {
    if (stdin.destroyed || child.exitCode !== null) return;
    if (!stdin.write(Buffer.from(picture.draw(frame)))) await Promise.race([once(stdin, 'drain'), gone]);
  }
  stdin.end();
}

function encoderArguments(folder: string, options: ClipOptions, durationSec: number): string[] {
  const gopFrames = String(options.gopSec * options.fps);
  const rate = String(options.bitrateBitsPerSec);
  const size = `${options.widthPx}x${options.heightPx}`;
  const tone = `sine=frequency=440:beep_factor=4:sample_rate=${AUDIO_RATE_HZ}`;
  const input = [
    '-f',
    'rawvideo',
    '-pix_fmt',
    'yuv420p',
    '-s',
    size,
    '-r',
    String(options.fps),
    '-i',
    'pipe:0',
  ];
  const toneInput = options.audio ? ['-f', 'lavfi', '-t', String(durationSec), '-i', tone] : [];
  const video = [
    ...['-map', '0:v', '-c:v', 'libx264', '-preset', 'superfast', '-profile:v', 'main', '-bf', '0'],
    ...['-g', gopFrames, '-keyint_min', gopFrames, '-sc_threshold', '0', '-pix_fmt', 'yuv420p'],
    ...['-b:v', rate, '-maxrate', rate, '-bufsize', rate, '-x264-params', 'aud=1'],
    ...['-f', 'h264', join(folder, 'video.h264')],
  ];
  const audio = [
    '-map',
    '1:a',
    '-c:a',
    'aac',
    '-b:a',
    '64k',
    '-ac',
    '1',
    '-f',
    'adts',
    join(folder, 'audio.aac'),
  ];
  const quiet = ['-nostdin', '-hide_banner', '-v', 'error', '-y'];
  return [...quiet, ...input, ...toneInput, ...video, ...(options.audio ? audio : [])];
}
