/**
 * A picture that repeats the one before it: a P slice of skipped macroblocks, a few dozen bytes. ISO/IEC 14496-10
 * §7.3.3, §7.3.4. Every decoder accepts it because it is a valid picture.
 */

import { BitWriter } from '../../bytes/bit-writer.ts';
import { withEmulationPrevention } from '../emulation-prevention.ts';
import { cabacSkipRun } from './cabac-skip-run.ts';
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
