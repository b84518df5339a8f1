/**
 * A picture that repeats the one before it: a P slice of skipped macroblocks, a few dozen bytes. ISO/IEC 14496-10
 * §7.3.3, §7.3.4. Every decoder accepts it because it is a valid picture.
 */

import { BitWriter } from '../../bytes/bit-writer.ts';
import { CabacContext, CabacEncoder } from '../cabac-encoder.ts';
import { withEmulationPrevention } from '../emulation-prevention.ts';
import type { PictureCoding } from './picture-coding.ts';

/** nal_ref_idc 2, a slice. */
const REFERENCE_SLICE_HEADER = 0x41;
/** All slices of the picture are P slices. */
const ONLY_P_SLICES = 5;

/** Writes repeats for one stream. */
export class RepeatPictureWriter {
  readonly coding: PictureCoding;
  /** The same for every picture: CABAC restarts at a whole byte. */
  readonly #cabacData: Uint8Array;

  constructor(coding: PictureCoding) {
    this.coding = coding;
    this.#cabacData = coding.isCabac ? cabacSkipRun(coding.macroblocks, coding.initialQp) : new Uint8Array(0);
  }

  /** A NAL unit: a reference picture with these numbers. Only their low bits count. */
  write(frameNum: number, pictureOrder: number): Uint8Array {
    const { coding } = this;
    const writer = new BitWriter();
    writer.bits(REFERENCE_SLICE_HEADER, 8);
    writer.expGolomb(0); // first_mb_in_slice
    writer.expGolomb(ONLY_P_SLICES);
    writer.expGolomb(coding.ppsId);
    writer.bits(frameNum, coding.frameNumBits);
    writer.bits(pictureOrder, coding.pictureOrderBits);
    if (coding.pictureOrderBits > 0 && coding.hasBottomFieldOrder) writer.signedExpGolomb(0);
    if (coding.hasRedundantPictures) writer.expGolomb(0);
    writer.bit(1); // num_ref_idx_active_override_flag
    writer.expGolomb(0); // num_ref_idx_l0_active_minus1
    writer.bit(0); // ref_pic_list_modification_flag_l0
    if (coding.hasWeights) this.#writeNoWeights(writer);
    writer.bit(0); // adaptive_ref_pic_marking_mode_flag
    if (coding.isCabac) writer.expGolomb(0); // cabac_init_idc
    writer.signedExpGolomb(0); // slice_qp_delta
    if (coding.hasDeblockingControl) writer.expGolomb(1); // disable_deblocking_filter_idc
    this.#writeData(writer);
    return withEmulationPrevention(writer.finish());
  }

  #writeNoWeights(writer: BitWriter): void {
    writer.expGolomb(0); // luma_log2_weight_denom
    if (!this.coding.isMonochrome) writer.expGolomb(0); // chroma_log2_weight_denom
    writer.bit(0); // luma_weight_l0_flag
    if (!this.coding.isMonochrome) writer.bit(0); // chroma_weight_l0_flag
  }

  #writeData(writer: BitWriter): void {
    if (this.coding.isCabac) {
      writer.align(1);
      writer.bytes(this.#cabacData);
    } else {
      writer.expGolomb(this.coding.macroblocks); // mb_skip_run
      writer.bit(1); // rbsp_stop_one_bit
    }
  }
}

/** Table 9-13, ctxIdx 11, cabac_init_idc 0. */
const SKIP_FLAG_M = 23;
const SKIP_FLAG_N = 33;
const MAX_QP = 51;

/**
 * The slice data of a P slice in which every macroblock is skipped, coded by CABAC (ISO/IEC 14496-10 §9.3.4). Each macroblock is an
 * mb_skip_flag of 1 and an end_of_slice_flag. All neighbors are skipped too, so only one context is used: ctxIdx 11.
 * The bytes from the first one after the alignment to the end of the NAL unit, including trailing bits. `qp`: SliceQPY.
 */
function cabacSkipRun(macroblocks: number, qp: number): Uint8Array {
  const encoder = new CabacEncoder();
  const skipFlag = new CabacContext(initialState(qp));
  for (let left = macroblocks; left > 0; left--) {
    encoder.encode(skipFlag, 1);
    encoder.terminate(left === 1);
  }
  return encoder.finish();
}

/** §9.3.1.1 */
function initialState(qp: number): number {
  const clippedQp = Math.min(Math.max(qp, 0), MAX_QP);
  return Math.min(Math.max(((SKIP_FLAG_M * clippedQp) >> 4) + SKIP_FLAG_N, 1), 126);
}
