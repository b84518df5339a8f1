/**
 * The second engine: a jailed ffmpeg worker pulls the camera, converts video to H.264 and audio to AAC if necessary,
 * and passes fragments on through pipes. An instance ends when output is missing, not only when the worker exits.
 */

import type { Writable } from 'node:stream';
import { aacTrackOf, buildAudioSpecificConfig } from '../../codec/aac/audio-specific-config.ts';
import type { Track } from '../../codec/track.ts';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { CredentialUrl } from '../../core/secret.ts';
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
import { ownerOf, type WorkerCamera } from '../../ffmpeg/start-request.ts';
import type { Worker } from '../../ffmpeg/worker.ts';
import { liveCores, type PictureRate } from '../../ffmpeg/worker-cores.ts';
import type { WorkerPool } from '../../ffmpeg/worker-pool.ts';
import { FloodGuard } from '../../stream/source/flood-guard.ts';
import type { Source, SourceInstance } from '../../stream/source/source.ts';
import type { SourceSink } from '../../stream/source/source-sink.ts';
import { type AddressRule, ANYWHERE, cameraAddress } from '../network/camera-address.ts';
import { type CameraRoute, cameraRoute } from '../network/camera-route.ts';
import { DIRECT_ERRORS } from '../network/errors.ts';
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
  /**
   * Feeds a worker that reads its standard input. Called for each worker. An instance may use two, of which the first has
   * ended by then.
   */
  readonly feed?: (stdin: Writable) => void;
  /** The camera that the worker serves. Default: the gateway's own work. */
  readonly camera?: WorkerCamera;
  readonly binary: FfmpegBinary;
  readonly pool: WorkerPool;
  readonly clock: Clock;
  readonly log: Log;
  /** Tried first, while nothing is known about the camera. Default: copies both. */
  readonly firstPlan?: WorkerPlan | null;
  /** Encodes H.264 too. Default: false. */
  readonly encodesVideo?: boolean;
  /**
   * Longest time from a worker's start to its first access unit: it connects, reads ahead, and waits for a key frame.
   */
  readonly startMs?: number;
  /** Longest time without an access unit after that. */
  readonly stallMs?: number;
  /** Leaves out all audio. Default: false. */
  readonly isSilent?: boolean;
}

/** What one instance learned, as the starting point of the next one. */
interface Learnt {
  /** A worker has reported its input. */
  hasSeenCamera: boolean;
  /** A plan that turns out wrong is replaced based on ffmpeg's report of the input, once per instance. */
  plan: WorkerPlan;
  /** null: unknown. */
  rate: PictureRate | null;
  /** The camera refused TCP, and the transport is `auto`. */
  needsUdp: boolean;
}

export class FfmpegSource implements Source {
  readonly engine = 'ffmpeg';
  readonly #options: FfmpegSourceOptions;
  readonly #learnt: Learnt;

  constructor(options: FfmpegSourceOptions) {
    this.#options = options;
    this.#learnt = {
      hasSeenCamera: false,
      plan: possiblePlan(options, options.firstPlan ?? FIRST_GUESS),
      rate: null,
      needsUdp: false,
    };
  }

  /** A better first guess, from someone who has read the camera's description. No effect once a worker has seen the camera. */
  expect(plan: WorkerPlan): void {
    if (!this.#learnt.hasSeenCamera) this.#learnt.plan = possiblePlan(this.#options, plan);
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
      const better = first.learnt === null ? null : possiblePlan(this.#options, first.learnt);
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

  /** Runs a worker from its start to its end. Resolves to why it ended and what it reported about its input. */
  async #runWorker(plan: WorkerPlan): Promise<{ error: GatewayError; learnt: WorkerPlan | null }> {
    const { binary, pool, clock, camera, encodesVideo = false } = this.#options;
    const description = new InputDescription(encodesVideo);
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
      {
        purpose: 'camera',
        ...ownerOf(camera),
        urgency: () => this.#sink.urgency(),
        cores: liveCores(plan, this.#learnt.rate),
        onWaiting: (wait) => this.#sink.onWaiting(wait),
      },
    );
    this.#sink.onWaiting(null);
    this.#worker = worker;
    this.#plan = plan;
    if (this.#sink.isOver) void worker.kill();
    else if (worker.stdin !== null) this.#options.feed?.(worker.stdin);
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
    this.#learnt.rate = description.rate ?? this.#learnt.rate;
    this.#learnt.hasSeenCamera ||= description.plan !== null;
    this.#watch?.cancel();
    assembly.close();
    const reason = exitReason(exit);
    // If a stall or bad output is the cause, ffmpeg's last lines help to find the reason.
    const error =
      failure === null || exit.gaveWay !== undefined
        ? reason
        : withContext(failure, { stderr: reason.context.stderr, cause: reason.code });
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

/**
 * The camera by its numeric address: the jail reaches only that address, and no name server. Fails with DIRECT_BAD_URL,
 * DIRECT_UNREACHABLE, DIRECT_ADDRESS_REFUSED, FFMPEG_TLS_UNVERIFIED, or FFMPEG_CAMERA_TRANSPORT if ffmpeg has no option for
 * the tunnel.
 */
async function locate(
  options: FfmpegSourceOptions,
  needsUdp: boolean,
): Promise<{ input: WorkerInput; network: WorkerNetwork | null }> {
  const { input, binary, addressRule = ANYWHERE, tls = 'any' } = options;
  if (input.kind === 'synthetic' || input.kind === 'fed') return { input, network: null };
  if (input.kind === 'url') return locateUrl(input, addressRule, tls);
  const route = routeOf(input);
  if (route === null) throw new GatewayError(DIRECT_ERRORS.DIRECT_BAD_URL, { protocol: input.url.protocol });
  const { host, port, isTls } = route;
  if (isTls && tls !== 'any') throw new GatewayError(FFMPEG_ERRORS.FFMPEG_TLS_UNVERIFIED);
  const isTunnel = route.tunnel !== null;
  if (isTunnel && binary.isOutdated) throw new GatewayError(FFMPEG_ERRORS.FFMPEG_CAMERA_TRANSPORT);
  const chosen = input.transport === 'auto' ? (needsUdp ? 'udp' : 'tcp') : input.transport;
  const transport = isTunnel ? (isTls ? 'https' : 'http') : chosen;
  const address = await cameraAddress(host, addressRule);
  return {
    input: { kind: 'rtsp', url: workerUrl(route, address), transport },
    // A worker without an option for the transport begins with UDP.
    network: { address, port, udp: transport === 'udp' || transport === 'multicast' || binary.isOutdated },
  };
}

const PORTS: Readonly<Record<string, number>> = { 'rtmp:': 1_935, 'rtmps:': 443 };

/** Fails like `locate`, whose port is checked where it is configured. */
async function locateUrl(
  input: Extract<WorkerInput, { kind: 'url' }>,
  addressRule: AddressRule,
  tls: TlsTrust,
): Promise<{ input: WorkerInput; network: WorkerNetwork }> {
  const { url } = input;
  if (url.protocol === 'rtmps:' && tls !== 'any') throw new GatewayError(FFMPEG_ERRORS.FFMPEG_TLS_UNVERIFIED);
  const address = await cameraAddress(url.hostname, addressRule);
  const port = url.port ?? PORTS[url.protocol] ?? 0;
  return {
    input: { ...input, url: url.atAddress(address) },
    network: { address, port, udp: url.protocol === 'srt:' },
  };
}

function withContext(error: GatewayError, more: GatewayError['context']): GatewayError {
  const { code, kind, message } = error;
  return new GatewayError({ code, kind, message }, { ...error.context, ...more }, error.cause);
}

/**
 * The URL that the worker opens. In a tunnel, ffmpeg takes TLS from the transport and would connect to 554 without a port.
 */
function workerUrl({ rtspUrl, tunnel, port }: CameraRoute, address: string): CredentialUrl {
  const url = rtspUrl.atAddress(address);
  return tunnel === null ? url : url.withProtocol('rtsp:').withPort(port);
}

/** The worker's peer. */
function targetOf(input: WorkerInput): GatewayError['context'] {
  if (input.kind === 'url') {
    const { hostname, port, protocol } = input.url;
    return { host: hostname, port: port ?? PORTS[protocol] };
  }
  const route = input.kind === 'rtsp' ? routeOf(input) : null;
  return route === null ? {} : { host: route.host, port: route.port };
}

function routeOf({ url, transport }: WorkerInput & { kind: 'rtsp' }): CameraRoute | null {
  return cameraRoute(url, transport === 'https' ? 'http' : transport);
}

/**
 * A plan within the source's settings and abilities. The AAC of a transport stream has its configuration in every frame
 * (ADTS), but some headers must be written before the first frame. Such audio is encoded again.
 */
function possiblePlan(options: FfmpegSourceOptions, { video, audio }: WorkerPlan): WorkerPlan {
  const { input, encodesVideo = false, isSilent = false } = options;
  const sound = audio === 'copy' && isTransportStream(input) ? 'encode' : audio;
  return { video: encodesVideo ? 'encode' : video, audio: isSilent ? 'off' : sound };
}

function isTransportStream(input: WorkerInput): boolean {
  if (input.kind === 'url') return input.url.protocol === 'srt:';
  return input.kind === 'fed' && input.format === 'mpegts';
}

function isSamePlan(a: WorkerPlan, b: WorkerPlan): boolean {
  return a.video === b.video && a.audio === b.audio;
}
