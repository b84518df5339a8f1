/** Timing of the VUI and of the VPS, which is the same. ISO/IEC 23008-2 §E.2.1, §7.3.2.1. */

import type { BitReader } from '../../bytes/bit-reader.ts';

/** A rate above this comes from a field that was filled with something else. */
const MAX_FRAME_RATE_HZ = 300;

/** num_units_in_tick and time_scale: a tick is a picture, unlike in H.264. null if they make no sense. */
export function readFrameRate(reader: BitReader): number | null {
  const unitsInTick = reader.bits(32);
  const timeScale = reader.bits(32);
  const rateHz = timeScale / unitsInTick;
  return unitsInTick > 0 && rateHz > 0 && rateHz <= MAX_FRAME_RATE_HZ ? rateHz : null;
}
