/** Messages between the gateway's thread and the recorder's (recorder-side.ts). Work is done in order of arrival. */

import type { Ruuid } from '../core/ruuid.ts';
import type { WireError } from '../core/wire-error.ts';
import type { NumberBlock } from './file-numbers.ts';
import type { KeyFramesOf, KeyFramesResult } from './key-frame-files.ts';
import type { StorageSettings } from './open-storage.ts';
import type { StreamTurn } from './recording-turn.ts';
import type { RecordedPart, WriterLimits, WriterState } from './recording-writer.ts';
import type { SpoolState } from './s3-storage.ts';
import type { RecordedFile, RecordedSegment, RecordedStream } from './segment-index.ts';
import type { SharedRingMemory } from './shared-ring.ts';

/** Data that the thread starts with. */
export interface RecorderWorkerData {
  /** Where recordings are stored. */
  readonly storage: StorageSettings;
  /** Whether new files are encrypted. */
  readonly isEncrypting: boolean;
  /** Segments are linked, and signed with this generation's key; null: no links. */
  readonly signing: SigningSettings | null;
  readonly ring: SharedRingMemory;
  readonly limits: RecorderLimits;
  /** Files get numbers that are given to this thread. Default: it counts on from the files that are there. */
  readonly isNumbered?: boolean;
}

/** Plain values: they go to the thread. */
export interface SigningSettings {
  /** The keys are derived from it (evidence/signing-key.ts). */
  readonly secret: Uint8Array;
  readonly generation: number;
}

export interface RecorderLimits extends WriterLimits {
  /** Memory for segments that are held for events, of all streams. */
  readonly heldBytes: number;
}

export interface PartInRing {
  readonly stream: number;
  readonly part: RecordedPart;
  /** Its bytes. */
  readonly position: number;
  readonly byteLength: number;
  readonly release: number;
}

/** Streams are numbered by the gateway's thread. */
export type RecorderMessage =
  | { readonly op: 'open'; readonly stream: number; readonly of: RecordedStream }
  | { readonly op: 'parts'; readonly parts: readonly PartInRing[] }
  /** Whose camera it is: uploads are shared out between organizations. */
  | { readonly op: 'owner'; readonly cameraUuid: Ruuid; readonly organization: string }
  /** Applies from this message on; before the first, parts are written. `off` ends the stream's file. */
  | { readonly op: 'turn'; readonly stream: number; readonly turn: StreamTurn }
  /** An event wants this time of the media to be written. */
  | {
      readonly op: 'keep';
      readonly stream: number;
      readonly fromEpochMs: number;
      readonly toEpochMs: number;
    }
  /** Numbers for the stream's next files, until it is off. */
  | { readonly op: 'numbers'; readonly stream: number; readonly block: NumberBlock }
  | { readonly op: 'call'; readonly id: number; readonly call: RecorderCall }
  /** Ends all files, and the thread. */
  | { readonly op: 'stop' };

export type RecorderCall =
  | { readonly name: 'streams' }
  | { readonly name: 'numbers'; readonly of: RecordedStream }
  /** The highest number that a file of the stream has or had, about; null: there never was one. */
  | { readonly name: 'newestNumber'; readonly of: RecordedStream }
  | { readonly name: 'repair'; readonly of: RecordedStream; readonly number: number }
  | { readonly name: 'delete'; readonly of: RecordedStream; readonly number: number }
  | { readonly name: 'freeBytes' }
  /** Adds a chunk of thumbnails (thumbnail-chunk.ts) to those of a recording file. */
  | {
      readonly name: 'addThumbnails';
      readonly of: RecordedStream;
      readonly number: number;
      readonly chunk: Uint8Array;
    }
  /** There are no more. */
  | { readonly name: 'endThumbnails'; readonly of: RecordedStream; readonly number: number }
  /** Appends to a file that is not recorded but handed over as a whole. The first one replaces what has its number. */
  | {
      readonly name: 'importSegment';
      readonly of: RecordedStream;
      readonly number: number;
      readonly part: RecordedPart;
      readonly bytes: Uint8Array;
      /** Approximate size of the whole file. */
      readonly expectedBytes: number;
    }
  /** Appends the key frames of some segments to such a file of the stream `key-frames`. */
  | ({ readonly name: 'thin' } & KeyFramesOf)
  /** Finishes such a file. */
  | { readonly name: 'importEnd'; readonly of: RecordedStream; readonly number: number }
  /** Deletes such a file, finished or not. */
  | { readonly name: 'importCancel'; readonly of: RecordedStream; readonly number: number };

/** The result of each call. */
export interface RecorderResults {
  /** Every stream that has a folder. */
  readonly streams: RecordedStream[];
  /** Numbers of the files that are not being written, ascending. */
  readonly numbers: number[];
  readonly newestNumber: number | null;
  /** null: it had no segment, and is deleted, or it is being written. */
  readonly repair: RecordedFile | null;
  /** Whether it existed. A file that is being written is not deleted. */
  readonly delete: boolean;
  readonly freeBytes: number;
  readonly addThumbnails: null;
  readonly endThumbnails: null;
  readonly importSegment: null;
  readonly thin: KeyFramesResult;
  readonly importEnd: RecordedFile;
  readonly importCancel: boolean;
}

export type RecorderNotice =
  | {
      readonly op: 'segment';
      readonly stream: number;
      readonly number: number;
      readonly segment: RecordedSegment;
    }
  | { readonly op: 'file'; readonly stream: number; readonly file: RecordedFile }
  | { readonly op: 'unfinished'; readonly stream: number; readonly number: number }
  | { readonly op: 'state'; readonly stream: number; readonly state: WriterState }
  | { readonly op: 'dropped'; readonly stream: number }
  /** The media that an event wanted is written, and parts are held again. */
  | { readonly op: 'standby'; readonly stream: number }
  | { readonly op: 'result'; readonly id: number; readonly value: RecorderResults[keyof RecorderResults] }
  | { readonly op: 'failure'; readonly id: number; readonly failure: WireError }
  /** It needs more numbers soon. */
  | { readonly op: 'numbersLow'; readonly stream: number }
  /** Uploads fail; null: they work again. */
  | { readonly op: 'upload'; readonly failure: WireError | null }
  /** S3 takes other files and refuses this one, or the spool cannot read it. It is tried again. */
  | { readonly op: 'refused'; readonly name: string; readonly failure: WireError }
  /** The spool has changed. */
  | { readonly op: 'spool'; readonly spool: SpoolState }
  /** All files are finished. */
  | { readonly op: 'stopped' };
