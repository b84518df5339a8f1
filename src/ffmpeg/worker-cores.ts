/**
 * The expected share of a core that a worker uses. Measured with ffmpeg 5.1 on two cores of 2023, H.265 at 25 frames per
 * second: 0.04 for 640 × 360, 0.27 for 1920 × 1080, 0.65 for 3840 × 2160, which becomes 1920 × 1080. Copying took 0.01,
 * audio 0.005.
 */

import { MAX_PICTURE_PX, type WorkerPlan } from './command.ts';
import type { SoundCodec } from './sound-command.ts';

/** Per pixel and second: of decoding and scaling, and of encoding. */
const CORES_PER_DECODED_PIXEL = 2.5e-9;
const CORES_PER_ENCODED_PIXEL = 2.7e-9;
/** Per pixel and second that a mask fills (docs/design/privacy.md#boxes). */
const CORES_PER_MASKED_PIXEL = 1e-8;
const COPY_CORES = 0.02;
export const SOUND_CORES = 0.01;
/** Use of a sound server's stream: up to 16,000 samples a second, of all channels, and beyond (measured: 0.004, 0.035). */
const SERVED_SPEECH_CORES = 0.005;
const SERVED_MUSIC_CORES = 0.035;
/** The same for Opus, whatever goes in (measured: 0.006 to 0.007). */
const SERVED_OPUS_CORES = 0.007;
const MAX_SPEECH_SAMPLES_PER_SEC = 16_000;
/** As fast as it can, on what the live workers leave: it counts as little as lets it begin. */
export const CLIP_CORES = 0.25;

/** Pictures that a camera sends. */
export interface PictureRate {
  readonly framePx: number;
  readonly framesPerSec: number;
}

/** As long as nothing is known about a camera. */
const USUAL_RATE: PictureRate = { framePx: 1_920 * 1_080, framesPerSec: 25 };
/** A camera that says more does not mean it: Matroska's clock and MPEG's are taken for rates. */
const MAX_FRAMES_PER_SEC = 120;

/** Expected use of a stream of a sound server, sound-server.ts. */
export function servedSoundCores(codec: SoundCodec, sampleRateHz: number, channelCount: number): number {
  if (codec === 'opus') return SERVED_OPUS_CORES;
  return sampleRateHz * channelCount <= MAX_SPEECH_SAMPLES_PER_SEC ? SERVED_SPEECH_CORES : SERVED_MUSIC_CORES;
}

/** Expected use of a worker that pulls a camera. `rate` null: unknown. */
export function liveCores({ video, audio }: WorkerPlan, rate: PictureRate | null): number {
  const sound = audio === 'encode' ? SOUND_CORES : 0;
  if (video === 'copy') return COPY_CORES + sound;
  const { framePx, framesPerSec } = rate ?? USUAL_RATE;
  const encodedPx = Math.min(framePx, MAX_PICTURE_PX);
  const perFrame = framePx * CORES_PER_DECODED_PIXEL + encodedPx * CORES_PER_ENCODED_PIXEL;
  return COPY_CORES + sound + Math.min(framesPerSec, MAX_FRAMES_PER_SEC) * perFrame;
}

/** What masks add to that. `share`: of the picture. */
export function maskCores(share: number, rate: PictureRate | null): number {
  const { framePx, framesPerSec } = rate ?? USUAL_RATE;
  const maskedPx = Math.min(framePx, MAX_PICTURE_PX) * Math.min(share, 1);
  return Math.min(framesPerSec, MAX_FRAMES_PER_SEC) * maskedPx * CORES_PER_MASKED_PIXEL;
}
