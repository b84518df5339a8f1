/**
 * H.264 of a recorded Media Segment, by a worker of its own. So the result depends on the segment alone: any node can make it, in any
 * order, and a worker is taken only as long as it works. ffmpeg starts in a tenth of the time that two seconds of 1080p take.
 */

import type { H264Track, Track } from '../codec/track.ts';
import type { Clock } from '../core/clock.ts';
import { isLate, withDeadline } from '../core/deadline.ts';
import { GatewayError } from '../core/errors.ts';
import { FragmentReader } from '../isobmff/fragment-reader.ts';
import { TIMESTAMP_OFFSET_SEC, transcodeCommand, VIDEO_TIMESCALE_HZ } from './command.ts';
import { FFMPEG_ERRORS } from './errors.ts';
import { exitReason } from './exit-reason.ts';
import type { FfmpegBinary } from './find-ffmpeg.ts';
import type { Polygon } from './mask-boxes.ts';
import { ownerOf, type StartRequest, type WorkerCamera } from './start-request.ts';
import type { Worker } from './worker.ts';
import type { WorkerPool } from './worker-pool.ts';

export interface SegmentEncoderOptions {
  readonly pool: Pick<WorkerPool, 'start'>;
  readonly binary: FfmpegBinary;
  readonly clock: Clock;
}

export interface SegmentToEncode {
  /** `ftyp moov`, then `moof mdat` once or more; one video track. */
  readonly fmp4: readonly Uint8Array[];
  readonly camera: WorkerCamera;
  readonly urgency: NonNullable<StartRequest['urgency']>;
  /** Black in every picture. */
  readonly masks: readonly Polygon[];
  /** Ends the work. */
  readonly ending: AbortSignal;
}

/** A picture, in the order in which pictures are shown, which is also that of decoding. */
export interface EncodedPicture {
  /** As in the file, in ticks of VIDEO_TIMESCALE_HZ. */
  readonly ptsTicks: number;
  readonly isKey: boolean;
  /** An access unit with lengths (ISO/IEC 14496-15). */
  readonly data: Buffer;
}

export interface EncodedSegment {
  readonly track: H264Track;
  /** At least one; the first is a key frame. */
  readonly pictures: readonly EncodedPicture[];
}

/** Much longer than the longest segment (20 s) takes on a machine that has time for it. */
const DEADLINE_MS = 60_000;
const MAX_CPU_SEC = 60;
/** A segment of 20 s at the encoder's bit rate has 10 MB. */
const MAX_ENCODED_BYTES = 32 * 1_048_576;
/** Half of a core as long as it works, as fast as it can on what live workers leave. */
const CORES = 0.5;
const DECODER_THREADS = 2;

export class SegmentEncoder {
  readonly #options: SegmentEncoderOptions;

  constructor(options: SegmentEncoderOptions) {
    this.#options = options;
  }

  /** Fails like `WorkerPool.start`, FFMPEG_TOO_SLOW, FFMPEG_NO_VIDEO, as the worker ended, or with the reason of `ending`. */
  encode(segment: SegmentToEncode): Promise<EncodedSegment> {
    const { clock } = this.#options;
    return withDeadline(clock, DEADLINE_MS, (signal) => this.#run(segment, signal), segment.ending);
  }

  async #run(
    { fmp4, camera, urgency, masks }: SegmentToEncode,
    signal: AbortSignal,
  ): Promise<EncodedSegment> {
    const { pool, binary } = this.#options;
    const line = transcodeCommand(binary.major, { masks, decoderThreads: DECODER_THREADS });
    const worker = await pool.start(
      { ffmpegPath: binary.path, line, network: null, extraFd: null, cpuSec: MAX_CPU_SEC },
      signal,
      { purpose: 'past', ...ownerOf(camera), cores: CORES, urgency },
    );
    const end = (): void => void worker.kill();
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    try {
      for (const bytes of fmp4) worker.stdin!.write(bytes);
      worker.stdin!.end();
      return await collect(worker, signal);
    } finally {
      signal.removeEventListener('abort', end);
    }
  }
}

/** Reads until the worker is gone. */
async function collect(worker: Worker, signal: AbortSignal): Promise<EncodedSegment> {
  const output = new Pictures();
  let failure: unknown = null;
  worker.stdout.on('data', (chunk: Buffer) => {
    if (failure !== null) return;
    try {
      output.push(chunk);
    } catch (thrown) {
      failure = thrown;
      void worker.kill();
    }
  });
  const exit = await worker.exited;
  if (failure !== null) throw failure;
  if (isLate(signal)) throw new GatewayError(FFMPEG_ERRORS.FFMPEG_TOO_SLOW);
  signal.throwIfAborted();
  if (exit.gaveWay !== undefined) throw exit.gaveWay;
  if (exit.code !== 0) throw exitReason(exit);
  const { track, pictures } = output;
  if (track === null || pictures[0]?.isKey !== true) throw new GatewayError(FFMPEG_ERRORS.FFMPEG_NO_VIDEO);
  return { track, pictures };
}

/** The pictures in a worker's output. */
class Pictures {
  track: H264Track | null = null;
  readonly pictures: EncodedPicture[] = [];
  readonly #reader = new FragmentReader({
    onTracks: ([video]) => this.#open(video),
    onSample: (_index, _dtsTicks, ptsTicks, isKey, data) => {
      const shiftedTicks = ptsTicks - TIMESTAMP_OFFSET_SEC * VIDEO_TIMESCALE_HZ;
      this.pictures.push({ ptsTicks: shiftedTicks, isKey, data: Buffer.from(data) });
    },
  });
  #byteLength = 0;

  push(chunk: Buffer): void {
    this.#byteLength += chunk.length;
    if (this.#byteLength > MAX_ENCODED_BYTES) throw new GatewayError(FFMPEG_ERRORS.FFMPEG_FLOOD);
    this.#reader.push(chunk);
  }

  #open(video: Track | undefined): void {
    if (video?.kind === 'video' && video.codec === 'h264') this.track = video;
  }
}
