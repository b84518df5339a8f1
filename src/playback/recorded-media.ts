/** The one door to the past: where recorded media lie, and their bytes (docs/design/playback.md). */

import type { Clock } from '../core/clock.ts';
import type { RecordedPlaces, StreamPlaces } from './recorded-places.ts';
import type { LentBytes, RecordingReads } from './recording-reads.ts';
import { wholePast } from './whole-past.ts';

export interface RecordedMedia extends RecordedPlaces {
  /**
   * Exactly these bytes of a recording file; the caller owns them. Never blocks the caller's thread. Fails
   * RECORDING_NOT_FOUND if retention deleted the file meanwhile, RECORDING_IO, or with a code of PLAYBACK_ERRORS.
   */
  read(name: string, offset: number, length: number): Promise<Buffer>;
  /** As `read`, but as they are stored: the boxes around segments are never encrypted. */
  readStored(name: string, offset: number, length: number): Promise<Buffer>;
}

/** Also media on their way to viewers, and what the thread that reads makes of them. */
export interface PastMedia extends RecordedMedia {
  /** As `read`, but cheaper: the bytes must be given back. */
  lend(name: string, offset: number, length: number): Promise<LentBytes>;
  /**
   * The Media Segment at these bytes with only one of its tracks (src/isobmff/single-track.ts). Fails like `read`, and
   * ISOBMFF_…
   */
  readTrack(name: string, offset: number, length: number, trackId: number): Promise<Buffer>;
}

/** `places`: the catalog, or a RecordingFinder in a thread that does not have it. */
export function recordedMedia(
  places: StreamPlaces,
  reads: Pick<RecordingReads, 'read' | 'lend'>,
  clock: Pick<Clock, 'epochMs'>,
): PastMedia {
  return {
    ...wholePast(places, clock),
    read: (name, offset, length) => reads.read({ name, offset, length }),
    readStored: (name, offset, length) => reads.read({ name, offset, length, isStored: true }),
    lend: (name, offset, length) => reads.lend({ name, offset, length }),
    readTrack: (name, offset, length, trackId) => reads.read({ name, offset, length, trackId }),
  };
}
