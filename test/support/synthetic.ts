/** Synthetic cameras in the test's own process: small pictures, a key frame every second unless said otherwise. */

import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { findFfmpeg } from '../../src/ffmpeg/find-ffmpeg.ts';
import { type Clip, loadClip } from '../../src/sources/synthetic-camera/clip.ts';
import {
  type SyntheticCamera,
  type SyntheticCameraOptions,
  startSyntheticCamera,
} from '../../src/sources/synthetic-camera/synthetic-camera.ts';
import { CLIP_CACHE } from './gateway.ts';

export const FRAMES_PER_SEC = 25;

let clip: Promise<Clip> | null = null;

/** `port`: the same as before to let a camera come back. `clip`: from `makeClip`. */
export async function startCamera(
  port = 0,
  options: Partial<Pick<SyntheticCameraOptions, 'clip' | 'credentials' | 'faults'>> = {},
): Promise<SyntheticCamera> {
  clip ??= makeClip(320, 180);
  return startSyntheticCamera({
    listen: { host: '127.0.0.1', port },
    clip: options.clip ?? (await clip),
    clock: systemClock,
    log: silentLog,
    ...options,
  });
}

/** `gopSec`: from one key frame to the next. */
export async function makeClip(
  widthPx: number,
  heightPx: number,
  { gopSec = 1, bitrateBitsPerSec = 400_000 } = {},
): Promise<Clip> {
  const { path: ffmpegPath } = await findFfmpeg({});
  return loadClip({
    ffmpegPath,
    cacheDir: CLIP_CACHE,
    widthPx,
    heightPx,
    fps: FRAMES_PER_SEC,
    gopSec,
    bitrateBitsPerSec,
    audio: true,
  });
}
