import { Backoff, type BackoffLimits } from '../core/backoff.ts';
import type { StoredUpload } from '../store/upload.ts';
import type { UploadPlace } from './upload-room.ts';

/** An upload that is neither done nor refused. */
export interface LiveUpload {
  upload: StoredUpload;
  offset: number;
  isReceiving: boolean;
  finishing: Promise<StoredUpload> | null;
  /** Pauses between imports that failed for a reason that may pass. */
  readonly backoff: Backoff;
  /** Until then, the import is not tried again. */
  retryMonoMs: number;
  /** Its shares of the bounded resources. */
  readonly place: UploadPlace;
}

const IMPORT_PAUSES: BackoffLimits = { firstMs: 60_000, lastMs: 600_000 };

/** `offset`: bytes that are here. */
export function liveUpload(upload: StoredUpload, place: UploadPlace, offset = 0): LiveUpload {
  const backoff = new Backoff(IMPORT_PAUSES);
  const retryMonoMs = Number.NEGATIVE_INFINITY;
  return { upload, place, offset, isReceiving: false, finishing: null, backoff, retryMonoMs };
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
