/**
 * A jailed process that encodes the sound of many cameras as AAC or Opus: native/sound-server.c. It gets samples that this
 * process decoded, never bytes of a camera.
 */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { AUDIO_SAMPLE_RATE_HZ, type FfmpegCommandLine } from './command.ts';
import { FFMPEG_ERRORS } from './errors.ts';
import { exitReason } from './exit-reason.ts';
import type { SharedWork } from './shared-work.ts';
import type { SoundCodec } from './sound-command.ts';
import {
  BODY_AT,
  badOutput,
  INPUT_RECORDS,
  OUTPUT_RECORDS,
  recordOf,
  SoundRecordReader,
} from './sound-records.ts';
import type { Worker } from './worker.ts';
import { servedSoundCores } from './worker-cores.ts';
import type { WorkerPool } from './worker-pool.ts';

/** Where `node native/build.mjs` puts it. */
export const SOUND_SERVER_PATH = fileURLToPath(new URL('../../native/build/sound-server', import.meta.url));
/** Streams of one server, as in native/sound-server.c: a third of a core, of speech. */
export const MAX_SERVED_STREAMS = LIMITS.servedSounds.total;
/** Samples per channel in an AAC frame. The first frame is for as many before the first sample. */
export const AAC_FRAME_SAMPLES = 1_024;
/** Samples in an Opus packet: 20 ms. */
export const OPUS_FRAME_SAMPLES = 960;
/** The first Opus packet begins this many samples before the first sample. RFC 7845 §4.2. */
export const OPUS_PADDING_SAMPLES = 312;
/** Samples that the server has not read: seconds of all streams together. */
export const MAX_UNREAD_BYTES = 4 * 1024 * 1024;
/** Samples went in, but no frame comes out. */
const STALL_MS = 10_000;
/** No samples come: the stream is closed, and a server without streams ends. */
const IDLE_MS = 30_000;
const WATCH_INTERVAL_MS = 1_000;
const CHECK_TIMEOUT_MS = 10_000;
/** Frames that the resampler and the encoder hold back at most. */
const HELD_FRAMES = 3;
/** As OPEN names them, with their frames. */
const CODECS = {
  aac: { code: 1, frameSamples: AAC_FRAME_SAMPLES },
  opus: { code: 2, frameSamples: OPUS_FRAME_SAMPLES },
} as const satisfies Readonly<Record<SoundCodec, object>>;
/** Rounding, and what a resampler may give out early. */
const EARLY_SAMPLES = 64;
/** A server counts as one stream even if it has none. */
const EMPTY_CORES = servedSoundCores('aac', 0, 0);
const NO_ARGUMENTS: FfmpegCommandLine = { args: [], stdin: null };

/** The path of the server if it was built and this system has its libraries; otherwise null. */
export function findSoundServer(path = SOUND_SERVER_PATH): Promise<string | null> {
  return new Promise((resolve) => {
    const limits = { timeout: CHECK_TIMEOUT_MS, killSignal: 'SIGKILL' } as const;
    execFile(path, ['--check'], limits, (error) => resolve(error === null ? path : null));
  });
}

export interface SoundServerOptions {
  /** The result of `findSoundServer`. */
  readonly path: string;
  readonly pool: WorkerPool;
  readonly clock: Clock;
}

/** Called later, and never after `close` of the stream. */
export interface EncodedStreamEvents {
  /**
   * A raw AAC-LC frame of AUDIO_SAMPLE_RATE_HZ, or an Opus packet; borrowed. They come in the order of the samples, without a gap.
   */
  onFrame(frame: Uint8Array): void;
  /** Nothing more comes: the encoder failed, no samples came for IDLE_MS, or the server ended. */
  onEnded(reason: 'failed' | 'idle' | 'server'): void;
}

/** The sound of one camera. */
export interface EncodedStream {
  /** `count` samples, channels interleaved and complete, of which a copy is made; at most 32768. */
  write(samples: Int16Array, count: number): void;
  /** Idempotent. */
  close(): void;
}

export interface ServedFormat {
  /** What comes out. Opus is always mono. */
  readonly codec: SoundCodec;
  /** 8 to 48 kHz. */
  readonly sampleRateHz: number;
  readonly channelCount: 1 | 2;
}

export class SoundServer {
  /** Why the process is gone; null: it had nothing to do, or `close` was called. */
  readonly ended: Promise<GatewayError | null>;
  readonly #worker: Worker;
  readonly #pool: WorkerPool;
  readonly #clock: Clock;
  readonly #streams = new Map<number, ServedStream>();
  #nextId = 1;
  #failure: GatewayError | null = null;
  #isClosed = false;
  #watchTimer: TimerHandle;
  #hasProgress = false;
  #stuckSinceMonoMs: number;
  #emptySinceMonoMs: number;

  private constructor(worker: Worker, { pool, clock }: SoundServerOptions) {
    this.#worker = worker;
    this.#pool = pool;
    this.#clock = clock;
    this.#stuckSinceMonoMs = clock.monoMs();
    this.#emptySinceMonoMs = clock.monoMs();
    const reader = new SoundRecordReader((id, kind, body) => this.#take(id, kind, body));
    worker.stdout.on('data', (chunk: Buffer) => {
      if (this.#isEnding) return;
      try {
        reader.push(chunk);
      } catch (error) {
        this.#fail(toGatewayError(error));
      }
    });
    this.#watchTimer = clock.after(WATCH_INTERVAL_MS, () => this.#watch());
    this.ended = this.#run();
  }

  /** `shared`: the cameras that want it, as the pool weighs them. Fails like `WorkerPool.startYielding`. */
  static async start(
    options: SoundServerOptions,
    signal: AbortSignal,
    shared: () => SharedWork,
  ): Promise<SoundServer> {
    const worker = await options.pool.startYielding(
      { ffmpegPath: options.path, line: NO_ARGUMENTS, network: null, extraFd: null },
      signal,
      { purpose: 'sound', cores: EMPTY_CORES, shared },
    );
    return new SoundServer(worker, options);
  }

  get pid(): number {
    return this.#worker.pid;
  }

  get isFull(): boolean {
    return this.#streams.size >= MAX_SERVED_STREAMS;
  }

  /** null: it is full or ending, or the pool has no cores left for another stream of this organization. */
  open(
    { codec, sampleRateHz, channelCount }: ServedFormat,
    events: EncodedStreamEvents,
    organization?: string,
  ): EncodedStream | null {
    if (this.isFull || this.#isEnding) return null;
    const id = this.#nextId++;
    const stream = new ServedStream(
      id,
      this,
      { codec, sampleRateHz, channelCount },
      events,
      this.#clock.monoMs(),
    );
    this.#streams.set(id, stream);
    if (!this.#resize(organization)) {
      this.#streams.delete(id);
      return null;
    }
    const record = recordOf(id, INPUT_RECORDS.open, 12);
    record.writeUInt32LE(sampleRateHz, BODY_AT);
    record.writeUInt32LE(channelCount, BODY_AT + 4);
    record.writeUInt32LE(CODECS[codec].code, BODY_AT + 8);
    this.#write(record);
    return stream;
  }

  /** Resolves when the process is gone. No stream hears of it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#streams.clear();
    await this.#worker.kill();
  }

  writeSamples(stream: ServedStream, samples: Int16Array, count: number): void {
    if (!this.#streams.has(stream.id)) return;
    stream.noteSamples(count, this.#clock.monoMs());
    const bytes = Buffer.from(samples.buffer, samples.byteOffset, count * samples.BYTES_PER_ELEMENT);
    const record = recordOf(stream.id, INPUT_RECORDS.samples, bytes.length);
    bytes.copy(record, BODY_AT);
    this.#write(record);
  }

  closeStream(stream: ServedStream): void {
    if (!this.#forget(stream.id)) return;
    this.#write(recordOf(stream.id, INPUT_RECORDS.close, 0));
  }

  get #isEnding(): boolean {
    return this.#isClosed || this.#failure !== null;
  }

  #write(record: Buffer): void {
    const { stdin } = this.#worker;
    if (stdin === null || this.#isEnding) return;
    stdin.write(record);
    if (stdin.writableLength > MAX_UNREAD_BYTES) this.#fail(stalled('input'));
  }

  #take(id: number, kind: number, body: Buffer): void {
    const stream = this.#streams.get(id);
    if (kind !== OUTPUT_RECORDS.frame && kind !== OUTPUT_RECORDS.failed) throw badOutput('unknown record');
    this.#hasProgress = true;
    // The record was on its way when the stream was closed.
    if (stream === undefined) {
      if (id >= this.#nextId) throw badOutput('unknown stream');
    } else if (kind === OUTPUT_RECORDS.frame) {
      if (!stream.mayHaveFrame || body.length === 0) throw badOutput('more than the samples');
      stream.takeFrame(body);
    } else {
      this.#forget(id);
      stream.events.onEnded('failed');
    }
  }

  #forget(id: number): boolean {
    if (!this.#streams.delete(id)) return false;
    if (this.#streams.size === 0) this.#emptySinceMonoMs = this.#clock.monoMs();
    this.#resize();
    return true;
  }

  /** Tells the pool what the streams cost. Whether it has the room. */
  #resize(organization?: string): boolean {
    let cores = 0;
    for (const stream of this.#streams.values()) cores += stream.cores;
    return this.#pool.resize(this.#worker, Math.max(EMPTY_CORES, cores), organization);
  }

  async #run(): Promise<GatewayError | null> {
    const exit = await this.#worker.exited;
    this.#watchTimer.cancel();
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    const error = this.#failure ?? (this.#isClosed ? null : exitReason(exit));
    this.#isClosed = true;
    for (const stream of streams) stream.events.onEnded('server');
    return error;
  }

  #watch(): void {
    const nowMonoMs = this.#clock.monoMs();
    this.#watchTimer = this.#clock.after(WATCH_INTERVAL_MS, () => this.#watch());
    for (const stream of this.#streams.values()) {
      if (nowMonoMs - stream.lastInputMonoMs < IDLE_MS) continue;
      this.closeStream(stream);
      stream.events.onEnded('idle');
    }
    const isOwed = this.#streams.values().some((stream) => stream.isOwedFrames);
    if (this.#hasProgress || !isOwed) this.#stuckSinceMonoMs = nowMonoMs;
    this.#hasProgress = false;
    if (nowMonoMs - this.#stuckSinceMonoMs >= STALL_MS) this.#fail(stalled('output'));
    else if (this.#streams.size === 0 && nowMonoMs - this.#emptySinceMonoMs >= IDLE_MS) void this.close();
  }

  #fail(error: GatewayError): void {
    if (this.#isEnding) return;
    this.#failure = error;
    void this.#worker.kill();
  }
}

class ServedStream implements EncodedStream {
  readonly id: number;
  readonly events: EncodedStreamEvents;
  /** Expected use of processor time. */
  readonly cores: number;
  readonly #server: SoundServer;
  /** At the encoder's rate, for each sample of any channel that goes in. */
  readonly #samplesPerInput: number;
  /** At the encoder's rate, per channel, in a frame. */
  readonly #frameSamples: number;
  lastInputMonoMs: number;
  /** At the encoder's rate, per channel. */
  #samplesIn = 0;
  #samplesOut = 0;

  constructor(
    id: number,
    server: SoundServer,
    { codec, sampleRateHz, channelCount }: ServedFormat,
    events: EncodedStreamEvents,
    nowMonoMs: number,
  ) {
    this.id = id;
    this.events = events;
    this.cores = servedSoundCores(codec, sampleRateHz, channelCount);
    this.#frameSamples = CODECS[codec].frameSamples;
    this.#server = server;
    this.#samplesPerInput = AUDIO_SAMPLE_RATE_HZ / sampleRateHz / channelCount;
    this.lastInputMonoMs = nowMonoMs;
  }

  write(samples: Int16Array, count: number): void {
    this.#server.writeSamples(this, samples, count);
  }

  close(): void {
    this.#server.closeStream(this);
  }

  noteSamples(count: number, nowMonoMs: number): void {
    this.lastInputMonoMs = nowMonoMs;
    this.#samplesIn += count * this.#samplesPerInput;
  }

  /** Whether it has put in the samples of another frame. */
  get mayHaveFrame(): boolean {
    return this.#samplesOut + this.#frameSamples <= this.#samplesIn + EARLY_SAMPLES;
  }

  /** Whether a frame should have come. */
  get isOwedFrames(): boolean {
    return this.#samplesOut + HELD_FRAMES * this.#frameSamples < this.#samplesIn;
  }

  takeFrame(frame: Uint8Array): void {
    this.#samplesOut += this.#frameSamples;
    this.events.onFrame(frame);
  }
}

function stalled(side: 'input' | 'output'): GatewayError {
  return new GatewayError(FFMPEG_ERRORS.FFMPEG_STALLED, { side });
}
