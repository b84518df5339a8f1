/** Synthetic cameras in the test's own process: small frames, a key frame every second unless specified otherwise. */

import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { findFfmpeg } from '../../src/ffmpeg/find-ffmpeg.ts';
import { type Clip, type LoadClipOptions, loadClip } from '../../src/synthetic-camera/clip.ts';
import { withPcmuSound } from '../../src/synthetic-camera/pcmu-sound-fixture.ts';
import {
  type SyntheticCamera,
  type SyntheticCameraOptions,
  startSyntheticCamera,
} from '../../src/synthetic-camera/synthetic-camera.ts';
import { CLIP_CACHE } from './gateway.ts';

export const FRAMES_PER_SEC = 25;

let clip: Promise<Clip> | null = null;

/**
 * `port`: the same as before, to let a camera reconnect. `host`: of this machine, if not 127.0.0.1. `clip`: from
 * `makeClip`. `isPcmu`: its audio is G.711.
 */
export async function startCamera(
  port = 0,
  options: Partial<
    Pick<
      SyntheticCameraOptions,
      'clip' | 'credentials' | 'faults' | 'habits' | 'transports' | 'maxClients' | 'startedAgoMs'
    >
  > & { readonly host?: string; readonly isPcmu?: boolean } = {},
): Promise<SyntheticCamera> {
  const { host = '127.0.0.1', isPcmu = false, ...others } = options;
  const played = options.clip ?? (await smallClip());
  return startSyntheticCamera({
    listen: { host, port },
    clock: systemClock,
    log: silentLog,
    ...others,
    clip: isPcmu ? withPcmuSound(played) : played,
  });
}

function smallClip(): Promise<Clip> {
  clip ??= makeClip(320, 180);
  return clip;
}

export async function makeClip(
  widthPx: number,
  heightPx: number,
  options: Partial<LoadClipOptions> = {},
): Promise<Clip> {
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
    ...options,
  });
}

/** Small frames in as many packets as large ones take: 4 Mbit/s, about 15 packets per frame, a key frame every 2 s. */
export function makeHeavyClip(): Promise<Clip> {
  return makeClip(640, 360, { gopSec: 2, bitrateBitsPerSec: 4_000_000 });
}
