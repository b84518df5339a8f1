/** How the receiver handles a stream with lost pictures, and the limits of the pictures that replace them. */

/**
 * After a reference picture was lost: `until-key` drops everything up to the next IDR, so that every picture of the
 * output is as the camera sent it. `repair` puts a repeat of the previous picture in its place and continues (see
 * LossRepair and H265LossRepair); if that is not possible, it falls back to `until-key`. Both outputs decode without an error.
 */
export type LossPolicy = 'until-key' | 'repair';

/** Repeats in one gap: as many pictures as a decoder keeps. In a longer gap each of them lasts longer. */
export const MAX_REPEATS = 16;
/** After a longer gap, only the next key frame shows what the camera sees now. */
export const MAX_REPAIRED_GAP_SEC = 5;
