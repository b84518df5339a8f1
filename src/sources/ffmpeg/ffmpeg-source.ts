/**
 * The second engine: a jailed ffmpeg worker pulls the camera, brings video to H.264 and audio to AAC where they are
 * not, and hands fragments over on pipes. What ends an instance is missing output, not only an exit.
 */

import type { Readable } from 'node:stream';
import { aacTrackOf, buildAudioSpecificConfig } from '../../codec/aac/audio-specific-config.ts';
import type { AccessUnit, Track } from '../../codec/track.ts';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import {
  AUDIO_CHANNELS,
  AUDIO_FD,
  AUDIO_SAMPLE_RATE_HZ,
  liveCommand,
  type WorkerInput,
  type WorkerPlan,
} from '../../ffmpeg/command.ts';
import { FFMPEG_ERRORS } from '../../ffmpeg/errors.ts';
import { exitReason } from '../../ffmpeg/exit-reason.ts';
import type { FfmpegBinary } from '../../ffmpeg/find-ffmpeg.ts';
import type { Worker } from '../../ffmpeg/worker.ts';
import type { WorkerPool } from '../../ffmpeg/worker-pool.ts';
import { FragmentReader, type FragmentSink } from '../../isobmff/fragment-reader.ts';
import type { Source, SourceEvents, SourceInstance } from '../../stream/source.ts';
import { TrackAssembly } from './track-assembly.ts';
import { InputDescription } from './worker-plan.ts';

const DEFAULT_START_MS = 20_000;
const DEFAULT_STALL_MS = 10_000;
const ENCODED_AUDIO = aacTrackOf(buildAudioSpecificConfig(AUDIO_SAMPLE_RATE_HZ, AUDIO_CHANNELS));
const WATCH_INTERVAL_MS = 1_000;
/** Tried first when nothing is known of the camera. */
const FIRST_GUESS: WorkerPlan = { video: 'copy', audio: 'copy' };

export interface FfmpegSourceOptions {
  readonly input: WorkerInput;
  readonly binary: FfmpegBinary;
  readonly pool: WorkerPool;
  readonly clock: Clock;
  readonly log: Log;
  /** Longest time from a worker's start to its first access unit: it connects, reads ahead, and waits for a key frame. */
  readonly startMs?: number;
  /** Longest time without an access unit after that. */
  readonly stallMs?: number;
}

export class FfmpegSource implements Source {
  readonly engine = 'ffmpeg';
  readonly #options: FfmpegSourceOptions;
  /** A plan that turns out wrong is replaced by what ffmpeg says of the input, once in an instance. */
  #plan = FIRST_GUESS;

  constructor(options: FfmpegSourceOptions) {
    this.#options = options;
  }

  open(events: SourceEvents): SourceInstance {
    return new FfmpegInstance(this.#options, events, this.#plan, (learnt) => {
      this.#plan = learnt;
    });
  }
}

class FfmpegInstance implements SourceInstance {
  readonly #options: FfmpegSourceOptions;
  readonly #events: SourceEvents;
  readonly #onLearnt: (plan: WorkerPlan) => void;
  /** Ends the wait for a place in the pool. */
  readonly #abort = new AbortController();
  /** Settles when nothing of this instance is left. */
  readonly #finished: Promise<void>;
  #worker: Worker | null = null;
  #isOver = false;
  #hasDelivered = false;
  /** Of the last access unit, or of the worker's start. */
  #lastUnitMonoMs = 0;
  #watch: TimerHandle | null = null;

  constructor(
    options: FfmpegSourceOptions,
    events: SourceEvents,
    plan: WorkerPlan,
    onLearnt: (plan: WorkerPlan) => void,
  ) {
    this.#options = options;
    this.#events = events;
    this.#onLearnt = onLearnt;
    this.#finished = this.#run(plan);
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.#abort.abort();
    this.#watch?.cancel();
    void this.#worker?.kill();
    await this.#finished;
  }

  async #run(plan: WorkerPlan): Promise<void> {
    try {
      const first = await this.#runWorker(plan);
      const better = first.learnt;
      if (this.#isOver || this.#hasDelivered || better === null || isSamePlan(plan, better)) {
        this.#end(first.error);
        return;
      }
      this.#onLearnt(better);
      this.#options.log.debug({ plan: better }, 'the camera needs another plan');
      this.#end((await this.#runWorker(better)).error);
    } catch (error) {
      this.#end(toGatewayError(error));
    }
  }

  /** From the start of a worker to its end; why it ended and what it said of its input. */
  async #runWorker(plan: WorkerPlan): Promise<{ error: GatewayError; learnt: WorkerPlan | null }> {
    const { input, binary, pool, clock } = this.#options;
    const description = new InputDescription();
    const worker = await pool.start(
      {
        ffmpegPath: binary.path,
        line: liveCommand(input, plan, binary.major),
        network: input.kind === 'rtsp',
        extraFd: plan.audio === 'off' ? null : AUDIO_FD,
        onStderrLine: (line) => description.read(line),
      },
      this.#abort.signal,
    );
    this.#worker = worker;
    if (this.#isOver) void worker.kill();
    let failure: GatewayError | null = null;
    const fail = (error: GatewayError): void => {
      failure ??= error;
      void worker.kill();
    };
    const assembly = new TrackAssembly(
      this.#assemblyEvents(plan, worker.pid),
      clock,
      plan.audio !== 'off',
      plan.audio === 'encode' ? ENCODED_AUDIO : null,
    );
    readInto(worker.stdout, assembly.videoSink, fail);
    if (worker.extra !== null) readInto(worker.extra, assembly.audioSink, fail);
    this.#lastUnitMonoMs = clock.monoMs();
    this.#watchOutput(fail);
    const exit = await worker.exited;
    this.#watch?.cancel();
    assembly.close();
    const reason = exitReason(exit);
    // A stall or bad output is the cause; what ffmpeg wrote last helps to find why.
    const error =
      failure === null ? reason : withContext(failure, { stderr: reason.context.stderr, cause: reason.code });
    return { error, learnt: description.plan };
  }

  #assemblyEvents(plan: WorkerPlan, pid: number): Omit<SourceEvents, 'onEnded'> {
    return {
      onTracks: (tracks: readonly Track[]) => {
        if (this.#isOver) return;
        if (!this.#hasDelivered) {
          const codecs = tracks.map((track) => track.codecString);
          this.#options.log.info({ engine: 'ffmpeg', pid, plan, codecs }, 'stream opened');
        }
        this.#hasDelivered = true;
        this.#events.onTracks(tracks);
      },
      onAccessUnit: (unit: AccessUnit) => {
        this.#lastUnitMonoMs = unit.arrivalMonoMs;
        if (!this.#isOver) this.#events.onAccessUnit(unit);
      },
      onDropped: (frames, code) => {
        if (!this.#isOver) this.#events.onDropped(frames, code);
      },
    };
  }

  #watchOutput(fail: (error: GatewayError) => void): void {
    const { clock, startMs = DEFAULT_START_MS, stallMs = DEFAULT_STALL_MS } = this.#options;
    this.#watch = clock.after(WATCH_INTERVAL_MS, () => {
      const silentMs = Math.round(clock.monoMs() - this.#lastUnitMonoMs);
      if (silentMs < (this.#hasDelivered ? stallMs : startMs)) this.#watchOutput(fail);
      else fail(new GatewayError(FFMPEG_ERRORS.FFMPEG_STALLED, { silentMs }));
    });
  }

  #end(error: GatewayError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.onEnded(error);
  }
}

/** The pipe is read as fast as it fills, whatever becomes of its bytes: a worker never waits for us. */
function readInto(stream: Readable, sink: FragmentSink, fail: (error: GatewayError) => void): void {
  const reader = new FragmentReader(sink);
  let isBroken = false;
  stream.on('data', (chunk: Buffer) => {
    if (isBroken) return;
    try {
      reader.push(chunk);
    } catch (error) {
      isBroken = true;
      fail(toGatewayError(error));
    }
  });
}

function withContext(error: GatewayError, more: GatewayError['context']): GatewayError {
  const { code, kind, message } = error;
  return new GatewayError({ code, kind, message }, { ...error.context, ...more }, error);
}

function isSamePlan(a: WorkerPlan, b: WorkerPlan): boolean {
  return a.video === b.video && a.audio === b.audio;
}
