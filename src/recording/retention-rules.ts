/** Which recordings are too many: by age, by size of a camera, by free room on the disk. */

import type { RecordedRendition, RecordingHead } from '../store/recording.ts';

export interface RetentionLimits {
  /** Files whose newest video is older are deleted. */
  readonly keepMs: number;
  /** The same, for substreams. */
  readonly keepSubMs: number;
  /** The same, for files that were recorded only for shares with VOD. */
  readonly keepForSharesMs: number;
  /** Limit of one camera, all of its streams together; null: no limit. */
  readonly maxCameraBytes: number | null;
  /** Limit of one organization; null: no limit. */
  readonly maxOrganizationBytes: number | null;
  /** Room to leave on the disk. */
  readonly minFreeBytes: number;
}

/** A camera's own retention; null: the value for all cameras applies. */
export interface OwnRetention {
  readonly keepMs: number | null;
  readonly keepSubMs: number | null;
  readonly maxBytes: number | null;
}

/**
 * The limits of one stream of a camera. Files for shares alone are never kept longer than the others. If a camera has a time of its own, it
 * is that of its substream, too, unless that has another one.
 */
export function limitsOfStream(
  limits: RetentionLimits,
  { keepMs, keepSubMs, maxBytes }: OwnRetention,
  rendition: RecordedRendition,
): Pick<RetentionLimits, 'keepMs' | 'keepForSharesMs' | 'maxCameraBytes'> {
  const own = rendition === 'sub' ? (keepSubMs ?? keepMs ?? limits.keepSubMs) : (keepMs ?? limits.keepMs);
  return {
    keepMs: own,
    keepForSharesMs: Math.min(own, limits.keepForSharesMs),
    maxCameraBytes: maxBytes ?? limits.maxCameraBytes,
  };
}

/** How many of a stream's oldest files must go. `oldest`: in order; `byteLength`: of all of its files. */
export function excessOfStream(
  oldest: readonly RecordingHead[],
  byteLength: number,
  limits: Pick<RetentionLimits, 'keepMs' | 'maxCameraBytes'>,
  nowEpochMs: number,
): number {
  let leftBytes = byteLength;
  let excess = 0;
  for (const file of oldest) {
    const isOld = file.endMs < nowEpochMs - limits.keepMs;
    const isTooMuch = limits.maxCameraBytes !== null && leftBytes > limits.maxCameraBytes;
    if (!isOld && !isTooMuch) break;
    leftBytes -= file.byteLength;
    excess++;
  }
  return excess;
}

/** How many of the oldest files of all streams must go to get the room back. */
export function excessOfDisk(
  oldest: readonly RecordingHead[],
  freeBytes: number,
  { minFreeBytes }: Pick<RetentionLimits, 'minFreeBytes'>,
): number {
  let free = freeBytes;
  let excess = 0;
  for (const file of oldest) {
    if (free >= minFreeBytes) break;
    free += file.byteLength;
    excess++;
  }
  return excess;
}
