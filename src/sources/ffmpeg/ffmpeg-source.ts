/**
 * The second engine: a jailed ffmpeg worker pulls the camera, converts video to H.264 and audio to AAC if necessary,
 * and passes fragments on through pipes. An instance ends when output is missing, not only when the worker exits.
 */

import { aacTrackOf, buildAudioSpecificConfig } from '../../codec/aac/audio-specific-config.ts';
import type { Track } from '../../codec/track.ts';
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
import type { WorkerNetwork } from '../../ffmpeg/jail.ts';
import type { Worker } from '../../ffmpeg/worker.ts';
import type { WorkerPool } from '../../ffmpeg/worker-pool.ts';
import type { Source, SourceInstance } from '../../stream/source.ts';
import type { SourceSink } from '../../stream/source-sink.ts';
import { FloodGuard } from '../flood-guard.ts';
import { type AddressRule, cameraAddress } from '../network/camera-address.ts';
import type { TlsTrust } from '../network/tls-trust.ts';
import { TrackAssembly } from './track-assembly.ts';
import { readFragments } from './worker-pipe.ts';
import { InputDescription } from './worker-plan.ts';

const DEFAULT_START_MS = 20_000;
const DEFAULT_STALL_MS = 10_000;
const ENCODED_AUDIO = aacTrackOf(buildAudioSpecificConfig(AUDIO_SAMPLE_RATE_HZ, AUDIO_CHANNELS));
const WATCH_INTERVAL_MS = 1_000;
const FIRST_GUESS: WorkerPlan = { video: 'copy', audio: 'copy' };

export interface FfmpegSourceOptions {
  /** Default: `anywhere`. */
  readonly addressRule?: AddressRule;
  /** Default: `any`. A worker verifies nothing: with any other value it does not open an rtsps camera. */
  readonly tls?: TlsTrust;
  readonly input: WorkerInput;
  readonly binary: FfmpegBinary;
  readonly pool: WorkerPool;
  readonly clock: Clock;
  readonly log: Log;
  /** Tried first, while nothing is known about the camera. Default: copies both. */
  readonly firstPlan?: WorkerPlan;
  /**
   * Longest time from a worker's start to its first access unit: it connects, reads ahead, and waits for a key frame.
   */
  readonly startMs?: number;
  /** Longest time without an access unit after that. */
  readonly stallMs?: number;
}

/** What one instance learned, as the starting point of the next one. */
interface Learnt {
  /** A plan that turns out wrong is replaced based on ffmpeg's report of the input, once per instance. */
  plan: WorkerPlan;
  /** The camera refused TCP, and the transport is `auto`. */
  needsUdp: boolean;
}

export class FfmpegSource implements Source {
  readonly engine = 'ffmpeg';
  readonly #options: FfmpegSourceOptions;
  readonly #learnt: Learnt;

  constructor(options: FfmpegSourceOptions) {
    this.#options = options;
    this.#learnt = { plan: options.firstPlan ?? FIRST_GUESS, needsUdp: false };
  }

  open(sink: SourceSink): SourceInstance {
    return new FfmpegInstance(this.#options, sink, this.#learnt);
  }
}

class FfmpegInstance implements SourceInstance {
  readonly #options: FfmpegSourceOptions;
  readonly #sink: SourceSink;
  readonly #learnt: Learnt;
  /** Ends the wait for a place in the pool. */
  readonly #abort = new AbortController();
  /** Settles when everything of this instance is released. */
  readonly #finished: Promise<void>;
  #worker: Worker | null = null;
  #plan: WorkerPlan;
  #watch: TimerHandle | null = null;

  constructor(options: FfmpegSourceOptions, sink: SourceSink, learnt: Learnt) {
    this.#options = options;
    this.#sink = sink.branch({ onOpened: (tracks) => this.#opened(tracks) });
    this.#learnt = learnt;
    this.#plan = learnt.plan;
    this.#finished = this.#run(learnt.plan);
  }

  async close(): Promise<void> {
    this.#sink.close();
    this.#abort.abort();
    this.#watch?.cancel();
    void this.#worker?.kill();
    await this.#finished;
  }

  async #run(plan: WorkerPlan): Promise<void> {
    try {
      const first = await this.#runWorker(plan);
      const better = first.learnt;
      if (this.#sink.isOver || this.#sink.hasOpened || better === null || isSamePlan(plan, better)) {
        this.#end(first.error);
        return;
      }
      this.#learnt.plan = better;
      this.#options.log.debug({ plan: better }, 'camera needs another plan');
      this.#end((await this.#runWorker(better)).error);
    } catch (error) {
      this.#end(toGatewayError(error));
    }
  }

  /** From the start of a worker to its end; resolves to why it ended and what it reported about its input. */
  async #runWorker(plan: WorkerPlan): Promise<{ error: GatewayError; learnt: WorkerPlan | null }> {
    const { binary, pool, clock } = this.#options;
    const description = new InputDescription();
    const pulled = await locate(this.#options, this.#learnt.needsUdp);
    const worker = await pool.start(
      {
        ffmpegPath: binary.path,
        line: liveCommand(pulled.input, plan, binary.major),
        network: pulled.network,
        extraFd: plan.audio === 'off' ? null : AUDIO_FD,
        onStderrLine: (line) => description.read(line),
      },
      this.#abort.signal,
    );
    this.#worker = worker;
    this.#plan = plan;
    if (this.#sink.isOver) void worker.kill();
    let failure: GatewayError | null = null;
    const fail = (error: GatewayError): void => {
      failure ??= error;
      void worker.kill();
    };
    const assembly = new TrackAssembly(
      this.#sink,
      clock,
      plan.audio !== 'off',
      plan.audio === 'encode' ? ENCODED_AUDIO : null,
    );
    const flood = new FloodGuard();
    readFragments(worker.stdout, { sink: assembly.videoSink, clock, flood, onFailed: fail });
    if (worker.extra !== null)
      readFragments(worker.extra, { sink: assembly.audioSink, clock, flood, onFailed: fail });
    this.#watchOutput(assembly, fail);
    const exit = await worker.exited;
    this.#watch?.cancel();
    assembly.close();
    const reason = exitReason(exit);
    // If a stall or bad output is the cause, ffmpeg's last lines help to find the reason.
    const error =
      failure === null ? reason : withContext(failure, { stderr: reason.context.stderr, cause: reason.code });
    return { error, learnt: description.plan };
  }

  /** One line for each instance that delivered media. */
  #opened(tracks: readonly Track[]): void {
    const codecs = tracks.map((track) => track.codecString);
    const fields = { engine: 'ffmpeg', pid: this.#worker?.pid, plan: this.#plan, codecs };
    this.#options.log.info(fields, 'stream opened');
  }

  #watchOutput(assembly: TrackAssembly, fail: (error: GatewayError) => void): void {
    const { clock, startMs = DEFAULT_START_MS, stallMs = DEFAULT_STALL_MS } = this.#options;
    this.#watch = clock.after(WATCH_INTERVAL_MS, () => {
      const silentMs = Math.round(clock.monoMs() - assembly.lastUnitMonoMs);
      if (silentMs < (this.#sink.hasOpened ? stallMs : startMs)) this.#watchOutput(assembly, fail);
      else fail(new GatewayError(FFMPEG_ERRORS.FFMPEG_STALLED, { silentMs }));
    });
  }

  #end(error: GatewayError): void {
    if (error.code === FFMPEG_ERRORS.FFMPEG_CAMERA_TRANSPORT.code) this.#learnt.needsUdp = true;
    this.#sink.onEnded(withContext(error, targetOf(this.#options.input)));
  }
}

const RTSP_PORT = 554;
const RTSPS_PORT = 322;

/**
 * The camera by its numeric address: the jail reaches only that address, and no name server. Fails with
 * DIRECT_UNREACHABLE, DIRECT_ADDRESS_REFUSED or FFMPEG_TLS_UNVERIFIED.
 */
async function locate(
  options: FfmpegSourceOptions,
  needsUdp: boolean,
): Promise<{ input: WorkerInput; network: WorkerNetwork | null }> {
  const { input, binary, addressRule = 'anywhere', tls = 'any' } = options;
  if (input.kind === 'synthetic') return { input, network: null };
  const { url } = input;
  const transport = input.transport === 'auto' ? (needsUdp ? 'udp' : 'tcp') : input.transport;
  const isTls = url.protocol === 'rtsps:';
  if (isTls && tls !== 'any') throw new GatewayError(FFMPEG_ERRORS.FFMPEG_TLS_UNVERIFIED);
  const address = await cameraAddress(url.hostname, addressRule);
  const port = url.port ?? (isTls ? RTSPS_PORT : RTSP_PORT);
  return {
    input: { kind: 'rtsp', url: url.atAddress(address), transport },
    // A worker that cannot be told the transport begins with UDP.
    network: { address, port, udp: transport === 'udp' || binary.isOutdated },
  };
}

function withContext(error: GatewayError, more: GatewayError['context']): GatewayError {
  const { code, kind, message } = error;
  return new GatewayError({ code, kind, message }, { ...error.context, ...more }, error.cause);
}

/** The worker's peer; an RTSP URL without a port means 554, with TLS 322. */
function targetOf(input: WorkerInput): GatewayError['context'] {
  if (input.kind !== 'rtsp') return {};
  const { hostname, port, protocol } = input.url;
  return { host: hostname, port: port ?? (protocol === 'rtsps:' ? 322 : 554) };
}

function isSamePlan(a: WorkerPlan, b: WorkerPlan): boolean {
  return a.video === b.video && a.audio === b.audio;
}
