/**
 * The clip that a synthetic camera repeats: video and audio frames in memory. ffmpeg makes it once; it is kept as a
 * file whose name is a hash of all its parameters.
 */

import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AdtsStream, readAdts } from '../codec/aac/adts.ts';
import { type AnnexBAccessUnit, splitAnnexB } from '../codec/byte-stream.ts';
import * as h264Stream from '../codec/h264/annex-b.ts';
import * as h264 from '../codec/h264/nal-unit.ts';
import * as h265Stream from '../codec/h265/annex-b.ts';
import * as h265 from '../codec/h265/nal-unit.ts';
import { GatewayError } from '../core/errors.ts';
import { encodeClip } from './clip-encoder.ts';
import { packClipFile, unpackClipFile } from './clip-file.ts';
import { type ClipParameters, checkClipParameters } from './clip-parameters.ts';
import { SYNTHETIC_CAMERA_ERRORS } from './errors.ts';

/** µ-law at 8 kHz, 20 ms per frame. */
export interface PcmuSound {
  readonly encoding: 'pcmu';
  readonly frames: readonly Uint8Array[];
  readonly sampleRateHz: number;
  /** At which the sound card really samples. */
  readonly trueRateHz: number;
  readonly channelCount: number;
  readonly samplesPerFrame: number;
}

/** AAC-LC unless it says otherwise. */
export interface AacSound extends AdtsStream {
  /** At which the sound card really samples; absent: as it states. */
  readonly trueRateHz?: number;
}

export interface Clip {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly fps: number;
  /**
   * Closed groups of pictures in decoding order; the first frame is a key frame. Without B-frames, frame n shows
   * number n.
   */
  readonly pictures: readonly AnnexBAccessUnit[];
  /** With B-frames: by how many frames each one is shown later than it is sent. Not negative. */
  readonly presentationDelays?: readonly number[];
  readonly sps: Uint8Array;
  readonly pps: Uint8Array;
  /** The VPS of H.265; absent: the video is H.264. */
  readonly vps?: Uint8Array;
  /** null without audio. */
  readonly audio: AacSound | PcmuSound | null;
}

export interface LoadClipOptions extends Omit<ClipParameters, 'durationSec'> {
  readonly ffmpegPath: string;
  /** Created if it does not exist. */
  readonly cacheDir: string;
  /** Default: 64, which is a whole number of audio frames too, so that audio and video repeat together. */
  readonly durationSec?: number;
}

const DEFAULT_DURATION_SEC = 64;
/** Goes into the hash: a different version of the drawing makes a different clip. */
const RECIPE_VERSION = 2;

/** Fails with CLIP_INVALID_OPTIONS, CLIP_ENCODER_FAILED or CLIP_UNREADABLE. Takes seconds the first time. */
export async function loadClip(options: LoadClipOptions): Promise<Clip> {
  const { ffmpegPath, cacheDir, widthPx, heightPx, fps, gopSec, bitrateBitsPerSec, audio } = options;
  const durationSec = options.durationSec ?? DEFAULT_DURATION_SEC;
  const { encoderArguments, codec } = options;
  const parameters = {
    widthPx,
    heightPx,
    fps,
    gopSec,
    bitrateBitsPerSec,
    durationSec,
    audio,
    ...(encoderArguments === undefined ? {} : { encoderArguments }),
    ...(codec === undefined ? {} : { codec }),
  };
  checkClipParameters(parameters);
  const file = join(cacheDir, `clip-${hashOf(parameters)}.bin`);
  const kept = await readClipFile(file, parameters);
  if (kept !== null) return kept;
  await mkdir(cacheDir, { recursive: true });
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const streams = await encodeClip(ffmpegPath, parameters, temporary);
    const clip = readStreams(parameters, streams.video, streams.audio);
    if (clip === null) throw new GatewayError(SYNTHETIC_CAMERA_ERRORS.CLIP_UNREADABLE, { fps, durationSec });
    await writeFile(temporary, packClipFile(streams.video, streams.audio));
    await rename(temporary, file);
    return clip;
  } finally {
    await rm(temporary, { force: true });
  }
}

function hashOf(parameters: ClipParameters): string {
  const text = JSON.stringify([RECIPE_VERSION, parameters]);
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}

/** null if the file does not exist or is damaged: then it is made again. */
async function readClipFile(file: string, parameters: ClipParameters): Promise<Clip | null> {
  const bytes = await readFile(file).catch(() => null);
  const streams = bytes === null ? null : unpackClipFile(bytes);
  return streams === null ? null : readStreams(parameters, streams.video, streams.audio);
}

function readStreams(parameters: ClipParameters, video: Uint8Array, audio: Uint8Array | null): Clip | null {
  const { widthPx, heightPx, fps } = parameters;
  const nalus = splitAnnexB(video);
  const isH265 = parameters.codec === 'h265';
  const pictures = (isH265 ? h265Stream : h264Stream).joinAccessUnits(nalus);
  const find = (h264Type: number, h265Type: number) =>
    nalus.find((nalu) =>
      isH265 ? h265.nalType(h265.nalHeader(nalu)) === h265Type : h264.nalType(nalu[0]!) === h264Type,
    );
  const sps = find(h264.NAL_SPS, h265.NAL_SPS);
  const pps = find(h264.NAL_PPS, h265.NAL_PPS);
  const vps = isH265 ? find(-1, h265.NAL_VPS) : undefined;
  const expected = Math.round(fps * parameters.durationSec);
  const isWhole = pictures.length === expected && pictures[0]?.isKey === true;
  const adts = audio === null ? null : readAdts(audio);
  if (sps === undefined || pps === undefined || !isWhole || (audio !== null && adts === null)) return null;
  if (isH265 && vps === undefined) return null;
  return {
    widthPx,
    heightPx,
    fps,
    pictures,
    sps,
    pps,
    ...(vps === undefined ? {} : { vps }),
    audio: trimAudio(adts, parameters.durationSec),
  };
}

/** As many whole frames as the video lasts; the encoder's own delay adds one or two. */
function trimAudio(audio: AdtsStream | null, durationSec: number): AdtsStream | null {
  if (audio === null) return null;
  const frames = Math.max(1, Math.round((durationSec * audio.sampleRateHz) / 1_024));
  return { ...audio, frames: audio.frames.slice(0, frames) };
}
