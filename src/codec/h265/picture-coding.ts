/** How a stream's pictures are numbered and coded: enough to write an additional one that fits. */

import type { PictureParameterSet, SliceParameters } from './picture-parameter-set.ts';
import type { SequenceParameterSet } from './sequence-parameter-set.ts';

export interface PictureCoding {
  readonly pps: PictureParameterSet;
  readonly sps: SequenceParameterSet;
  readonly slices: SliceParameters;
}

/** 4K in the smallest coding tree blocks. A made-up picture codes each of them. */
const MAX_TREE_BLOCKS = 36_864;

/**
 * null for what cameras hardly ever send and a made-up picture would have to handle: extensions, tiles, lossless blocks,
 * separately coded planes, and more than 4K.
 */
export function pictureCodingOf(sps: SequenceParameterSet, pps: PictureParameterSet): PictureCoding | null {
  const { slices } = pps;
  if (slices === null || slices.hasTiles || slices.mayBypassTransform) return null;
  if (sps.hasSeparatePlanes || sps.codingTreeBlocks > MAX_TREE_BLOCKS) return null;
  return { pps, sps, slices };
}
