import type { StoredUpload } from '../store/upload.ts';
import type { ImportPause } from './import-pause.ts';
import type { UploadPlace } from './upload-room.ts';

/** An upload that is neither done nor refused. */
export interface LiveUpload {
  upload: StoredUpload;
  offset: number;
  isReceiving: boolean;
  finishing: Promise<StoredUpload> | null;
  /** The import failed for a reason that may pass. */
  failed: ImportPause | null;
  /** What it takes of what is bounded. */
  readonly place: UploadPlace;
}

/** `offset`: bytes that are here. */
export function liveUpload(upload: StoredUpload, place: UploadPlace, offset = 0): LiveUpload {
  return { upload, place, offset, isReceiving: false, finishing: null, failed: null };
}

/** How long it is kept, from its announcement on: what has no byte yet, not for long. */
export function keptMs({ offset }: Pick<LiveUpload, 'offset'>, keepUnfinishedMs: number): number {
  return offset === 0 ? Math.min(KEEP_EMPTY_MS, keepUnfinishedMs) : keepUnfinishedMs;
}

/** An announcement is followed by bytes within a moment. */
export const KEEP_EMPTY_MS = 600_000;

/** The one that has been idle longest and has no byte, among those of a level; null: there is none. In the order of announcement. */
export function longestIdle(
  live: Iterable<LiveUpload>,
  isOfLevel: (upload: StoredUpload) => boolean,
): LiveUpload | null {
  for (const each of live) {
    if (each.offset === 0 && !each.isReceiving && isOfLevel(each.upload)) return each;
  }
  return null;
}
