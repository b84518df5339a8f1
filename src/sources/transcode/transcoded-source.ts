/**
 * H.264 made of another source's video, for viewers whose player cannot decode the camera's format. A jailed ffmpeg worker
 * decodes and encodes; the camera has one connection, that of the other source. Audio is passed on as it is: both keep the
 * other source's timeline.
 *
 * Video that is already H.264 passes through unchanged, without a worker. The worker reads a fragmented MP4 from its
 * standard input, one fragment per frame, and opens nothing.
 */

import type { AccessUnit, CodedTrack, JpegTrack, Track, VideoTrack } from '../../codec/track.ts';
import type { Clock } from '../../core/clock.ts';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { TIMESTAMP_OFFSET_SEC, transcodeCommand, VIDEO_TIMESCALE_HZ } from '../../ffmpeg/command.ts';
import { FFMPEG_ERRORS } from '../../ffmpeg/errors.ts';
import { exitReason } from '../../ffmpeg/exit-reason.ts';
import type { FfmpegBinary } from '../../ffmpeg/find-ffmpeg.ts';
import { coveredShare, type Polygon } from '../../ffmpeg/mask-boxes.ts';
import { ownerOf, type WorkerCamera } from '../../ffmpeg/start-request.ts';
import type { Worker } from '../../ffmpeg/worker.ts';
import { liveCores, maskCores, type PictureRate } from '../../ffmpeg/worker-cores.ts';
import type { WorkerPool } from '../../ffmpeg/worker-pool.ts';
import { KeptUnits } from '../../stream/pictures/kept-units.ts';
import { FloodGuard } from '../../stream/source/flood-guard.ts';
import type { Source, SourceInstance } from '../../stream/source/source.ts';
import type { SourceSink } from '../../stream/source/source-sink.ts';
import type { UnitFeed, UnitReader } from '../../stream/source/unit-feed.ts';
import { TrackAssembly } from '../ffmpeg/track-assembly.ts';
import { readFragments } from '../ffmpeg/worker-pipe.ts';
import { FrameFile } from './frame-file.ts';

export interface TranscodedSourceOptions {
  /** The feed to transcode. */
  readonly feed: UnitFeed;
  /** Black in every frame; then no video passes without the worker. Default: none. */
  readonly masks?: readonly Polygon[];
  /** The camera that the worker serves. Default: the gateway's own work. */
  readonly camera?: WorkerCamera;
  readonly pool: WorkerPool;
  readonly binary: FfmpegBinary;
  readonly clock: Clock;
  readonly log: Log;
}

/** Limit on frames that the worker has not read: some seconds of a camera. Beyond it, the worker is too slow. */
export const MAX_UNREAD_BYTES = 8 * 1_048_576;
/** How long frames are kept for a worker that is started, or for its first picture. */
const EARLY_MS = 3_000;
const VIDEO_INDEX = 0;
const AUDIO_INDEX = 1;
const OFFSET_TICKS = TIMESTAMP_OFFSET_SEC * VIDEO_TIMESCALE_HZ;

export class TranscodedSource implements Source {
  readonly engine = 'transcode';
  readonly #options: TranscodedSourceOptions;

  constructor(options: TranscodedSourceOptions) {
    this.#options = options;
  }

  open(sink: SourceSink): SourceInstance {
    return new TranscodedInstance(this.#options, sink);
  }
}

class TranscodedInstance implements SourceInstance, UnitReader {
  readonly #options: TranscodedSourceOptions;
  readonly #sink: SourceSink;
  readonly #abort = new AbortController();
  readonly #arrivals = new FrameArrivals();
  readonly #audioUnit: AccessUnit = {
    trackIndex: AUDIO_INDEX,
    dtsTicks: 0,
    ptsTicks: 0,
    isKey: true,
    data: new Uint8Array(0),
    arrivalMonoMs: 0,
  };
  #finished: Promise<void> = Promise.resolve();
  #hasStarted = false;
  /** The other source sends H.264: it is passed on as it is. */
  #isPassing = false;
  #tracks: readonly CodedTrack[] = [];
  #videoIndex = -1;
  #audioIndex = -1;
  /** The newest video track of the worker. */
  #encoded: Track | null = null;
  #worker: Worker | null = null;
  /** The worker's input; null before the first key frame. */
  #file: FrameFile | null = null;
  #failure: GatewayError | null = null;
  /** Frames that came before the worker, from a key frame on. */
  readonly #early = new KeptUnits(MAX_UNREAD_BYTES / 2);
  /** Audio that came before the first picture was made, from the first frame on that the worker gets. */
  readonly #earlySound = new KeptUnits();
  /** One was made. */
  #hasPicture = false;
  #isFinishing = false;

  constructor(options: TranscodedSourceOptions, sink: SourceSink) {
    this.#options = options;
    this.#sink = sink;
    options.feed.attach(this);
  }

  async close(): Promise<void> {
    this.#sink.close();
    this.#stop();
    await this.#finished;
  }

  async finish(): Promise<void> {
    this.#isFinishing = true;
    this.#options.feed.detach(this);
    const stdin = this.#worker?.stdin ?? null;
    if (stdin === null) this.#abort.abort();
    else stdin.end();
    await this.#finished;
  }

  /** An encoder keeps its picture size: with another one, a new instance has to begin. */
  onTracks(tracks: readonly CodedTrack[]): void {
    const before = this.#tracks[this.#videoIndex];
    this.#tracks = tracks;
    this.#videoIndex = tracks.findIndex(({ kind }) => kind === 'video');
    this.#forgetEarly();
    if (this.#file !== null && before !== undefined && !isSameSize(before, tracks[this.#videoIndex])) {
      this.#fail(new GatewayError(FFMPEG_ERRORS.FFMPEG_PICTURE_CHANGED));
      return;
    }
    this.#audioIndex = tracks.findIndex(({ kind }) => kind === 'audio');
    const video = tracks[this.#videoIndex];
    if (video?.codec === 'h264' && !this.#hasStarted && !this.#isMasked) this.#isPassing = true;
    if (this.#isPassing) {
      if (video?.codec === 'h264') this.#sink.onTracks(tracks.filter((track) => track.codec !== 'jpeg'));
      else this.onGone(new GatewayError(FFMPEG_ERRORS.FFMPEG_PICTURE_CHANGED));
      return;
    }
    if (this.#encoded !== null) this.#announce();
    if (this.#hasStarted || video === undefined) return;
    this.#hasStarted = true;
    this.#finished = this.#run();
  }

  onAccessUnit(unit: AccessUnit): void {
    if (this.#isPassing) this.#sink.onAccessUnit(unit);
    else if (unit.trackIndex === this.#videoIndex) this.#takePicture(unit);
    else if (unit.trackIndex === this.#audioIndex) {
      if (this.#hasPicture) this.#passSound(unit);
      else if (this.#file !== null || !this.#early.isEmpty) this.#keepSound(unit);
    }
  }

  get #isMasked(): boolean {
    return (this.#options.masks ?? []).length > 0;
  }

  #takePicture(unit: AccessUnit): void {
    if (this.#worker !== null) this.#feedWorker(unit);
    else if (this.#failure === null) this.#keepEarly(unit);
  }

  /** A worker that takes long to come begins with a later key frame. */
  #keepEarly(unit: AccessUnit): void {
    if (this.#early.isFull) this.#forgetEarly();
    this.#early.push(unit, unit.isKey ? '' : null);
    if (unit.isKey) this.#early.dropBefore(unit.arrivalMonoMs - EARLY_MS);
  }

  #keepSound(unit: AccessUnit): void {
    if (this.#earlySound.isFull) this.#earlySound.takeAll();
    this.#earlySound.push(unit, '');
    this.#earlySound.dropBefore(unit.arrivalMonoMs - EARLY_MS);
  }

  #forgetEarly(): void {
    this.#early.takeAll();
    if (this.#file === null) this.#earlySound.takeAll();
  }

  #passSound(unit: AccessUnit): void {
    Object.assign(this.#audioUnit, unit, { trackIndex: AUDIO_INDEX });
    this.#sink.onAccessUnit(this.#audioUnit);
  }

  onGone(error: GatewayError): void {
    this.#fail(error);
    if (!this.#hasStarted) this.#sink.onEnded(error);
  }

  #feedWorker(unit: AccessUnit): void {
    const stdin = this.#worker?.stdin ?? null;
    if (stdin === null || this.#failure !== null) return;
    if (this.#file === null && !unit.isKey) return;
    const track = this.#tracks[this.#videoIndex] as VideoTrack | JpegTrack;
    if (this.#file === null) {
      this.#file = new FrameFile(track, unit.dtsTicks);
      stdin.write(this.#file.head);
    }
    stdin.write(this.#file.frame(track, unit));
    const ptsTicks = (unit.ptsTicks * VIDEO_TIMESCALE_HZ) / track.timescaleHz;
    this.#arrivals.put(ptsTicks, unit.arrivalMonoMs);
    if (stdin.writableLength > MAX_UNREAD_BYTES) {
      this.#fail(new GatewayError(FFMPEG_ERRORS.FFMPEG_TOO_SLOW, { unreadBytes: stdin.writableLength }));
    }
  }

  async #run(): Promise<void> {
    try {
      const reason = await this.#transcode();
      if (!this.#isFinishing) this.#sink.onEnded(reason);
    } catch (thrown) {
      if (!this.#isFinishing) this.#sink.onEnded(this.#failure ?? toGatewayError(thrown));
    } finally {
      this.#options.feed.detach(this);
    }
  }

  /** Runs the worker from its start to its end. Resolves to why it ended. */
  async #transcode(): Promise<GatewayError> {
    const { pool, binary, clock, log, camera, masks = [] } = this.#options;
    const worker = await pool.start(
      {
        ffmpegPath: binary.path,
        line: transcodeCommand(binary.major, { masks }),
        network: null,
        extraFd: null,
      },
      this.#abort.signal,
      {
        purpose: this.#isMasked ? 'mask' : 'h264',
        ...ownerOf(camera),
        urgency: () => this.#sink.urgency(),
        cores:
          liveCores({ video: 'encode', audio: 'off' }, this.#rate()) +
          maskCores(coveredShare(masks), this.#rate()),
        onWaiting: (wait) => this.#sink.onWaiting(wait),
      },
    );
    this.#sink.onWaiting(null);
    this.#worker = worker;
    if (this.#sink.isOver || this.#failure !== null || this.#isFinishing) void worker.kill();
    for (const unit of this.#early.takeAll()) this.#feedWorker(unit);
    const assembly = new TrackAssembly(
      {
        onTracks: ([video]) => this.#opened(video!),
        onAccessUnit: (unit) => this.#picture(unit),
        onDropped: (frames, code) => this.#sink.onDropped(frames, code),
      },
      clock,
      false,
    );
    readFragments(worker.stdout, {
      sink: assembly.videoSink,
      clock,
      flood: new FloodGuard(),
      onFailed: (error) => this.#fail(error),
    });
    log.info({ engine: 'transcode', pid: worker.pid }, 'transcoding started');
    const exit = await worker.exited;
    assembly.close();
    log.info({ engine: 'transcode', pid: worker.pid }, 'transcoding ended');
    return exit.gaveWay ?? this.#failure ?? exitReason(exit);
  }

  /** null: the video does not say how many frames it has. */
  #rate(): PictureRate | null {
    const video = this.#tracks[this.#videoIndex];
    if (video?.kind !== 'video' || video.nominalFrameRateHz === null) return null;
    return { framePx: video.widthPx * video.heightPx, framesPerSec: video.nominalFrameRateHz };
  }

  #opened(video: Track): void {
    this.#encoded = video;
    this.#announce();
  }

  #announce(): void {
    const audio = this.#tracks[this.#audioIndex];
    this.#sink.onTracks(audio?.kind === 'audio' ? [this.#encoded!, audio] : [this.#encoded!]);
  }

  #picture(unit: AccessUnit): void {
    const zeroTicks = this.#file?.zeroTicks ?? 0;
    unit.trackIndex = VIDEO_INDEX;
    unit.dtsTicks += zeroTicks - OFFSET_TICKS;
    unit.ptsTicks += zeroTicks - OFFSET_TICKS;
    unit.arrivalMonoMs = this.#arrivals.take(unit.ptsTicks) ?? unit.arrivalMonoMs;
    this.#sink.onAccessUnit(unit);
    this.#hasPicture = true;
    for (const sound of this.#earlySound.takeAll()) this.#passSound(sound);
  }

  #fail(error: GatewayError): void {
    this.#failure ??= error;
    this.#stop();
  }

  #stop(): void {
    this.#options.feed.detach(this);
    this.#abort.abort();
    void this.#worker?.kill();
  }
}

function isSameSize(before: CodedTrack, after: CodedTrack | undefined): boolean {
  if (before.kind !== 'video' || after?.kind !== 'video') return false;
  return before.widthPx === after.widthPx && before.heightPx === after.heightPx;
}

/** The most frames inside: more than decoder and encoder hold together. */
const MAX_FRAMES = 256;
/** Timestamps are rounded to the ticks of one clock and then of another. */
const TOLERANCE_TICKS = 2;

/** When the frames inside a transcoder arrived: frames come out with their own presentation times, in that order. */
class FrameArrivals {
  readonly #frames: { readonly ptsTicks: number; readonly arrivalMonoMs: number }[] = [];

  put(ptsTicks: number, arrivalMonoMs: number): void {
    this.#frames.push({ ptsTicks, arrivalMonoMs });
    if (this.#frames.length > MAX_FRAMES) this.#frames.shift();
  }

  /** Forgets frames that were shown before it; null if it is not known. */
  take(ptsTicks: number): number | null {
    const frames = this.#frames;
    const at = frames.findIndex((frame) => Math.abs(frame.ptsTicks - ptsTicks) <= TOLERANCE_TICKS);
    if (at < 0) return null;
    const { arrivalMonoMs } = frames[at]!;
    for (let index = frames.length - 1; index >= 0; index--) {
      if (frames[index]!.ptsTicks <= ptsTicks + TOLERANCE_TICKS) frames.splice(index, 1);
    }
    return arrivalMonoMs;
  }
}
