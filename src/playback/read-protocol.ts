/** Messages between the threads that want bytes of recordings and the one that reads them (read-side.ts). */

import type { WireError } from '../core/wire-error.ts';
import type { StorageSettings } from '../recording/open-storage.ts';

/** A range of a recording file. */
export interface ReadJob {
  readonly name: string;
  readonly offset: number;
  readonly length: number;
  /** Absent: the bytes as they are. They are a Media Segment; only this track of it is wanted. */
  readonly trackId?: number;
  /** Not decrypted. Default false. */
  readonly isStored?: boolean;
  /** Fewer bytes, if the file is shorter. Default false. */
  readonly isAtMost?: boolean;
}

export interface ReadMessage {
  readonly id: number;
  readonly job: ReadJob;
  /** Where in the shared memory the bytes are to be; null: in memory of their own. */
  readonly place: number | null;
}

export type ReadNotice =
  | { readonly id: number; readonly bytes: Uint8Array }
  /** The bytes are where they were to be. */
  | { readonly id: number; readonly isPlaced: true }
  | { readonly id: number; readonly failure: WireError };

/** Data that the thread starts with. */
export interface ReadWorkerData {
  readonly storage: StorageSettings;
  readonly memory: SharedArrayBuffer;
}
