/** The jailed helpers: ffmpeg workers for live streams, and the decoder of posters. */

import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { type FfmpegBinary, findFfmpeg } from '../ffmpeg/find-ffmpeg.ts';
import { createJail, type JailDescription } from '../ffmpeg/jail.ts';
import { WorkerPool } from '../ffmpeg/worker-pool.ts';
import type { Config } from './config/schema.ts';

/** Posters are decoded in addition to the live workers, one at a time and quickly. */
const POSTER_WORKERS = 1;
const POSTER_WAIT_MS = 3_000;

export interface Decoders {
  readonly ffmpeg: FfmpegBinary;
  /** For live streams. */
  readonly workers: WorkerPool;
  readonly posterWorkers: WorkerPool;
  close(): Promise<void>;
}

/** Finds ffmpeg and the jail, and logs what they are. Fails with FFMPEG_NOT_FOUND. */
export async function startDecoders(config: Config['ffmpeg'], clock: Clock, log: Log): Promise<Decoders> {
  const ffmpeg = await findFfmpeg({ configuredPath: config.path ?? undefined });
  const { path, version, origin } = ffmpeg;
  if (ffmpeg.isOutdated) log.warn({ path, version, origin }, 'ffmpeg outdated, install version 5 or newer');
  else log.info({ path, version, origin }, 'ffmpeg found');
  const jail = await createJail();
  logProtections(jail.describe(), log);
  const workers = new WorkerPool({
    maxWorkers: config.maxWorkers,
    waitTimeoutMs: config.queueTimeoutMs,
    jail,
    clock,
  });
  const posterWorkers = new WorkerPool({
    maxWorkers: POSTER_WORKERS,
    waitTimeoutMs: POSTER_WAIT_MS,
    jail,
    clock,
  });
  return {
    ffmpeg,
    workers,
    posterWorkers,
    close: async () => void (await Promise.all([workers.close(), posterWorkers.close()])),
  };
}

/** What the kernel or a missing launcher leaves out is logged once, at startup. */
function logProtections({ launcher, protections }: JailDescription, log: Log): void {
  // A user other than root cannot become another user, and does not need to.
  const wanted = process.getuid?.() === 0 ? protections : { ...protections, unprivilegedUser: true };
  const missing = Object.entries(wanted).flatMap(([name, holds]) => (holds ? [] : [name]));
  if (missing.length === 0) log.info({ launcher }, 'ffmpeg workers run in the jail');
  else log.warn({ launcher, missing }, 'ffmpeg workers run without some protections');
}
