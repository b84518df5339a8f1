/** Makes the cameras of the table: the synthetic one with a clip, faults, habits and a login. */

import { systemClock } from '../../../src/core/clock.ts';
import { silentLog } from '../../../src/core/log.ts';
import { Secret } from '../../../src/core/secret.ts';
import { findFfmpeg } from '../../../src/ffmpeg/find-ffmpeg.ts';
import { type Clip, type LoadClipOptions, loadClip } from '../../../src/synthetic-camera/clip.ts';
import { withPcmuSound } from '../../../src/synthetic-camera/pcmu-sound-fixture.ts';
import {
  type SyntheticCameraOptions,
  startSyntheticCamera,
} from '../../../src/synthetic-camera/synthetic-camera.ts';
import { CLIP_CACHE } from '../../../test/support/gateway.ts';
import type { Behaviour, BehaviourCamera, Reading } from './behaviour.ts';

export const SOUNDS = ['none', 'AAC', 'G.711'] as const;
export type SoundKind = (typeof SOUNDS)[number];
export const READINGS: readonly Reading[] = ['tcp', 'udp', 'worker'];

export const USER = 'admin';

export type CameraOptions = Partial<Omit<SyntheticCameraOptions, 'clip' | 'listen' | 'clock' | 'log'>> & {
  readonly clip?: () => Promise<Clip>;
  readonly sound?: SoundKind;
  /** As in the URL. */
  readonly userInfo?: string;
  /** The path that the gateway requests instead of `/stream`. */
  readonly requestedPath?: string;
};

const clips = new Map<string, Promise<Clip>>();

/** Small frames, a key frame every second; each clip is made once. */
export function benchClip(options: Partial<LoadClipOptions> = {}): Promise<Clip> {
  const key = JSON.stringify(options);
  let clip = clips.get(key);
  if (clip === undefined) {
    clip = findFfmpeg({}).then(({ path }) =>
      loadClip({
        ffmpegPath: path,
        cacheDir: CLIP_CACHE,
        widthPx: 320,
        heightPx: 180,
        fps: 25,
        gopSec: 1,
        bitrateBitsPerSec: 400_000,
        audio: true,
        ...options,
      }),
    );
    clips.set(key, clip);
  }
  return clip;
}

/** Packets are made once for each clip, so cameras that play the same clip share them. */
const bySound = { none: new WeakMap<Clip, Clip>(), 'G.711': new WeakMap<Clip, Clip>() };

function withSound(clip: Clip, sound: SoundKind): Clip {
  if (sound === 'AAC') return clip;
  const known = bySound[sound].get(clip);
  if (known !== undefined) return known;
  const made = sound === 'none' ? { ...clip, audio: null } : withPcmuSound(clip);
  bySound[sound].set(clip, made);
  return made;
}

/** How to start a camera; with AAC unless it says otherwise. */
export function camera(options: CameraOptions = {}): Behaviour['start'] {
  const { clip = benchClip, sound = 'AAC', userInfo, requestedPath = '/stream', ...others } = options;
  return async (): Promise<BehaviourCamera> => {
    const whole = await clip();
    const played = withSound(whole, sound);
    const started = await startSyntheticCamera({
      listen: { host: '127.0.0.1', port: 0 },
      clock: systemClock,
      log: silentLog,
      ...others,
      clip: played,
    });
    const login = userInfo === undefined ? '' : `${userInfo}@`;
    const url = `rtsp://${login}127.0.0.1:${started.port}${requestedPath}`;
    return { url, close: () => started.close() };
  };
}

export function credentials(password: string, algorithm: 'MD5' | 'SHA-256' = 'MD5') {
  return { username: USER, password: new Secret(password), algorithm } as const;
}
