/** How many uploads there may be, and how much room they may take. */

import { GatewayError } from '../core/errors.ts';
import { UPLOAD_ERRORS } from './errors.ts';
import type { LiveUpload } from './live-upload.ts';
import type { Spool } from './spool-protocol.ts';
import type { Uploader } from './upload-access.ts';

export interface UploadLimits {
  readonly maxBytes: number;
  /** Requests that send at once, from one key and from all. */
  readonly atOncePerKey: number;
  readonly atOnce: number;
  /** From its announcement to its last byte. */
  readonly keepUnfinishedMs: number;
  /** Room to leave on the disk. */
  readonly minFreeBytes: number;
}

/** Announced and not finished, of one key and of all; in a cluster, at one node. */
export const MAX_UNFINISHED_PER_KEY = 64;
export const MAX_UNFINISHED = 1_024;

/** For the file of one more, and then for the recording made of it. Fails UPLOAD_TOO_MANY, UPLOAD_NO_ROOM. */
export async function expectRoom(
  live: Iterable<LiveUpload>,
  { uploader, byteLength }: { readonly uploader: Uploader; readonly byteLength: number },
  { spool, limits }: { readonly spool: Spool; readonly limits: UploadLimits },
): Promise<void> {
  let ofKey = 0;
  let ofAll = 0;
  let promisedBytes = 2 * byteLength;
  for (const { upload, offset } of live) {
    ofAll++;
    if (upload.keyUuid === uploader.keyUuid) ofKey++;
    promisedBytes += 2 * upload.byteLength - offset;
  }
  if (ofKey >= MAX_UNFINISHED_PER_KEY || ofAll >= MAX_UNFINISHED) {
    throw new GatewayError(UPLOAD_ERRORS.UPLOAD_TOO_MANY, { retryAfterSec: 30 });
  }
  const freeBytes = await spool.call({ name: 'freeBytes' });
  if (freeBytes - promisedBytes < limits.minFreeBytes) {
    throw new GatewayError(UPLOAD_ERRORS.UPLOAD_NO_ROOM, { retryAfterSec: 30 });
  }
}
