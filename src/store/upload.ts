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
  /** Checksum of the file, 64 hexadecimal digits; null: not given. */
  readonly sha256: string | null;
  /** When it begins. */
  readonly startMs: number;
  readonly byteLength: number;
  /** The bytes that are on the disk for certain. */
  readonly syncedBytes: number;
  readonly state: UploadState;
  /** A code of UPLOAD_ERRORS. */
  readonly refusal: string | null;
  /** Number of its recording file, once chosen. */
  readonly recordingNumber: number | null;
  /** Once it was looked at. */
  readonly durationMs: number | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** The node of a cluster that has its bytes; '': the gateway is alone. */
  readonly nodeId: string;
}

export interface UploadRepository {
  find(uuid: Ruuid): Promise<StoredUpload | null>;
  /** Adds it, or replaces its record. False: it belongs to another node, and nothing is changed. */
  save(upload: StoredUpload): Promise<boolean>;
  /** False: it no longer belongs to `fromNodeId`. */
  take(uuid: Ruuid, fromNodeId: string, toNodeId: string): Promise<boolean>;
  /** If it belongs to this node. */
  remove(uuid: Ruuid, nodeId: string): Promise<void>;
  /** Neither done nor refused, oldest first, of all nodes. */
  unfinished(): Promise<StoredUpload[]>;
  /**
   * Forgets those that were done or refused before, and those that were announced before `abandonedBeforeMs` at a node that has
   * not finished or deleted them. Resolves with how many.
   */
  removeOld(before: {
    readonly doneBeforeMs: number;
    readonly refusedBeforeMs: number;
    readonly abandonedBeforeMs: number;
  }): Promise<number>;
}
