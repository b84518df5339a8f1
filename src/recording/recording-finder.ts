/**
 * Finds where an instant or a time of a stream lies: in the rows of finished files, and in the files that have no row
 * yet, which another thread may know. docs/design/recording.md#the-catalog.
 */

import { SlicedWork } from '../core/sliced-work.ts';
import type { Recording, RecordingRepository, RecordingSpan } from '../store/recording.ts';
import {
  endEpochMs,
  type RecordedSegment,
  type RecordedStream,
  recordingName,
  timeSpanOf,
  unpackIndex,
  unpackSpans,
} from './segment-index.ts';

/** Segments of one recording file, in order. */
export interface FoundFile {
  /** In the storage. */
  readonly name: string;
  readonly number: number;
  readonly segments: readonly RecordedSegment[];
}

export interface FoundSegment {
  readonly name: string;
  readonly number: number;
  readonly segment: RecordedSegment;
}

/** A file that is being written, or that the store does not have yet. */
export interface UnlistedFile {
  readonly number: number;
  readonly segments: readonly RecordedSegment[];
}

/** The same for another thread: one text instead of thousands of objects (`packIndex`). */
export interface PackedFile {
  readonly number: number;
  readonly segments: string;
}

export interface RecordingFinderOptions {
  readonly recordings: Pick<RecordingRepository, 'list' | 'firstFrom' | 'hours'>;
  /** Read before the store, so that a file that is finished in between is found twice rather than not at all. */
  readonly unlisted: (stream: RecordedStream) => readonly UnlistedFile[] | Promise<readonly UnlistedFile[]>;
}

export class RecordingFinder {
  readonly #options: RecordingFinderOptions;

  constructor(options: RecordingFinderOptions) {
    this.#options = options;
  }

  /**
   * Segments that cover any of the time, in the order of recording. What lies between two segments whose times do not
   * meet is a gap. A long list is unpacked in slices. Fails like the store.
   */
  async segments(stream: RecordedStream, fromMs: number, toMs: number): Promise<FoundFile[]> {
    const unlisted = await this.#options.unlisted(stream);
    const stored = await this.#options.recordings.list(stream, fromMs, toMs);
    const byNumber = await unpacked(stored);
    for (const { number, segments } of unlisted) if (!byNumber.has(number)) byNumber.set(number, segments);
    const found: FoundFile[] = [];
    for (const [number, all] of [...byNumber].toSorted(([a], [b]) => a - b)) {
      const segments = clipped(all, fromMs, toMs);
      if (segments.length > 0) found.push({ name: recordingName(stream, number), number, segments });
    }
    return found;
  }

  /**
   * When segments cover any of the time, in no order; those that follow each other within `joinMs` are one. Times around
   * the range may be there too. Cheaper than `segments`. Fails like the store.
   */
  async spans(
    stream: RecordedStream,
    fromMs: number,
    toMs: number,
    joinMs: number,
  ): Promise<RecordingSpan[]> {
    const unlisted = await this.#options.unlisted(stream);
    const stored = await this.#options.recordings.list(stream, fromMs, toMs);
    const spans: RecordingSpan[] = [];
    const listed = new Set<number>();
    const work = new SlicedWork();
    for (const { number, segments } of stored) {
      listed.add(number);
      spans.push(...unpackSpans(segments, joinMs));
      if (work.step()) await work.pause();
    }
    for (const { number, segments } of unlisted) {
      if (listed.has(number)) continue;
      for (const segment of clipped(segments, fromMs, toMs)) {
        spans.push({ startMs: segment.epochMs, endMs: endEpochMs(segment) });
      }
    }
    return spans;
  }

  /**
   * Times that the stream's files cover, gaps included: about one for each hour in which a file starts. In no order. Fails
   * like the store.
   */
  async hours(stream: RecordedStream, fromMs: number, toMs: number): Promise<RecordingSpan[]> {
    const unlisted = await this.#options.unlisted(stream);
    const spans = await this.#options.recordings.hours(stream, fromMs, toMs);
    for (const { segments } of unlisted) {
      if (segments.length === 0) continue;
      const span = timeSpanOf(segments);
      if (span.startMs < toMs && span.endMs > fromMs) spans.push(span);
    }
    return spans;
  }

  /** The segment that covers the instant, or else the first one after it; null: none. Fails like the store. */
  async seek(stream: RecordedStream, atMs: number): Promise<FoundSegment | null> {
    const covering = (await this.segments(stream, atMs, atMs + 1)).at(-1);
    if (covering !== undefined) {
      return { name: covering.name, number: covering.number, segment: covering.segments.at(-1)! };
    }
    const candidates = [...(await this.#options.unlisted(stream))];
    const next = await this.#options.recordings.firstFrom(stream, atMs);
    if (next !== null) candidates.push({ number: next.number, segments: unpackIndex(next.segments) });
    // The file in which the instant falls into a gap may continue after it.
    for (const row of await this.#options.recordings.list(stream, atMs, atMs + 1)) {
      candidates.push({ number: row.number, segments: unpackIndex(row.segments) });
    }
    let first: FoundSegment | null = null;
    for (const { number, segments } of candidates) {
      for (const segment of segments) {
        if (segment.epochMs >= atMs && (first === null || segment.epochMs < first.segment.epochMs)) {
          first = { name: recordingName(stream, number), number, segment };
        }
      }
    }
    return first;
  }
}

/** By number. A day of one camera has hundreds of rows with a hundred segments each. */
async function unpacked(rows: readonly Recording[]): Promise<Map<number, readonly RecordedSegment[]>> {
  const work = new SlicedWork();
  const byNumber = new Map<number, readonly RecordedSegment[]>();
  for (const row of rows) {
    byNumber.set(row.number, unpackIndex(row.segments));
    if (work.step()) await work.pause();
  }
  return byNumber;
}

/** Those that cover any of the time. In a file, segments are in the order of their times. */
function clipped(
  segments: readonly RecordedSegment[],
  fromMs: number,
  toMs: number,
): readonly RecordedSegment[] {
  const [first] = segments;
  if (first !== undefined && first.epochMs >= fromMs && endEpochMs(segments.at(-1)!) <= toMs) return segments;
  return segments.filter((segment) => segment.epochMs < toMs && endEpochMs(segment) > fromMs);
}
