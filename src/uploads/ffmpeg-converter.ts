/**
 * Makes files that we carry of files that we do not: other containers, other codecs. The work is a jailed ffmpeg's, which
 * gets the file through its standard input and opens nothing itself. It yields to live streams.
 */

import type { Writable } from 'node:stream';
import { GatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { clipCommand, clipProbeCommand, type FfmpegCommandLine, type WorkerPlan } from '../ffmpeg/command.ts';
import { exitReason } from '../ffmpeg/exit-reason.ts';
import type { FfmpegBinary } from '../ffmpeg/find-ffmpeg.ts';
import type { Worker } from '../ffmpeg/worker.ts';
import { CLIP_CORES } from '../ffmpeg/worker-cores.ts';
import type { WorkerPool } from '../ffmpeg/worker-pool.ts';
import { InputDescription } from '../sources/ffmpeg/worker-plan.ts';
import type { ClipConverter } from './clip-import.ts';
import { UPLOAD_ERRORS } from './errors.ts';
import type { Spool } from './spool-protocol.ts';

export interface FfmpegConverterOptions {
  readonly spool: Spool;
  readonly pool: Pick<WorkerPool, 'startYielding'>;
  readonly binary: FfmpegBinary;
  /** Of what it may write. */
  readonly maxBytes: number;
  readonly log: Log;
}

/** Longest conversion, waiting included: 90 minutes of video on a slow machine. */
const MAX_CONVERSION_MS = 3 * 3_600_000;
const READ_BYTES = 256 * 1_024;

export class FfmpegConverter implements ClipConverter {
  readonly #options: FfmpegConverterOptions;

  constructor(options: FfmpegConverterOptions) {
    this.#options = options;
  }

  async convert(from: string, to: string, isIsoMedia: boolean, stopping: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(MAX_CONVERSION_MS)]);
    const { spool, log } = this.#options;
    const plan = await this.#probe(from, isIsoMedia, signal);
    await spool.call({ name: 'create', file: to });
    const { worker } = await this.#start(clipCommand(plan, this.#options.binary.major), signal);
    const fed = this.#feed(worker.stdin!, from, isIsoMedia);
    try {
      await this.#store(worker, to);
    } catch (thrown) {
      await worker.kill();
      throw thrown;
    } finally {
      await fed;
    }
    const exit = await worker.exited;
    if (exit.code === 0) return;
    // Its slot was needed, or the gateway stops: ffmpeg ends by itself when it is asked to.
    if (exit.signal !== null || worker.isEnding) throw new GatewayError(UPLOAD_ERRORS.UPLOAD_INTERRUPTED, {});
    const error = exitReason(exit);
    log.info({ file: from, err: error }, 'clip not converted');
    throw new GatewayError(UPLOAD_ERRORS.UPLOAD_NOT_SUPPORTED, { cause: error.code }, error);
  }

  /** What ffmpeg finds in the file. Fails UPLOAD_NOT_SUPPORTED. */
  async #probe(from: string, isIsoMedia: boolean, signal: AbortSignal): Promise<WorkerPlan> {
    const { worker, description } = await this.#start(clipProbeCommand(), signal);
    worker.stdout.resume();
    await this.#feed(worker.stdin!, from, isIsoMedia);
    const exit = await worker.exited;
    const { plan } = description;
    if (plan !== null) return plan;
    if (exit.signal !== null || worker.isEnding) throw new GatewayError(UPLOAD_ERRORS.UPLOAD_INTERRUPTED, {});
    throw new GatewayError(UPLOAD_ERRORS.UPLOAD_NOT_SUPPORTED, { what: 'no video' });
  }

  async #start(
    line: FfmpegCommandLine,
    signal: AbortSignal,
  ): Promise<{ worker: Worker; description: InputDescription }> {
    const { pool, binary } = this.#options;
    const description = new InputDescription();
    const worker = await pool.startYielding(
      {
        ...{ ffmpegPath: binary.path, line, network: null, extraFd: null },
        onStderrLine: (text) => description.read(text),
      },
      signal,
      { purpose: 'clip', cores: CLIP_CORES },
    );
    // The pool does not end what runs.
    signal.addEventListener('abort', () => void worker.kill(), { once: true });
    return { worker, description };
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
    const { spool, maxBytes } = this.#options;
    let offset = 0;
    for await (const chunk of worker.stdout) {
      const bytes = new Uint8Array(chunk as Buffer);
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
