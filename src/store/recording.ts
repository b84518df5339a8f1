/** Recording files, as the store knows them: where the segments of a camera's past are. */

import type { Ruuid } from '../core/ruuid.ts';
import type { RenditionName } from '../stream/media/live-media.ts';

/**
 * A recorded stream of a camera: a rendition, clips that its own recorder handed over (src/uploads), what was pulled from a
 * recorder's disk because someone looked (src/recorders), or the key frames of other recordings that were deleted.
 */
export type RecordedRendition = RenditionName | 'uploaded' | 'pulled' | 'key-frames';

/** A camera's recorded stream. */
export interface StoredStream {
  readonly cameraUuid: Ruuid;
  readonly rendition: RecordedRendition;
}

/**
 * The purpose of a file, which decides how long it is kept: the camera's own recording, or only shares with VOD.
 */
export type RecordingPurpose = 'camera' | 'shares';

/** A recording file without the index of its segments. */
export interface RecordingHead extends StoredStream {
  /** Ascends in the order of recording. */
  readonly number: number;
  /** Default: the camera's own. */
  readonly purpose?: RecordingPurpose;
  /** Wall time that it covers, gaps included, half-open. */
  readonly startMs: number;
  readonly endMs: number;
  readonly byteLength: number;
}

export interface Recording extends RecordingHead {
  /** Packed: only the recording room reads it. */
  readonly segments: string;
}

/** How much of a stream is recorded. */
export interface RecordingUsage extends StoredStream {
  /** The organization of the camera now, or formerly; null: not known. */
  readonly orgUuid: Ruuid | null;
  readonly files: number;
  readonly byteLength: number;
  /** When its first file begins. */
  readonly startMs: number;
}

/** How much of a stream was recorded lately. */
export interface RecentRecording extends StoredStream {
  readonly byteLength: number;
  /** Of these, bytes that were recorded only for shares with VOD. */
  readonly sharesBytes: number;
}

/** A time that some files cover, gaps included, half-open. */
export interface RecordingSpan {
  readonly startMs: number;
  readonly endMs: number;
}

/** No file covers more time than this: a range of time is found by the starts of the files. */
export const MAX_RECORDING_SPAN_MS = 2 * 3_600_000;

export interface RecordingRepository {
  /** Adds the file, or replaces its record. */
  save(recording: Recording): Promise<void>;
  /** Whether it was known. */
  remove(file: Pick<RecordingHead, 'cameraUuid' | 'rendition' | 'number'>): Promise<boolean>;
  /** Unless a legal hold includes some of it. */
  removeUnheld(
    file: Pick<RecordingHead, 'cameraUuid' | 'rendition' | 'number'>,
  ): Promise<'removed' | 'held' | 'unknown'>;
  /** Whether there is a legal hold on some time of the camera. */
  isHeld(cameraUuid: Ruuid): Promise<boolean>;
  /** Ascending. */
  numbers(stream: StoredStream): Promise<number[]>;
  /** Every stream that has recordings. */
  usage(): Promise<RecordingUsage[]>;
  /** Every stream that has files that begin at or after this time. */
  recent(fromMs: number): Promise<RecentRecording[]>;
  /** Total size of the stream's files: of those without a legal hold, or of the others. */
  byteLength(stream: StoredStream, which: 'unheld' | 'held'): Promise<number>;
  /** Files that cover any of the time, in the order of recording. */
  list(stream: StoredStream, fromMs: number, toMs: number): Promise<Recording[]>;
  /** One span for each hour in which files start: from the start of the first to the end of the last. Ascending. */
  hours(stream: StoredStream, fromMs: number, toMs: number): Promise<RecordingSpan[]>;
  /** The file that starts first at or after this time; null: there is none. */
  firstFrom(stream: StoredStream, fromMs: number): Promise<Recording | null>;
  /**
   * The files without a legal hold that were recorded first: of one stream by their numbers (of uploads and key
   * frames by their time), of all by their time. `purpose`: only those that
   * were recorded for it.
   */
  oldest(limit: number, stream?: StoredStream, purpose?: RecordingPurpose): Promise<RecordingHead[]>;
  /** The same of each of these streams, all of them in the order of their time; at most `limit` altogether. */
  oldestOf(streams: readonly StoredStream[], limit: number): Promise<RecordingHead[]>;
  /** Forgets whose removed cameras were that have no recordings anymore. */
  forgetOwners(): Promise<void>;
  /** Files that cover any of the time are the camera's own from now on. */
  claim(stream: StoredStream, fromMs: number, toMs: number): Promise<void>;
}
