/**
 * Pulls the missing times of a camera from its recorder, in order, as long as someone looks: session after session, because recorders
 * end them early, or have to wait. Each session continues with the key frame at which the one before stopped.
 */

import type { Clock } from '../core/clock.ts';
import { pause } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { RecordedFile } from '../recording/segment-index.ts';
import { RTSP_ERRORS } from '../rtsp/errors.ts';
import type { SoundPaths } from '../sources/sound/sound-path.ts';
import { RECORDER_ERRORS } from './errors.ts';
import { PulledFiles, type PulledFilesOptions } from './pulled-files.ts';
import { type KeyMark, PulledMedia } from './pulled-media.ts';
import type { ArchiveSpan, RecorderArchive } from './recorder-archive.ts';
import type { RecordedChannel } from './recorder-settings.ts';
import { type ReplayOptions, ReplaySession } from './replay-session.ts';

/** Runs work when the recorder has a session for it. Resolves with null if too many wait. */
export type InTurn = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T | null>;

export interface MissingSpan extends ArchiveSpan {
  /** The recording continues after it. */
  readonly isCut: boolean;
}

export interface PullJobOptions {
  readonly channel: RecordedChannel;
  readonly archive: RecorderArchive;
  /** What is missing, in order. */
  readonly spans: readonly MissingSpan[];
  /** The key frame at which an earlier pull stopped, at the start of the first span; null: not known. */
  readonly mark: KeyMark | null;
  readonly imports: PulledFilesOptions['imports'];
  readonly inTurn: InTurn;
  readonly sound: SoundPaths;
  readonly clock: Clock;
  readonly log: Log;
  /** True time up to which viewers have come. */
  readonly watchedMs: () => number;
  /** So much more is pulled, without gaps. */
  readonly aheadMs: number;
  /** A file is listed; all that was played from `fromMs` to `endMs` is there. */
  readonly onListed: (file: RecordedFile, fromMs: number, endMs: number) => void;
  /** All that the recorder plays of this time is there. `mark`: the key frame at its end; null: not known. */
  readonly onSettled: (span: ArchiveSpan, mark: KeyMark | null) => void;
  /** The first key frame that was played for a time. False: another time was played before with the same one. */
  readonly isPlausible: (mark: KeyMark, requestedMs: number) => boolean;
  /** Replaced in tests. */
  readonly open?: (options: ReplayOptions) => Pick<ReplaySession, 'isExact' | 'pause' | 'resume' | 'close'>;
}

export type PullState = 'waiting' | 'pulling' | 'paused' | 'done' | 'failed';

type SessionEnd = 'reached' | 'ended' | 'held';

interface SessionResult {
  readonly end: SessionEnd;
  readonly error: GatewayError | null;
  readonly frontierMs: number;
  readonly mark: KeyMark | null;
  /** The newest frame that was played; null: none was. */
  readonly newestMs: number | null;
  /** Nothing more will come of the last group of pictures. */
  readonly isFinished: boolean;
}

/** Lists round to whole seconds, and the last group of pictures may not be played. */
const END_TOLERANCE_MS = 2_500;
/** Less than this is not missing. */
const EXACT_END_MS = 100;
/** Before the key frame to continue with, so that recorders that begin too late play it. */
const BEFORE_MARK_MS = 2_000;
/** Plays on after the end of an exact time, so that its last frame is there. */
const AFTER_END_MS = 1_500;
/** A group of pictures that is longer does not end in time. */
const AFTER_CUT_MS = 20_000;
/** A recorder that plays a time this far from the requested one ignores it. */
const MAX_OFF_MS = 60_000;
/** A session that waits for its viewers for so long makes room for others. */
const MAX_HELD_MS = 20_000;
const MAX_ATTEMPTS = 3;
const RETRY_MS = 1_000;
const POLL_MS = 250;

export class PullJob {
  readonly #options: PullJobOptions;
  #state: PullState = 'waiting';
  #error: GatewayError | null = null;
  #frontierMs: number;
  /** End of the span before the current one: viewers at it want what follows the gap. */
  #beforeMs: number;
  #nudge: () => void = () => undefined;

  constructor(options: PullJobOptions) {
    this.#options = options;
    this.#frontierMs = options.spans[0]!.fromMs;
    this.#beforeMs = this.#frontierMs;
  }

  get state(): PullState {
    return this.#state;
  }

  get error(): GatewayError | null {
    return this.#error;
  }

  /** True time up to which all is there. */
  get frontierMs(): number {
    return this.#frontierMs;
  }

  /** Viewers have moved. */
  nudge(): void {
    this.#nudge();
  }

  /** Resolves when all is pulled, it failed, or `signal` was aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      let { mark } = this.#options;
      for (const span of this.#options.spans) {
        this.#frontierMs = Math.max(this.#frontierMs, span.fromMs);
        await this.#span(span, mark, signal);
        this.#beforeMs = span.toMs;
        mark = null;
      }
      this.#state = 'done';
    } catch (thrown) {
      if (signal.aborted) return;
      this.#state = 'failed';
      this.#error = recorderError(thrown);
      const { log, channel } = this.#options;
      log.warn({ camera: channel.cameraUuid, err: this.#error }, 'recorder not played');
    }
  }

  async #span(span: MissingSpan, first: KeyMark | null, signal: AbortSignal): Promise<void> {
    const { clock, inTurn, onSettled } = this.#options;
    let mark = first;
    let attempts = 0;
    let hasPlayed = false;
    while (true) {
      await this.#untilWanted(span, signal);
      this.#state = 'waiting';
      const beforeMs = this.#frontierMs;
      const work = () => this.#session(span, mark, attempts > 0, signal);
      const result = await inTurn(work, signal);
      signal.throwIfAborted();
      if (result === null) throw new GatewayError(RECORDER_ERRORS.RECORDER_BUSY, {});
      const hasMoved = result.frontierMs > beforeMs + 1;
      hasPlayed ||= result.newestMs !== null;
      this.#frontierMs = Math.max(this.#frontierMs, result.frontierMs);
      if (hasMoved) mark = result.mark;
      const missingMs = span.toMs - this.#frontierMs;
      const isOver = missingMs <= (result.isFinished ? END_TOLERANCE_MS : EXACT_END_MS);
      if (isOver || result.end === 'reached') break;
      if (result.end === 'held') continue;
      attempts = hasMoved ? 0 : attempts + 1;
      if (attempts >= MAX_ATTEMPTS) {
        if (result.error !== null) throw result.error;
        if (!hasPlayed) throw new GatewayError(RECORDER_ERRORS.RECORDER_NOTHING_PLAYED, {});
        break;
      }
      if (attempts > 0) await pause(clock, RETRY_MS * attempts, signal);
    }
    const settledMs = Math.max(span.toMs, this.#frontierMs);
    onSettled({ fromMs: span.fromMs, toMs: mark === null ? settledMs : this.#frontierMs }, mark);
    if (mark === null) this.#frontierMs = settledMs;
  }

  /** Up to when the span is wanted now. */
  #limitMs({ fromMs }: MissingSpan): number {
    const { watchedMs, aheadMs } = this.#options;
    const limitMs = watchedMs() + aheadMs;
    return limitMs >= this.#beforeMs ? Math.max(limitMs, fromMs + aheadMs) : limitMs;
  }

  async #untilWanted(span: MissingSpan, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (this.#frontierMs > this.#limitMs(span)) {
      this.#state = 'paused';
      await pause(clock, POLL_MS, signal);
      signal.throwIfAborted();
    }
  }

  /** `isLast`: what is there of the last group of pictures is all that will come. */
  async #session(
    span: MissingSpan,
    mark: KeyMark | null,
    isLast: boolean,
    signal: AbortSignal,
  ): Promise<SessionResult> {
    const { channel, archive, imports, sound, clock, open } = this.#options;
    const fromMs = this.#frontierMs;
    const requestedMs = mark === null ? fromMs : Math.max(0, mark.atMs - BEFORE_MARK_MS);
    const request = await archive.replay(requestedMs, span.toMs, signal);
    const { promise: ended, resolve } = Promise.withResolvers<{
      readonly end: SessionEnd;
      readonly error: GatewayError | null;
    }>();
    /** More may have arrived with what ended the session: it does not count. */
    let isOver = false;
    const end = (as: { readonly end: SessionEnd; readonly error: GatewayError | null }): void => {
      isOver = true;
      resolve(as);
    };
    let listedMs = fromMs;
    let isFull = false;
    let heldSinceMonoMs: number | null = null;
    const files = new PulledFiles({
      cameraUuid: channel.cameraUuid,
      imports,
      onListed: (file, startMs, endMs) => {
        this.#options.onListed(file, Math.min(startMs, listedMs), endMs);
        listedMs = Math.max(listedMs, endMs);
        this.#frontierMs = listedMs;
      },
      onFailed: (error) => end({ end: 'ended', error }),
      onPressure: (isHigh) => {
        isFull = isHigh;
        hold();
      },
    });
    let handedMs = fromMs;
    const media = new PulledMedia({
      fromMs,
      mark,
      isBeyond: (atMs) => isBeyond(span, atMs, session.isExact),
      onSegment: (segment) => {
        handedMs = segment.endMs;
        files.add(segment);
      },
    });
    let hasChecked = false;
    const session = (open ?? ((options) => new ReplaySession(options)))({
      channel,
      request,
      fromMs: requestedMs,
      clock,
      sound,
      events: {
        onTracks: (tracks) => media.setTracks(tracks),
        onUnit: (unit) => {
          if (isOver) return;
          media.push(unit);
          const { firstKey, newestMs } = media;
          if (!hasChecked && firstKey !== null) {
            hasChecked = true;
            const isRight = session.isExact
              ? Math.abs(firstKey.atMs - requestedMs) <= MAX_OFF_MS
              : this.#options.isPlausible(firstKey, requestedMs);
            if (!isRight) {
              end({ end: 'ended', error: new GatewayError(RECORDER_ERRORS.RECORDER_OTHER_TIME, {}) });
              return;
            }
          }
          if (handedMs >= span.toMs || media.hasGoneBeyond) end({ end: 'reached', error: null });
          else if (newestMs !== null) hold();
        },
        onEnded: (error) => end({ end: 'ended', error }),
      },
    });
    this.#state = 'pulling';
    const hold = (): void => {
      const isAhead = (media.newestMs ?? fromMs) > this.#limitMs(span);
      if (!isAhead && !isFull) {
        heldSinceMonoMs = null;
        session.resume();
        return;
      }
      heldSinceMonoMs ??= clock.monoMs();
      session.pause();
    };
    this.#nudge = hold;
    const abort = (): void => end({ end: 'ended', error: null });
    signal.addEventListener('abort', abort, { once: true });
    let isOpen = true;
    const watch = async (): Promise<void> => {
      while (isOpen) {
        await pause(clock, POLL_MS, signal);
        hold();
        if (signal.aborted) return;
        const heldMs = heldSinceMonoMs === null || isFull ? 0 : clock.monoMs() - heldSinceMonoMs;
        if (heldMs > MAX_HELD_MS) end({ end: 'held', error: null });
      }
    };
    void watch();
    const over = await ended;
    isOpen = false;
    this.#nudge = () => undefined;
    signal.removeEventListener('abort', abort);
    await session.close();
    const { newestMs } = media;
    const isAtEnd = newestMs !== null && newestMs >= span.toMs - EXACT_END_MS && !span.isCut;
    const isFinished =
      over.end !== 'held' && over.error === null && (isAtEnd || isLast || media.hasGoneBeyond);
    if (isFinished) media.finish();
    const openMark = media.openMark;
    await files.end();
    media.close();
    return { ...over, frontierMs: listedMs, mark: openMark, newestMs, isFinished };
  }
}

/** What comes after the end of a recording is another one, and without times of its own it cannot be dated. */
function isBeyond({ toMs, isCut }: MissingSpan, atMs: number, isExact: boolean): boolean {
  return atMs >= toMs + (isCut ? AFTER_CUT_MS : isExact ? AFTER_END_MS : 0);
}

/** A recorder that plays nothing more is busy, whether it says so or this gateway does. */
function recorderError(thrown: unknown): GatewayError {
  const error = toGatewayError(thrown);
  return error.code === RTSP_ERRORS.RTSP_BUSY.code
    ? new GatewayError(RECORDER_ERRORS.RECORDER_BUSY, error.context, error)
    : error;
}
