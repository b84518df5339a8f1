/**
 * Audio transcoded by a jailed ffmpeg worker that reads payloads from a pipe and opens nothing: the direct source keeps
 * the camera's only session. A worker is started when payloads arrive, replaced when it ends, and stopped when none
 * arrive; the video is not affected.
 */

import { aacTrackOf, buildAudioSpecificConfig } from '../../codec/aac/audio-specific-config.ts';
import { opusTrackOf } from '../../codec/opus/opus-track.ts';
import type { AudioTrack } from '../../codec/track.ts';
import type { Backoff } from '../../core/backoff.ts';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { AUDIO_SAMPLE_RATE_HZ, TIMESTAMP_OFFSET_SEC } from '../../ffmpeg/command.ts';
import { FFMPEG_ERRORS } from '../../ffmpeg/errors.ts';
import { exitReason } from '../../ffmpeg/exit-reason.ts';
import type { FfmpegBinary } from '../../ffmpeg/find-ffmpeg.ts';
import { type SoundCodec, soundCommand } from '../../ffmpeg/sound-command.ts';
import { ownerOf, type WorkerCamera } from '../../ffmpeg/start-request.ts';
import type { Worker } from '../../ffmpeg/worker.ts';
import { SOUND_CORES } from '../../ffmpeg/worker-cores.ts';
import type { WorkerPool } from '../../ffmpeg/worker-pool.ts';
import { AudioTimes } from '../../rtp/aac/audio-times.ts';
import type { MediaFormat } from '../../rtsp/sdp/session-description.ts';
import { FloodGuard } from '../../stream/source/flood-guard.ts';
import { readFragments } from '../ffmpeg/worker-pipe.ts';
import { type CodedSound, codedSoundOf, type SoundStream } from './coded-sound.ts';
import { soundRestarts } from './restart-pause.ts';
import { SampleTimes } from './sample-times.ts';
import type { SoundPath, SoundPathEvents, SoundPaths } from './sound-path.ts';
import { WaitingNotice } from './waiting-notice.ts';

export interface WorkerSoundOptions {
  /** The camera that the worker serves. Default: the gateway's own work. */
  readonly camera?: WorkerCamera;
  readonly pool: WorkerPool;
  readonly binary: FfmpegBinary;
  readonly clock: Clock;
  readonly log: Log;
  /** In [0, 1): the jitter. */
  readonly random?: () => number;
}

/** Limit on payloads that a worker has not read: seconds of them. Beyond it, the worker hangs. */
export const MAX_UNREAD_BYTES = 256 * 1024;
/** Payloads go in but nothing comes out. */
const STALL_MS = 10_000;
/** No payload arrives: release the slot in the pool for others. */
const IDLE_MS = 30_000;
const WATCH_INTERVAL_MS = 1_000;
export class WorkerSoundPaths implements SoundPaths {
  readonly #options: WorkerSoundOptions;

  constructor(options: WorkerSoundOptions) {
    this.#options = options;
  }

  carries(format: MediaFormat): boolean {
    return this.#options.pool.isAllowed && codedSoundOf(format) !== null;
  }

  open(format: MediaFormat, events: SoundPathEvents): SoundPath {
    return new WorkerSound(codedSoundOf(format)!, 'aac', this.#options, events);
  }
}

/** A worker and the audio in it. */
interface Coding {
  readonly worker: Worker;
  readonly stream: SoundStream;
  readonly times: SampleTimes;
  lastOutputMonoMs: number;
  failure: GatewayError | null;
}

/** `none`: no payload arrived lately. */
type CoderState =
  | { readonly name: 'none' }
  | { readonly name: 'starting' }
  | { readonly name: 'coding'; readonly coding: Coding }
  | { readonly name: 'pausing'; readonly timer: TimerHandle }
  | { readonly name: 'closed' };

/** `output`: what the worker makes; Opus is mono. */
export class WorkerSound implements SoundPath {
  readonly track: AudioTrack;
  readonly #output: SoundCodec;
  readonly #coded: CodedSound;
  readonly #options: WorkerSoundOptions;
  readonly #events: SoundPathEvents;
  readonly #abort = new AbortController();
  readonly #outputTimes: AudioTimes;
  /** That the newest payload came with. */
  #stretch = 0;
  readonly #notice: WaitingNotice;
  readonly #restarts: Backoff;
  #state: CoderState = { name: 'none' };
  #running: Promise<void> = Promise.resolve();
  #lastInputMonoMs = 0;

  constructor(coded: CodedSound, output: SoundCodec, options: WorkerSoundOptions, events: SoundPathEvents) {
    const channels = Math.min(2, coded.channelCount);
    this.track =
      output === 'opus'
        ? opusTrackOf(1, 0)
        : aacTrackOf(buildAudioSpecificConfig(AUDIO_SAMPLE_RATE_HZ, channels))!;
    this.#output = output;
    this.#coded = coded;
    this.#options = options;
    this.#events = events;
    this.#outputTimes = new AudioTimes(this.track.samplesPerFrame, this.track.sampleRateHz);
    this.#notice = new WaitingNotice(options.clock, (isWaiting) => events.onWaiting(isWaiting));
    this.#restarts = soundRestarts(options.random);
  }

  /** Payloads that come while there is none are lost. */
  get hasWorker(): boolean {
    return this.#state.name === 'coding';
  }

  push(chunk: Uint8Array, start: number, end: number, clockTicks: number, stretch = 0): void {
    this.#stretch = stretch;
    this.#lastInputMonoMs = this.#options.clock.monoMs();
    if (this.#state.name === 'none') this.#start();
    if (this.#state.name !== 'coding') return;
    const { coding } = this.#state;
    const samples = this.#coded.samples(chunk, start, end);
    coding.times.put(samples, (clockTicks * 1_000) / this.#coded.clockRateHz);
    const { stdin } = coding.worker;
    stdin?.write(coding.stream.write(chunk, start, end));
    if (stdin !== null && stdin.writableLength > MAX_UNREAD_BYTES) this.#fail(coding, 'input');
  }

  gap(): void {
    // The times of the next payload show it.
  }

  async close(): Promise<void> {
    const state = this.#state;
    this.#state = { name: 'closed' };
    this.#notice.close();
    this.#abort.abort();
    if (state.name === 'pausing') state.timer.cancel();
    if (state.name === 'coding') void state.coding.worker.kill();
    await this.#running;
  }

  #start(): void {
    this.#state = { name: 'starting' };
    this.#notice.waits();
    this.#running = this.#run();
  }

  /** One worker from its start to its end. */
  async #run(): Promise<void> {
    const { pool, binary, clock, log, camera } = this.#options;
    let startedMonoMs = Number.POSITIVE_INFINITY;
    let error: GatewayError;
    try {
      const worker = await pool.startYielding(
        {
          ffmpegPath: binary.path,
          line: soundCommand(this.#coded.inputOptions, this.#output, this.track.channelCount),
          network: null,
          extraFd: null,
        },
        this.#abort.signal,
        { purpose: 'sound', cores: SOUND_CORES, ...ownerOf(camera) },
      );
      startedMonoMs = clock.monoMs();
      log.debug({ pid: worker.pid }, 'audio worker started');
      error = await this.#code(worker);
    } catch (thrown) {
      error = toGatewayError(thrown);
    }
    if (this.#isClosed) return;
    if (this.#isIdle) {
      this.#state = { name: 'none' };
      return;
    }
    const pauseMs = this.#restarts.failed(clock.monoMs() - startedMonoMs);
    log.warn({ err: error, retryInMs: Math.round(pauseMs) }, 'audio worker ended');
    this.#notice.waits();
    const timer = clock.after(pauseMs, () => {
      this.#state = { name: 'none' };
    });
    this.#state = { name: 'pausing', timer };
  }

  async #code(worker: Worker): Promise<GatewayError> {
    const coding: Coding = {
      worker,
      stream: this.#coded.openStream(),
      times: new SampleTimes(this.#coded.sampleRateHz),
      lastOutputMonoMs: this.#options.clock.monoMs(),
      failure: null,
    };
    if (this.#isClosed) void worker.kill();
    else this.#state = { name: 'coding', coding };
    this.#notice.served();
    this.#read(coding);
    const watch = this.#watch(coding);
    const exit = await worker.exited;
    watch.cancel();
    return exit.gaveWay ?? coding.failure ?? exitReason(exit);
  }

  #read(coding: Coding): void {
    readFragments(coding.worker.stdout, {
      sink: {
        onTracks: () => undefined, // our choice: the announced one
        onSample: (_index, dtsTicks, _ptsTicks, _isKey, data) => this.#unit(coding, dtsTicks, data),
      },
      clock: this.#options.clock,
      flood: new FloodGuard(),
      onFailed: (error) => {
        coding.failure ??= error;
        void coding.worker.kill();
      },
    });
  }

  #unit(coding: Coding, dtsTicks: number, data: Uint8Array): void {
    coding.lastOutputMonoMs = this.#options.clock.monoMs();
    const outputSec = dtsTicks / AUDIO_SAMPLE_RATE_HZ - TIMESTAMP_OFFSET_SEC;
    const ms = coding.times.msAt(outputSec);
    if (ms === null || this.#isClosed) return;
    const stampedTicks = Math.round((ms * AUDIO_SAMPLE_RATE_HZ) / 1_000);
    if (stampedTicks >= 0)
      this.#events.onUnit(
        this.#outputTimes.next(stampedTicks, this.track.samplesPerFrame, this.#stretch),
        data,
      );
  }

  /** Ends a worker that hangs or has nothing to do. */
  #watch(coding: Coding): TimerHandle {
    const { clock } = this.#options;
    let timer: TimerHandle;
    const look = (): void => {
      const nowMonoMs = clock.monoMs();
      if (this.#isIdle) void coding.worker.kill();
      else if (
        nowMonoMs - coding.lastOutputMonoMs >= STALL_MS &&
        this.#lastInputMonoMs > coding.lastOutputMonoMs
      )
        this.#fail(coding, 'output');
      else timer = clock.after(WATCH_INTERVAL_MS, look);
    };
    timer = clock.after(WATCH_INTERVAL_MS, look);
    return { cancel: () => timer.cancel() };
  }

  #fail(coding: Coding, side: 'input' | 'output'): void {
    if (coding.failure !== null) return;
    coding.failure = new GatewayError(FFMPEG_ERRORS.FFMPEG_STALLED, { side });
    void coding.worker.kill();
  }

  get #isIdle(): boolean {
    return this.#options.clock.monoMs() - this.#lastInputMonoMs >= IDLE_MS;
  }

  get #isClosed(): boolean {
    return this.#state.name === 'closed';
  }
}
