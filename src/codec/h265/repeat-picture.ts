/**
 * A picture that repeats another one: P slices of skipped blocks, a few dozen bytes. ISO/IEC 23008-2 §7.3.6.1. Every
 * decoder accepts it because it is a valid picture.
 */

import { BitWriter } from '../../bytes/bit-writer.ts';
import { withEmulationPrevention } from '../emulation-prevention.ts';
import { NAL_TRAIL_R } from './nal-unit.ts';
import type { PictureCoding } from './picture-coding.ts';
import { skippedRows } from './skipped-blocks.ts';

/** TRAIL_R of the base layer in the lowest sub-layer. */
const HEADER = (NAL_TRAIL_R << 9) | 1;
const P_SLICE = 1;
/** five_minus_max_num_merge_cand: one candidate, so that merge_idx is not coded. */
const ONE_CANDIDATE = 4;

export interface RepeatNumbers {
  /** PicOrderCntVal; only its low bits are written. */
  readonly pictureOrder: number;
  /** The picture that it repeats: earlier in picture order. */
  readonly repeated: number;
  /** All pictures that stay in the decoder, the repeated one among them; earlier ones, near to far. */
  readonly kept: readonly number[];
}

/** Writes repeats for one stream. */
export class RepeatPictureWriter {
  readonly coding: PictureCoding;
  /** The data of each slice; the same for every picture. With substreams for rows, each row is a slice of its own. */
  readonly #slices: readonly { readonly address: number; readonly data: Uint8Array }[];

  constructor(coding: PictureCoding) {
    this.coding = coding;
    const { blocks } = coding.sps;
    const { initialQp, isCodedInRows } = coding.slices;
    const rows = Math.ceil(blocks.heightPx / 2 ** blocks.treeLog2);
    const columns = Math.ceil(blocks.widthPx / 2 ** blocks.treeLog2);
    const rowsOfSlice = isCodedInRows ? 1 : rows;
    this.#slices = Array.from({ length: rows / rowsOfSlice }, (_, index) => ({
      address: index * columns,
      data: skippedRows(blocks, index * rowsOfSlice, (index + 1) * rowsOfSlice, initialQp),
    }));
  }

  /** The NAL units of a picture. */
  write(numbers: RepeatNumbers): Uint8Array[] {
    return this.#slices.map(({ address, data }) => {
      const writer = new BitWriter();
      writer.bits(HEADER, 16);
      this.#writeHeader(writer, address, numbers);
      writer.bit(1); // byte_alignment()
      writer.align(0);
      writer.bytes(data);
      return withEmulationPrevention(writer.finish());
    });
  }

  #writeHeader(writer: BitWriter, address: number, { pictureOrder, repeated, kept }: RepeatNumbers): void {
    const { pps, sps, slices } = this.coding;
    const isFirst = address === 0;
    writer.bit(isFirst ? 1 : 0); // first_slice_segment_in_pic_flag
    writer.expGolomb(pps.id);
    if (!isFirst) {
      if (pps.hasDependentSegments) writer.bit(0); // dependent_slice_segment_flag
      writer.bits(address, 32 - Math.clz32(sps.codingTreeBlocks - 1)); // slice_segment_address
    }
    writer.bits(0, pps.extraHeaderBits);
    writer.expGolomb(P_SLICE);
    if (pps.hasOutputFlag) writer.bit(1); // pic_output_flag
    writer.bits(pictureOrder, sps.pictureOrderBits); // slice_pic_order_cnt_lsb
    this.#writeReferences(writer, pictureOrder, repeated, kept);
    if (sps.hasTemporalMotion) writer.bit(0); // slice_temporal_mvp_enabled_flag
    const isMonochrome = sps.chromaFormat === 0;
    if (sps.hasSampleOffsets) writer.bits(0, isMonochrome ? 1 : 2); // slice_sao_luma_flag, slice_sao_chroma_flag
    writer.bit(1); // num_ref_idx_active_override_flag
    writer.expGolomb(0); // num_ref_idx_l0_active_minus1
    if (slices.hasCabacInit) writer.bit(0); // cabac_init_flag
    if (slices.hasWeights) this.#writeNoWeights(writer, isMonochrome);
    writer.expGolomb(ONE_CANDIDATE);
    writer.signedExpGolomb(0); // slice_qp_delta
    if (slices.hasChromaQpOffsets) writer.bits(0b11, 2); // slice_cb_qp_offset, slice_cr_qp_offset: se(0) each
    if (slices.mayOverrideDeblocking) writer.bit(0); // deblocking_filter_override_flag
    if (slices.hasFilterAcrossSlices && !slices.isDeblockingDisabled) writer.bit(1);
    if (slices.isCodedInRows) writer.expGolomb(0); // num_entry_point_offsets
    if (slices.hasHeaderExtension) writer.expGolomb(0); // slice_segment_header_extension_length
  }

  /** §7.3.7: a set of its own, without prediction. */
  #writeReferences(writer: BitWriter, pictureOrder: number, repeated: number, kept: readonly number[]): void {
    const { sps } = this.coding;
    writer.bit(0); // short_term_ref_pic_set_sps_flag
    if (sps.shortTermSets.length > 0) writer.bit(0); // inter_ref_pic_set_prediction_flag
    writer.expGolomb(kept.length); // num_negative_pics
    writer.expGolomb(0); // num_positive_pics
    let before = pictureOrder;
    for (const order of kept) {
      writer.expGolomb(before - order - 1); // delta_poc_s0_minus1
      writer.bit(order === repeated ? 1 : 0); // used_by_curr_pic_s0_flag
      before = order;
    }
    if (!sps.hasLongTermPictures) return;
    if (sps.longTermPictures.length > 0) writer.expGolomb(0); // num_long_term_sps
    writer.expGolomb(0); // num_long_term_pics
  }

  #writeNoWeights(writer: BitWriter, isMonochrome: boolean): void {
    writer.expGolomb(0); // luma_log2_weight_denom
    if (!isMonochrome) writer.signedExpGolomb(0); // delta_chroma_log2_weight_denom
    writer.bit(0); // luma_weight_l0_flag
    if (!isMonochrome) writer.bit(0); // chroma_weight_l0_flag
  }
}
