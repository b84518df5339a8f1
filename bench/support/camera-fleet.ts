/**
 * Child module: many synthetic cameras in one process. Each has its own phase, so that their frames come at different
 * moments and their key frames are spread over the group of pictures; cameras of one kind share a clip.
 */

import { clipCacheFolder } from '../../src/app/process/clip-cache.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { findFfmpeg } from '../../src/ffmpeg/find-ffmpeg.ts';
import { type Clip, loadClip } from '../../src/synthetic-camera/clip.ts';
import { withPcmuSound } from '../../src/synthetic-camera/pcmu-sound-fixture.ts';
import { type SyntheticCamera, startSyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { responseParent } from './child-module.ts';

export type CameraKind = 'H.264' | 'H.264+AAC' | 'H.264+G.711' | 'H.265+AAC' | 'H.265+G.711';

export interface FleetOptions {
  readonly cameras: number;
  /** Kinds of the cameras, in turn. Default: H.264 without audio. */
  readonly kinds?: readonly CameraKind[];
  readonly widthPx: number;
  readonly heightPx: number;
  readonly bitrateBitsPerSec: number;
}

export interface CameraFleetCalls {
  /** Returns one address per camera. */
  start(options: FleetOptions): Promise<string[]>;
  playingClients(nothing: null): number;
}

export const FLEET_FPS = 25;
export const FLEET_GOP_SEC = 2;
const CLIP_SEC = 10;
/**
 * Multiples of it, without their whole part, fill the time between 0 and 1 evenly however many there are, and so do
 * their remainders within a frame's time: no two cameras coincide.
 */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;

const servers: SyntheticCamera[] = [];

async function start({ cameras, kinds = ['H.264'], ...picture }: FleetOptions): Promise<string[]> {
  const clips = new Map<CameraKind, Clip>();
  for (const kind of kinds) clips.set(kind, await clipOf(kind, picture));
  const baseMonoMs = systemClock.monoMs();
  for (let camera = 0; camera < cameras; camera++) {
    const phaseMs = ((camera * GOLDEN_RATIO) % 1) * FLEET_GOP_SEC * 1_000;
    servers.push(
      await startSyntheticCamera({
        listen: { host: '127.0.0.1', port: 0 },
        clip: clips.get(kinds[camera % kinds.length]!)!,
        startedAgoMs: systemClock.monoMs() - baseMonoMs + phaseMs,
        clock: systemClock,
        log: silentLog,
      }),
    );
  }
  return servers.slice(-cameras).map((server) => server.url);
}

async function clipOf(
  kind: CameraKind,
  picture: Pick<FleetOptions, 'widthPx' | 'heightPx' | 'bitrateBitsPerSec'>,
): Promise<Clip> {
  const { path: ffmpegPath } = await findFfmpeg({});
  const [codec, sound] = kind.split('+');
  const clip = await loadClip({
    ...picture,
    ffmpegPath,
    cacheDir: clipCacheFolder(process.env),
    fps: FLEET_FPS,
    gopSec: FLEET_GOP_SEC,
    durationSec: CLIP_SEC,
    audio: sound === 'AAC',
    ...(codec === 'H.265' ? { codec: 'h265' as const } : {}),
  });
  return sound === 'G.711' ? withPcmuSound(clip) : clip;
}

const calls: CameraFleetCalls = {
  start,
  playingClients: () => servers.reduce((sum, server) => sum + server.playingClients(), 0),
};

responseParent(calls);
