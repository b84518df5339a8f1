/**
 * The `auto` engine: direct, unless the camera describes no video that direct carries and a worker might. Audio decides
 * nothing, except for LATM: direct transcodes what it can (sound/), and plays without the rest. The decision is made
 * again at every opening, because the camera's setup may have changed.
 */

import type { Log } from '../core/log.ts';
import type { TrackSelection } from '../rtsp/track-selection.ts';
import type { Source, SourceInstance } from '../stream/source.ts';
import type { SourceSink } from '../stream/source-sink.ts';
import type { DirectObserver } from './direct/direct-rtsp-source.ts';

/**
 * With an in-band configuration, or a coder other than AAC-LC, only a worker that pulls the camera can read LATM.
 * Direct carries all other LATM as it is.
 */
const PULLED_AUDIO = 'mp4a-latm';
/** Audio that a worker turns into AAC. Video needs no list: whatever direct cannot carry is worth a try. */
const TRANSCODABLE_AUDIO = new Set([
  'pcmu',
  'pcma',
  'l16',
  'l8',
  'g726-16',
  'g726-24',
  'g726-32',
  'g726-40',
  'g722',
  'opus',
  'mpa',
  'mp4a-latm',
]);

export interface AutoSourceOptions {
  /** Makes the direct source with this observer; called once. */
  readonly direct: (observer: DirectObserver) => Source;
  readonly ffmpeg: Source;
  readonly log: Log;
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

/** `encodings`: names of a track's formats in lower case. */
export function isTranscodableAudio(encodings: readonly string[]): boolean {
  return encodings.some((encoding) => TRANSCODABLE_AUDIO.has(encoding));
}

export class AutoSource implements Source {
  readonly engine = 'auto';
  readonly #direct: Source;
  readonly #ffmpeg: Source;
  readonly #log: Log;
  /** The newest one: descriptions belong to it. */
  #newest: AutoInstance | null = null;

  constructor(options: AutoSourceOptions) {
    this.#direct = options.direct({
      onDescribed: (_description, selection) => {
        if (wantsWorker(selection)) this.#newest?.switchToWorker();
      },
    });
    this.#ffmpeg = options.ffmpeg;
    this.#log = options.log;
  }

  open(sink: SourceSink): SourceInstance {
    this.#newest = new AutoInstance(this.#direct, this.#ffmpeg, this.#log, sink);
    return this.#newest;
  }
}

class AutoInstance implements SourceInstance {
  readonly #ffmpeg: Source;
  readonly #log: Log;
  readonly #sink: SourceSink;
  /** From the direct engine. Ignored once the worker is chosen. */
  readonly #directSink: SourceSink;
  #hasSwitched = false;
  #inner: SourceInstance;

  constructor(direct: Source, ffmpeg: Source, log: Log, sink: SourceSink) {
    this.#ffmpeg = ffmpeg;
    this.#log = log;
    this.#sink = sink;
    this.#directSink = sink.branch();
    this.#inner = direct.open(this.#directSink);
  }

  /** Opens the worker only after the direct instance's own call stack has unwound. */
  switchToWorker(): void {
    if (this.#hasSwitched || this.#sink.isOver) return;
    this.#hasSwitched = true;
    this.#directSink.close();
    void this.#reopen();
  }

  async close(): Promise<void> {
    this.#sink.close();
    await this.#inner.close();
  }

  /** The camera may allow only one session: the direct one must be closed before the worker connects. */
  async #reopen(): Promise<void> {
    await Promise.resolve();
    await this.#inner.close();
    if (this.#sink.isOver) return;
    this.#log.debug({}, 'camera needs an ffmpeg worker');
    this.#inner = this.#ffmpeg.open(this.#sink.branch());
  }
}
