/**
 * Progressive MP4s of ranges, as players request them: many times, a piece at a time. The heads of the last ones are kept,
 * and one that several requests want is made once. docs/design/clips.md#mp4-of-a-range.
 */

import { createHash } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { FairQueue, queueOptionsOf, type Turn } from '../core/fair-queue.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { FoundFile } from '../recording/recording-finder.ts';
import { endEpochMs, type RecordedStream } from '../recording/segment-index.ts';
import { PLAYBACK_ERRORS } from './errors.ts';
import type { MovieMaker } from './movie-maker.ts';
import { Pieces } from './pieces.ts';
import { MAX_RANGE_MS, type RangeRequest } from './range-mp4.ts';
import type { PastMedia } from './recorded-media.ts';
import { PiecedFile, type ServedFile } from './served-file.ts';
import type { ShownTime } from './shown-time.ts';

export interface RangeMoviesOptions {
  readonly media: Pick<PastMedia, 'segments' | 'lend'>;
  readonly maker: Pick<MovieMaker, 'make'>;
  readonly clock: Clock;
}

/** Heads that are kept, and their bytes: half a megabyte is 20 minutes. */
export const MAX_KEPT_MOVIES = 256;
export const MAX_KEPT_BYTES = 32 * 1_048_576;
/** How long the same question has the same answer: players request a movie piece by piece. */
export const SAME_RESPONSE_MS = 2_000;

interface Kept {
  readonly movie: Promise<ServedFile>;
  headBytes: number;
}

interface Responded<T> {
  readonly result: Promise<T>;
  readonly untilMonoMs: number;
}

export class RangeMovies {
  readonly #options: RangeMoviesOptions;
  /** The least recently used one first. */
  readonly #kept = new Map<string, Kept>();
  #keptBytes = 0;
  /** The thread that makes heads is everyone's. */
  readonly #making = new FairQueue(queueOptionsOf(LIMITS.rangeMovies));
  /** By request, the oldest first. */
  readonly #responded = new Map<string, Responded<ServedFile>>();
  readonly #reached = new Map<string, Responded<number | null>>();

  constructor(options: RangeMoviesOptions) {
    this.#options = options;
  }

  get keptBytes(): number {
    return this.#keptBytes;
  }

  /**
   * A movie of the range's recordings so far, in whole segments within `spans`. `orgUuid`: the camera's. Fails RANGE_EMPTY,
   * RANGE_TOO_LARGE, PLAYBACK_TOO_MANY_READS, or like the store and MovieMaker.make.
   */
  movie(
    orgUuid: Ruuid,
    stream: RecordedStream,
    wanted: RangeRequest,
    spans: readonly ShownTime[],
  ): Promise<ServedFile> {
    const find = () => this.#find(orgUuid, stream, wanted, spans);
    return this.#respond(this.#responded, questionOf(stream, wanted, spans), find);
  }

  /** Where the last of the segments ends that a movie would have by now, epoch ms; null: there are none. Fails RANGE_TOO_LARGE, or like the store. */
  reach(stream: RecordedStream, wanted: RangeRequest, spans: readonly ShownTime[]): Promise<number | null> {
    return this.#respond(this.#reached, questionOf(stream, wanted, spans), async () => {
      checkLength(wanted);
      const found = await this.#options.media.segments(stream, wanted.fromMs, wanted.toMs);
      const ends = withinSpans(found, spans).flatMap(({ segments }) => segments.map(endEpochMs));
      return ends.length === 0 ? null : ends.reduce((one, other) => Math.max(one, other));
    });
  }

  /** Returns the answer of a moment ago, or the result of `find`. */
  #respond<T>(responded: Map<string, Responded<T>>, question: string, find: () => Promise<T>): Promise<T> {
    const nowMonoMs = this.#options.clock.monoMs();
    const known = responded.get(question);
    if (known !== undefined && nowMonoMs < known.untilMonoMs) return known.result;
    const result = find();
    responded.delete(question);
    responded.set(question, { result, untilMonoMs: nowMonoMs + SAME_RESPONSE_MS });
    result.catch(() => responded.delete(question));
    forgetResponses(responded, nowMonoMs);
    return result;
  }

  async #find(
    orgUuid: Ruuid,
    stream: RecordedStream,
    wanted: RangeRequest,
    spans: readonly ShownTime[],
  ): Promise<ServedFile> {
    checkLength(wanted);
    const found = await this.#options.media.segments(stream, wanted.fromMs, wanted.toMs);
    const files = withinSpans(found, spans);
    if (files.length === 0) throw new GatewayError(PLAYBACK_ERRORS.RANGE_EMPTY);
    const key = keyOf(files, wanted);
    const known = this.#kept.get(key);
    if (known !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return known.movie;
    }
    const turn = { group: orgUuid, member: stream.cameraUuid };
    const movie = this.#make(turn, files, wanted, key);
    this.#kept.set(key, { movie, headBytes: 0 });
    // A movie that failed is made again.
    movie.catch(() => this.#kept.delete(key));
    this.#makeRoom();
    return movie;
  }

  async #make(
    turn: Turn,
    files: readonly FoundFile[],
    wanted: RangeRequest,
    key: string,
  ): Promise<ServedFile> {
    const { media, maker } = this.#options;
    const made = await this.#making.run(turn, () => maker.make({ files, wanted }));
    if (made === null) throw new GatewayError(PLAYBACK_ERRORS.PLAYBACK_TOO_MANY_READS);
    const { head, pieces, digest, endEpochMs } = made;
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      kept.headBytes = head.length + pieces.columns.byteLength;
      this.#keptBytes += kept.headBytes;
      this.#makeRoom();
    }
    return new PiecedFile({ digest, modifiedEpochMs: endEpochMs, head, pieces: new Pieces(pieces), media });
  }

  #makeRoom(): void {
    for (const [key, { headBytes }] of this.#kept) {
      if (this.#kept.size <= MAX_KEPT_MOVIES && this.#keptBytes <= MAX_KEPT_BYTES) return;
      this.#kept.delete(key);
      this.#keptBytes -= headBytes;
    }
  }
}

function checkLength({ fromMs, toMs }: RangeRequest): void {
  if (toMs - fromMs > MAX_RANGE_MS) throw new GatewayError(PLAYBACK_ERRORS.RANGE_TOO_LARGE);
}

/** Those that are over, and the oldest if there are too many. */
function forgetResponses(responded: Map<string, Responded<unknown>>, nowMonoMs: number): void {
  for (const [question, { untilMonoMs }] of responded) {
    if (nowMonoMs < untilMonoMs && responded.size <= MAX_KEPT_MOVIES) return;
    responded.delete(question);
  }
}

/** A segment is shown as a whole or not at all: it cannot be decoded from its middle. */
function withinSpans(files: readonly FoundFile[], spans: readonly ShownTime[]): FoundFile[] {
  return files
    .map(({ name, number, segments }) => ({
      name,
      number,
      segments: segments.filter(({ epochMs, durationTicks, timescaleHz }) => {
        const endMs = epochMs + (durationTicks / timescaleHz) * 1_000;
        return spans.some(({ fromMs, toMs }) => overlaps(fromMs, toMs, epochMs, endMs));
      }),
    }))
    .filter(({ segments }) => segments.length > 0);
}

function overlaps(fromMs: number, toMs: number, startMs: number, endMs: number): boolean {
  return startMs >= fromMs && endMs <= toMs;
}

/**
 * The same segments and request give the same bytes. Every segment counts: a time that is hidden from one viewer in the middle of a
 * file may be shown to another.
 */
function keyOf(files: readonly FoundFile[], { fromMs, toMs, hasAudio }: RangeRequest): string {
  const hash = createHash('sha256');
  for (const { name, segments } of files) {
    hash.update(`${name}\n`);
    hash.update(Float64Array.from(segments.flatMap(({ offset, byteLength }) => [offset, byteLength])));
  }
  return `${fromMs}-${toMs} ${hasAudio} ${hash.digest('base64url')}`;
}

function questionOf(
  { cameraUuid, rendition }: RecordedStream,
  { fromMs, toMs, hasAudio }: RangeRequest,
  spans: readonly ShownTime[],
): string {
  const shown = spans.map((span) => `${span.fromMs}-${span.toMs}`).join(' ');
  return `${cameraUuid} ${rendition} ${fromMs}-${toMs} ${hasAudio} ${shown}`;
}
