/** Where recorded media lie. */

import type { FoundFile, FoundSegment } from '../recording/recording-finder.ts';
import type { RecordedStream } from '../recording/segment-index.ts';
import type { RecordingSpan } from '../store/recording.ts';

export interface RecordedPlaces {
  /**
   * Segments that cover any of the time, in the order of recording; for the stream that the gateway records, also clips
   * that were handed over, where it has a gap. What lies between two segments whose times do not meet is a gap. Fails
   * like the store.
   */
  segments(stream: RecordedStream, fromMs: number, toMs: number): Promise<FoundFile[]>;
  /**
   * The times of these segments, without the segments: in no order, and those that follow each other within `joinMs` are
   * one. Times around the range may be there too. Fails like the store.
   */
  spans(stream: RecordedStream, fromMs: number, toMs: number, joinMs: number): Promise<RecordingSpan[]>;
  /**
   * Times in which something is recorded or was handed over, gaps included, about one an hour: cheap for months. In no
   * order. Fails like the store.
   */
  hours(stream: RecordedStream, fromMs: number, toMs: number): Promise<RecordingSpan[]>;
  /** The segment that covers the instant, or else the first one after it; null: none. Fails like the store. */
  seek(stream: RecordedStream, atMs: number): Promise<FoundSegment | null>;
}
