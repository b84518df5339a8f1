/** Synthetic cameras in the test's own process: small pictures, a key frame every second. */

import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { findFfmpeg } from '../../src/ffmpeg/find-ffmpeg.ts';
import { type Clip, loadClip } from '../../src/sources/synthetic-camera/clip.ts';
import { withPcmuSound } from '../../src/sources/synthetic-camera/pcmu-sound.ts';
import {
  type SyntheticCamera,
  type SyntheticCameraOptions,
  startSyntheticCamera,
} from '../../src/sources/synthetic-camera/synthetic-camera.ts';
import { CLIP_CACHE } from './gateway.ts';

export const FRAMES_PER_SEC = 25;

let clip: Promise<Clip> | null = null;

/** `port`: the same as before to let a camera come back. `isPcmu`: its sound is G.711. */
export async function startCamera(
  port = 0,
  options: Pick<SyntheticCameraOptions, 'credentials' | 'faults' | 'maxClients'> & {
    readonly isPcmu?: boolean;
  } = {},
): Promise<SyntheticCamera> {
  clip ??= makeClip(320, 180);
  const { isPcmu = false, ...others } = options;
  return startSyntheticCamera({
    listen: { host: '127.0.0.1', port },
    clip: isPcmu ? withPcmuSound(await clip) : await clip,
    clock: systemClock,
    log: silentLog,
    ...others,
  });
}

export async function makeClip(widthPx: number, heightPx: number): Promise<Clip> {
  const { path: ffmpegPath } = await findFfmpeg({});
  return loadClip({
    ffmpegPath,
    cacheDir: CLIP_CACHE,
    widthPx,
    heightPx,
    fps: FRAMES_PER_SEC,
    gopSec: 1,
    bitrateBitsPerSec: 400_000,
    audio: true,
  });
}
