/**
 * The transformation matrix of a track or movie. ISO/IEC 14496-12 §6.2.2 and §8.3.2. Of all that it can say, players of MSE follow quarter
 * turns alone, and so does the gateway.
 */

import type { QuarterTurns } from '../codec/track.ts';
import type { BoxCursor } from './box-reader.ts';
import type { BoxWriter } from './box-writer.ts';

const ONE = 0x00010000;
const W = 0x40000000;
/** The values a, b, c, and d for each quarter turn, clockwise. */
const TURNS = [
  [1, 0, 0, 1],
  [0, 1, -1, 0],
  [-1, 0, 0, -1],
  [0, -1, 1, 0],
] as const;

/** Moves past the matrix. 0: as coded, or transformed in another way. */
export function readQuarterTurns(box: BoxCursor): QuarterTurns {
  const a = box.i32();
  const b = box.i32();
  box.skip(4); // u
  const c = box.i32();
  const d = box.i32();
  box.skip(4 + 4 + 4 + 4); // v, x, y, w
  const turns = TURNS.findIndex((turn) => [a, b, c, d].every((value, index) => value === turn[index]! * ONE));
  return Math.max(0, turns) as QuarterTurns;
}

/** `widthPx`, `heightPx`: as coded. The turned picture is moved back to the origin. */
export function writeMatrix(
  writer: BoxWriter,
  turns: QuarterTurns = 0,
  widthPx: number = 0,
  heightPx: number = 0,
): void {
  const [a, b, c, d] = TURNS[turns];
  const x = Math.min(0, a * widthPx) + Math.min(0, c * heightPx);
  const y = Math.min(0, b * widthPx) + Math.min(0, d * heightPx);
  for (const value of [a * ONE, b * ONE, 0, c * ONE, d * ONE, 0, -x * ONE, -y * ONE, W]) {
    writer.u32(value >>> 0);
  }
}
