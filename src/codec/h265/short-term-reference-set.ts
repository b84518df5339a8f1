/**
 * Short-term reference picture sets: which pictures stay in the decoder, as distances in picture order. They are in the
 * SPS and in slice headers. ISO/IEC 23008-2 §7.3.7, §7.4.8.
 */

import type { BitReader } from '../../bytes/bit-reader.ts';

export interface ShortTermReferenceSet {
  /**
   * DeltaPocS0, then DeltaPocS1: the picture order of each picture relative to the current one. First the earlier ones
   * from near to far, then the later ones likewise.
   */
  readonly orderDeltas: readonly number[];
  /** used_by_curr_pic: the current picture itself refers to it. Same positions. */
  readonly isUsed: readonly boolean[];
  /** How many of them are earlier: num_negative_pics. */
  readonly earlierCount: number;
}

/** sps_max_dec_pic_buffering_minus1 is at most 15 (§A.4.2): no set has more pictures. */
export const MAX_REFERENCE_PICTURES = 16;
/** §7.4.3.2.1: num_short_term_ref_pic_sets. */
export const MAX_SHORT_TERM_SETS = 64;
/** §7.4.8: delta_poc_s0_minus1, delta_poc_s1_minus1 and abs_delta_rps_minus1. */
const MAX_DELTA = 2 ** 15;

/**
 * `sets`: those before it; all of the SPS's for a set in a slice header (`isInSlice`). null when the set is truncated, or
 * has what no set may have.
 */
export function readShortTermReferenceSet(
  reader: BitReader,
  sets: readonly ShortTermReferenceSet[],
  isInSlice: boolean,
): ShortTermReferenceSet | null {
  const isPredicted = sets.length > 0 && reader.flag();
  const set = isPredicted ? readPredicted(reader, sets, isInSlice) : readExplicit(reader);
  return set === null || reader.isOverrun ? null : set;
}

function readExplicit(reader: BitReader): ShortTermReferenceSet | null {
  const earlierCount = reader.expGolomb();
  const laterCount = reader.expGolomb();
  if (earlierCount + laterCount > MAX_REFERENCE_PICTURES) return null;
  const orderDeltas: number[] = [];
  const isUsed: boolean[] = [];
  for (const [count, direction] of [
    [earlierCount, -1],
    [laterCount, 1],
  ] as const) {
    let delta = 0;
    for (let at = 0; at < count; at++) {
      const step = reader.expGolomb() + 1;
      if (step > MAX_DELTA) return null;
      delta += direction * step;
      orderDeltas.push(delta);
      isUsed.push(reader.flag());
    }
  }
  return { orderDeltas, isUsed, earlierCount };
}

/** §7.4.8, equations 7-61 and 7-62: the pictures of another set, and its own picture, moved by one distance. */
function readPredicted(
  reader: BitReader,
  sets: readonly ShortTermReferenceSet[],
  isInSlice: boolean,
): ShortTermReferenceSet | null {
  const back = isInSlice ? reader.expGolomb() + 1 : 1;
  const source = sets[sets.length - back];
  const isNegative = reader.flag();
  const distance = reader.expGolomb() + 1;
  if (source === undefined || distance > MAX_DELTA) return null;
  const shift = isNegative ? -distance : distance;
  // The flags are in the order of the source's pictures; the last one is for the picture that the source belongs to.
  const kept: { orderDelta: number; isUsed: boolean }[] = [];
  for (let at = 0; at <= source.orderDeltas.length; at++) {
    const isUsed = reader.flag();
    const isKept = isUsed || reader.flag();
    if (isKept) kept.push({ orderDelta: (source.orderDeltas[at] ?? 0) + shift, isUsed });
  }
  const earlier = kept.filter(({ orderDelta }) => orderDelta < 0);
  const later = kept.filter(({ orderDelta }) => orderDelta > 0);
  if (earlier.length + later.length > MAX_REFERENCE_PICTURES) return null;
  earlier.sort((one, other) => other.orderDelta - one.orderDelta);
  later.sort((one, other) => one.orderDelta - other.orderDelta);
  const all = [...earlier, ...later];
  return {
    orderDeltas: all.map(({ orderDelta }) => orderDelta),
    isUsed: all.map(({ isUsed }) => isUsed),
    earlierCount: earlier.length,
  };
}
