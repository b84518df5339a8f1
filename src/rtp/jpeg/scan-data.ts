/** The coded blocks of a JPEG that a camera sent: they contain no marker but those that divide them. ITU-T T.81 B.1.1. */

import { MARKER } from '../../codec/jpeg/baseline-jpeg.ts';

const STUFFED = 0x00;
const RST0 = 0xd0;
const RST7 = 0xd7;
const EOI = 0xd9;

/**
 * Where the blocks end: at EOI, which some cameras send, or at the end of `scan`. -1 if something is among them that begins
 * another part of a JPEG. `hasRestarts`: they are divided by restart markers.
 */
export function scanEnd(scan: Buffer, hasRestarts: boolean): number {
  for (let at = scan.indexOf(MARKER); at >= 0; at = scan.indexOf(MARKER, at + 2)) {
    const next = scan[at + 1];
    if (next === EOI) return at;
    const isRestart = hasRestarts && next !== undefined && next >= RST0 && next <= RST7;
    if (next !== STUFFED && !isRestart) return -1;
  }
  return scan.length;
}
