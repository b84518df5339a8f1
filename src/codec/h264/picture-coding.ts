/** How a stream's pictures are numbered and coded: enough to write an additional one that fits. */

import type { PictureParameterSet, SliceParameters } from './picture-parameter-set.ts';
import type { SequenceParameterSet } from './sequence-parameter-set.ts';

export interface PictureCoding extends SliceParameters {
  readonly ppsId: number;
  readonly frameNumBits: number;
  /** 0 if the picture order follows from frame_num (pic_order_cnt_type 2). */
  readonly pictureOrderBits: number;
  readonly macroblocks: number;
  readonly isMonochrome: boolean;
}

/** §7.4.2.1.1: log2_max_frame_num_minus4 and log2_max_pic_order_cnt_lsb_minus4 are at most 12. */
const MAX_NUMBER_BITS = 16;
/** The limit of level 5.2 (table A-1): 4K. A made-up picture codes every macroblock. */
const MAX_MACROBLOCKS = 36_864;

/**
 * null for what cameras hardly ever send and a made-up picture would have to handle: fields, pictures presented in
 * another order, slice groups, separately coded planes, frame_num with gaps, pic_order_cnt_type 1, and more than 4K.
 */
export function pictureCodingOf(sps: SequenceParameterSet, pps: PictureParameterSet): PictureCoding | null {
  const { frameNumBits, pictureOrderBits, macroblocks } = sps;
  const isPlain =
    sps.isFramesOnly &&
    macroblocks <= MAX_MACROBLOCKS &&
    !sps.hasSeparatePlanes &&
    !sps.mayHaveFrameNumGaps &&
    (sps.pictureOrderType === 0 || sps.pictureOrderType === 2) &&
    frameNumBits <= MAX_NUMBER_BITS &&
    pictureOrderBits <= MAX_NUMBER_BITS;
  if (!isPlain || pps.slices === null) return null;
  const isMonochrome = sps.chromaArrayType === 0;
  return { ...pps.slices, ppsId: pps.id, frameNumBits, pictureOrderBits, macroblocks, isMonochrome };
}
