/** Where recorded media lie. */

import type { Ruuid } from '../core/ruuid.ts';
import type { FoundFile, FoundSegment } from '../recording/recording-finder.ts';
import type { RecordedStream } from '../recording/segment-index.ts';
import type { RecordingSpan } from '../store/recording.ts';

/** By stream. */
export interface StreamPlaces {
  /**
   * Segments that cover any of the time, in the order of recording. What lies between two segments whose times do not meet is a gap. Fails
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

/** The recording of a camera, where each of its streams fills the gaps of the other. */
export interface CameraRenditions {
  readonly main: FoundFile[];
  readonly sub: FoundFile[];
  /** Whether they differ. */
  readonly areTwo: boolean;
}

/**
 * The same, where the streams of a camera are all that is recorded of it (whole-past.ts): of the main stream in the best quality, and the
 * segments of the substream in the smallest.
 */
export interface RecordedPlaces extends StreamPlaces {
  /** Fails like the store. */
  renditions(cameraUuid: Ruuid, fromMs: number, toMs: number): Promise<CameraRenditions>;
  /** Times of which only pictures are left, as `spans` or, cheaper, as `hours`. In order. Fails like the store. */
  pictures(
    cameraUuid: Ruuid,
    fromMs: number,
    toMs: number,
    from: 'spans' | 'hours',
  ): Promise<RecordingSpan[]>;
}
