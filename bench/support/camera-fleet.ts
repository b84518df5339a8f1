/**
 * Child module: many synthetic cameras in one process. A few servers that play the same clip, with their key frames
 * spread over the group of pictures, share the cameras between them; the query distinguishes the cameras.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { clipCacheFolder } from '../../src/app/clip-cache.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { findFfmpeg } from '../../src/ffmpeg/find-ffmpeg.ts';
import { loadClip } from '../../src/sources/synthetic-camera/clip.ts';
import {
  type SyntheticCamera,
  startSyntheticCamera,
} from '../../src/sources/synthetic-camera/synthetic-camera.ts';
import { answerParent } from './child-module.ts';

export interface FleetOptions {
  readonly cameras: number;
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
const SERVERS = 10;
/** Not a whole number of frame times: the servers' frames do not coincide either. */
const SERVER_OFFSET_MS = (FLEET_GOP_SEC * 1_000) / SERVERS + 1_000 / FLEET_FPS / SERVERS;

const servers: SyntheticCamera[] = [];

async function start({ cameras, ...picture }: FleetOptions): Promise<string[]> {
  const ffmpeg = await findFfmpeg({});
  const clip = await loadClip({
    ...picture,
    ffmpegPath: ffmpeg.path,
    cacheDir: clipCacheFolder(process.env),
    fps: FLEET_FPS,
    gopSec: FLEET_GOP_SEC,
    durationSec: CLIP_SEC,
    audio: false,
  });
  for (let i = 0; i < Math.min(SERVERS, cameras); i++) {
    if (i > 0) await delay(SERVER_OFFSET_MS);
    const listen = { host: '127.0.0.1', port: 0 };
    servers.push(await startSyntheticCamera({ listen, clip, clock: systemClock, log: silentLog }));
  }
  return Array.from(
    { length: cameras },
    (_, camera) => `${servers[camera % servers.length]!.url}?camera=${camera}`,
  );
}

const calls: CameraFleetCalls = {
  start,
  playingClients: () => servers.reduce((sum, server) => sum + server.playingClients(), 0),
};

answerParent(calls);
