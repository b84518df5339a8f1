/** The jailed helpers: ffmpeg workers for live streams, and the decoder of still images. */

import { availableParallelism } from 'node:os';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { type FfmpegBinary, findFfmpeg } from '../../ffmpeg/find-ffmpeg.ts';
import { createJail, type JailDescription } from '../../ffmpeg/jail.ts';
import { findSoundServer, SOUND_SERVER_PATH } from '../../ffmpeg/sound-server.ts';
import { Spawner } from '../../ffmpeg/spawner.ts';
import { WorkerPool } from '../../ffmpeg/worker-pool.ts';
import { forkStarter } from '../../ffmpeg/worker-process.ts';
import { SoundServers } from '../../sources/sound/sound-servers.ts';
import { WarmDecoder } from '../../thumbnails/warm-decoder.ts';
import type { Config } from '../config/schema.ts';

/** Stills are decoded in addition to the live workers, by ffmpegs that stay loaded where possible. */
const STILL_DECODERS = 2;
const STILL_WAIT_MS = 3_000;

export interface Decoders {
  readonly ffmpeg: FfmpegBinary;
  /** Decodes live streams. */
  readonly workers: WorkerPool;
  readonly stills: WarmDecoder;
  /** Processes that encode the sound of many cameras; null: each gets an ffmpeg. */
  readonly soundServers: SoundServers | null;
  close(): Promise<void>;
}

/** Finds ffmpeg and the jail, and logs both. Fails with FFMPEG_NOT_FOUND. */
export async function startDecoders(config: Config['ffmpeg'], clock: Clock, log: Log): Promise<Decoders> {
  const ffmpeg = await findFfmpeg({ configuredPath: config.path ?? undefined });
  const { path, version, origin } = ffmpeg;
  if (ffmpeg.isOutdated) log.warn({ path, version, origin }, 'ffmpeg outdated, install version 5 or newer');
  else log.info({ path, version, origin }, 'ffmpeg found');
  const jail = await createJail();
  logProtections(jail.describe(), log);
  const soundServerPath = await findSoundServer();
  if (soundServerPath === null) {
    log.info({ path: SOUND_SERVER_PATH }, 'sound server not built, a worker per camera makes AAC');
  }
  // Started now, while this process is small. Without the launcher, this process forks as before.
  const { launcherPath } = jail;
  const spawner = launcherPath === undefined ? null : await Spawner.open({ launcherPath, clock, log });
  const workers = new WorkerPool({
    maxWorkers: config.maxWorkers,
    maxCores: config.maxCores ?? availableParallelism(),
    waitTimeoutMs: config.queueTimeoutMs,
    jail,
    clock,
    starter: spawner ?? forkStarter,
  });
  const stillWorkers = new WorkerPool({
    // One more: a server that is being replaced may not be gone yet.
    maxWorkers: STILL_DECODERS + 1,
    waitTimeoutMs: STILL_WAIT_MS,
    jail,
    clock,
    starter: spawner ?? forkStarter,
  });
  const stills = new WarmDecoder({
    binary: ffmpeg,
    pool: stillWorkers,
    clock,
    log,
    slots: STILL_DECODERS,
  });
  // The first still image would otherwise wait for ffmpeg's libraries.
  void stills.warmUp();
  const soundServers =
    soundServerPath === null ? null : new SoundServers({ path: soundServerPath, pool: workers, clock, log });
  return {
    ffmpeg,
    workers,
    stills,
    soundServers,
    close: async () => {
      await Promise.all([workers.close(), stillWorkers.close()]);
      await spawner?.close();
    },
  };
}

/** Logs once, at startup, the protections that the kernel or a missing launcher leaves out. */
function logProtections({ launcher, protections }: JailDescription, log: Log): void {
  // A user other than root cannot become another user, and does not need to.
  const wanted = process.getuid?.() === 0 ? protections : { ...protections, unprivilegedUser: true };
  const missing = Object.entries(wanted).flatMap(([name, holds]) => (holds ? [] : [name]));
  if (missing.length === 0) log.info({ launcher }, 'ffmpeg workers run in the jail');
  else log.warn({ launcher, missing }, 'ffmpeg workers run without some protections');
}
