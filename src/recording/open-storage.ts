/** The storage that the configuration asks for. Threads that only read open one of their own. */

import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import type { GatewayError } from '../core/errors.ts';
import { DecryptingStorage } from './decrypting-storage.ts';
import { FileStorage } from './file-storage.ts';
import type { MediaStorage } from './media-storage.ts';
import { RecordingKeys } from './recording-cipher.ts';
import type { S3Settings } from './s3-objects.ts';
import { S3Storage, type SpoolState } from './s3-storage.ts';

/** Plain values: they go to threads. */
export interface StorageSettings {
  /** The folder of the recordings, or of the spool and of recordings older than S3. */
  readonly folder: string;
  /** The keys of encrypted recordings are derived from it, 32 bytes. */
  readonly key: Uint8Array;
  /** null: recordings stay in the folder. */
  readonly s3: (S3Settings & { readonly maxSpoolBytes: number; readonly localMs: number }) | null;
}

export interface StorageUse {
  readonly clock: Clock;
  /** Room to leave on the disk of the spool. */
  readonly minFreeBytes: number;
  /** The kind of files that it creates, which are uploaded then; null: none. Each file has one thread that uploads it. */
  readonly writes: 'recordings' | 'clips' | null;
  /** Files that are created are encrypted as a whole. The recorder encrypts recordings itself. Default false. */
  readonly isWrapping?: boolean;
  /** Uploads fail, or null: they work again. */
  readonly onUpload?: (failure: GatewayError | null) => void;
  /** S3 takes other files and refuses this one. */
  readonly onRefused?: (name: string, error: GatewayError) => void;
  /** The spool has changed. */
  readonly onSpool?: (spool: SpoolState) => void;
  /** As in S3StorageOptions. */
  readonly organizationOf?: (cameraUuid: string) => string | null;
}

/** The folder of clips, next to the folders of the cameras. */
export const CLIPS_FOLDER = 'clips';
const SPOOL_FOLDER = 'spool';
const MARKS_FOLDER = 'spool-marks';

/** Fails RECORDING_DISK_FULL, RECORDING_IO. */
export async function openStorage(settings: StorageSettings, use: StorageUse): Promise<MediaStorage> {
  const { folder, s3, key } = settings;
  const storage = s3 === null ? new FileStorage(folder) : await openS3(folder, s3, use);
  const { isWrapping = false } = use;
  return new DecryptingStorage(storage, new RecordingKeys(key), { isWrapping });
}

async function openS3(
  folder: string,
  s3: NonNullable<StorageSettings['s3']>,
  { clock, minFreeBytes, writes, onUpload = () => undefined, onRefused, onSpool, organizationOf }: StorageUse,
): Promise<S3Storage> {
  // The SDK is large: only gateways that use it load it.
  const { S3Objects } = await import('./s3-objects.ts');
  const storage = new S3Storage({
    objects: new S3Objects(s3),
    spool: new FileStorage(join(folder, SPOOL_FOLDER)),
    marks: new FileStorage(join(folder, MARKS_FOLDER)),
    older: new FileStorage(folder),
    reserved: new Set([SPOOL_FOLDER, MARKS_FOLDER]),
    maxSpoolBytes: s3.maxSpoolBytes,
    minFreeBytes,
    localMs: writes === 'recordings' ? s3.localMs : 0,
    clock,
    onUpload,
    ...(onRefused === undefined ? {} : { onRefused }),
    ...(onSpool === undefined ? {} : { onSpool }),
    ...(organizationOf === undefined ? {} : { organizationOf }),
  });
  if (writes !== null) await storage.start((name) => isClip(name) === (writes === 'clips'));
  return storage;
}

function isClip(name: string): boolean {
  return name.startsWith(`${CLIPS_FOLDER}/`);
}
