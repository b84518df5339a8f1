/** Consumers of a playlist's segments: one passes them on unchanged, the other feeds them to a worker. */

import type { MediaSegment } from './playlist.ts';

export interface SegmentConsumer {
  /** The Media Initialization Section of the segments from here on. Fails HLS_MEDIA_CHANGED and others. */
  init(bytes: Buffer): void;
  /** Takes `bytes` over. Fails HLS_SEGMENT_…, ISOBMFF_… */
  segment(bytes: Buffer, segment: MediaSegment): void;
  /** Segments that are not loaded. */
  missed(durationMs: number): void;
  /** Media and bytes that wait to be released. */
  readonly waitingMs: number;
  readonly waitingBytes: number;
  /** Resolves when nothing waits any more. */
  drained(): Promise<void>;
  close(): void;
}
