/** Whether an access unit can go into a file at all, regardless of earlier ones. */

import type { AccessUnit } from '../codec/track.ts';
import type { DropReason } from './drop-counts.ts';

const MAX_ACCESS_UNIT_BYTES = 8 * 1_048_576;

/** Why not, or null. */
export function faultOf(unit: AccessUnit): DropReason | null {
  const { dtsTicks, ptsTicks, data, arrivalMonoMs } = unit;
  if (data.length === 0) return 'empty';
  if (data.length > MAX_ACCESS_UNIT_BYTES) return 'oversized';
  const areTicks = Number.isSafeInteger(dtsTicks) && Number.isSafeInteger(ptsTicks);
  return areTicks && ptsTicks >= dtsTicks && Number.isFinite(arrivalMonoMs) ? null : 'bad-timestamp';
}
