import type { StoredUpload } from '../store/upload.ts';
import type { ImportPause } from './import-pause.ts';

/** An upload that is neither done nor refused. */
export interface LiveUpload {
  upload: StoredUpload;
  offset: number;
  isReceiving: boolean;
  finishing: Promise<StoredUpload> | null;
  /** The import failed for a reason that may pass. */
  failed: ImportPause | null;
}

/** `offset`: bytes that are here. */
export function liveUpload(upload: StoredUpload, offset = 0): LiveUpload {
  return { upload, offset, isReceiving: false, finishing: null, failed: null };
}
