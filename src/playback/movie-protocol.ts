/** Messages between the threads that want movies of recordings and the one that makes them (movie-side.ts). */

import type { WireError } from '../core/wire-error.ts';
import type { StorageSettings } from '../recording/open-storage.ts';
import type { FoundFile } from '../recording/recording-finder.ts';
import type { RangeMp4, RangeRequest } from './range-mp4.ts';
import type { ReadJob } from './read-protocol.ts';
import type { TimelapseFrames } from './timelapse-frames.ts';

/** Data that the thread starts with. */
export interface MovieWorkerData {
  readonly storage: StorageSettings;
  /** Room that copies leave on the disk. */
  readonly minFreeBytes: number;
  /** null: it makes heads of movies, and writes no files. Default null. */
  readonly writes?: 'clips' | null;
  /** Whether the files that it writes are encrypted. Default false. */
  readonly isEncrypting?: boolean;
}

/** A movie whose data stays where it is. */
export interface MadeMovie extends RangeMp4 {
  /** Names its bytes: equal for equal bytes, base64url. */
  readonly digest: string;
}

/** A movie that was written to a file of its own. */
export interface CopiedMovie {
  readonly byteLength: number;
  readonly durationMs: number;
  readonly startEpochMs: number;
  readonly endEpochMs: number;
  readonly sha256Hex: string;
  readonly widthPx: number;
  readonly heightPx: number;
  /** The stored bytes are the movie, byte for byte. */
  readonly isPlain: boolean;
}

export interface MovieSource {
  readonly files: readonly FoundFile[];
  readonly wanted: RangeRequest;
}

/** The source of a copy: all of a time, or single frames of it. */
export type CopySource = MovieSource | TimelapseFrames;

export type MovieMessage =
  | { readonly op: 'make'; readonly id: number; readonly source: MovieSource }
  /** Replaces a file of that name, which is not read yet. */
  | { readonly op: 'copy'; readonly id: number; readonly source: CopySource; readonly name: string }
  /** The same with bytes that the caller has. */
  | { readonly op: 'write'; readonly id: number; readonly name: string; readonly bytes: Uint8Array }
  | { readonly op: 'delete'; readonly id: number; readonly name: string }
  | { readonly op: 'list'; readonly id: number; readonly folder: string }
  /** The bytes that a notice requested; null: no other node has them. */
  | { readonly op: 'bytes'; readonly read: number; readonly bytes: Uint8Array | null }
  /** Ends a copy; what it wrote is deleted. */
  | { readonly op: 'cancel'; readonly of: number };

export type MovieNotice =
  | { readonly op: 'made'; readonly id: number; readonly movie: MadeMovie }
  | { readonly op: 'progress'; readonly id: number; readonly doneBytes: number; readonly totalBytes: number }
  /** Bytes of a file that is not in the storage, for the movie `id`. */
  | { readonly op: 'read'; readonly id: number; readonly read: number; readonly job: ReadJob }
  | { readonly op: 'copied'; readonly id: number; readonly movie: CopiedMovie }
  | { readonly op: 'written'; readonly id: number; readonly isPlain: boolean }
  | { readonly op: 'deleted'; readonly id: number; readonly existed: boolean }
  | { readonly op: 'listed'; readonly id: number; readonly names: readonly string[] }
  | { readonly op: 'failed'; readonly id: number; readonly failure: WireError }
  | UploadNotice;

/** About what the thread has written, and S3 does not have yet. */
export type UploadNotice =
  /** Uploads fail; null: they work again. */
  | { readonly op: 'upload'; readonly failure: WireError | null }
  /** S3 takes other files and refuses this one. */
  | { readonly op: 'refused'; readonly name: string; readonly failure: WireError };
