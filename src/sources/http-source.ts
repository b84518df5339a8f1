/**
 * A camera at an http or https URL. Its answer shows its kind: an HLS playlist, whose fMP4 segments with H.264 or H.265 are
 * passed on as they are; or an HLS playlist with anything else, an MJPEG stream or an MPEG transport stream, which the
 * gateway loads and feeds to a worker. So a worker needs no network, and all rules about addresses and certificates hold
 * for every request.
 */

import type { Writable } from 'node:stream';
import type { Track } from '../codec/track.ts';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { CredentialUrl } from '../core/secret.ts';
import type { FedFormat, WorkerPlan } from '../ffmpeg/command.ts';
import type { Source, SourceInstance } from '../stream/source/source.ts';
import type { SourceSink } from '../stream/source/source-sink.ts';
import { HLS_SOURCE_ERRORS } from './hls/errors.ts';
import { FragmentConsumer, type SegmentSound } from './hls/fragment-consumer.ts';
import { readInitSection } from './hls/init-section.ts';
import { PacedFeed } from './hls/paced-feed.ts';
import { type MediaPlaylist, type MultivariantPlaylist, readPlaylist, type Variant } from './hls/playlist.ts';
import { PLAYLIST_LIMITS, PlaylistPull } from './hls/playlist-pull.ts';
import { NO_VARIABLES, type PlaylistVariables } from './hls/playlist-variables.ts';
import type { SegmentConsumer } from './hls/segment-consumer.ts';
import { SoundPull } from './hls/sound-pull.ts';
import { chosenVariant, codecsOf, type VariantSize } from './hls/variant-choice.ts';
import { PULL_ERRORS } from './http/errors.ts';
import { HttpClient, type OpenedResponse } from './http/http-client.ts';
import { pourInto } from './http/pour.ts';
import { type AddressRule, ANYWHERE } from './network/camera-address.ts';
import type { TlsTrust } from './network/tls-trust.ts';

const DEFAULT_START_MS = 20_000;
const DEFAULT_SILENCE_MS = 10_000;
const RESPONSE_TIMEOUT_MS = 8_000;
const WATCH_INTERVAL_MS = 1_000;
const ENCODED_PICTURES: WorkerPlan = { video: 'encode', audio: 'off' };
const MPEGTS_SYNC_BYTE = 0x47;

/** What the gateway has learned about a URL, before any media has passed. */
export interface HttpOffer {
  readonly format: 'hls-fmp4' | FedFormat;
  /** RFC 6381 or names of formats; empty: not known. */
  readonly codecs: readonly string[];
}

/** Makes a worker that is fed. `plan`: how it begins; null: as usual. */
export type FedWorker = (
  format: FedFormat,
  plan: WorkerPlan | null,
  feed: (stdin: Writable) => void,
) => Source;

export interface HttpSourceOptions {
  readonly url: CredentialUrl;
  readonly clock: Clock;
  readonly log: Log;
  /** null: only what needs none is played. */
  readonly worker: FedWorker | null;
  /** Also for what needs no worker. */
  readonly isAlwaysWorker?: boolean;
  /** Which of several variants is played. Default: largest. */
  readonly variant?: VariantSize;
  /** Leaves out all audio of what needs no worker. Default: false. */
  readonly isSilent?: boolean;
  /** Default: `anywhere`. */
  readonly addressRule?: AddressRule;
  /** Default: `any`. */
  readonly tls?: TlsTrust;
  /** Longest time from the start to the first access unit. */
  readonly startMs?: number;
  /** Longest time without an access unit after that. */
  readonly silenceMs?: number;
  readonly onOffer?: (offer: HttpOffer) => void;
}

export class HttpSource implements Source {
  readonly engine = 'http';
  readonly #options: HttpSourceOptions;

  constructor(options: HttpSourceOptions) {
    this.#options = options;
  }

  open(sink: SourceSink): SourceInstance {
    return new HttpInstance(this.#options, sink);
  }
}

class HttpInstance implements SourceInstance {
  readonly #options: HttpSourceOptions;
  readonly #sink: SourceSink;
  readonly #client: HttpClient;
  readonly #abort = new AbortController();
  readonly #finished: Promise<void>;
  #offer: HttpOffer | null = null;
  #fragments: FragmentConsumer | null = null;
  #playlistPull: PlaylistPull | null = null;
  #soundPull: SoundPull | null = null;
  #worker: SourceInstance | null = null;
  #watch: TimerHandle | null = null;
  readonly #openedMonoMs: number;

  constructor(options: HttpSourceOptions, sink: SourceSink) {
    const { url, clock, addressRule = ANYWHERE, tls = 'any' } = options;
    this.#options = options;
    this.#openedMonoMs = clock.monoMs();
    this.#client = new HttpClient({ url, clock, addressRule, tls });
    this.#sink = sink.branch({
      onOpened: (tracks) => this.#opened(tracks),
      onEnded: (error) => {
        this.#release();
        return error;
      },
    });
    this.#watchOutput();
    this.#finished = this.#run();
  }

  async close(): Promise<void> {
    this.#sink.close();
    this.#release();
    await Promise.all([this.#finished, this.#soundPull?.finished, this.#worker?.close()]);
  }

  async #run(): Promise<void> {
    try {
      await Promise.resolve();
      if (this.#sink.isOver) return;
      await this.#pull();
    } catch (thrown) {
      this.#sink.onEnded(toGatewayError(thrown));
    }
  }

  #release(): void {
    this.#abort.abort();
    this.#watch?.cancel();
    this.#client.close();
  }

  async #pull(): Promise<void> {
    const url = withoutLogin(this.#options.url);
    const opened = await this.#client.open(url, RESPONSE_TIMEOUT_MS);
    const format = continuousFormat(opened.contentType);
    if (format !== null) return this.#pour(opened, format);
    const body = await this.#client.readAll(opened, PLAYLIST_LIMITS);
    if (!isPlaylist(body)) {
      throw new GatewayError(PULL_ERRORS.PULL_CONTENT_UNSUPPORTED, { contentType: opened.contentType });
    }
    await this.#playlist(readPlaylist(body.toString('utf8'), opened.url), opened.url);
  }

  /** A response that never ends. */
  async #pour({ message }: OpenedResponse, format: FedFormat): Promise<void> {
    const isPictures = format === 'mpjpeg';
    const plan = isPictures ? ENCODED_PICTURES : null;
    this.#offered({ format, codecs: [isPictures ? 'jpeg' : 'mpegts'] });
    const pour = pourInto(message);
    this.#startWorker(format, plan, pour.attach, isPictures ? 'MJPEG' : 'an MPEG transport stream');
    await pour.ended;
    throw new GatewayError(PULL_ERRORS.PULL_DISCONNECTED);
  }

  async #playlist(playlist: MultivariantPlaylist | MediaPlaylist, url: URL): Promise<void> {
    const { clock, variant: size = 'largest' } = this.#options;
    const variant = playlist.kind === 'multivariant' ? chosenVariant(playlist, size) : null;
    const variables = playlist.kind === 'multivariant' ? playlist.variables : NO_VARIABLES;
    this.#playlistPull = new PlaylistPull(variant?.url ?? url, {
      client: this.#client,
      clock,
      signal: this.#abort.signal,
      variables,
      consumerOf: (init) => this.#consumer(init, variant, variables),
      onLost: (segments, code) => this.#sink.onDropped(segments, code),
    });
    await this.#playlistPull.run(playlist.kind === 'media' ? playlist : null);
  }

  async #consumer(
    init: Buffer | null,
    variant: Variant | null,
    variables: PlaylistVariables,
  ): Promise<SegmentConsumer> {
    const { clock, isAlwaysWorker = false } = this.#options;
    if (init === null) {
      this.#offered({ format: 'mpegts', codecs: codecsOf(variant) });
      return this.#fed('mpegts', variant, 'segments that are not fMP4');
    }
    const section = readInitSection(init);
    if (section.video === null || isAlwaysWorker) {
      this.#offered({ format: 'mp4', codecs: codecsOf(variant) });
      const reason = section.video === null ? 'video that is neither H.264 nor H.265' : 'the engine setting';
      return this.#fed('mp4', variant, reason);
    }
    const sound = await this.#sound(variant?.audioUrl ?? null, variables);
    const audio = sound === 'off' ? null : sound === 'muxed' ? section.audio : sound.audio;
    const codecs = [section.video.track.codecString, ...(audio === null ? [] : [audio.track.codecString])];
    this.#offered({ format: 'hls-fmp4', codecs });
    const fragments = new FragmentConsumer(section, sound, this.#sink, clock);
    this.#fragments = fragments;
    if (fragments.sound !== null) this.#soundPull?.attach(fragments.sound);
    return fragments;
  }

  /** Waits for what the audio's own playlist offers, but not for long. */
  async #sound(audioUrl: URL | null, variables: PlaylistVariables): Promise<SegmentSound> {
    const { clock, log, isSilent = false } = this.#options;
    if (isSilent) return 'off';
    if (audioUrl === null) return 'muxed';
    this.#soundPull = new SoundPull({
      url: audioUrl,
      variables,
      client: this.#client,
      clock,
      log,
      videoBehindMs: this.#playlistPull?.startedBehindMs ?? 0,
      signal: this.#abort.signal,
      events: this.#sink,
    });
    const section = await this.#soundPull.section;
    this.#abort.signal.throwIfAborted();
    return section ?? 'off';
  }

  /** The worker reads one stream: audio in a playlist of its own is left out. */
  #fed(format: 'mpegts' | 'mp4', variant: Variant | null, reason: string): SegmentConsumer {
    if (variant?.audioUrl && this.#options.isSilent !== true) {
      this.#options.log.info({}, 'camera audio left out: it is in a playlist of its own');
      this.#sink.onSound({ kind: 'unsupported', encoding: 'separate playlist' });
    }
    const feed = new PacedFeed(this.#options.clock);
    this.#startWorker(format, null, (stdin) => feed.attach(stdin), reason);
    return feed;
  }

  /** Fails PULL_NEEDS_WORKER. */
  #startWorker(
    format: FedFormat,
    plan: WorkerPlan | null,
    feed: (stdin: Writable) => void,
    reason: string,
  ): void {
    const { worker, log } = this.#options;
    if (worker === null) throw new GatewayError(PULL_ERRORS.PULL_NEEDS_WORKER, { reason });
    log.debug({ reason }, 'camera needs an ffmpeg worker');
    // The worker has limits of its own.
    this.#watch?.cancel();
    this.#worker = worker(format, plan, feed).open(this.#sink.branch());
  }

  #offered(offer: HttpOffer): void {
    this.#offer = offer;
    this.#options.onOffer?.(offer);
  }

  /** One line for each instance that delivered media without a worker: a worker has its own. */
  #opened(tracks: readonly Track[]): void {
    if (this.#worker !== null) return;
    const codecs = tracks.map((track) => track.codecString);
    this.#options.log.info({ engine: 'http', format: this.#offer?.format, codecs }, 'stream opened');
  }

  #watchOutput(): void {
    const { clock, startMs = DEFAULT_START_MS, silenceMs = DEFAULT_SILENCE_MS } = this.#options;
    this.#watch = clock.after(WATCH_INTERVAL_MS, () => {
      if (this.#sink.isOver) return;
      const sinceMonoMs = this.#fragments?.lastUnitMonoMs ?? this.#openedMonoMs;
      const silentMs = Math.round(clock.monoMs() - sinceMonoMs);
      if (silentMs < (this.#sink.hasOpened ? silenceMs : startMs)) this.#watchOutput();
      else {
        // A server that is gone is tried a few times, and the frames may run out first.
        const stalled = new GatewayError(HLS_SOURCE_ERRORS.HLS_STALLED, { silentMs });
        this.#sink.onEnded(this.#playlistPull?.fault ?? stalled);
      }
    });
  }
}

export function isHttp({ protocol }: Pick<CredentialUrl, 'protocol'>): boolean {
  return protocol === 'http:' || protocol === 'https:';
}

/** The login goes into headers. */
export function withoutLogin(url: CredentialUrl): URL {
  const request = new URL(url.redacted());
  request.hash = '';
  return request;
}

/** The format of an endless response; null: a document. */
export function continuousFormat(contentType: string): FedFormat | null {
  if (/^multipart\/x-mixed-replace/i.test(contentType)) return 'mpjpeg';
  return /^video\/(?:mp2t|mpeg)\b/i.test(contentType) ? 'mpegts' : null;
}

/** Whether it begins as an HLS playlist does (RFC 8216bis §4.4.1.1). */
export function isPlaylist(body: Buffer): boolean {
  return body[0] !== MPEGTS_SYNC_BYTE && /^\uFEFF?#EXTM3U\b/.test(body.toString('utf8', 0, 16));
}
