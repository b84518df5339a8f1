/**
 * The `auto` engine: direct, unless the camera describes no video that direct carries and a worker might. Audio decides
 * nothing, except for LATM: direct transcodes what it can (sound/), and plays without the rest. A camera whose worker
 * delivered is opened by a worker the next time, with one connection instead of two; the decision is made again after
 * a while, and after a failure, because the camera's setup may have changed.
 *
 * Video with a gradual refresh instead of key frames, or with parameter sets that flap, shows this only after seconds. A
 * worker then encodes it, and also opens it the next time, until it fails or the camera is changed.
 */

import type { Clock } from '../core/clock.ts';
import type { GatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { WorkerPlan } from '../ffmpeg/command.ts';
import { FFMPEG_ERRORS } from '../ffmpeg/errors.ts';
import type { TrackSelection } from '../rtsp/track-selection.ts';
import type { Source, SourceInstance } from '../stream/source/source.ts';
import type { SourceSink } from '../stream/source/source-sink.ts';
import type { DirectObserver } from './direct/direct-rtsp-source.ts';

/**
 * With a coder other than AAC-LC in the description, only a worker that pulls the camera can read LATM. Direct carries all
 * other LATM as it is. What ffmpeg refuses, a configuration in band, is read from the stream.
 */
const PULLED_AUDIO = 'mp4a-latm';
/** Audio that a worker turns into AAC. Video needs no list: whatever direct cannot carry is worth a try. */
const TRANSCODABLE_AUDIO = new Set(['g722', 'mpa', 'mp4a-latm']);
/** Audio that becomes FLAC, whatever its rate: FlacSound; or passes as it is: OpusSound. */
const DIRECT_AUDIO = /^(?:pcm[ua]|l16|l8|pcm|(?:aal2-)?g726-(?:16|24|32|40)|opus)$/;

/** How long a worker that delivered is the first choice. */
export const WORKER_FIRST_MS = 600_000;

export interface AutoSourceOptions {
  /** Makes the direct source with this observer; called once. */
  readonly direct: (observer: DirectObserver) => Source;
  readonly ffmpeg: WorkerSource;
  /** Also encodes H.264. */
  readonly encoder: Source;
  readonly clock: Clock;
  readonly log: Log;
}

/** The worker's engine. It accepts the expected plan in advance. */
export interface WorkerSource extends Source {
  /** Unless it knows already, from a worker that saw the camera. */
  expect(plan: WorkerPlan): void;
}

/** True if the camera's offer cannot be played as it is, and a worker that pulls the camera can change that. */
export function wantsWorker(selection: TrackSelection): boolean {
  if (selection.video === null) return selection.skipped.some(({ kind }) => kind === 'video');
  if (selection.audio !== null) return false;
  return selection.skipped.some(
    ({ kind, reason, encodings }) =>
      kind === 'audio' && reason === 'unsupported' && encodings.includes(PULLED_AUDIO),
  );
}

/** The plan that the camera's offer suggests. A worker that finds it wrong corrects it, with one more connection. */
export function expectedPlan({ video, audio, skipped }: TrackSelection): WorkerPlan {
  const hasOtherAudio = skipped.some(({ kind, reason }) => kind === 'audio' && reason === 'unsupported');
  const isAac = audio?.encoding === 'aac';
  return {
    video: video?.encoding === 'h264' ? 'copy' : 'encode',
    audio: isAac ? 'copy' : audio !== null || hasOtherAudio ? 'encode' : 'off',
  };
}

/** Which engine carries the audio; `encodings`: names of a track's formats in lower case. */
export function audioWay(encodings: readonly string[]): 'direct' | 'worker' | 'none' {
  if (encodings.some((encoding) => DIRECT_AUDIO.test(encoding))) return 'direct';
  return encodings.some((encoding) => TRANSCODABLE_AUDIO.has(encoding)) ? 'worker' : 'none';
}

export class AutoSource implements Source {
  readonly engine = 'auto';
  readonly #direct: Source;
  readonly #encoder: Source;
  readonly #log: Log;
  readonly #worker: WorkerChoice;
  /** As far as is known, players cannot follow the camera's video as it is. */
  #isUnfit = false;
  /** The newest one: descriptions belong to it. */
  #newest: AutoInstance | null = null;

  constructor(options: AutoSourceOptions) {
    this.#direct = options.direct({
      onDescribed: (_description, selection) => {
        if (!wantsWorker(selection)) return;
        options.ffmpeg.expect(expectedPlan(selection));
        this.#newest?.switchTo((branch) => this.#worker.openForOffer(branch));
      },
      onUnfit: () => {
        this.#isUnfit = true;
        this.#newest?.switchTo((branch) => {
          this.#log.debug({}, 'camera needs an ffmpeg worker');
          return this.#encoder.open(branch);
        });
        return true;
      },
    });
    this.#encoder = options.encoder;
    this.#log = options.log;
    this.#worker = new WorkerChoice(options);
  }

  open(sink: SourceSink): SourceInstance {
    const watched = sink.branch({
      onEnded: (error) => {
        if (!hasOnlyWaited(error)) this.#isUnfit = false;
        return error;
      },
    });
    if (this.#isUnfit) return this.#encoder.open(watched);
    if (this.#worker.isFirst) return this.#worker.open(watched);
    this.#newest = new AutoInstance(this.#direct, watched);
    return this.#newest;
  }
}

/** The worker's engine, and whether it is the first choice for now. */
class WorkerChoice {
  readonly #options: AutoSourceOptions;
  #firstUntilMonoMs = Number.NEGATIVE_INFINITY;

  constructor(options: AutoSourceOptions) {
    this.#options = options;
  }

  get isFirst(): boolean {
    return this.#options.clock.monoMs() < this.#firstUntilMonoMs;
  }

  /** After direct has seen what the camera offers. */
  openForOffer(sink: SourceSink): SourceInstance {
    this.#options.log.debug({}, 'camera needs an ffmpeg worker');
    return this.open(
      sink.branch({
        onOpened: () => {
          this.#firstUntilMonoMs = this.#options.clock.monoMs() + WORKER_FIRST_MS;
        },
      }),
    );
  }

  /** `sink`: a branch. A source that ends without video loses its priority, unless it only waited. */
  open(sink: SourceSink): SourceInstance {
    let hasOpened = false;
    return this.#options.ffmpeg.open(
      sink.branch({
        onOpened: () => {
          hasOpened = true;
        },
        onEnded: (error) => {
          if (!hasOpened && !hasOnlyWaited(error)) this.#firstUntilMonoMs = Number.NEGATIVE_INFINITY;
          return error;
        },
      }),
    );
  }
}

/** There was no worker for it: that says nothing about the camera. */
function hasOnlyWaited(error: GatewayError): boolean {
  return error.code === FFMPEG_ERRORS.FFMPEG_POOL_FULL.code;
}

class AutoInstance implements SourceInstance {
  readonly #sink: SourceSink;
  /** Ignored once another engine is chosen. */
  readonly #firstSink: SourceSink;
  #hasSwitched = false;
  #inner: SourceInstance;

  constructor(first: Source, sink: SourceSink) {
    this.#sink = sink;
    this.#firstSink = sink.branch();
    this.#inner = first.open(this.#firstSink);
  }

  /** Opens the worker only after the direct instance's own call stack has unwound. */
  switchTo(open: (branch: SourceSink) => SourceInstance): void {
    if (this.#hasSwitched || this.#sink.isOver) return;
    this.#hasSwitched = true;
    this.#firstSink.close();
    void this.#reopen(open);
  }

  async close(): Promise<void> {
    this.#sink.close();
    await this.#inner.close();
  }

  /** The camera may allow only one session: the direct one must be closed before the worker connects. */
  async #reopen(open: (branch: SourceSink) => SourceInstance): Promise<void> {
    await Promise.resolve();
    await this.#inner.close();
    if (this.#sink.isOver) return;
    this.#inner = open(this.#sink.branch());
  }
}
