/**
 * The slice data of a P slice in which every coding unit is skipped, coded by CABAC. ISO/IEC 23008-2 §7.3.8, §9.3. With
 * one merge candidate, no motion and no other picture to choose from, a skipped unit shows the same place in
 * the first reference picture.
 */

import { CabacContext, CabacEncoder } from '../cabac-encoder.ts';
import type { BlockSizes } from './sequence-parameter-set.ts';

/** Tables 9-11 and 9-13 for P slices with cabac_init_flag 0: initType 1. */
const SPLIT_FLAGS = [107, 139, 126];
const SKIP_FLAGS = [197, 185, 201];
const MAX_QP = 51;

/**
 * Rows of coding tree blocks from `firstRow` up to `endRow`, from the first byte after the header to the end of the NAL
 * unit. They are a slice of their own: nothing above them counts. `qp`: SliceQpY.
 */
export function skippedRows(blocks: BlockSizes, firstRow: number, endRow: number, qp: number): Uint8Array {
  return new RowsEncoder(blocks, firstRow, endRow, qp).encode();
}

class RowsEncoder {
  readonly #blocks: BlockSizes;
  readonly #firstRow: number;
  readonly #endRow: number;
  readonly #encoder = new CabacEncoder();
  readonly #splitFlags: readonly CabacContext[];
  readonly #skipFlags: readonly CabacContext[];
  /** CtDepth of the smallest blocks above the current one, by column, and left of it, by row of the tree. */
  readonly #depthsAbove: Int8Array;
  readonly #depthsLeft: Int8Array;

  constructor(blocks: BlockSizes, firstRow: number, endRow: number, qp: number) {
    this.#blocks = blocks;
    this.#firstRow = firstRow;
    this.#endRow = endRow;
    this.#splitFlags = SPLIT_FLAGS.map((value) => contextOf(value, qp));
    this.#skipFlags = SKIP_FLAGS.map((value) => contextOf(value, qp));
    this.#depthsAbove = new Int8Array(Math.ceil(blocks.widthPx / 2 ** blocks.minBlockLog2)).fill(NONE);
    this.#depthsLeft = new Int8Array(2 ** (blocks.treeLog2 - blocks.minBlockLog2)).fill(NONE);
  }

  encode(): Uint8Array {
    const { widthPx, treeLog2 } = this.#blocks;
    const columns = Math.ceil(widthPx / 2 ** treeLog2);
    for (let row = this.#firstRow; row < this.#endRow; row++) {
      this.#depthsLeft.fill(NONE);
      for (let column = 0; column < columns; column++) {
        this.#quadtree(column << treeLog2, row << treeLog2, treeLog2, 0);
        this.#encoder.terminate(row === this.#endRow - 1 && column === columns - 1); // end_of_slice_segment_flag
      }
    }
    return this.#encoder.finish();
  }

  /** §7.3.8.4. A block that does not fit into the picture is divided without saying so. */
  #quadtree(xPx: number, yPx: number, log2: number, depth: number): void {
    const { widthPx, heightPx, minBlockLog2 } = this.#blocks;
    const sidePx = 2 ** log2;
    const isWhole = xPx + sidePx <= widthPx && yPx + sidePx <= heightPx;
    if (isWhole) {
      if (log2 > minBlockLog2) this.#encoder.encode(this.#splitFlags[this.#deeper(xPx, yPx, depth)]!, 0);
      this.#codingUnit(xPx, yPx, sidePx, depth);
      return;
    }
    const halfPx = sidePx / 2;
    for (const [x, y] of [
      [xPx, yPx],
      [xPx + halfPx, yPx],
      [xPx, yPx + halfPx],
      [xPx + halfPx, yPx + halfPx],
    ] as const) {
      if (x < widthPx && y < heightPx) this.#quadtree(x, y, log2 - 1, depth + 1);
    }
  }

  #codingUnit(xPx: number, yPx: number, sidePx: number, depth: number): void {
    const { minBlockLog2 } = this.#blocks;
    const column = xPx >> minBlockLog2;
    const row = this.#rowInTree(yPx);
    const neighbors = Number(this.#depthsLeft[row]! > NONE) + Number(this.#depthsAbove[column]! > NONE);
    this.#encoder.encode(this.#skipFlags[neighbors]!, 1); // cu_skip_flag
    const count = sidePx >> minBlockLog2;
    this.#depthsAbove.fill(depth, column, column + count);
    this.#depthsLeft.fill(depth, row, row + count);
  }

  /** §9.3.4.2.2: how many of the neighbors to the left and above are divided further. */
  #deeper(xPx: number, yPx: number, depth: number): number {
    const left = this.#depthsLeft[this.#rowInTree(yPx)]!;
    const above = this.#depthsAbove[xPx >> this.#blocks.minBlockLog2]!;
    return Number(left > depth) + Number(above > depth);
  }

  #rowInTree(yPx: number): number {
    const { minBlockLog2, treeLog2 } = this.#blocks;
    return (yPx & (2 ** treeLog2 - 1)) >> minBlockLog2;
  }
}

/** Stands for a block that is outside of the slice. */
const NONE = -1;

/** §9.3.2.2 */
function contextOf(initValue: number, qp: number): CabacContext {
  const slope = (initValue >> 4) * 5 - 45;
  const offset = ((initValue & 15) << 3) - 16;
  const clippedQp = Math.min(Math.max(qp, 0), MAX_QP);
  return new CabacContext(Math.min(Math.max(((slope * clippedQp) >> 4) + offset, 1), 126));
}
