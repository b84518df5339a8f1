/**
 * An ffmpeg that stays loaded and makes one picture after the other, each in a process of its own that ends with the
 * picture: native/picture-server.c, which also describes the bytes. One request at a time.
 */

import { randomBytes } from 'node:crypto';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { type ErrorDefinition, GatewayError } from '../core/errors.ts';
import type { FfmpegCommandLine } from './command.ts';
import { FFMPEG_ERRORS } from './errors.ts';
import type { FfmpegBinary } from './find-ffmpeg.ts';
import type { Worker } from './worker.ts';
import type { WorkerPool } from './worker-pool.ts';

const HELLO = Buffer.from('sluice-picture-server 1\n');
/** Loading ffmpeg's libraries takes a tenth of a second, on a busy machine ten times as long. */
const START_TIMEOUT_MS = 10_000;
const MARK_BYTES = 16;
const STATUS_BYTES = 4;
/** Initial buffer for an output of unknown length; it grows. */
const FIRST_OUTPUT_BYTES = 64 * 1_024;
const HEAD_BYTES = 8;
/** The low bits of a status of wait(2) name the signal that ended a process. */
const SIGNAL_BITS = 0x7f;
const NO_ARGUMENTS: FfmpegCommandLine = { args: [], stdin: null };

export interface PictureServerOptions {
  readonly binary: FfmpegBinary;
  readonly pool: WorkerPool;
  readonly clock: Clock;
}

export interface PictureRequest {
  /** ffmpeg's arguments: it reads the frame from standard input and writes the picture to standard output. */
  readonly args: readonly string[];
  readonly frame: readonly Buffer[];
  /** The limits of the picture's size. */
  readonly minBytes: number;
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** A request under way. */
interface Making {
  readonly mark: Buffer;
  /** The picture, the mark and the status, as far as they have come. */
  output: Buffer;
  readonly minBytes: number;
  readonly maxBytes: number;
  receivedBytes: number;
  stderr: string;
  readonly timer: TimerHandle;
  readonly resolve: (picture: Buffer) => void;
  readonly reject: (error: GatewayError) => void;
}

export class PictureServer {
  readonly #worker: Worker;
  readonly #clock: Clock;
  #making: Making | null = null;
  #isUsable = true;

  private constructor(worker: Worker, clock: Clock) {
    this.#worker = worker;
    this.#clock = clock;
    worker.stdout.on('data', (chunk: Buffer) => this.#take(chunk));
    void worker.exited.then(() => this.#break(FFMPEG_ERRORS.FFMPEG_BAD_PICTURE));
  }

  /** Fails FFMPEG_NO_PICTURE_SERVER if this ffmpeg cannot be one, FFMPEG_POOL_FULL, or like starting a worker. */
  static async start({ binary, pool, clock }: PictureServerOptions): Promise<PictureServer> {
    let server: PictureServer | null = null;
    const worker = await pool.start(
      {
        ffmpegPath: binary.path,
        line: NO_ARGUMENTS,
        network: null,
        extraFd: null,
        isPictureServer: true,
        onStderrLine: (line) => server?.noteStderr(line),
      },
      new AbortController().signal,
      { purpose: 'picture' },
    );
    await greeted(worker, clock);
    server = new PictureServer(worker, clock);
    return server;
  }

  /** It can take another request when the one before has ended. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  /** Used by tests. */
  get pid(): number {
    return this.#worker.pid;
  }

  /**
   * The picture's bytes, which belong to the caller. Fails FFMPEG_BAD_PICTURE and FFMPEG_PICTURE_TIMEOUT. A server whose
   * picture's process crashed or took too long is not usable afterwards: the next one has another layout in memory.
   */
  make({ args, frame, minBytes, maxBytes, timeoutMs }: PictureRequest): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const mark = randomBytes(MARK_BYTES);
    this.#making = {
      mark,
      resolve,
      reject,
      receivedBytes: 0,
      stderr: '',
      minBytes,
      maxBytes,
      output: Buffer.allocUnsafe(
        Math.max(minBytes, Math.min(maxBytes, FIRST_OUTPUT_BYTES)) + MARK_BYTES + STATUS_BYTES,
      ),
      timer: this.#clock.after(timeoutMs, () => this.#break(FFMPEG_ERRORS.FFMPEG_PICTURE_TIMEOUT)),
    };
    const words = Buffer.from(['ffmpeg', ...args].map((word) => `${word}\0`).join(''));
    const head = Buffer.allocUnsafe(HEAD_BYTES);
    head.writeUInt32LE(words.length, 0);
    head.writeUInt32LE(
      frame.reduce((sum, piece) => sum + piece.length, 0),
      4,
    );
    const stdin = this.#worker.stdin!;
    stdin.cork();
    for (const piece of [head, words, ...frame, mark]) stdin.write(piece);
    stdin.uncork();
    return promise;
  }

  /** Resolves when the process is gone. */
  async close(): Promise<void> {
    this.#break(FFMPEG_ERRORS.FFMPEG_CLOSED);
    await this.#worker.kill();
  }

  noteStderr(line: string): void {
    if (this.#making !== null) this.#making.stderr = line;
  }

  /** Whatever ends with the mark is complete: the picture's process is gone, and did not know it. */
  #take(chunk: Buffer): void {
    const making = this.#making;
    if (
      making === null ||
      making.receivedBytes + chunk.length > making.maxBytes + MARK_BYTES + STATUS_BYTES
    ) {
      this.#break(FFMPEG_ERRORS.FFMPEG_BAD_PICTURE);
      return;
    }
    makeRoom(making, chunk.length);
    chunk.copy(making.output, making.receivedBytes);
    making.receivedBytes += chunk.length;
    const pictureBytes = making.receivedBytes - MARK_BYTES - STATUS_BYTES;
    if (pictureBytes < 0) return;
    const statusAt = pictureBytes + MARK_BYTES;
    if (making.output.compare(making.mark, 0, MARK_BYTES, pictureBytes, statusAt) !== 0) return;
    this.#end(making, pictureBytes, making.output.readInt32LE(statusAt));
  }

  #end(making: Making, pictureBytes: number, status: number): void {
    this.#making = null;
    making.timer.cancel();
    const { minBytes, stderr } = making;
    if ((status & SIGNAL_BITS) !== 0) this.#retire();
    if (status === 0 && pictureBytes >= minBytes) {
      making.resolve(making.output.subarray(0, pictureBytes));
      return;
    }
    const context = { receivedBytes: pictureBytes, expectedBytes: minBytes, status, stderr };
    making.reject(new GatewayError(FFMPEG_ERRORS.FFMPEG_BAD_PICTURE, context));
  }

  #break(reason: ErrorDefinition): void {
    const making = this.#making;
    this.#making = null;
    this.#retire();
    if (making === null) return;
    making.timer.cancel();
    const { receivedBytes, stderr } = making;
    making.reject(new GatewayError(reason, { receivedBytes, stderr }));
  }

  #retire(): void {
    if (!this.#isUsable) return;
    this.#isUsable = false;
    void this.#worker.kill();
  }
}

function makeRoom(making: Making, bytes: number): void {
  const neededBytes = making.receivedBytes + bytes;
  if (neededBytes <= making.output.length) return;
  const larger = Buffer.allocUnsafe(Math.max(neededBytes, 2 * making.output.length));
  making.output.copy(larger, 0, 0, making.receivedBytes);
  making.output = larger;
}

/** Resolves when the server has said hello; ends it if it says anything else, or nothing. */
function greeted(worker: Worker, clock: Clock): Promise<void> {
  return new Promise((resolve, reject) => {
    let heard: Buffer = Buffer.alloc(0);
    const end = (): void => {
      timer.cancel();
      worker.stdout.off('data', listen);
    };
    const fail = (): void => {
      end();
      void worker.kill();
      reject(new GatewayError(FFMPEG_ERRORS.FFMPEG_NO_PICTURE_SERVER));
    };
    const listen = (chunk: Buffer): void => {
      heard = Buffer.concat([heard, chunk]);
      if (heard.equals(HELLO)) {
        end();
        resolve();
      } else if (heard.length >= HELLO.length) fail();
    };
    const timer = clock.after(START_TIMEOUT_MS, fail);
    worker.stdout.on('data', listen);
    void worker.exited.then(fail);
  });
}
