/** ffmpeg workers for `sluice check`, started when the first stream needs one. */

import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import type { CredentialUrl } from '../../core/secret.ts';
import { type FfmpegBinary, findFfmpeg } from '../../ffmpeg/find-ffmpeg.ts';
import { createJail } from '../../ffmpeg/jail.ts';
import { WorkerPool } from '../../ffmpeg/worker-pool.ts';
import { FfmpegSource } from '../../sources/ffmpeg/ffmpeg-source.ts';
import type { TlsTrust } from '../../sources/network/tls-trust.ts';
import type { ProbeWorkers } from '../../sources/probe.ts';
import { urlWorkerSource } from '../../sources/url-worker.ts';
import type { Config } from '../config/schema.ts';

interface WorkerParts {
  readonly binary: FfmpegBinary;
  readonly pool: WorkerPool;
}

export class CheckWorkers {
  readonly #config: Config['ffmpeg'];
  readonly #timeoutMs: number;
  #parts: Promise<WorkerParts> | null = null;

  /** `timeoutMs`: for one stream. */
  constructor(config: Config['ffmpeg'], timeoutMs: number) {
    this.#config = config;
    this.#timeoutMs = timeoutMs;
  }

  /** Fails FFMPEG_NOT_FOUND. */
  async forCamera(tls: TlsTrust): Promise<ProbeWorkers> {
    this.#parts ??= this.#start();
    const { binary, pool } = await this.#parts;
    const startMs = this.#timeoutMs;
    const common = { binary, pool, clock: systemClock, log: silentLog, tls, startMs };
    return {
      fed: (format, firstPlan, feed) =>
        new FfmpegSource({ ...common, input: { kind: 'fed', format }, firstPlan, feed }),
      ofUrl: (url: CredentialUrl) => urlWorkerSource(url, common),
    };
  }

  async close(): Promise<void> {
    if (this.#parts !== null) await (await this.#parts).pool.close();
  }

  async #start(): Promise<WorkerParts> {
    const { path, maxWorkers } = this.#config;
    const binary = await findFfmpeg({ configuredPath: path ?? undefined });
    const jail = await createJail();
    const pool = new WorkerPool({ maxWorkers, waitTimeoutMs: this.#timeoutMs, jail, clock: systemClock });
    return { binary, pool };
  }
}
