/** Calls to the thread that keeps files of uploads (spool-side.ts): plain values, answered in any order. */

import type { Ruuid } from '../core/ruuid.ts';
import type { WireError } from '../core/wire-error.ts';
import type { FilePiece } from '../isobmff/index-first.ts';
import type { UnitRange } from '../isobmff/lost-index.ts';

export interface SpoolWorkerData {
  readonly folder: string;
}

/** The content of a file that can be carried as it is. */
export interface CarriedClip {
  readonly kind: 'carried';
  /** Size of the file. */
  readonly byteLength: number;
  /** The file ended too early, or something else followed: the segments have what was whole. */
  readonly isCut: boolean;
  readonly durationMs: number;
  /** Duration before the first key frame, which is left out. */
  readonly skippedMs: number;
  readonly timescaleHz: number;
  readonly widthPx: number;
  readonly heightPx: number;
  /** RFC 6381. */
  readonly codecs: readonly string[];
  /** The Media Initialization Section of its segments. */
  readonly init: Uint8Array;
}

/** It may be media, but not as we carry it. */
export interface ForeignClip {
  readonly kind: 'foreign';
  /** The container is one that we read; only the codecs are not. */
  readonly isIsoMedia: boolean;
  readonly what: string;
  /** Pixels of a video frame, if the video has to be decoded and the container declares them; null: it does not. */
  readonly framePx: number | null;
  readonly frames: number | null;
  /** The file has no index: what becomes of it may lack its end. Default false. */
  readonly isCut?: boolean;
}

/** What a program that cannot seek gets next; `units`: NAL units, as a byte stream. */
export type SpoolPiece = FilePiece | ({ readonly kind: 'units' } & UnitRange);

export interface SpooledSegment {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly startTicks: number;
  readonly durationTicks: number;
  readonly pictures: number;
  readonly isAfterGap: boolean;
}

export type SpoolCall =
  /** A new, empty file. */
  | { readonly name: 'create'; readonly file: string }
  | { readonly name: 'append'; readonly file: string; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly name: 'sync'; readonly file: string }
  /** Cuts the file to at most this length; resolves with what it has then. */
  | { readonly name: 'cut'; readonly file: string; readonly byteLength: number }
  /** Whether there was such a file. */
  | { readonly name: 'delete'; readonly file: string }
  | { readonly name: 'list' }
  | { readonly name: 'freeBytes' }
  /** SHA-256 as hexadecimal digits. */
  | { readonly name: 'hash'; readonly file: string }
  /** Reads the file; `segment` then returns its segments one by one, and null after the last. */
  | { readonly name: 'inspect'; readonly file: string }
  | { readonly name: 'segment'; readonly file: string }
  /** The order in which a program that cannot seek gets the file. */
  | { readonly name: 'pieces'; readonly file: string; readonly isIsoMedia: boolean }
  | { readonly name: 'read'; readonly file: string; readonly offset: number; readonly length: number }
  /** A piece of that kind. */
  | { readonly name: 'units'; readonly file: string; readonly offset: number; readonly length: number };

export interface SpoolResults {
  readonly create: null;
  readonly append: null;
  readonly sync: null;
  readonly cut: number;
  readonly delete: boolean;
  readonly list: readonly string[];
  readonly freeBytes: number;
  readonly hash: string;
  readonly inspect: CarriedClip | ForeignClip;
  readonly segment: SpooledSegment | null;
  readonly pieces: readonly SpoolPiece[];
  readonly read: Uint8Array;
  readonly units: Uint8Array;
}

export interface SpoolRequest {
  readonly id: number;
  readonly call: SpoolCall;
}

export type SpoolResponse =
  | { readonly id: number; readonly value: SpoolResults[keyof SpoolResults] }
  | { readonly id: number; readonly failure: WireError };

/** The thread, as its users see it. Fails UPLOAD_IO, UPLOAD_NO_ROOM, UPLOAD_THREAD_FAILED; `inspect` and `segment` also for what the file is refused for. */
export interface Spool {
  call<Call extends SpoolCall>(call: Call): Promise<SpoolResults[Call['name']]>;
}

/** The file of an upload, as it came. */
export function receivedFile(uploadUuid: Ruuid): string {
  return uploadUuid;
}

/** Name of ffmpeg's output. */
export function convertedFile(uploadUuid: Ruuid): string {
  return `${uploadUuid}.converted`;
}
