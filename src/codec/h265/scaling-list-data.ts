/** Scaling lists precede fields that we need in parameter sets, so they are skipped. ISO/IEC 23008-2 §7.3.4. */

import type { BitReader } from '../../bytes/bit-reader.ts';

const SIZES = 4;
const MATRICES = 6;
const LARGEST_SIZE = 3;
const MAX_COEFFICIENTS = 64;

/** The reader is positioned at scaling_list_data(). */
export function skipScalingListData(reader: BitReader): void {
  for (let size = 0; size < SIZES; size++) {
    const coefficients = Math.min(MAX_COEFFICIENTS, 1 << (4 + (size << 1)));
    for (let matrix = 0; matrix < MATRICES; matrix += size === LARGEST_SIZE ? 3 : 1) {
      if (reader.isOverrun) return;
      if (!reader.flag()) {
        reader.expGolomb(); // scaling_list_pred_matrix_id_delta
        continue;
      }
      if (size > 1) reader.signedExpGolomb(); // scaling_list_dc_coef_minus8
      for (let at = 0; at < coefficients && !reader.isOverrun; at++) reader.signedExpGolomb();
    }
  }
}
