/** An MP4 as one that every device plays, made by a jailed worker while it is sent. So nothing of it is stored. */

import type { Writable } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import { DeadlinePassed, untilAborted, withDeadline } from '../core/deadline.ts';
import { GatewayError } from '../core/errors.ts';
import { fileCommand } from './command.ts';
import { FFMPEG_ERRORS } from './errors.ts';
import { exitReason } from './exit-reason.ts';
import type { FfmpegBinary } from './find-ffmpeg.ts';
import type { Polygon } from './mask-boxes.ts';
import { ownerOf, type WorkerCamera } from './start-request.ts';
import type { Worker } from './worker.ts';
import { CLIP_CORES } from './worker-cores.ts';
import type { WorkerPool } from './worker-pool.ts';

export interface FileEncoderOptions {
  readonly pool: Pick<WorkerPool, 'start'>;
  readonly binary: FfmpegBinary;
  readonly clock: Clock;
}

/** Bytes on loan. */
export interface SourceBlock {
  readonly buffers: readonly Buffer[];
  release(): void;
}

export interface FileToEncode {
  /** An MP4 whose `moov` comes first. */
  readonly source: AsyncIterable<SourceBlock>;
  readonly durationMs: number;
  readonly hasAudio: boolean;
  readonly masks: readonly Polygon[];
  readonly camera: WorkerCamera;
}

/** Without output for so long, although it would be taken. */
const STALL_MS = 30_000;
/** Eight times what 1080p at 25 frames per second takes. */
const CPU_SEC_PER_SEC = 4;
const LEAST_CPU_SEC = 60;

export class FileEncoder {
  readonly #options: FileEncoderOptions;

  constructor(options: FileEncoderOptions) {
    this.#options = options;
  }

  /**
   * A fragmented MP4 in pieces, as they are made. The worker waits while no one takes them, and ends with `ending`, or when the caller
   * takes no more. Fails like `WorkerPool.start` and `source`, FFMPEG_TOO_SLOW, FFMPEG_NO_VIDEO, or as the worker ended.
   */
  async *encode(file: FileToEncode, ending: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    const { pool, binary, clock } = this.#options;
    const { source, masks, hasAudio, durationMs, camera } = file;
    const line = fileCommand(binary.major, { masks, hasAudio });
    const cpuSec = LEAST_CPU_SEC + Math.ceil((durationMs / 1_000) * CPU_SEC_PER_SEC);
    const worker = await pool.start(
      { ffmpegPath: binary.path, line, network: null, extraFd: null, cpuSec },
      ending,
      { purpose: 'past', ...ownerOf(camera), cores: CLIP_CORES },
    );
    const end = (): void => void worker.kill();
    ending.addEventListener('abort', end, { once: true });
    if (ending.aborted) end();
    const feeding = feed(worker, source);
    // Its failure counts when the output has ended.
    feeding.catch(() => undefined);
    let isEmpty = true;
    try {
      const output = worker.stdout[Symbol.asyncIterator]();
      for (;;) {
        const { value, done } = await nextOf(output, clock, ending);
        if (done === true) break;
        isEmpty = false;
        yield value as Buffer;
      }
      await feeding;
      const exit = await worker.exited;
      ending.throwIfAborted();
      if (exit.gaveWay !== undefined) throw exit.gaveWay;
      if (exit.code !== 0) throw exitReason(exit);
      if (isEmpty) throw new GatewayError(FFMPEG_ERRORS.FFMPEG_NO_VIDEO);
    } finally {
      ending.removeEventListener('abort', end);
      end();
    }
  }
}

async function nextOf(
  output: AsyncIterator<unknown>,
  clock: Clock,
  ending: AbortSignal,
): Promise<IteratorResult<unknown, unknown>> {
  try {
    return await withDeadline(clock, STALL_MS, (signal) => untilAborted(output.next(), signal), ending);
  } catch (thrown) {
    throw thrown instanceof DeadlinePassed ? new GatewayError(FFMPEG_ERRORS.FFMPEG_TOO_SLOW) : thrown;
  }
}

/** Resolves when all was taken, or the worker takes no more. A source that fails ends the worker. */
async function feed(worker: Worker, source: AsyncIterable<SourceBlock>): Promise<void> {
  const stdin = worker.stdin!;
  try {
    for await (const { buffers, release } of source) {
      try {
        for (const buffer of buffers) await written(stdin, buffer);
      } finally {
        release();
      }
      if (stdin.destroyed) return;
    }
    stdin.end();
  } catch (thrown) {
    void worker.kill();
    throw thrown;
  }
}

/** Also resolves if the reader is gone: its end says more. */
function written(stdin: Writable, bytes: Buffer): Promise<void> {
  if (stdin.destroyed) return Promise.resolve();
  return new Promise((resolve) => stdin.write(bytes, () => resolve()));
}
