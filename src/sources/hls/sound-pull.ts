/**
 * Follows the playlist of a camera whose audio has one of its own, as long as its video is followed. The video waits for
 * its init section once, for a short time, because tracks are announced together. After that, nothing that happens to
 * the audio holds up the video: a playlist that fails is tried again, and silence is in its place meanwhile.
 */

import type { Clock } from '../../core/clock.ts';
import { type ErrorKind, GatewayError, toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { SourceEvents } from '../../stream/source/source-events.ts';
import type { HttpClient } from '../http/http-client.ts';
import { abortablePause } from './abortable-pause.ts';
import { HLS_SOURCE_ERRORS } from './errors.ts';
import { readInitSection, type SoundSection, soundSectionOf } from './init-section.ts';
import { PlaylistPull, type PullLimits } from './playlist-pull.ts';
import type { PlaylistVariables } from './playlist-variables.ts';
import type { SegmentConsumer } from './segment-consumer.ts';
import type { SoundRelay } from './sound-relay.ts';

/** A playlist, an init section and the beginning of a segment, from a slow server. */
const FIRST_SECTION_WAIT_MS = 3_000;
/** Before that section is known, and afterward. */
const FIRST_RETRY_PAUSE_MS = 500;
const RETRY_PAUSE_MS = 10_000;
/** Its playlist is loaded later than that of the video, and its segments begin at other times. */
const START_MARGIN_MS = 3_000;
const RETRIED_KINDS: ReadonlySet<ErrorKind> = new Set([
  ...(['unavailable', 'timeout', 'peer-refused', 'peer-protocol'] as const),
]);
/** 20 s of uncompressed stereo have 3.8 MB. */
const SOUND_LIMITS: PullLimits = { maxSegmentBytes: 4 * 1_048_576, maxWaitingBytes: 8 * 1_048_576 };

export interface SoundPullOptions {
  readonly url: URL;
  /** Its video began that far before the end. */
  readonly videoBehindMs: number;
  /** The variables of its Multivariant Playlist. */
  readonly variables: PlaylistVariables;
  readonly client: HttpClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly events: Pick<SourceEvents, 'onDropped' | 'onSound' | 'onEnded'>;
}

export class SoundPull {
  readonly #options: SoundPullOptions;
  readonly #stop = new AbortController();
  readonly #section = Promise.withResolvers<SoundSection | null>();
  readonly #relay = Promise.withResolvers<SoundRelay>();
  #isKnown = false;
  #lastCode = '';
  /** Resolves when it has stopped. Never rejects. */
  readonly finished: Promise<void>;

  constructor(options: SoundPullOptions) {
    this.#options = options;
    const timer = options.clock.after(FIRST_SECTION_WAIT_MS, () => this.#giveUp('late'));
    void this.#section.promise.then(() => timer.cancel());
    this.finished = this.#run();
  }

  /** The audio's init section; null: the camera is played without audio. */
  get section(): Promise<SoundSection | null> {
    return this.#section.promise;
  }

  /** Sends all later segments to `relay`. */
  attach(relay: SoundRelay): void {
    this.#relay.resolve(relay);
  }

  async #run(): Promise<void> {
    const { clock, signal } = this.#options;
    const either = AbortSignal.any([signal, this.#stop.signal]);
    while (!either.aborted) {
      try {
        await this.#follow(either);
      } catch (thrown) {
        if (either.aborted || !this.#mayRetry(toGatewayError(thrown))) break;
        const pauseMs = this.#isKnown ? RETRY_PAUSE_MS : FIRST_RETRY_PAUSE_MS;
        // Only an abort ends it early.
        await abortablePause(clock, either, pauseMs).catch(() => undefined);
      }
    }
    this.#section.resolve(null);
  }

  async #follow(signal: AbortSignal): Promise<never> {
    const { url, videoBehindMs, variables, client, clock, events } = this.#options;
    const pull = new PlaylistPull(url, {
      client,
      clock,
      signal,
      variables,
      limits: SOUND_LIMITS,
      minBehindMs: videoBehindMs + START_MARGIN_MS,
      consumerOf: (init) => this.#consumer(init),
      onLost: (segments, code) => events.onDropped(segments, code),
    });
    return pull.run(null);
  }

  async #consumer(init: Buffer | null): Promise<SegmentConsumer> {
    const section = init === null ? null : soundSectionOf(readInitSection(init));
    if (section === null) throw new GatewayError(HLS_SOURCE_ERRORS.HLS_SOUND_UNSUPPORTED);
    this.#isKnown = true;
    this.#section.resolve(section);
    const relay = await Promise.race([this.#relay.promise, aborted(this.#options.signal)]);
    this.#lastCode = '';
    return relay;
  }

  /** Other audio needs another instance. Media that breaks rules or limits is not requested again. */
  #mayRetry(error: GatewayError): boolean {
    const { events, log } = this.#options;
    const { code, kind } = error;
    if (code === HLS_SOURCE_ERRORS.HLS_MEDIA_CHANGED.code || kind === 'internal') {
      events.onEnded(error);
      return false;
    }
    if (code === HLS_SOURCE_ERRORS.HLS_SOUND_UNSUPPORTED.code || !RETRIED_KINDS.has(kind)) {
      this.#giveUp(code);
      return false;
    }
    if (code !== this.#lastCode) log.info({ code }, 'camera audio interrupted');
    this.#lastCode = code;
    return code !== HLS_SOURCE_ERRORS.HLS_ENDED.code;
  }

  /** Tracks are announced once: audio that comes later is not part of this instance. */
  #giveUp(code: string): void {
    const { events, log } = this.#options;
    log.info({ code }, 'camera audio left out: its playlist cannot be used');
    events.onSound?.({ kind: 'unsupported', encoding: 'separate playlist' });
    this.#section.resolve(null);
    this.#stop.abort();
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
