/** Clips that recorders hand over (src/uploads): what the store knows about each, from its announcement on. */

import type { Ruuid } from '../core/ruuid.ts';

/**
 * `receiving`: its bytes are coming, or all are there and wait to be looked at. `importing`: it is being written to the
 * camera's recordings. `done`: it is there. `refused`: `refusal` says why.
 */
export type UploadState = 'receiving' | 'importing' | 'done' | 'refused';

export interface StoredUpload {
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
  /** The API key that hands it over. */
  readonly keyUuid: Ruuid;
  readonly cameraUuid: Ruuid;
  /** The recorder's own name for it. */
  readonly clipId: string;
  readonly title: string;
  readonly fileType: string;
  /** Of the file, 64 hexadecimal digits; null: not said. */
  readonly sha256: string | null;
  /** When it begins. */
  readonly startMs: number;
  readonly byteLength: number;
  /** Of these, on the disk for certain. */
  readonly syncedBytes: number;
  readonly state: UploadState;
  /** A code of UPLOAD_ERRORS. */
  readonly refusal: string | null;
  /** Of its recording file, once chosen. */
  readonly recordingNumber: number | null;
  /** Once it was looked at. */
  readonly durationMs: number | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface UploadRepository {
  find(uuid: Ruuid): Promise<StoredUpload | null>;
  /** Adds it, or replaces what is known about it. */
  save(upload: StoredUpload): Promise<void>;
  remove(uuid: Ruuid): Promise<void>;
  /** Neither done nor refused, oldest first. */
  unfinished(): Promise<StoredUpload[]>;
  /** Forgets those that were done or refused before. Resolves with how many. */
  removeOld(doneBeforeMs: number, refusedBeforeMs: number): Promise<number>;
}
