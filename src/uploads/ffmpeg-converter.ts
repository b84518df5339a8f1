/**
 * Makes files that we carry of files that we do not: other containers, other codecs. The work is a jailed ffmpeg's, which
 * gets the file through its standard input and opens nothing itself. It yields to live streams.
 */

import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { GatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import {
  clipCommand,
  clipProbeCommand,
  type FfmpegCommandLine,
  PROGRESS_FD,
  type WorkerPlan,
} from '../ffmpeg/command.ts';
import { exitReason, type WorkerExit } from '../ffmpeg/exit-reason.ts';
import type { FfmpegBinary } from '../ffmpeg/find-ffmpeg.ts';
import type { Worker } from '../ffmpeg/worker.ts';
import { CLIP_CORES } from '../ffmpeg/worker-cores.ts';
import type { WorkerPool } from '../ffmpeg/worker-pool.ts';
import { InputDescription } from '../sources/ffmpeg/worker-plan.ts';
import { type ClipConverter, MAX_CLIP_MS } from './clip-import.ts';
import {
  CONVERSION_BOUNDS,
  type ConversionBounds,
  expectPixels,
  MAX_CONVERSION_MS,
  MAX_DECLARED_FRAMES_PER_SEC,
  MAX_PROBE_CPU_SEC,
  outOfTime,
} from './conversion-cost.ts';
import { UPLOAD_ERRORS } from './errors.ts';
import type { ForeignClip, Spool } from './spool-protocol.ts';
import { STEP_BYTES } from './upload-room.ts';

export interface FfmpegConverterOptions {
  readonly spool: Spool;
  readonly pool: Pick<WorkerPool, 'startYielding'>;
  readonly binary: FfmpegBinary;
  /** Limit of its output. */
  readonly maxBytes: number;
  /** Room to leave on the disk. */
  readonly minFreeBytes: number;
  /** Default: CONVERSION_BOUNDS. */
  readonly bounds?: ConversionBounds;
  readonly log: Log;
}

const READ_BYTES = 256 * 1_024;
const PROGRESS_FRAMES = /^frame=\s*(\d+)$/;
/** ffmpeg ends by itself when its time is over, and says so. */
const OUT_OF_CPU_TIME = /received signal 24\b/;
/** Signals that end a worker from outside. */
const OUTER_SIGNALS: ReadonlySet<string | null> = new Set(['SIGTERM', 'SIGKILL']);

/** A worker's task. */
interface Probed {
  readonly plan: WorkerPlan;
  /** Pixels of one frame; null: the video is copied, and costs nothing. */
  readonly framePx: number | null;
}

interface Started {
  readonly worker: Worker;
  readonly description: InputDescription;
  readonly cpuSec: number;
  /** Ended because it hung. */
  readonly overdue: AbortSignal;
}

export class FfmpegConverter implements ClipConverter {
  readonly #options: FfmpegConverterOptions;
  readonly #bounds: ConversionBounds;

  constructor(options: FfmpegConverterOptions) {
    this.#options = options;
    this.#bounds = options.bounds ?? CONVERSION_BOUNDS;
  }

  async convert(
    from: string,
    to: string,
    found: ForeignClip,
    organization: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { pixels, cpuSec } = this.#bounds;
    if (found.framePx !== null && found.frames !== null) expectPixels(found.framePx, found.frames, pixels);
    const { plan, framePx } = await this.#probe(from, found, organization, signal);
    await this.#options.spool.call({ name: 'create', file: to });
    const line = clipCommand(plan, this.#options.binary.major);
    const started = await this.#start(line, cpuSec, organization, signal);
    const { worker } = started;
    const fed = this.#feed(worker.stdin!, from, found.isIsoMedia);
    let frames = 0;
    const counted = countFrames(worker, (count) => {
      frames = count;
      if (framePx !== null) expectPixels(framePx, count, pixels);
    });
    try {
      // A conversion that has cost too much ends here, although its output may still come.
      await Promise.all([this.#store(worker, to), counted]);
    } catch (thrown) {
      await worker.kill();
      throw thrown;
    } finally {
      await fed;
    }
    const exit = await worker.exited;
    if (exit.code !== 0) throw this.#failure(from, started, exit, frames);
  }

  #failure(
    file: string,
    { worker, overdue, cpuSec }: Started,
    exit: WorkerExit,
    frames: number,
  ): GatewayError {
    if (isOutOfCpuTime(exit)) return outOfTime(cpuSec, frames);
    if (overdue.aborted) return outOfTime(MAX_CONVERSION_MS / 1_000, frames);
    // Its slot was needed, or the gateway stops: ffmpeg ends by itself when it is asked to.
    if (worker.isEnding || OUTER_SIGNALS.has(exit.signal)) {
      return new GatewayError(UPLOAD_ERRORS.UPLOAD_INTERRUPTED, {});
    }
    const error = exitReason(exit);
    this.#options.log.info({ file, err: error }, 'clip not converted');
    return new GatewayError(UPLOAD_ERRORS.UPLOAD_NOT_SUPPORTED, { cause: error.code }, error);
  }

  /** Lets ffmpeg probe the file. Fails UPLOAD_NOT_SUPPORTED, UPLOAD_TOO_LONG, UPLOAD_TOO_COSTLY. */
  async #probe(from: string, found: ForeignClip, organization: string, signal: AbortSignal): Promise<Probed> {
    const { worker, description } = await this.#start(
      clipProbeCommand(),
      MAX_PROBE_CPU_SEC,
      organization,
      signal,
    );
    worker.stdout.resume();
    worker.extra?.resume();
    await this.#feed(worker.stdin!, from, found.isIsoMedia);
    const exit = await worker.exited;
    if (isOutOfCpuTime(exit)) throw outOfTime(MAX_PROBE_CPU_SEC, 0);
    const { plan } = description;
    if (plan !== null) return expectAffordable(plan, description, found, this.#bounds);
    if (worker.isEnding || OUTER_SIGNALS.has(exit.signal)) {
      throw new GatewayError(UPLOAD_ERRORS.UPLOAD_INTERRUPTED, {});
    }
    throw new GatewayError(UPLOAD_ERRORS.UPLOAD_NOT_SUPPORTED, { what: 'no video' });
  }

  async #start(
    line: FfmpegCommandLine,
    cpuSec: number,
    organization: string,
    signal: AbortSignal,
  ): Promise<Started> {
    const { pool, binary } = this.#options;
    const description = new InputDescription();
    const worker = await pool.startYielding(
      {
        ffmpegPath: binary.path,
        line,
        network: null,
        extraFd: PROGRESS_FD,
        cpuSec,
        onStderrLine: (text) => description.read(text),
      },
      signal,
      { purpose: 'clip', cores: CLIP_CORES, organization },
    );
    // The pool does not end what runs.
    const overdue = AbortSignal.timeout(MAX_CONVERSION_MS);
    const ending = AbortSignal.any([signal, overdue]);
    ending.addEventListener('abort', () => void worker.kill(), { once: true });
    return { worker, description, cpuSec, overdue };
  }

  /** Resolves when all is written, or nothing more is read. */
  async #feed(stdin: Writable, from: string, isIsoMedia: boolean): Promise<void> {
    const { spool } = this.#options;
    const pieces = await spool.call({ name: 'pieces', file: from, isIsoMedia });
    for (const piece of pieces) {
      if (piece.kind === 'bytes') {
        await write(stdin, piece.bytes);
        continue;
      }
      if (piece.kind === 'units') {
        const { offset, byteLength: length } = piece;
        if (stdin.destroyed) break;
        await write(stdin, await spool.call({ name: 'units', file: from, offset, length }));
        continue;
      }
      for (let done = 0; done < piece.byteLength && !stdin.destroyed; ) {
        const length = Math.min(READ_BYTES, piece.byteLength - done);
        const bytes = await spool.call({ name: 'read', file: from, offset: piece.offset + done, length });
        await write(stdin, bytes);
        done += length;
      }
    }
    stdin.end();
  }

  async #store(worker: Worker, to: string): Promise<void> {
    const { spool, maxBytes, minFreeBytes } = this.#options;
    let offset = 0;
    let roomBytes = 0;
    for await (const chunk of worker.stdout) {
      const bytes = new Uint8Array(chunk as Buffer);
      if (offset + bytes.length > roomBytes) {
        const freeBytes = await spool.call({ name: 'freeBytes' });
        roomBytes = offset + STEP_BYTES;
        if (freeBytes - STEP_BYTES < minFreeBytes) throw new GatewayError(UPLOAD_ERRORS.UPLOAD_NO_ROOM, {});
      }
      if (offset + bytes.length > maxBytes)
        throw new GatewayError(UPLOAD_ERRORS.UPLOAD_NOT_SUPPORTED, { maxBytes });
      const { length } = bytes;
      await spool.call({ name: 'append', file: to, offset, bytes });
      offset += length;
    }
  }
}

/** Also resolves if the reader is gone: its end says more. */
function write(stdin: Writable, bytes: Uint8Array): Promise<void> {
  if (stdin.destroyed) return Promise.resolve();
  return new Promise((resolve) => stdin.write(bytes, () => resolve()));
}

/** By what the file declares. Fails UPLOAD_TOO_LONG, UPLOAD_TOO_COSTLY. */
function expectAffordable(
  plan: WorkerPlan,
  { rate, durationSec }: InputDescription,
  found: ForeignClip,
  { pixels }: ConversionBounds,
): Probed {
  if (durationSec !== null && durationSec * 1_000 > MAX_CLIP_MS) {
    throw new GatewayError(UPLOAD_ERRORS.UPLOAD_TOO_LONG, { durationMs: durationSec * 1_000 });
  }
  if (plan.video === 'copy') return { plan, framePx: null };
  const framePx = Math.max(found.framePx ?? 0, rate?.framePx ?? 0);
  const perSec = Math.min(rate?.framesPerSec ?? 0, MAX_DECLARED_FRAMES_PER_SEC);
  expectPixels(framePx, found.frames ?? Math.round((durationSec ?? 0) * perSec), pixels);
  return { plan, framePx };
}

function isOutOfCpuTime({ signal, stderr }: WorkerExit): boolean {
  return signal === 'SIGXCPU' || stderr.some((line) => OUT_OF_CPU_TIME.test(line));
}

/** Calls `onFrames` with the number of finished frames, twice a second. Fails like it. */
async function countFrames({ extra }: Worker, onFrames: (frames: number) => void): Promise<void> {
  if (extra === null) return;
  for await (const line of createInterface({ input: extra })) {
    const frames = PROGRESS_FRAMES.exec(line)?.[1];
    if (frames !== undefined) onFrames(Number(frames));
  }
}
