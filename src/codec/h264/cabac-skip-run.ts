/**
 * The slice data of a P slice in which every macroblock is skipped, coded by CABAC. ISO/IEC 14496-10 §9.3.4. Each
 * macroblock is an mb_skip_flag of 1 and an end_of_slice_flag. All neighbors are skipped too, so only one context is
 * used: ctxIdx 11.
 */

import { CabacContext, CabacEncoder } from '../cabac-encoder.ts';

/** Table 9-13, ctxIdx 11, cabac_init_idc 0. */
const SKIP_FLAG_M = 23;
const SKIP_FLAG_N = 33;
const MAX_QP = 51;

/** The bytes from the first one after the alignment to the end of the NAL unit, including trailing bits. `qp`: SliceQPY. */
export function cabacSkipRun(macroblocks: number, qp: number): Uint8Array {
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
