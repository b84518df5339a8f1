/** Which recordings are too many: by age, by size of a camera, by free room on the disk. */

import type { RecordedRendition, RecordingHead } from '../store/recording.ts';

export interface RetentionLimits {
  /** Files whose newest video is older are deleted. */
  readonly keepMs: number;
  /** The same, for substreams. */
  readonly keepSubMs: number;
  /** How long key frames stay after everything else of their time was deleted; null: they are deleted with it. */
  readonly keepKeyFramesMs: number | null;
  /** As `keepMs`, for files that were recorded only for shares with VOD. */
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
  readonly keepKeyFramesMs: number | null;
  readonly maxBytes: number | null;
}

/**
 * The limits of one stream of a camera. Files for shares alone are never kept longer than the others. If a camera has a time of its own, it
 * is that of its substream, too, unless that has another one. Key frames have half of the camera's size at most, so that old ones do not push
 * out everything else.
 */
export function limitsOfStream(
  limits: RetentionLimits,
  { keepMs, keepSubMs, keepKeyFramesMs, maxBytes }: OwnRetention,
  rendition: RecordedRendition,
): Pick<RetentionLimits, 'keepMs' | 'keepForSharesMs' | 'maxCameraBytes'> {
  const maxCameraBytes = maxBytes ?? limits.maxCameraBytes;
  if (rendition === 'key-frames') {
    const keptMs = keepKeyFramesMs ?? limits.keepKeyFramesMs ?? 0;
    const halfBytes = maxCameraBytes === null ? null : maxCameraBytes / 2;
    return { keepMs: keptMs, keepForSharesMs: keptMs, maxCameraBytes: halfBytes };
  }
  const own = rendition === 'sub' ? (keepSubMs ?? keepMs ?? limits.keepSubMs) : (keepMs ?? limits.keepMs);
  return { keepMs: own, keepForSharesMs: Math.min(own, limits.keepForSharesMs), maxCameraBytes };
}

/** Streams whose key frames can stay. Copies of what a video recorder has leave none: it has them. */
export const THINNED: readonly RecordedRendition[] = ['main', 'uploaded', 'sub'];

/** Whether key frames of the file may stay. What was recorded only for shares is not kept longer than they show it. */
export function isThinned({ rendition, purpose = 'camera' }: RecordingHead): boolean {
  return purpose === 'camera' && THINNED.includes(rendition);
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
